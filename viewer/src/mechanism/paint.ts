/**
 * Paints a drawing through a lens on a canvas. In the plane things lie in their order;
 * in space their pieces are painted from the farthest to the nearest.
 */
import type { Theme } from '../app';
import { ink } from '../panels/colours';
import { linear } from '../panels/scale';
import type { Lens } from './lens';
import type { Item, Place, Sheet } from './sheet';

const LIGHT = ['#0072b2', '#d55e00', '#008561', '#b0508a', '#c98b00', '#3f9bd4', '#22262c', '#7a8089'];
const DARK = ['#5fb4ec', '#ff8b45', '#2fc498', '#e79fc6', '#f2b632', '#9bd3f7', '#eef0f3', '#98a0ab'];

/** Blue, vermilion, green, pink, amber, sky, black, grey: as scenes name them. */
export function itemColour(theme: Theme, i: number): string {
  return (theme === 'dark' ? DARK : LIGHT)[Math.min(Math.max(i, 0), 7)] ?? LIGHT[0];
}

/** Radius of the mark of a point, in pixels. */
const MARK = 4.5;
/** How much wider lines are while a contact acts. */
const ACTING = 1.8;

interface Piece {
  depth: number;
  paint(g: CanvasRenderingContext2D): void;
}

type Px = [number, number, number];

interface Scene {
  g: CanvasRenderingContext2D;
  theme: Theme;
  lens: Lens;
  to: (x: number, y: number, z: number) => Px;
  pieces: Piece[];
}

function pixels(s: Scene, points: ArrayLike<number>): Px[] {
  const d = s.lens.dimension;
  const out: Px[] = [];
  for (let i = 0; i + d <= points.length; i += d) out.push(s.to(points[i], points[i + 1], d === 3 ? points[i + 2] : 0));
  return out;
}

/** Runs of points between pens up. */
function strokes(points: Px[]): Px[][] {
  const out: Px[][] = [];
  let run: Px[] = [];
  for (const p of points) {
    if (Number.isFinite(p[0]) && Number.isFinite(p[1])) run.push(p);
    else if (run.length > 0) {
      out.push(run);
      run = [];
    }
  }
  if (run.length > 0) out.push(run);
  return out;
}

function path(g: CanvasRenderingContext2D, run: Px[], closed: boolean): void {
  g.beginPath();
  g.moveTo(run[0][0], run[0][1]);
  for (let i = 1; i < run.length; i++) g.lineTo(run[i][0], run[i][1]);
  if (closed) g.closePath();
}

/** Paints now in the plane, or when its turn comes in space. */
function put(s: Scene, depth: number, paint: (g: CanvasRenderingContext2D) => void): void {
  if (s.lens.dimension === 2) paint(s.g);
  else s.pieces.push({ depth, paint });
}

function mean(run: Px[]): number {
  return run.reduce((sum, p) => sum + p[2], 0) / run.length;
}

function strength(item: Item): number {
  return item.kind === 'trace' || item.kind === 'path' ? 0.75 : 1;
}

function lines(s: Scene, item: Item, points: Px[], acting: boolean): void {
  const colour = itemColour(s.theme, item.colour);
  const width = (item.width > 0 ? item.width : 1.5) * (acting ? ACTING : 1);
  const solid = item.filled || item.kind === 'set';
  for (const run of strokes(points)) {
    if (solid && run.length > 2) {
      put(s, mean(run), (g) => {
        path(g, run, true);
        g.globalAlpha = item.kind === 'set' ? 0.2 : 0.32;
        g.fillStyle = colour;
        g.fill();
        g.globalAlpha = 1;
      });
    }
    const line = (part: Px[], closed: boolean) => (g: CanvasRenderingContext2D) => {
      path(g, part, closed);
      g.globalAlpha = strength(item);
      g.lineWidth = width;
      g.lineJoin = g.lineCap = 'round';
      g.strokeStyle = colour;
      g.stroke();
      g.globalAlpha = 1;
    };
    if (run.length < 2) continue;
    if (s.lens.dimension === 2) line(run, item.closed)(s.g);
    else {
      // Piece by piece, so that a line can go behind and in front of a ball.
      const loop = item.closed ? [...run, run[0]] : run;
      for (let i = 0; i + 1 < loop.length; i++) {
        const part = [loop[i], loop[i + 1]];
        put(s, mean(part) + 1e-6, line(part, false));
      }
    }
  }
}

