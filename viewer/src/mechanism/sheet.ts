/**
 * The drawing of a mechanism or a sweeping process: its things and their points at
 * every state, with straight lines between states while playing.
 */
import { lastNotAfter } from '../player';
import type { Column, Pack } from '../types';

export type ItemKind = 'link' | 'tip' | 'disc' | 'obstacle' | 'trace' | 'surface' | 'set' | 'path';

export interface Item {
  name: string;
  kind: ItemKind;
  closed: boolean;
  filled: boolean;
  radius: number | null;
  /** 0 to 6 of the palette, 7 is grey. */
  colour: number;
  width: number;
  label: string | null;
  fixed: boolean;
  /** Points along both parameters of a surface, the second fastest. */
  grid?: [number, number] | null;
  /** Contacts and joints it takes part in. */
  contacts?: string[];
}

export interface SheetHeader {
  dimension: 2 | 3;
  axes: string[];
  units: string[];
  box: { min: number[]; max: number[] } | null;
  items: Item[];
  frames: number;
  portraits: { x: string; y: string; x_unit: string; y_unit: string }[];
}

/** Where a time lies: after state `frame`, the part `part` of the way to the next. */
export interface Place {
  frame: number;
  part: number;
}

export class Sheet {
  readonly header: SheetHeader;
  readonly t: ArrayLike<number>;
  readonly dimension: 2 | 3;
  private starts: Float64Array[] = [];
  private points: (Column | undefined)[] = [];
  private touches: (Column | undefined)[] = [];

  constructor(readonly pack: Pack) {
    const h = pack.header as Partial<SheetHeader>;
    this.header = {
      dimension: h.dimension === 3 ? 3 : 2,
      axes: h.axes ?? [],
      units: h.units ?? [],
      box: h.box && h.box.min.length > 0 ? h.box : null,
      items: h.items ?? [],
      frames: h.frames ?? 0,
      portraits: h.portraits ?? [],
    };
    this.dimension = this.header.dimension;
    this.t = pack.column('t') ?? new Float64Array(0);
    this.header.items.forEach((_, k) => {
      const count = pack.column(`count_${k}`) ?? new Uint32Array(0);
      // Sums in doubles: millions of points stay exact.
      const start = new Float64Array(count.length + 1);
      for (let i = 0; i < count.length; i++) start[i + 1] = start[i] + count[i];
      this.starts.push(start);
      this.points.push(pack.column(`points_${k}`));
      this.touches.push(pack.column(`touch_${k}`));
    });
  }

  /** Names of recorded coordinates and velocities. */
  get coordinates(): string[] {
    const list = (this.pack.header.columns ?? []) as { name: string }[];
    return list.filter((c) => c.name.startsWith('q:')).map((c) => c.name.slice(2));
  }

  series(name: string): ArrayLike<number> | undefined {
    return name === 't' ? this.t : this.pack.column(`q:${name}`);
  }

  place(time: number): Place {
    const n = this.t.length;
    const frame = lastNotAfter(this.t, time);
    if (frame + 1 >= n) return { frame: Math.max(n - 1, 0), part: 0 };
    const part = (time - this.t[frame]) / (this.t[frame + 1] - this.t[frame]);
    return { frame, part: part > 0 && part < 1 ? part : 0 };
  }

  /** Points of item `k` in a state as stored; of a trace the single point of that state. */
  private stored(k: number, frame: number): Column | undefined {
    const start = this.starts[k];
    const at = this.header.items[k].fixed ? 0 : frame;
    if (!this.points[k] || at < 0 || at + 1 >= start.length) return undefined;
    return this.points[k].subarray(start[at] * this.dimension, start[at + 1] * this.dimension);
  }

  /** Points of item `k` there, `dimension` numbers each; of a trace all up to there. */
  at(k: number, place: Place): ArrayLike<number> {
    const item = this.header.items[k];
    if (item.kind === 'trace') return this.trace(k, place);
    const now = this.stored(k, place.frame);
    if (!now) return [];
    if (item.fixed || place.part === 0) return now;
    const next = this.stored(k, place.frame + 1);
    // A set may have another number of corners: it stays as it was until the next state.
    if (!next || next.length !== now.length) return now;
    const out = new Float32Array(now.length);
    for (let i = 0; i < out.length; i++) out[i] = now[i] + place.part * (next[i] - now[i]);
    return out;
  }

  private trace(k: number, place: Place): ArrayLike<number> {
    const all = this.points[k];
    const start = this.starts[k];
    if (!all || place.frame + 1 >= start.length) return all ?? [];
    const done = all.subarray(0, start[place.frame + 1] * this.dimension);
    if (place.part === 0) return done;
    const a = this.stored(k, place.frame);
    const b = this.stored(k, place.frame + 1);
    if (!a || !b || a.length !== b.length) return done;
    const out = new Float32Array(done.length + a.length);
    out.set(done);
    for (let i = 0; i < a.length; i++) out[done.length + i] = a[i] + place.part * (b[i] - a[i]);
    return out;
  }

  /** Whether a contact of item `k` acts at that state, or did since the one before. */
  touched(k: number, frame: number): boolean {
    return (this.touches[k]?.[frame] ?? 0) > 0;
  }

  /** Items whose contacts can act. */
  get touchable(): number[] {
    return this.header.items.map((_, k) => k).filter((k) => this.touches[k] !== undefined);
  }

  /**
   * Of the items whose contacts can act, one for each contact: those with a single one first,
   * because an item with several tells only that one of them acts.
   */
  get contactItems(): number[] {
    const told = new Set<string>();
    const names = (k: number): string[] => this.header.items[k].contacts ?? [];
    const order = this.touchable.sort((a, b) => names(a).length - names(b).length || a - b);
    return order.filter((k) => {
      const fresh = names(k).some((name) => !told.has(name));
      for (const name of names(k)) told.add(name);
      return fresh;
    });
  }

  /** States at which a contact of item `k` begins to act after one in which it did not. */
  onsets(k: number): number[] {
    const touch = this.touches[k];
    const out: number[] = [];
    if (!touch) return out;
    for (let i = 0; i < touch.length; i++) if (touch[i] > 0 && !(i > 0 && touch[i - 1] > 0)) out.push(i);
    return out;
  }

  /** Least and greatest first coordinate of item `k` over the states: an interval over time. */
  bounds(k: number): { low: Float64Array; high: Float64Array } {
    const n = this.t.length;
    const low = new Float64Array(n).fill(NaN);
    const high = new Float64Array(n).fill(NaN);
    for (let i = 0; i < n; i++) {
      const p = this.stored(k, i);
      if (!p) continue;
      for (let j = 0; j < p.length; j += this.dimension) {
        if (!(low[i] <= p[j])) low[i] = p[j];
        if (!(high[i] >= p[j])) high[i] = p[j];
      }
    }
    return { low, high };
  }
}
