/**
 * The periodic cell: its outline, bodies wrapped into it, and in the plane the images
 * of those that stick out, cut at the faces.
 */
import { Box3, Vector3, type Object3D } from 'three';
import type { About, Pack } from '../types';
import type { Shared } from './gpu';
import type { Layer } from './layer';
import { reciprocal, wrap } from './pose';
import { Ribbons } from './ribbon';

type Cell = number[][];

function cellOf(pack: Pack | null): Cell | null {
  const c = pack?.header.cell as Cell | null | undefined;
  return Array.isArray(c) && c.length >= 2 && c.every((v) => Array.isArray(v)) ? c : null;
}

export class CellFrame {
  private lines: Ribbons;
  private cell: Cell | null = null;
  private periodic: boolean[];
  private corner: number[];

  constructor(
    private shared: Shared,
    private about: About,
  ) {
    this.lines = new Ribbons('line', shared, { order: 15, least: 1.2, space: false, pickable: false });
    this.corner = [0, 1, 2].map((k) => -(about.origin?.[k] ?? 0));
    // Records made before this was told: all of them.
    this.periodic = [0, 1, 2].map((k) => about.periodic?.[k] ?? true);
  }

  get layer(): Layer {
    return this.lines.layer;
  }

  /** Takes the cell of the state shown and wraps the bodies into it. */
  update(a: Pack, b: Pack | null, alpha: number): void {
    const first = cellOf(a);
    const second = cellOf(b);
    this.cell = first;
    if (first && second && alpha > 0) {
      const mixed = first.map((v, i) => v.map((x, k) => x + (second[i][k] - x) * alpha));
      // A sheared cell may be replaced by a shorter one of the same lattice: no way between.
      const jump = first.some((v, i) => v.some((x, k) => Math.abs(second[i][k] - x) > 0.4 * Math.hypot(...v)));
      if (!jump) this.cell = mixed;
    }
    this.lines.clear();
    if (this.cell) {
      wrap(this.shared.pose, this.shared.bodies, this.cell, this.periodic, this.corner);
      this.outline(this.cell);
    }
    this.lines.flush();
  }

  private at(cell: Cell, s: number[]): [number, number, number] {
    const p: [number, number, number] = [this.corner[0], this.corner[1], this.corner[2] ?? 0];
    if (cell.length === 2) p[2] = 0;
    cell.forEach((v, i) => v.forEach((x, k) => (p[k] += s[i] * x)));
    return p;
  }

  private outline(cell: Cell): void {
    const line = this.shared.uniforms.line.value;
    const tone = [line.x * 255, line.y * 255, line.z * 255];
    const n = cell.length;
    for (let corner = 0; corner < 1 << n; corner++) {
      const s = Array.from({ length: n }, (_, k) => (corner >> k) & 1);
      for (let k = 0; k < n; k++) {
        if (s[k] === 1) continue;
        const e = [...s];
        e[k] = 1;
        this.lines.add(this.at(cell, s), this.at(cell, e), 0, tone, 150);
      }
    }
  }

  include(box: Box3): void {
    if (!this.cell) return;
    const n = this.cell.length;
    // Along periodic vectors bodies may be recorded anywhere: the cell says where they show.
    const own = new Box3();
    for (let corner = 0; corner < 1 << n; corner++) {
      const s = Array.from({ length: n }, (_, k) => (corner >> k) & 1);
      own.expandByPoint(new Vector3(...this.at(this.cell, s)));
    }
    if (this.periodic.slice(0, n).every(Boolean)) box.copy(own);
    else box.union(own);
  }

  /** Draws the scene, in a cell of the plane once for every image that may show. */
  passes(overlay: Object3D[], draw: () => void): void {
    const u = this.shared.uniforms;
    const inverse = this.cell && this.about.dimension === 2 ? reciprocal(this.cell) : null;
    if (!this.cell || !inverse) {
      u.clip.value = 0;
      draw();
      return;
    }
    const [a, b] = this.cell;
    const row = (k: number): [number, number, number] =>
      this.periodic[k] ? [inverse[k][0], inverse[k][1], 0] : [0, 0, 0];
    u.inverse0.value.set(...row(0));
    u.inverse1.value.set(...row(1));
    u.corner.value.set(this.corner[0], this.corner[1], 0);
    u.clip.value = 1;
    const was = overlay.map((o) => o.visible);
    overlay.forEach((o) => (o.visible = false));
    const [ra, rb] = [this.periodic[0] ? 1 : 0, this.periodic[1] ? 1 : 0];
    for (let i = -ra; i <= ra; i++) {
      for (let j = -rb; j <= rb; j++) {
        if (i === 0 && j === 0) continue;
        u.shift.value.set(i * a[0] + j * b[0], i * a[1] + j * b[1], 0);
        draw();
      }
    }
    u.shift.value.set(0, 0, 0);
    overlay.forEach((o, k) => (o.visible = was[k]));
    draw();
  }
}
