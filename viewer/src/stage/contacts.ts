/**
 * Contacts: points, normals, impulses as arrows, force chains.
 *
 * A contact is drawn where it is on its bodies: recorded at p while a was at x_a, it
 * is shown at p − x_a from where a is shown now. So contacts go along between recorded
 * states, and in a periodic cell each half of a chain stays with its own body.
 */
import type { Options } from '../options';
import { ramp, statusColours, MISSING, type Rgb } from '../palette';
import type { Pack } from '../types';
import { divider, type Layer } from './layer';
import type { Shared } from './gpu';
import { Ribbons } from './ribbon';

/** Chains: width of a contact with the mean impulse, in sizes of a typical body. */
const CHAIN = 0.11;
/** Widest chain, in sizes of a typical body: wider ones would only hide others. */
const WIDEST = 0.5;
/** Arrows: length for the mean impulse, in sizes of a typical body. */
const ARROW = 0.9;
/** Points: their size in sizes of a typical body, within 3 to 10 pixels. */
const POINT = 0.4;
/** Bodies this much larger than the other are walls: a chain does not go to their middle. */
const WALL = 4;

export interface ContactContext {
  pack: Pack;
  /** The bodies as they were when the contacts were recorded; null: as they are now. */
  then: Pack | null;
  reach: Float32Array;
  typical: number;
}

type V3 = [number, number, number];

/** Columns of a table of contacts with what is missing filled by zeros. */
class Rows {
  readonly n: number;
  constructor(private pack: Pack) {
    this.n = pack.column('a')?.length ?? 0;
  }
  get(name: string): ArrayLike<number> {
    return this.pack.column(name) ?? new Float32Array(this.n);
  }
  three(x: string, y: string, z: string): (i: number) => V3 {
    const [a, b, c] = [this.get(x), this.get(y), this.get(z)];
    return (i) => [a[i], b[i], c[i]];
  }
}

