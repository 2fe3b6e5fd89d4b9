/** What is selected, marked: outlines of bodies, a ring around a contact. */
import { Vector3 } from 'three';
import { findContact } from '../trace';
import type { Pack, Selected } from '../types';
import type { Bodies } from './bodies';
import type { View } from './camera';
import { circle, soupOf } from './geometry';
import type { Shared } from './gpu';
import type { Layer } from './layer';
import { inBody, type Piece } from './pieces';
import { place } from './pose';
import { Ribbons } from './ribbon';

/** A surface with more edges than this is only tinted. */
const EDGES = 20000;

type V3 = [number, number, number];

export class Marks {
  private lines: Ribbons;
  private dot: Ribbons;
  private edges: { body: number; list: V3[] } = { body: -1, list: [] };

  constructor(
    private shared: Shared,
    private bodies: Bodies,
    private space: boolean,
  ) {
    this.lines = new Ribbons('line', shared, { order: 30, least: 3, space: false, pickable: false });
    this.dot = new Ribbons('dot', shared, { order: 31, least: 8, space: false, pickable: false });
  }

  get layers(): Layer[] {
    return [this.lines.layer, this.dot.layer];
  }

  update(s: Selected | null, view: View, contacts: Pack | undefined): void {
    this.lines.clear();
    this.dot.clear();
    if (s?.kind === 'body') this.body(s.id, view);
    else if (s && contacts) this.contact(s, contacts);
    this.lines.flush();
    this.dot.flush();
  }

  private tone(): number[] {
    const a = this.shared.uniforms.accent.value;
    return [a.x * 255, a.y * 255, a.z * 255];
  }

  private body(id: number, view: View): void {
    if (this.edges.body !== id) this.edges = { body: id, list: this.outline(id) };
    const pose = this.shared.pose;
    const tone = this.tone();
    const list = this.edges.list;
    for (let i = 0; i + 1 < list.length; i += 2) {
      this.lines.add(place(pose, id, list[i]), place(pose, id, list[i + 1]), 0, tone);
    }
    if (!this.space) return;
    for (const p of this.bodies.pieces(id)) if (p.kind === 'sphere') this.silhouette(id, p, view, tone);
  }

  /** Edges of a body in body axes, as pairs. */
  private outline(id: number): V3[] {
    const out: V3[] = [];
    for (const p of this.bodies.pieces(id)) {
      if (!this.space && (p.kind === 'disc' || p.kind === 'capsule')) {
        const ring = circle(p);
        for (let k = 0; k + 1 < ring.length; k++) out.push(ring[k], ring[k + 1]);
        continue;
      }
      const { edge } = soupOf(p, this.space ? 3 : 2);
      if (edge.length / 6 > EDGES) continue;
      for (let k = 0; k < edge.length; k += 3) out.push([edge[k], edge[k + 1], edge[k + 2]]);
    }
    return out;
  }

  /** The circle where rays from the eye touch a sphere. */
  private silhouette(id: number, p: Piece, view: View, tone: number[]): void {
    const c = new Vector3(...place(this.shared.pose, id, inBody(p, [0, 0, 0])));
    const way = view.camera.position.clone().sub(c);
    const d = way.length();
    if (!(d > p.radius)) return;
    way.divideScalar(d);
    const s = p.radius / d;
    const middle = c.clone().addScaledVector(way, p.radius * s);
    const r = p.radius * Math.sqrt(1 - s * s);
    const u = new Vector3(0, 1, 0).cross(way);
    if (u.lengthSq() < 1e-12) u.set(1, 0, 0);
    u.normalize();
    const v = way.clone().cross(u);
    const at = (k: number): V3 => {
      const a = (2 * Math.PI * k) / 64;
      const x = middle.clone().addScaledVector(u, r * Math.cos(a)).addScaledVector(v, r * Math.sin(a));
      return [x.x, x.y, x.z];
    };
    for (let k = 0; k < 64; k++) this.lines.add(at(k), at(k + 1), 0, tone);
  }

  private contact(s: Extract<Selected, { kind: 'contact' }>, pack: Pack): void {
    const i = findContact(pack, s);
    if (i < 0) return;
    const p = ['x', 'y', 'z'].map((k) => pack.column(k)?.[i] ?? 0);
    this.dot.add(p, p, 0, this.tone());
  }
}
