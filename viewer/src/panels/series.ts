/**
 * Lines of the plots of a run, from its table of steps.
 *
 * States (energies) are at the ends of steps. Works are those of one step, or sums over
 * a span of steps where the table was thinned, so their running sums are right either
 * way. What contacts take away is drawn upward: D = −Σ W. The zero of potential energy is
 * arbitrary: it is drawn from its first value on, so that all else can be seen beside it.
 */
import type { About, Pack } from '../types';
import type { ChartData, Line } from './chart';
import { columnUnit, unitOf } from './units';

export type Kind = 'energy' | 'residual' | 'penetration' | 'balance' | 'contacts' | 'iterations';

export const KINDS: { id: Kind; label: string }[] = [
  { id: 'energy', label: 'Energy' },
  { id: 'residual', label: 'Residual' },
  { id: 'penetration', label: 'Penetration' },
  { id: 'balance', label: 'Balances' },
  { id: 'contacts', label: 'Contacts' },
  { id: 'iterations', label: 'Iterations' },
];

/** Running sum times `sign`, from `start`; what is no number counts nothing. */
export function running(w: ArrayLike<number>, sign: number, start = 0): Float64Array {
  const out = new Float64Array(w.length);
  // Adding 0 turns −0 into 0.
  let sum = start + 0;
  for (let i = 0; i < w.length; i++) {
    if (Number.isFinite(w[i])) sum += sign * w[i];
    out[i] = sum;
  }
  return out;
}

/** Whether some value is a number other than 0. */
function counts(v: ArrayLike<number> | undefined): v is ArrayLike<number> {
  if (!v) return false;
  for (let i = 0; i < v.length; i++) if (Number.isFinite(v[i]) && v[i] !== 0) return true;
  return false;
}

/** The first number of a list; 0 for none. */
function first(v: ArrayLike<number> | undefined): number {
  for (let i = 0; v && i < v.length; i++) if (Number.isFinite(v[i])) return v[i];
  return 0;
}

interface Work {
  column: string;
  name: string;
  sign: number;
  colour: number;
  dash: number[];
  meaning: string;
}

const WORKS: Work[] = [
  { column: 'impact', name: 'lost in impacts', sign: -1, colour: 1, dash: [5, 3], meaning: 'energy taken by normal impulses so far' },
  { column: 'sliding', name: 'lost by sliding', sign: -1, colour: 6, dash: [5, 3], meaning: 'energy taken by tangential impulses so far' },
  { column: 'joint_friction', name: 'lost in joints', sign: -1, colour: 7, dash: [5, 3], meaning: 'energy taken by friction in joints so far' },
  { column: 'boundary', name: 'work of boundaries', sign: 1, colour: 3, dash: [2, 3], meaning: 'work of moving boundaries on the bodies so far' },
  { column: 'motor', name: 'work of motors', sign: 1, colour: 5, dash: [2, 3], meaning: 'work of motors of joints so far' },
];

/**
 * Whether a table has a row for every step. Mechanisms record every n-th step only where the
 * scene says so; works of the steps between are then not known, nor are their sums.
 */
export function complete(steps: Pack): boolean {
  const rows = steps.header.rows as unknown;
  const step = steps.column('step');
  if (typeof rows !== 'number' || !step || step.length === 0) return true;
  return step[step.length - 1] <= rows;
}

