/**
 * Histories of one body or one contact, put together from recorded frames. The
 * server does this for itself; in an exported file the page has to.
 */
import { table } from './pack';
import type { Column, Pack, Selected, Source } from './types';

/** At most this many rows: more than a plot can show. */
const ROWS = 4000;

/** Indices of at most `rows` of `n` entries, evenly spread, first and last kept. */
export function thin(n: number, rows = ROWS): number[] {
  if (n <= rows) return Array.from({ length: n }, (_, i) => i);
  if (rows < 2) return n > 0 ? [0] : [];
  const out: number[] = [];
  for (let k = 0; k < rows; k++) out.push(Math.round((k * (n - 1)) / (rows - 1)));
  return out;
}

const AXES = ['x', 'y', 'z'];

/** All columns of the body `id` against time; positions are absolute (origin added). */
export async function bodyHistory(
  source: Source,
  frames: Pack,
  origin: number[],
  id: number,
): Promise<Pack> {
  const t = frames.column('t') ?? new Float64Array(0);
  const chosen = thin(t.length);
  const times = new Float64Array(chosen.length);
  const columns: Record<string, Float64Array> = { t: times };
  for (let k = 0; k < chosen.length; k++) {
    const pack = await source.bodies(chosen[k]);
    times[k] = t[chosen[k]];
    for (const c of pack.header.columns as { name: string }[]) {
      const values = pack.column(c.name);
      if (!values || id >= values.length) continue;
      columns[c.name] ??= new Float64Array(chosen.length).fill(NaN);
      const axis = AXES.indexOf(c.name);
      columns[c.name][k] = values[id] + (axis >= 0 ? (origin[axis] ?? 0) : 0);
    }
  }
  return table({}, columns);
}

/** Row of the contact (a, b, feature) in a table of contacts, −1 if it is not there. */
export function findContact(pack: Pack, s: { a: number; b: number; feature: number }): number {
  const a = pack.column('a');
  const b = pack.column('b');
  const f = pack.column('feature');
  if (!a || !b) return -1;
  for (let i = 0; i < a.length; i++) {
    if (a[i] === s.a && b[i] === s.b && (!f || f[i] === s.feature)) return i;
  }
  return -1;
}

/** ‖S − (S·n) n‖ of row `i`: the tangential part of an impulse. */
export function tangential(pack: Pack, i: number): number {
  const get = (name: string): number => (pack.column(name) as Column | undefined)?.[i] ?? 0;
  const s = [get('sx'), get('sy'), get('sz')];
  const n = [get('nx'), get('ny'), get('nz')];
  const sn = s[0] * n[0] + s[1] * n[1] + s[2] * n[2];
  return Math.hypot(s[0] - sn * n[0], s[1] - sn * n[1], s[2] - sn * n[2]);
}

/** Gap, impulses and status of a contact against time; NaN where it was not recorded. */
export async function contactHistory(
  source: Source,
  frames: Pack,
  s: Extract<Selected, { kind: 'contact' }>,
): Promise<Pack> {
  const t = frames.column('contact_t') ?? new Float64Array(0);
  const chosen = thin(t.length);
  const nan = (): Float64Array => new Float64Array(chosen.length).fill(NaN);
  const out = { t: nan(), gap: nan(), sn: nan(), st: nan(), status: nan(), ut: nan() };
  for (let k = 0; k < chosen.length; k++) {
    out.t[k] = t[chosen[k]];
    const pack = await source.contacts(chosen[k]);
    const i = findContact(pack, s);
    if (i < 0) continue;
    for (const name of ['gap', 'sn', 'status', 'ut'] as const) {
      out[name][k] = pack.column(name)?.[i] ?? NaN;
    }
    out.st[k] = tangential(pack, i);
  }
  return table({}, out);
}