function minus(a: V3, b: V3): V3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function plus(a: V3, b: V3, s = 1): V3 {
  return [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
}

export class Contacts {
  /** In space contacts show through bodies, but hide each other. */
  private divider: Layer;
  readonly points: Ribbons;
  readonly normals: Ribbons;
  readonly arrows: Ribbons;
  readonly chains: Ribbons;
  /** Largest mean impulse seen: lengths and widths keep their meaning as time goes on. */
  private reference = 0;
  private most = 0;
  theme: 'light' | 'dark' = 'light';

  constructor(
    private shared: Shared,
    space: boolean,
  ) {
    this.divider = divider(19);
    this.chains = new Ribbons('line', shared, { order: 20, least: 1, space });
    this.normals = new Ribbons('line', shared, { order: 21, least: 1.2, space, pickable: false });
    this.arrows = new Ribbons('arrow', shared, { order: 22, least: 1.6, space });
    this.points = new Ribbons('dot', shared, { order: 23, least: 1.6, most: 5, space });
  }

  get layers(): Layer[] {
    return [this.divider, ...[this.chains, this.normals, this.arrows, this.points].map((r) => r.layer)];
  }

  /** Largest normal impulse seen so far, for the colour bar. */
  get largest(): number {
    return this.most;
  }

  clear(): void {
    for (const r of [this.points, this.normals, this.arrows, this.chains]) {
      r.clear();
      r.flush();
    }
  }

  private colours(rows: Rows, options: Options): (i: number) => Rgb {
    const status = rows.get('status');
    const usage = rows.get('usage');
    const sn = rows.get('sn');
    const by = options.contacts.value.colour;
    if (by === 'status') {
      const list = statusColours(this.theme);
      return (i) => list[status[i]]?.colour ?? MISSING;
    }
    const table = ramp(options.colour.value.map);
    const at = (u: number): Rgb => {
      if (!Number.isFinite(u)) return MISSING;
      const k = 3 * Math.round(255 * Math.min(Math.max(u, 0), 1));
      return [table[k], table[k + 1], table[k + 2]];
    };
    if (by === 'usage') return (i) => at(usage[i]);
    return (i) => at(this.most > 0 ? sn[i] / this.most : NaN);
  }

  /** Mean of the positive normal impulses. */
  private mean(sn: ArrayLike<number>, n: number): number {
    let sum = 0;
    let k = 0;
    for (let i = 0; i < n; i++) {
      if (!(sn[i] > 0)) continue;
      sum += sn[i];
      k++;
      if (sn[i] > this.most) this.most = sn[i];
    }
    return k > 0 ? sum / k : 0;
  }

  /** Writes everything that is switched on. */
  show(c: ContactContext, options: Options): void {
    const choice = options.contacts.value;
    for (const r of [this.points, this.normals, this.arrows, this.chains]) r.clear();
    const rows = new Rows(c.pack);
    const sn = rows.get('sn');
    const mean = this.mean(sn, rows.n);
    this.reference = Math.max(this.reference, mean);
    const colour = this.colours(rows, options);
    const impulse = rows.three('sx', 'sy', 'sz');
    const normal = rows.three('nx', 'ny', 'nz');
    const where = this.placer(rows, c);
    const unit = this.reference > 0 ? choice.scale / this.reference : 0;
    for (let i = 0; i < rows.n; i++) {
      if (choice.aboveMean && !(sn[i] > mean)) continue;
      const { onA, a, b, onB } = where(i);
      const tone = colour(i);
      const id = this.shared.bodies + i;
      if (choice.points) this.points.add(onA, onA, POINT * c.typical, tone, 255, id);
      if (choice.normals) this.normals.add(onA, plus(onA, normal(i), 0.5 * c.typical), 0, tone, 230, id);
      if (choice.arrows && sn[i] > 0) {
        const end = plus(onA, impulse(i), ARROW * c.typical * unit);
        this.arrows.add(onA, end, 0.07 * c.typical, tone, 255, id);
      }
      if (choice.chains && sn[i] > 0) {
        const width = Math.min(CHAIN * unit * sn[i], WIDEST) * c.typical;
        if (a) this.chains.add(a, onA, width, tone, 235, id);
        if (b) this.chains.add(onB, b, width, tone, 235, id);
      }
    }
    for (const r of [this.points, this.normals, this.arrows, this.chains]) r.flush();
  }

  /** Where a contact is shown: on a, on b, and the middles of those that are no walls. */
  private placer(rows: Rows, c: ContactContext): (i: number) => { onA: V3; onB: V3; a: V3 | null; b: V3 | null } {
    const [bodyA, bodyB] = [rows.get('a'), rows.get('b')];
    const point = rows.three('x', 'y', 'z');
    const shift = rows.three('shift_x', 'shift_y', 'shift_z');
    const columns = c.then ? ['x', 'y', 'z'].map((k) => c.then?.column(k)) : null;
    const then = (body: number): V3 =>
      columns
        ? [columns[0]?.[body] ?? 0, columns[1]?.[body] ?? 0, columns[2]?.[body] ?? 0]
        : this.shared.centre(body);
    return (i) => {
      const [ka, kb] = [bodyA[i], bodyB[i]];
      const [nowA, nowB] = [this.shared.centre(ka), this.shared.centre(kb)];
      const p = point(i);
      // The body that moves carries the point: a wall's origin may be anywhere.
      const inA = minus(p, then(ka));
      const inB = minus(minus(p, then(kb)), shift(i));
      const [ra, rb] = [c.reach[ka], c.reach[kb]];
      const wallA = !(ra < WALL * rb);
      const wallB = !(rb < WALL * ra);
      const onB = plus(nowB, inB);
      const onA = wallA && !wallB ? onB : plus(nowA, inA);
      return { onA, onB, a: wallA ? null : nowA, b: wallB ? null : nowB };
    };
  }
}
