/** All bodies of a run as layers: which piece goes to which layer. */
import type { Box3 } from 'three';
import { Vector3 } from 'three';
import type { Pack } from '../types';
import type { Shared } from './gpu';
import { ground, type Ground } from './ground';
import type { Layer } from './layer';
import { FIXED_MOTION, pieces, reaches, type Piece } from './pieces';
import { STRIDE } from './pose';
import { round, type Round } from './round';
import { solids } from './solid';

export class Bodies {
  readonly layers: Layer[] = [];
  readonly ground: Ground | null;
  readonly round: Round | null;
  readonly reach: Float32Array;
  /** Median reach of what moves: the size of a typical body. */
  readonly typical: number;
  private glass = { value: 0 };
  private walls: Layer[];
  private of = new Map<number, Piece[]>();

  constructor(
    readonly shapes: Pack,
    private shared: Shared,
    dimension: number,
  ) {
    const all = pieces(shapes);
    for (const p of all) {
      const list = this.of.get(p.body);
      if (list) list.push(p);
      else this.of.set(p.body, [p]);
    }
    this.reach = reaches(all, shared.bodies);
    this.typical = this.median();
    const isGround = (p: Piece): boolean => p.kind === 'half_plane' || p.kind === 'half_space';
    const isRound = (p: Piece): boolean =>
      dimension === 2 ? p.kind === 'disc' || p.kind === 'capsule' : p.kind === 'sphere';
    const grounds = all.filter(isGround);
    const rounds = all.filter((p) => isRound(p) && !isGround(p));
    const rest = all.filter((p) => !isRound(p) && !isGround(p));
    const still = rest.filter((p) => this.held(p.body));
    const moving = rest.filter((p) => !this.held(p.body));
    this.ground = grounds.length > 0 ? ground(grounds, shared, dimension, dimension === 3 ? 10 : 0) : null;
    if (this.ground) this.layers.push(this.ground);
    const none = { value: 0 };
    this.walls = solids(still, shared, this.glass, dimension, dimension === 3 ? 8 : 1);
    this.layers.push(...this.walls);
    this.layers.push(...solids(moving, shared, none, dimension, 2));
    this.round = rounds.length > 0 ? round(rounds, shared, dimension, dimension === 3 ? 1 : 3) : null;
    if (this.round) this.layers.push(this.round);
  }

  private held(body: number): boolean {
    return (this.shapes.column('motion')?.[body] ?? 0) >= 2;
  }

  fixed(body: number): boolean {
    return this.shapes.column('motion')?.[body] === FIXED_MOTION;
  }

  /** Makes what does not move see-through, or not. */
  see(glass: boolean): void {
    this.glass.value = glass ? 1 : 0;
    for (const l of this.walls) l.see?.(glass);
  }

  pieces(body: number): Piece[] {
    return this.of.get(body) ?? [];
  }

  /** Categories of what moves, and −1 if something does not. */
  categories(column: string): Set<number> {
    const out = new Set<number>();
    const values = this.shapes.column(column);
    for (let i = 0; i < this.reach.length; i++) out.add(this.fixed(i) ? -1 : (values?.[i] ?? -2));
    return out;
  }

  private median(): number {
    const list: number[] = [];
    const all: number[] = [];
    for (let i = 0; i < this.reach.length; i++) {
      if (!Number.isFinite(this.reach[i]) || this.reach[i] <= 0) continue;
      all.push(this.reach[i]);
      if (!this.held(i)) list.push(this.reach[i]);
    }
    const use = list.length > 0 ? list : all;
    use.sort((a, b) => a - b);
    return use.length > 0 ? use[use.length >> 1] : 1;
  }

  /** The box around bodies as they are now: those that move, or all that end somewhere. */
  box(into: Box3, which: 'moving' | 'all'): Box3 {
    into.makeEmpty();
    const lo = new Vector3();
    const hi = new Vector3();
    const pose = this.shared.pose;
    for (let i = 0; i < this.reach.length; i++) {
      const r = this.reach[i];
      if (!Number.isFinite(r) || r <= 0 || (which === 'moving' && this.held(i))) continue;
      const o = i * STRIDE;
      if (!Number.isFinite(pose[o] + pose[o + 1] + pose[o + 2])) continue;
      lo.set(pose[o] - r, pose[o + 1] - r, pose[o + 2] - r);
      hi.set(pose[o] + r, pose[o + 1] + r, pose[o + 2] + r);
      into.expandByPoint(lo);
      into.expandByPoint(hi);
    }
    return into;
  }

  /** True if solids that do not move stand all around those that move: a container. */
  enclosed(moving: Box3): boolean {
    let lo = [Infinity, Infinity, Infinity];
    let hi = [-Infinity, -Infinity, -Infinity];
    for (const [body, list] of this.of) {
      if (!this.held(body) || !list.some((p) => p.kind === 'polyhedron' || p.kind === 'cylinder')) continue;
      const c = this.shared.centre(body);
      lo = lo.map((v, k) => Math.min(v, c[k]));
      hi = hi.map((v, k) => Math.max(v, c[k]));
    }
    const middle = moving.getCenter(new Vector3()).toArray();
    // Walls on both sides along two axes at least; a floor alone encloses nothing.
    return middle.filter((v, k) => lo[k] < v && v < hi[k]).length >= 2;
  }

  dispose(): void {
    for (const l of this.layers) l.dispose();
  }
}
