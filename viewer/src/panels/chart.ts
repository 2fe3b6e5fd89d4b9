/**
 * A plot of quantities against time, on two canvases: one for the data, which change
 * seldom, one for the cursor, which moves with every picture.
 *
 * A click sets the time; a drag along the time axis or of the cursor moves it; a drag
 * elsewhere chooses a window of time, a double click gives the whole run again.
 */
import type { Theme } from '../app';
import { el } from '../dom';
import { ink, lineColour, statusColour } from './colours';
import { drawFrame, fit, type Area, type AxisTitle } from './frame';
import { attach, type Gestures } from './gestures';
import { counting, extent, linear, nearest, NOTHING, scaleFor, type Scale } from './scale';

export interface Line {
  name: string;
  unit: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  /** Which of the eight colours. */
  colour: number;
  dash?: number[];
  /** Steps hold their value until the next one. */
  shape?: 'line' | 'steps';
  hidden?: boolean;
  /** Hidden until the user switches it on. */
  off?: boolean;
  /** What the quantity is, for the legend's tooltip. */
  meaning?: string;
}

export interface ChartData {
  x: AxisTitle;
  y: AxisTitle;
  log?: boolean;
  /** The values are numbers of things. */
  whole?: boolean;
  lines: Line[];
  /** Lines across, such as a tolerance. */
  levels?: { value: number; label: string }[];
  /** A band along the bottom: status of a contact at these times. */
  status?: { x: ArrayLike<number>; y: ArrayLike<number> };
  /** Instants worth a mark. */
  marks?: { x: ArrayLike<number>; colour: (i: number, theme: Theme) => string };
}

export interface ChartEvents {
  /** The user asks for this time. */
  seek(t: number): void;
  /** The user chooses a window of time; null: all of it. */
  window(w: [number, number] | null): void;
  /** The pointer is over this time; null: it left. */
  hover(t: number | null): void;
}

const BAND = 10;

export class Chart {
  readonly element: HTMLElement;
  private base = el('canvas', { 'aria-hidden': 'true' });
  private top = el('canvas', { 'aria-hidden': 'true' });
  private data: ChartData = { x: { label: 'time', unit: '' }, y: { label: '', unit: '' }, lines: [] };
  private size = { width: 0, height: 0 };
  private area: Area = { left: 0, top: 0, width: 1, height: 1 };
  private xs: Scale = linear(0, 1);
  private ys: Scale = linear(0, 1);
  private span: [number, number] = [0, 1];
  private time = 0;
  private hovered: number | null = null;
  private choice: [number, number] | null = null;
  private theme: Theme = 'light';
  private request = 0;
  private stale = true;
  private observer: ResizeObserver;
  private gestures: Gestures;

  constructor(
    label: string,
    private events: ChartEvents,
  ) {
    this.element = el(
      'div',
      { class: 'chart', tabindex: 0, role: 'group', 'aria-roledescription': 'plot', 'aria-label': label },
      this.base,
      this.top,
    );
    this.observer = new ResizeObserver(() => this.redraw());
    this.observer.observe(this.element);
    this.gestures = attach(this.element, {
      at: (px) => this.timeAt(px),
      grip: (px, py) => this.onGrip(px, py),
      inside: (px) => px >= this.area.left - 4 && px <= this.area.left + this.area.width + 4,
      hover: (t) => {
        this.hovered = t;
        this.events.hover(t);
        this.later();
      },
      seek: (t) => this.events.seek(t),
      choose: (from, to) => {
        this.choice = [from, to];
        this.later();
      },
      chosen: (from, to) => {
        this.choice = null;
        if (to > from) this.events.window([from, to]);
        this.later();
      },
      whole: () => this.events.window(null),
      scale: (by) => this.zoomBy(by),
    });
  }

  /** Shows these data within this span of time. */
  set(data: ChartData, span: [number, number]): void {
    this.data = data;
    this.span = span;
    this.redraw();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.redraw();
  }

