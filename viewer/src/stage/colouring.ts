/** Colours of bodies: a quantity on a scale, or a category. */
import { unitOf } from '../format';
import type { ColourChoice } from '../options';
import { category, FIXED, MISSING, ramp, type Rgb } from '../palette';
import type { About, Pack } from '../types';
import { FIXED_MOTION } from './pieces';

export interface Choice {
  by: string;
  label: string;
  unit: string;
  meaning?: string;
  /** Names of categories; none for a quantity. */
  categories?: string[];
}

/** What bodies of this run can be coloured by; the first nine have a key. */
export function choices(about: About, hasContacts: boolean): Choice[] {
  const u = about.units ?? {};
  const length = u.length ?? 'm';
  const time = u.time ?? 's';
  const out: Choice[] = [
    { by: 'material', label: 'Material', unit: '', categories: about.materials },
    { by: 'group', label: 'Group', unit: '', categories: about.groups },
    { by: 'speed', label: 'Speed', unit: `${length}/${time}` },
    { by: 'spin', label: 'Spin', unit: `rad/${time}` },
    { by: 'displacement', label: 'Displacement', unit: length },
    { by: 'height', label: 'Height', unit: length },
  ];
  if (hasContacts) out.push({ by: 'contacts', label: 'Coordination number', unit: '' });
  const known = new Set(out.map((c) => c.by));
  for (const c of about.columns ?? []) {
    if (known.has(c.name)) continue;
    out.push({ by: c.name, label: c.name, unit: unitOf(u, c.unit), meaning: c.meaning });
  }
  return out.filter((c) => !c.categories || c.categories.length > 0);
}

interface Extent {
  low: number;
  high: number;
  /** Least positive value: where a logarithmic scale can begin. */
  positive: number;
}

/** A linear or logarithmic scale from 0 to 1. */
export class Scale {
  constructor(
    readonly low: number,
    readonly high: number,
    readonly log: boolean,
  ) {}

  at(v: number): number {
    if (Number.isNaN(v)) return NaN;
    if (!(this.high > this.low)) return 0;
    if (!this.log) return (v - this.low) / (this.high - this.low);
    if (v <= 0) return 0;
    return Math.log(v / this.low) / Math.log(this.high / this.low);
  }

  /** Values at which the bar has a tick: at its ends and between. */
  inverse(u: number): number {
    return this.log ? this.low * (this.high / this.low) ** u : this.low + u * (this.high - this.low);
  }
}

/** Decades a logarithmic scale covers when nothing else is said. */
const DECADES = 1e-6;

/** The scale of a choice over the values seen so far. */
export function scaleOf(choice: ColourChoice, seen: Extent | undefined): Scale {
  let low = choice.low ?? seen?.low ?? 0;
  let high = choice.high ?? seen?.high ?? 1;
  const log = choice.log && high > 0;
  if (log && !(low > 0)) low = Math.max(seen && seen.positive < high ? seen.positive : 0, high * DECADES);
  if (!(high > low)) high = log ? low * 10 : low + (Math.abs(low) || 1);
  return new Scale(low, high, log);
}

/** Quantities that begin at zero: a scale that does not would exaggerate. */
const FROM_ZERO = new Set(['speed', 'spin', 'displacement', 'contacts']);

export class Colouring {
  readonly values: Float32Array;
  private seen = new Map<string, Extent>();
  private start: Float32Array[] | null = null;

  constructor(
    private about: About,
    private shapes: Pack,
    private bodies: number,
  ) {
    this.values = new Float32Array(bodies);
  }

  update(about: About): void {
    this.about = about;
  }

  /** The first recorded state: displacements are from there. */
  setStart(pack: Pack): void {
    this.start = ['x', 'y', 'z'].map((k) => Float32Array.from(pack.column(k) ?? []));
  }

  /** Forgets the extent of `by`, to begin the automatic range anew. */
  reset(by: string): void {
    this.seen.delete(by);
  }

  scale(choice: ColourChoice): Scale {
    return scaleOf(choice, this.seen.get(choice.by));
  }