function marks(s: Scene, item: Item, points: Px[], acting: boolean): void {
  const colour = itemColour(s.theme, item.colour);
  for (const p of points) {
    if (!Number.isFinite(p[0]) || !Number.isFinite(p[1])) continue;
    const round = item.radius !== null && item.radius > 0;
    const r = round ? item.radius! * s.lens.scale : MARK;
    put(s, p[2] + (round ? 0 : 1e-3), (g) => {
      g.beginPath();
      g.arc(p[0], p[1], Math.max(r, 1), 0, 2 * Math.PI);
      if (!round || item.filled || s.lens.dimension === 3) {
        g.fillStyle = s.lens.dimension === 3 && round ? ball(g, p, r, colour, s.theme) : colour;
        g.globalAlpha = round && s.lens.dimension === 2 ? 0.32 : 1;
        g.fill();
        g.globalAlpha = 1;
      }
      if (round) {
        g.lineWidth = (item.width > 0 ? item.width : 1.5) * (acting ? ACTING : 1);
        g.strokeStyle = colour;
        g.stroke();
      } else if (acting) {
        g.beginPath();
        g.arc(p[0], p[1], MARK + 4, 0, 2 * Math.PI);
        g.lineWidth = 2;
        g.strokeStyle = colour;
        g.stroke();
      }
    });
  }
}

function ball(g: CanvasRenderingContext2D, p: Px, r: number, colour: string, theme: Theme): CanvasGradient {
  const shade = g.createRadialGradient(p[0] - 0.35 * r, p[1] - 0.4 * r, 0.1 * r, p[0], p[1], Math.max(r, 1));
  shade.addColorStop(0, theme === 'dark' ? '#c9d2dc' : '#eef3f7');
  shade.addColorStop(0.6, colour);
  shade.addColorStop(1, colour);
  return shade;
}

function surface(s: Scene, item: Item, points: Px[]): void {
  const [rows, columns] = item.grid ?? [0, 0];
  if (rows < 2 || columns < 2 || points.length < rows * columns) {
    lines(s, item, points, false);
    return;
  }
  const colour = itemColour(s.theme, item.colour);
  for (let i = 0; i + 1 < rows; i++) {
    for (let j = 0; j + 1 < columns; j++) {
      const at = i * columns + j;
      const quad = [points[at], points[at + 1], points[at + columns + 1], points[at + columns]];
      if (!quad.every((p) => Number.isFinite(p[0]) && Number.isFinite(p[1]))) continue;
      const light = slope(quad, s.lens.scale);
      put(s, mean(quad), (g) => {
        path(g, quad, true);
        g.fillStyle = colour;
        g.globalAlpha = 0.18 + 0.22 * light;
        g.fill();
        g.globalAlpha = 0.35;
        g.lineWidth = 0.6;
        g.strokeStyle = colour;
        g.stroke();
        g.globalAlpha = 1;
      });
    }
  }
}

/** How much a face looks at the viewer, 0 to 1: |n·d| from its two diagonals. */
function slope(q: Px[], scale: number): number {
  const u = [q[2][0] - q[0][0], q[2][1] - q[0][1], (q[2][2] - q[0][2]) * scale];
  const v = [q[3][0] - q[1][0], q[3][1] - q[1][1], (q[3][2] - q[1][2]) * scale];
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const size = Math.hypot(n[0], n[1], n[2]);
  return size > 0 ? Math.abs(n[2]) / size : 0;
}

