/** A plot of one quantity against another along the motion, with a point that moves. */
import type { Theme } from '../app';
import { el } from '../dom';
import { ink, lineColour } from './colours';
import { drawFrame, fit, type Area, type AxisTitle } from './frame';
import { extent, linear, scaleFor, type Scale } from './scale';

export interface PathData {
  t: ArrayLike<number>;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  /** States worth a mark. */
  marks: number[];
  xTitle: AxisTitle;
  yTitle: AxisTitle;
}

/** More marks than this hide the path; they are left out. */
const MARKS = 400;

/** Index of the point nearest to (px, py) among pixels given by `at`; −1 for none. */
export function nearestPoint(n: number, at: (i: number) => [number, number], px: number, py: number): number {
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < n; i++) {
    const [x, y] = at(i);
    const d = (x - px) ** 2 + (y - py) ** 2;
    if (d < least) {
      least = d;
      best = i;
    }
  }
  return best;
}

export class PathChart {
  readonly element: HTMLElement;
  private base = el('canvas', { 'aria-hidden': 'true' });
  private top = el('canvas', { 'aria-hidden': 'true' });
  private data: PathData | null = null;
  private place = { frame: 0, part: 0 };
  private size = { width: 0, height: 0 };
  private area: Area = { left: 0, top: 0, width: 1, height: 1 };
  private xs: Scale = linear(0, 1);
  private ys: Scale = linear(0, 1);
  private theme: Theme = 'light';
  private stale = true;
  private request = 0;
  private observer: ResizeObserver;

  constructor(label: string, seek: (t: number) => void) {
    this.element = el('div', { class: 'chart', role: 'img', 'aria-label': label }, this.base, this.top);
    this.observer = new ResizeObserver(() => this.redraw());
    this.observer.observe(this.element);
    const go = (e: PointerEvent): void => {
      const d = this.data;
      if (!d || e.buttons !== 1) return;
      const r = this.element.getBoundingClientRect();
      const i = nearestPoint(d.t.length, (k) => [this.px(d.x[k]), this.py(d.y[k])], e.clientX - r.left, e.clientY - r.top);
      if (i >= 0) seek(d.t[i]);
    };
    this.element.addEventListener('pointerdown', go);
    this.element.addEventListener('pointermove', go);
  }

  set(data: PathData): void {
    this.data = data;
    this.redraw();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.redraw();
  }

  /** Moves the point; answers where it is now. */
  move(place: { frame: number; part: number }): [number, number] {
    this.place = place;
    this.later();
    return [this.value(this.data?.x), this.value(this.data?.y)];
  }

  private value(list: ArrayLike<number> | undefined): number {
    const { frame, part } = this.place;
    if (!list || frame >= list.length) return NaN;
    return part > 0 && frame + 1 < list.length ? list[frame] + part * (list[frame + 1] - list[frame]) : list[frame];
  }

  private px(v: number): number {
    return this.area.left + this.xs.to(v) * this.area.width;
  }

  private py(v: number): number {
    return this.area.top + this.area.height * (1 - this.ys.to(v));
  }

  private redraw(): void {
    this.stale = true;
    this.later();
  }

  private later(): void {
    if (this.request) return;
    this.request = requestAnimationFrame(() => {
      this.request = 0;
      this.draw();
    });
  }

  private draw(): void {
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    if (!this.data || width < 60 || height < 60) return;
    if (this.stale || width !== this.size.width || height !== this.size.height) {
      this.size = { width, height };
      this.drawPath(this.data);
      this.stale = false;
    }
    this.drawPoint(this.data);
  }

  private drawPath(d: PathData): void {
    const g = fit(this.base, this.size.width, this.size.height);
    if (!g) return;
    this.xs = scaleFor(extent(d.x, d.x, null), false);
    this.ys = scaleFor(extent(d.y, d.y, null), false);
    this.area = drawFrame(g, this.size, ink(this.theme), this.xs, this.ys, { x: d.xTitle, y: d.yTitle });
    this.stroke(g, d, d.t.length, ink(this.theme).frame, 1);
    if (d.marks.length > MARKS) return;
    g.fillStyle = lineColour(this.theme, 1);
    for (const i of d.marks) {
      if (!Number.isFinite(d.x[i]) || !Number.isFinite(d.y[i])) continue;
      g.beginPath();
      g.arc(this.px(d.x[i]), this.py(d.y[i]), 2.4, 0, 2 * Math.PI);
      g.fill();
    }
  }

  private stroke(g: CanvasRenderingContext2D, d: PathData, n: number, colour: string, width: number): void {
    g.strokeStyle = colour;
    g.lineWidth = width;
    g.lineJoin = 'round';
    g.beginPath();
    let down = false;
    for (let i = 0; i < n; i++) {
      const [x, y] = [this.px(d.x[i]), this.py(d.y[i])];
      if (!Number.isFinite(x) || !Number.isFinite(y)) {
        down = false;
        continue;
      }
      if (down) g.lineTo(x, y);
      else g.moveTo(x, y);
      down = true;
    }
    g.stroke();
  }

  private drawPoint(d: PathData): void {
    const g = fit(this.top, this.size.width, this.size.height);
    if (!g) return;
    // The way so far over the whole way.
    this.stroke(g, d, Math.min(this.place.frame + 1, d.t.length), lineColour(this.theme, 0), 1.6);
    const [x, y] = [this.px(this.value(d.x)), this.py(this.value(d.y))];
    if (!Number.isFinite(x) || !Number.isFinite(y)) return;
    g.fillStyle = ink(this.theme).cursor;
    g.beginPath();
    g.arc(x, y, 5, 0, 2 * Math.PI);
    g.fill();
    g.lineWidth = 1.5;
    g.strokeStyle = ink(this.theme).paper;
    g.stroke();
  }

  destroy(): void {
    if (this.request) cancelAnimationFrame(this.request);
    this.observer.disconnect();
    this.element.remove();
  }
}
