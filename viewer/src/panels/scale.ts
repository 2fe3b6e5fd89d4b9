/**
 * Scales of axes: from values to the unit interval and back, with round ticks.
 *
 * A logarithmic scale has room for values that have no logarithm: where the data hold
 * zeros (a residual is often exactly 0), the lowest part of the axis is theirs.
 */
import { ticks } from '../format';

export interface Tick {
  /** Place on the axis, 0 to 1. */
  at: number;
  label: string;
  minor?: boolean;
}

export interface Scale {
  readonly low: number;
  readonly high: number;
  /** Place of a value on the axis; within 0 and 1 for values within the scale. */
  to(v: number): number;
  from(u: number): number;
  ticks(count: number): Tick[];
  /** Power of ten that the labels leave out; it goes to the title. */
  readonly power: number;
}

const SUPER: Record<string, string> = {
  '-': '⁻', '0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹',
};

/** 10ⁿ in letters. */
export function powerOfTen(n: number): string {
  return `10${[...String(n)].map((c) => SUPER[c] ?? c).join('')}`;
}

/** A span smaller than this part of its values is rounding: nothing to look at. */
const ROUNDING = 1e-10;

/** Widens a span without extent, and makes one of nothing. */
function spread(low: number, high: number): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high) || low > high) return [0, 1];
  if (high - low > ROUNDING * Math.max(Math.abs(low), Math.abs(high))) return [low, high];
  const by = Math.abs(low) > 0 ? Math.abs(low) * 0.1 : 1;
  return [low - by, low + by];
}

/** Decimals that tell neighbouring ticks apart. */
function decimals(step: number): number {
  return Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 20);
}

export function linear(a: number, b: number): Scale {
  const [low, high] = spread(a, b);
  const most = Math.max(Math.abs(low), Math.abs(high));
  const power = most >= 1e5 || most < 1e-2 ? Math.floor(Math.log10(most) / 3 + 1e-9) * 3 : 0;
  return {
    low,
    high,
    power,
    to: (v) => (v - low) / (high - low),
    from: (u) => low + u * (high - low),
    ticks(count) {
      const list = ticks(low, high, count);
      const unit = 10 ** power;
      const step = list.length > 1 ? (list[1] - list[0]) / unit : 1;
      const places = decimals(Math.abs(step));
      return list.map((v) => ({
        at: (v - low) / (high - low),
        // Adding 0 turns −0 into 0.
        label: ((Math.abs(v) < 1e-9 * Math.abs(step * unit) ? 0 : v / unit) + 0).toFixed(places).replace('-', '−'),
      }));
    },
  };
}

/** Share of a logarithmic axis that zeros get. */
const ZERO = 0.08;

export function logarithmic(a: number, b: number, zeros: boolean): Scale {
  let low = a > 0 && Number.isFinite(a) ? a : b > 0 ? b : 1;
  let high = b > 0 && Number.isFinite(b) ? b : low;
  // At least two decades: less looks like a linear axis and reads worse.
  const middle = (Math.log10(low) + Math.log10(high)) / 2;
  if (Math.log10(high / low) < 2) {
    low = 10 ** (middle - 1);
    high = 10 ** (middle + 1);
  }
  const floor = zeros ? ZERO : 0;
  const from = Math.log10(low);
  const span = Math.log10(high) - from;
  return {
    low,
    high,
    power: 0,
    to: (v) => (v > 0 ? floor + (1 - floor) * ((Math.log10(v) - from) / span) : 0),
    from: (u) => (u < floor ? 0 : 10 ** (from + span * ((u - floor) / (1 - floor)))),
    ticks(count) {
      const out: Tick[] = zeros ? [{ at: 0, label: '0' }] : [];
      const every = Math.max(1, Math.ceil(span / Math.max(count, 1)));
      for (let n = Math.ceil(from - 1e-9); n <= from + span + 1e-9; n++) {
        const at = floor + (1 - floor) * ((n - from) / span);
        const labelled = n % every === 0;
        out.push({ at, label: labelled ? powerOfTen(n) : '', minor: !labelled });
      }
      return out;
    },
  };
}

/** A linear scale of numbers of things: at least two wide, no ticks between whole numbers. */
export function counting(e: Extent): Scale {
  const s = scaleFor(e.high - e.low < 2 ? { ...e, low: e.low - 1, high: e.high + 1 } : e, false);
  // No more ticks than whole numbers: their distance is then one or more.
  return { ...s, ticks: (count) => s.ticks(Math.max(1, Math.min(count, Math.floor(s.high - s.low)))) };
}

/** Smallest and largest finite value, smallest positive one, and whether some are ≤ 0. */
export interface Extent {
  low: number;
  high: number;
  positive: number;
  zeros: boolean;
}

export const NOTHING: Extent = { low: Infinity, high: -Infinity, positive: Infinity, zeros: false };

/** The extent of `y` where `x` lies within the window, with `so` far taken in. */
export function extent(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  window: [number, number] | null,
  so: Extent = NOTHING,
): Extent {
  const out = { ...so };
  const n = Math.min(x.length, y.length);
  for (let i = 0; i < n; i++) {
    const v = y[i];
    if (!Number.isFinite(v)) continue;
    if (window && (x[i] < window[0] || x[i] > window[1])) continue;
    if (v < out.low) out.low = v;
    if (v > out.high) out.high = v;
    if (v > 0) {
      if (v < out.positive) out.positive = v;
    } else out.zeros = true;
  }
  return out;
}

/** The scale of an axis with these values: a margin of 5 % on a linear one. */
export function scaleFor(e: Extent, log: boolean): Scale {
  if (log) return logarithmic(e.positive, e.high, e.zeros);
  const [low, high] = spread(e.low, e.high);
  const margin = 0.05 * (high - low);
  return linear(low - margin, high + margin);
}

/** Index of the entry of the ascending list `x` that is nearest to `v`, −1 for none. */
export function nearest(x: ArrayLike<number>, v: number): number {
  const n = x.length;
  if (n === 0) return -1;
  let a = 0;
  let b = n - 1;
  while (b - a > 1) {
    const m = (a + b) >> 1;
    if (x[m] <= v) a = m;
    else b = m;
  }
  return Math.abs(x[a] - v) <= Math.abs(x[b] - v) ? a : b;
}