/** Grid lines of round numbers in the plane, labelled at the left and the lower edge. */
function mesh(s: Scene, axes: string[], units: string[]): void {
  const { width, height } = s.lens.size;
  const colours = ink(s.theme);
  const [x0, y1] = s.lens.unproject(0, 0);
  const [x1, y0] = s.lens.unproject(width, height);
  const g = s.g;
  g.strokeStyle = colours.grid;
  g.fillStyle = colours.faint;
  g.lineWidth = 1;
  const name = (i: number): string => [axes[i] ?? '', units[i] ? `[${units[i]}]` : ''].filter((t) => t).join(' ');
  const xs = linear(x0, x1);
  g.textBaseline = 'bottom';
  g.textAlign = 'center';
  const factor = (power: number): string => (power === 0 ? '' : ` ×1e${power}`);
  for (const tick of xs.ticks(Math.max(2, Math.floor(width / 110)))) {
    const px = Math.round(tick.at * width) + 0.5;
    g.beginPath();
    g.moveTo(px, 0);
    g.lineTo(px, height);
    g.stroke();
    if (px > 46 && px < width - 60) g.fillText(tick.label, px, height - 4);
  }
  g.textAlign = 'right';
  g.fillText(name(0) + factor(xs.power), width - 6, height - 4);
  if (!axes[1]) return;
  const ys = linear(y0, y1);
  g.textAlign = 'left';
  for (const tick of ys.ticks(Math.max(2, Math.floor(height / 80)))) {
    const py = Math.round((1 - tick.at) * height) + 0.5;
    g.beginPath();
    g.moveTo(0, py);
    g.lineTo(width, py);
    g.stroke();
    if (py > 24 && py < height - 24) g.fillText(tick.label, 5, py - 2);
  }
  g.textBaseline = 'top';
  g.fillText(name(1) + factor(ys.power), 6, 6);
}

/** A cross of the three axes in a corner, in space. */
function compass(s: Scene, axes: string[]): void {
  const [r, u] = s.lens.axes();
  const [x, y] = [s.lens.size.width - 46, s.lens.size.height - 46];
  const g = s.g;
  g.lineWidth = 1.5;
  g.textAlign = 'center';
  g.textBaseline = 'middle';
  for (let i = 0; i < 3; i++) {
    const [dx, dy] = [26 * r[i], -26 * u[i]];
    g.strokeStyle = ink(s.theme).frame;
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(x + dx, y + dy);
    g.stroke();
    g.fillStyle = ink(s.theme).faint;
    g.fillText(axes[i] ?? '', x + 1.35 * dx, y + 1.35 * dy);
  }
}

export function paint(g: CanvasRenderingContext2D, sheet: Sheet, lens: Lens, place: Place, theme: Theme): void {
  const s: Scene = { g, theme, lens, to: lens.projector(), pieces: [] };
  if (lens.dimension === 2) mesh(s, sheet.header.axes, sheet.header.units);
  const labels: [string, Px][] = [];
  sheet.header.items.forEach((item, k) => {
    const points = pixels(s, sheet.at(k, place));
    // Between two states the next one tells what acts on the way to it.
    const acting = sheet.touched(k, place.frame) || (place.part > 0 && sheet.touched(k, place.frame + 1));
    const round = item.radius !== null && item.radius > 0;
    if (item.kind === 'surface') surface(s, item, points);
    else if (item.kind === 'tip' || item.kind === 'disc' || (item.kind === 'obstacle' && round)) marks(s, item, points, acting);
    else lines(s, item, points, acting);
    const first = points.find((p) => Number.isFinite(p[0]) && Number.isFinite(p[1]));
    if (item.label && first) labels.push([item.label, first]);
  });
  s.pieces.sort((a, b) => a.depth - b.depth);
  for (const p of s.pieces) p.paint(g);
  g.fillStyle = ink(theme).text;
  g.textAlign = 'left';
  g.textBaseline = 'bottom';
  for (const [text, p] of labels) g.fillText(text, p[0] + 8, p[1] - 6);
  if (lens.dimension === 3) compass(s, sheet.header.axes);
}