  private norm(pack: Pack, names: string[]): void {
    const c = names.map((k) => pack.column(k)).filter((x) => x !== undefined);
    for (let i = 0; i < this.bodies; i++) {
      let s = 0;
      for (const x of c) s += x[i] * x[i];
      this.values[i] = c.length > 0 ? Math.sqrt(s) : NaN;
    }
  }

  private height(pack: Pack): void {
    const g = this.about.gravity ?? [];
    const size = Math.hypot(...g);
    const up = size > 0 ? g.map((v) => -v / size) : this.about.dimension === 3 ? [0, 0, 1] : [0, 1];
    const c = ['x', 'y', 'z'].map((k) => pack.column(k));
    for (let i = 0; i < this.bodies; i++) {
      let s = 0;
      for (let k = 0; k < up.length; k++) s += up[k] * ((c[k]?.[i] ?? 0) + (this.about.origin?.[k] ?? 0));
      this.values[i] = s;
    }
  }

  private displacement(pack: Pack): void {
    const c = ['x', 'y', 'z'].map((k) => pack.column(k));
    for (let i = 0; i < this.bodies; i++) {
      let s = 0;
      for (let k = 0; k < 3; k++) {
        const x = c[k];
        const from = this.start?.[k];
        if (x && from && i < from.length) s += (x[i] - from[i]) ** 2;
      }
      this.values[i] = this.start ? Math.sqrt(s) : NaN;
    }
  }

  private fill(by: string, pack: Pack): void {
    if (by === 'speed') this.norm(pack, ['vx', 'vy', 'vz']);
    else if (by === 'spin') this.norm(pack, pack.column('spin') ? ['spin'] : ['spin_x', 'spin_y', 'spin_z']);
    else if (by === 'height') this.height(pack);
    else if (by === 'displacement') this.displacement(pack);
    else {
      const c = pack.column(by) ?? this.shapes.column(by);
      for (let i = 0; i < this.bodies; i++) this.values[i] = c ? c[i] : NaN;
    }
  }

  /** Widens the extent of `by` by a state that is not shown (or is). */
  look(by: string, pack: Pack): void {
    if (by === 'material' || by === 'group') return;
    this.fill(by, pack);
    const motion = this.shapes.column('motion');
    const e = this.seen.get(by) ?? { low: Infinity, high: -Infinity, positive: Infinity };
    for (let i = 0; i < this.bodies; i++) {
      const v = this.values[i];
      if (!Number.isFinite(v) || (motion && motion[i] === FIXED_MOTION)) continue;
      if (v < e.low) e.low = v;
      if (v > e.high) e.high = v;
      if (v > 0 && v < e.positive) e.positive = v;
    }
    if (FROM_ZERO.has(by)) e.low = Math.min(e.low, 0);
    if (e.high >= e.low) this.seen.set(by, e);
  }

  /** Writes the colours of all bodies (four bytes each). */
  paint(tint: Uint8Array, pack: Pack, choice: ColourChoice, theme: 'light' | 'dark'): void {
    const motion = this.shapes.column('motion');
    const fixed = FIXED[theme];
    const set = (i: number, c: Rgb | Uint8Array): void => {
      tint[4 * i] = c[0];
      tint[4 * i + 1] = c[1];
      tint[4 * i + 2] = c[2];
      tint[4 * i + 3] = 255;
    };
    if (choice.by === 'material' || choice.by === 'group') {
      const column = this.shapes.column(choice.by);
      for (let i = 0; i < this.bodies; i++) {
        set(i, motion && motion[i] === FIXED_MOTION ? fixed : column ? category(column[i]) : MISSING);
      }
      return;
    }
    this.look(choice.by, pack);
    const scale = this.scale(choice);
    const table = ramp(choice.map);
    for (let i = 0; i < this.bodies; i++) {
      const u = scale.at(this.values[i]);
      if (motion && motion[i] === FIXED_MOTION) set(i, fixed);
      else if (Number.isNaN(u)) set(i, MISSING);
      else {
        const k = 3 * Math.round(255 * Math.min(Math.max(u, 0), 1));
        tint[4 * i] = table[k];
        tint[4 * i + 1] = table[k + 1];
        tint[4 * i + 2] = table[k + 2];
        tint[4 * i + 3] = 255;
      }
    }
  }
}