  setTime(t: number): void {
    if (t === this.time) return;
    this.time = t;
    this.later();
  }

  /** A window `by` times as long about the cursor. */
  private zoomBy(by: number): void {
    const [a, b] = this.span;
    const middle = this.time >= a && this.time <= b ? this.time : (a + b) / 2;
    const half = ((b - a) * by) / 2;
    if (half > 0 && Number.isFinite(half)) this.events.window([middle - half, middle + half]);
  }

  private timeAt(px: number): number {
    const u = (px - this.area.left) / this.area.width;
    return this.xs.from(Math.min(Math.max(u, 0), 1));
  }

  private onGrip(px: number, py: number): boolean {
    const cursor = this.area.left + this.xs.to(this.time) * this.area.width;
    return Math.abs(px - cursor) <= 6 || py > this.area.top + this.area.height;
  }

  redraw(): void {
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
    const width = this.element.clientWidth;
    const height = this.element.clientHeight;
    if (width < 60 || height < 60) return;
    if (width !== this.size.width || height !== this.size.height) {
      this.size = { width, height };
      this.stale = true;
    }
    if (this.stale) this.drawData();
    this.stale = false;
    this.drawCursor();
  }

  private scales(): void {
    let e = NOTHING;
    for (const l of this.data.lines) if (!l.hidden) e = extent(l.x, l.y, this.span, e);
    for (const l of this.data.levels ?? []) {
      // A level far from all data would flatten them; it stays outside then.
      const near = this.data.log ? l.value > 0 : l.value >= e.low && l.value <= e.high;
      if (near) e = extent([this.span[0]], [l.value], null, e);
    }
    this.xs = linear(this.span[0], this.span[1]);
    this.ys = this.data.whole && Number.isFinite(e.low) ? counting(e) : scaleFor(e, this.data.log ?? false);
  }

  private drawData(): void {
    const g = fit(this.base, this.size.width, this.size.height);
    if (!g) return;
    this.scales();
    const colours = ink(this.theme);
    this.area = drawFrame(g, this.size, colours, this.xs, this.ys, { x: this.data.x, y: this.data.y });
    const { left, top, width, height } = this.area;
    g.save();
    g.beginPath();
    g.rect(left, top, width, height);
    g.clip();
    this.drawStatus(g);
    this.drawMarks(g);
    for (const l of this.data.levels ?? []) {
      const y = this.py(l.value);
      g.strokeStyle = colours.faint;
      g.setLineDash([6, 4]);
      g.beginPath();
      g.moveTo(left, y);
      g.lineTo(left + width, y);
      g.stroke();
      g.setLineDash([]);
      g.fillStyle = colours.faint;
      g.textAlign = 'right';
      g.textBaseline = y > top + 18 ? 'bottom' : 'top';
      g.fillText(l.label, left + width - 6, y + (y > top + 18 ? -2 : 2));
    }
    for (const l of this.data.lines) if (!l.hidden) this.drawLine(g, l);
    g.restore();
  }

  private px(t: number): number {
    return this.area.left + this.xs.to(t) * this.area.width;
  }

  private py(v: number): number {
    return this.area.top + this.area.height * (1 - this.ys.to(v));
  }

  private drawLine(g: CanvasRenderingContext2D, l: Line): void {
    g.strokeStyle = lineColour(this.theme, l.colour);
    g.lineWidth = 1.6;
    g.lineJoin = 'round';
    g.setLineDash(l.dash ?? []);
    g.beginPath();
    const n = Math.min(l.x.length, l.y.length);
    let down = false;
    let alone = 0;
    let last = 0;
    for (let i = 0; i < n; i++) {
      if (!Number.isFinite(l.y[i]) || !Number.isFinite(l.x[i])) {
        if (down && alone === 1) g.lineTo(this.px(l.x[i - 1]) + 1.5, last);
        down = false;
        continue;
      }
      const x = this.px(l.x[i]);
      const y = this.py(l.y[i]);
      if (!down) g.moveTo(x, y);
      else {
        if (l.shape === 'steps') g.lineTo(x, last);
        g.lineTo(x, y);
      }
      alone = down ? alone + 1 : 1;
      down = true;
      last = y;
    }
    if (down && alone === 1 && n > 0) g.lineTo(this.px(l.x[n - 1]) + 1.5, last);
    g.stroke();
    g.setLineDash([]);
  }

