/** The plots of one body or one contact over time, from its history. */
import type { About, Pack, Selected } from '../types';
import type { ChartData, Line } from './chart';
import { columnUnit, unitOf } from './units';

export interface Quantity {
  id: string;
  label: string;
  data: ChartData;
}

const AXES = ['x', 'y', 'z'];

/** √(a² + b² + …), row by row. */
export function norm(columns: ArrayLike<number>[]): Float64Array {
  const out = new Float64Array(columns[0]?.length ?? 0);
  for (let i = 0; i < out.length; i++) out[i] = Math.hypot(...columns.map((c) => c[i]));
  return out;
}

function columns(pack: Pack, names: string[]): { name: string; y: ArrayLike<number> }[] {
  const out: { name: string; y: ArrayLike<number> }[] = [];
  for (const name of names) {
    const y = pack.column(name);
    if (y) out.push({ name, y });
  }
  return out;
}

class Builder {
  readonly list: Quantity[] = [];
  private t: ArrayLike<number>;

  constructor(
    private about: About,
    private pack: Pack,
  ) {
    this.t = pack.column('t') ?? new Float64Array(0);
  }

  unit(name: string, otherwise: string): string {
    return columnUnit(this.about, this.pack.header, name) || unitOf(this.about, otherwise);
  }

  add(id: string, label: string, unit: string, list: { name: string; y: ArrayLike<number>; meaning?: string }[]): void {
    if (list.length === 0) return;
    const lines: Line[] = list.map((l, colour) => ({ ...l, unit, x: this.t, colour }));
    const x = { label: 'time', unit: unitOf(this.about, 'time') };
    this.list.push({ id, label, data: { x, y: { label, unit }, lines } });
  }
}

/** Quantities of a body; `mass` gives ½ m v² where forces move it. */
export function bodyQuantities(about: About, pack: Pack, mass: number | null): Quantity[] {
  const b = new Builder(about, pack);
  const axes = AXES.slice(0, about.dimension);
  const position = columns(pack, axes);
  const velocity = columns(pack, axes.map((a) => `v${a}`));
  const length = b.unit('x', 'length');
  const speedUnit = b.unit('vx', 'length/time');
  b.add('position', 'position', length, position);
  if (velocity.length > 0) {
    const speed = norm(velocity.map((v) => v.y));
    b.add('speed', 'speed', speedUnit, [{ name: 'speed', y: speed }]);
    b.add('velocity', 'velocity', speedUnit, velocity);
    if (mass !== null && Number.isFinite(mass) && mass > 0) {
      const y = speed.map((v) => 0.5 * mass * v * v);
      b.add('energy', 'kinetic energy ½mv²', unitOf(about, 'energy'), [
        { name: '½mv²', y, meaning: 'kinetic energy of the motion of the centre of mass' },
      ]);
    }
  }
  if (position.length > 0) {
    const y = norm(position.map((p) => Float64Array.from(p.y, (v) => v - p.y[0])));
    b.add('displacement', 'displacement', length, [{ name: 'displacement', y, meaning: 'distance from where it was at the start' }]);
  }
  const spin = columns(pack, about.dimension === 2 ? ['spin'] : ['spin_x', 'spin_y', 'spin_z']);
  const spinUnit = b.unit(about.dimension === 2 ? 'spin' : 'spin_x', 'rad/time');
  if (spin.length > 1) b.add('spin', 'spin', spinUnit, [...spin, { name: '|spin|', y: norm(spin.map((s) => s.y)) }]);
  else b.add('spin', 'spin', spinUnit, spin);
  b.add('angle', 'angle', 'rad', columns(pack, ['angle']));
  b.add('rotation', 'rotation (quaternion)', '', columns(pack, ['qw', 'qx', 'qy', 'qz']));
  b.add('contacts', 'contacts', '', columns(pack, ['contacts']));
  return b.list;
}

/** Quantities of a contact, all with the band of its status. */
export function contactQuantities(about: About, pack: Pack): Quantity[] {
  const b = new Builder(about, pack);
  const named = (column: string, name: string, meaning: string): { name: string; y: ArrayLike<number>; meaning: string }[] => {
    const y = pack.column(column);
    return y ? [{ name, y, meaning }] : [];
  };
  b.add('impulse', 'impulse', b.unit('sn', 'force*time'), [
    ...named('sn', 'normal', 'normal impulse over the step'),
    ...named('st', 'tangential', 'size of the tangential impulse over the step'),
  ]);
  b.add('gap', 'gap', b.unit('gap', 'length'), named('gap', 'gap', 'gap at the midpoint of the step'));
  b.add('usage', 'use of friction', '', named('usage', 'usage', 'tangential impulse over the most that friction allows: 1 slides'));
  b.add('sliding', 'sliding speed', b.unit('ut', 'length/time'), named('ut', 'sliding speed', 'tangential velocity after the step'));
  const [x, y] = [pack.column('t'), pack.column('status')];
  if (x && y) for (const q of b.list) q.data.status = { x, y };
  return b.list;
}

/** What the selected thing is called where nothing better is known. */
export function titleOf(s: Selected): string {
  return s.kind === 'body' ? `body ${s.id}` : `contact of ${s.a} and ${s.b}`;
}