/** Energies and the running sums of works; `base` gives the sums and the potential before the first row. */
export function energyLines(about: About, steps: Pack, base: Record<string, number> = {}, works = complete(steps)): Line[] {
  const t = steps.column('t');
  if (!t) return [];
  const unit = columnUnit(about, steps.header, 'kinetic') || unitOf(about, 'energy');
  const kinetic = steps.column('kinetic');
  const potential = steps.column('potential');
  const elastic = steps.column('elastic');
  const lines: Line[] = [];
  const zero = base.potential ?? first(potential);
  const height = Float64Array.from(t, (_, i) => (potential?.[i] ?? 0) - zero);
  if (kinetic) {
    const total = Float64Array.from(t, (_, i) => {
      const e = elastic ? elastic[i] : 0;
      return kinetic[i] + height[i] + (Number.isFinite(e) ? e : 0);
    });
    lines.push({ name: 'total', unit, x: t, y: total, colour: 4, meaning: 'kinetic + potential + elastic energy' });
  }
  if (kinetic) lines.push({ name: 'kinetic', unit, x: t, y: kinetic, colour: 0, meaning: 'kinetic energy' });
  if (counts(potential)) lines.push({ name: 'potential', unit, x: t, y: height, colour: 2, meaning: 'potential energy since the first step' });
  if (counts(elastic)) lines.push({ name: 'elastic', unit, x: t, y: elastic, colour: 5, meaning: 'energy of springs of joints' });
  for (const w of works ? WORKS : []) {
    const values = steps.column(w.column);
    const start = base[w.column] ?? 0;
    if (!values || !(counts(values) || start !== 0)) continue;
    lines.push({ name: w.name, unit, x: t, y: running(values, w.sign, w.sign * start), colour: w.colour, dash: w.dash, meaning: w.meaning });
  }
  return lines;
}

/** Sums of all works over the rows before time `from`, and the first potential energy: where a window begins. */
export function sumsBefore(steps: Pack, from: number): Record<string, number> {
  const t = steps.column('t');
  const out: Record<string, number> = { potential: first(steps.column('potential')) };
  if (!t) return out;
  for (const w of WORKS) {
    const values = steps.column(w.column);
    if (!values) continue;
    let sum = 0;
    for (let i = 0; i < t.length && t[i] < from; i++) if (Number.isFinite(values[i])) sum += values[i];
    out[w.column] = sum;
  }
  return out;
}

function plain(steps: Pack, about: About, list: [string, string, string, number][], shape?: 'steps'): Line[] {
  const t = steps.column('t');
  if (!t) return [];
  const lines: Line[] = [];
  for (const [column, name, meaning, colour] of list) {
    const y = steps.column(column);
    if (y) lines.push({ name, unit: columnUnit(about, steps.header, column), x: t, y, colour, shape, meaning });
  }
  return lines;
}

/** The plot of one kind; null where the run has nothing of it. */
export function plotOf(kind: Kind, about: About, steps: Pack, base?: Record<string, number>, works?: boolean): ChartData | null {
  const x = { label: 'time', unit: unitOf(about, 'time') };
  const tolerance = about.certificate?.tolerance;
  const of = (lines: Line[], label: string, log = false, whole = false): ChartData | null =>
    lines.length > 0 ? { x, y: { label, unit: lines[0].unit }, lines, log, whole } : null;
  switch (kind) {
    case 'energy':
      return of(energyLines(about, steps, base, works), 'energy');
    case 'residual': {
      const d = of(plain(steps, about, [['residual', 'residual', 'dimensionless residual R2 of the contact problem', 0]]), 'residual', true);
      if (d && typeof tolerance === 'number' && tolerance > 0) d.levels = [{ value: tolerance, label: 'tolerance' }];
      return d;
    }
    case 'penetration':
      return of(
        plain(steps, about, [
          ['penetration', 'penetration', 'largest overlap of a contact', 1],
          ['drift', 'error of joints', 'largest error of a joint', 3],
        ]).filter((l) => l.name === 'penetration' || counts(l.y)),
        'length',
        true,
      );
    case 'balance':
      return of(
        plain(steps, about, [
          ['momentum', 'momentum', 'momentum balance left over, relative to its largest term', 0],
          ['energy', 'energy', 'energy balance left over, relative to its largest term', 1],
          ['gain', 'gain', 'energy gained through contacts that do not move, relative', 3],
        ]).filter((l) => l.name !== 'gain' || counts(l.y)).map((l) => ({ ...l, y: Float64Array.from(l.y, Math.abs) })),
        'relative error',
        true,
      );
    case 'contacts':
      return of(
        plain(steps, about, [
          ['active', 'contacts', 'contacts that took part', 0],
          ['pairs', 'pairs', 'pairs of bodies whose boxes meet', 6],
        ], 'steps'),
        'number',
        false,
        true,
      );
    case 'iterations':
      return of(plain(steps, about, [['iterations', 'iterations', 'iterations of the solver', 2]], 'steps'), 'iterations', false, true);
  }
}
