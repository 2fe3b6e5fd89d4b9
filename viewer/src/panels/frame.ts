/** The frame of a plot on a canvas: room for labels, grid, ticks, titles of the axes. */
import type { Ink } from './colours';
import { powerOfTen, type Scale } from './scale';

export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface AxisTitle {
  label: string;
  unit: string;
}

const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/** "energy [10³ J]" */
export function titleOf(axis: AxisTitle, power: number): string {
  const unit = [power !== 0 ? powerOfTen(power) : '', axis.unit].filter((s) => s !== '').join('\u2009');
  return unit ? `${axis.label} [${unit}]` : axis.label;
}

/** A canvas of `w` by `h` CSS pixels, sharp on every screen; its context in CSS pixels. */
export function fit(canvas: HTMLCanvasElement, w: number, h: number): CanvasRenderingContext2D | null {
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  const [pw, ph] = [Math.max(1, Math.round(w * ratio)), Math.max(1, Math.round(h * ratio))];
  if (canvas.width !== pw || canvas.height !== ph) {
    canvas.width = pw;
    canvas.height = ph;
  }
  const g = canvas.getContext('2d');
  if (!g) return null;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, h);
  g.font = FONT;
  return g;
}

/** How many ticks fit without their labels touching. */
function counts(width: number, height: number): [number, number] {
  return [Math.max(2, Math.floor(width / 90)), Math.max(2, Math.floor(height / 38))];
}

/** Draws the frame and answers where the data go. */
export function drawFrame(
  g: CanvasRenderingContext2D,
  size: { width: number; height: number },
  ink: Ink,
  x: Scale,
  y: Scale,
  titles: { x: AxisTitle; y: AxisTitle },
): Area {
  const [nx, ny] = counts(size.width - 70, size.height - 50);
  const yTicks = y.ticks(ny);
  const widest = yTicks.reduce((m, t) => Math.max(m, g.measureText(t.label).width), 0);
  const left = Math.ceil(widest) + 28;
  const area: Area = { left, top: 8, width: Math.max(20, size.width - left - 12), height: Math.max(20, size.height - 50) };
  const bottom = area.top + area.height;
  g.fillStyle = ink.paper;
  g.fillRect(area.left, area.top, area.width, area.height);
  g.lineWidth = 1;
  g.textBaseline = 'middle';
  g.textAlign = 'right';
  for (const tick of yTicks) {
    const py = Math.round(bottom - tick.at * area.height) + 0.5;
    if (py < area.top - 1 || py > bottom + 1) continue;
    g.strokeStyle = ink.grid;
    line(g, area.left, py, area.left + area.width, py);
    g.fillStyle = ink.faint;
    g.fillText(tick.label, area.left - 6, py);
  }
  g.textBaseline = 'top';
  g.textAlign = 'center';
  for (const tick of x.ticks(nx)) {
    const px = Math.round(area.left + tick.at * area.width) + 0.5;
    if (px < area.left - 1 || px > area.left + area.width + 1) continue;
    g.strokeStyle = ink.grid;
    line(g, px, area.top, px, bottom);
    g.fillStyle = ink.faint;
    const half = g.measureText(tick.label).width / 2;
    g.fillText(tick.label, Math.min(Math.max(px, half), size.width - half - 1), bottom + 6);
  }
  g.strokeStyle = ink.frame;
  g.strokeRect(area.left + 0.5, area.top + 0.5, area.width, area.height);
  g.fillStyle = ink.text;
  g.fillText(titleOf(titles.x, x.power), area.left + area.width / 2, bottom + 23);
  g.save();
  g.translate(8, area.top + area.height / 2);
  g.rotate(-Math.PI / 2);
  g.textBaseline = 'middle';
  g.fillText(titleOf(titles.y, y.power), 0, 0);
  g.restore();
  return area;
}

function line(g: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
}