  private drawStatus(g: CanvasRenderingContext2D): void {
    const s = this.data.status;
    if (!s) return;
    const n = Math.min(s.x.length, s.y.length);
    const bottom = this.area.top + this.area.height;
    for (let i = 0; i < n; i++) {
      if (!Number.isFinite(s.y[i])) continue;
      const from = this.px(s.x[i]);
      // The status of the step that ended at x[i]; a thin bar where no next one is known.
      const to = i + 1 < n ? this.px(s.x[i + 1]) : from + 2;
      g.fillStyle = statusColour(this.theme, s.y[i]);
      g.fillRect(from, bottom - BAND, Math.max(to - from, 1), BAND);
    }
  }

  private drawMarks(g: CanvasRenderingContext2D): void {
    const m = this.data.marks;
    if (!m) return;
    const bottom = this.area.top + this.area.height;
    g.lineWidth = 1;
    let previous = -1;
    for (let i = 0; i < m.x.length; i++) {
      const x = Math.round(this.px(m.x[i])) + 0.5;
      if (x === previous || x < this.area.left || x > this.area.left + this.area.width) continue;
      previous = x;
      g.strokeStyle = m.colour(i, this.theme);
      g.beginPath();
      g.moveTo(x, bottom);
      g.lineTo(x, bottom - 12);
      g.stroke();
    }
  }

  private drawCursor(): void {
    const g = fit(this.top, this.size.width, this.size.height);
    if (!g) return;
    const colours = ink(this.theme);
    const { left, top, width, height } = this.area;
    if (this.choice) {
      const [a, b] = this.choice.map((t) => this.px(t));
      g.fillStyle = colours.choice;
      g.fillRect(Math.min(a, b), top, Math.abs(b - a), height);
    }
    const u = this.xs.to(this.time);
    if (u >= -1e-9 && u <= 1 + 1e-9) {
      const x = left + u * width;
      g.strokeStyle = g.fillStyle = colours.cursor;
      g.lineWidth = 1.5;
      g.beginPath();
      g.moveTo(x, top);
      g.lineTo(x, top + height);
      g.stroke();
      g.beginPath();
      g.moveTo(x - 5, top + height + 6);
      g.lineTo(x + 5, top + height + 6);
      g.lineTo(x, top + height);
      g.fill();
    }
    if (this.hovered !== null) this.drawHover(g, this.hovered);
  }

  private drawHover(g: CanvasRenderingContext2D, t: number): void {
    const { top, height } = this.area;
    g.strokeStyle = ink(this.theme).faint;
    g.lineWidth = 1;
    g.setLineDash([2, 3]);
    g.beginPath();
    g.moveTo(this.px(t), top);
    g.lineTo(this.px(t), top + height);
    g.stroke();
    g.setLineDash([]);
    for (const l of this.data.lines) {
      if (l.hidden) continue;
      const i = nearest(l.x, t);
      if (i < 0 || !Number.isFinite(l.y[i])) continue;
      const x = this.px(l.x[i]);
      const y = this.py(l.y[i]);
      if (x < this.area.left - 1 || x > this.area.left + this.area.width + 1) continue;
      g.fillStyle = lineColour(this.theme, l.colour);
      g.beginPath();
      g.arc(x, y, 3.2, 0, 2 * Math.PI);
      g.fill();
    }
  }

  destroy(): void {
    if (this.request) cancelAnimationFrame(this.request);
    this.observer.disconnect();
    this.gestures.detach();
    this.element.remove();
  }
}
