/**
 * Poses between two recorded states.
 *
 * With α in [0, 1] between the states A and B: x = (1 − α) x_A + α x_B; in the plane
 * the angle likewise (records hold it unwrapped); in space q = (1 − α) q_A ± α q_B,
 * normalised, the sign that of q_A·q_B (the shorter way). That is the great arc of a
 * slerp at a speed off by less than 1 % for turns below 60° between two states.
 */
import type { Column, Pack } from '../types';

/** Numbers per body: x y z and 0, then the quaternion x y z w. */
export const STRIDE = 8;

function column(pack: Pack, name: string): Column | undefined {
  return pack.column(name);
}

/** Fills `out` (STRIDE per body) for all bodies of A, and of B where α > 0. */
export function interpolate(out: Float32Array, a: Pack, b: Pack | null, alpha: number): void {
  const xa = column(a, 'x');
  if (!xa) return;
  const n = Math.min(xa.length, Math.floor(out.length / STRIDE));
  const second = b && alpha > 0 && (column(b, 'x')?.length ?? 0) >= n ? b : null;
  positions(out, a, second, alpha, n);
  if (column(a, 'qw')) quaternions(out, a, second, alpha, n);
  else angles(out, a, second, alpha, n);
}

function positions(out: Float32Array, a: Pack, b: Pack | null, alpha: number, n: number): void {
  const names = ['x', 'y', 'z'];
  for (let k = 0; k < 3; k++) {
    const p = column(a, names[k]);
    const q = b ? column(b, names[k]) : undefined;
    for (let i = 0, o = k; i < n; i++, o += STRIDE) {
      const v = p ? p[i] : 0;
      out[o] = q ? v + (q[i] - v) * alpha : v;
    }
  }
}

function angles(out: Float32Array, a: Pack, b: Pack | null, alpha: number, n: number): void {
  const p = column(a, 'angle');
  const q = b ? column(b, 'angle') : undefined;
  for (let i = 0, o = 4; i < n; i++, o += STRIDE) {
    const v = p ? p[i] : 0;
    const angle = q ? v + (q[i] - v) * alpha : v;
    out[o] = 0;
    out[o + 1] = 0;
    out[o + 2] = Math.sin(angle / 2);
    out[o + 3] = Math.cos(angle / 2);
  }
}

function quaternions(out: Float32Array, a: Pack, b: Pack | null, alpha: number, n: number): void {
  const [ax, ay, az, aw] = ['qx', 'qy', 'qz', 'qw'].map((c) => column(a, c) ?? new Float32Array(n));
  const q = b ? ['qx', 'qy', 'qz', 'qw'].map((c) => column(b, c)) : null;
  const blend = q && q.every((c) => c !== undefined) ? (q as Column[]) : null;
  for (let i = 0, o = 4; i < n; i++, o += STRIDE) {
    let x = ax[i];
    let y = ay[i];
    let z = az[i];
    let w = aw[i];
    if (blend) {
      const [bx, by, bz, bw] = blend;
      const dot = x * bx[i] + y * by[i] + z * bz[i] + w * bw[i];
      const s = 1 - alpha;
      const r = dot < 0 ? -alpha : alpha;
      x = s * x + r * bx[i];
      y = s * y + r * by[i];
      z = s * z + r * bz[i];
      w = s * w + r * bw[i];
    }
    const norm = Math.sqrt(x * x + y * y + z * z + w * w);
    const k = norm > 0 ? 1 / norm : 0;
    out[o] = x * k;
    out[o + 1] = y * k;
    out[o + 2] = z * k;
    out[o + 3] = norm > 0 ? w * k : 1;
  }
}

/** Rotates v by the quaternion at `at` of `pose` and adds the body's place. */
export function place(pose: Float32Array, body: number, v: readonly number[]): [number, number, number] {
  const o = body * STRIDE;
  const [x, y, z, w] = [pose[o + 4], pose[o + 5], pose[o + 6], pose[o + 7]];
  const [vx, vy, vz] = [v[0], v[1], v[2] ?? 0];
  // v + 2 q × (q × v + w v)
  const cx = y * vz - z * vy + w * vx;
  const cy = z * vx - x * vz + w * vy;
  const cz = x * vy - y * vx + w * vz;
  return [
    pose[o] + vx + 2 * (y * cz - z * cy),
    pose[o + 1] + vy + 2 * (z * cx - x * cz),
    pose[o + 2] + vz + 2 * (x * cy - y * cx),
  ];
}

/** The inverse of the matrix whose rows are the vectors of a cell; null if it has none. */
export function reciprocal(cell: number[][]): number[][] | null {
  const [a, b] = cell;
  if (cell.length === 2) {
    const d = a[0] * b[1] - a[1] * b[0];
    return d ? [[b[1] / d, -b[0] / d], [-a[1] / d, a[0] / d]] : null;
  }
  const c = cell[2];
  const cross = (u: number[], v: number[]): number[] => [
    u[1] * v[2] - u[2] * v[1],
    u[2] * v[0] - u[0] * v[2],
    u[0] * v[1] - u[1] * v[0],
  ];
  const r = [cross(b, c), cross(c, a), cross(a, b)];
  const d = a[0] * r[0][0] + a[1] * r[0][1] + a[2] * r[0][2];
  return d ? r.map((v) => v.map((x) => x / d)) : null;
}

/**
 * Moves bodies into the cell that begins at `corner`: x − H floor(H⁻¹(x − corner)),
 * along the periodic vectors only. A body keeps the image it began as in the record.
 */
export function wrap(pose: Float32Array, n: number, cell: number[][], periodic: boolean[], corner: number[]): void {
  const inverse = reciprocal(cell);
  if (!inverse) return;
  const d = cell.length;
  for (let i = 0; i < n; i++) {
    const o = i * STRIDE;
    const rel = [0, 1, 2].map((k) => pose[o + k] - (corner[k] ?? 0));
    for (let v = 0; v < d; v++) {
      if (!periodic[v]) continue;
      let s = 0;
      for (let k = 0; k < d; k++) s += inverse[v][k] * rel[k];
      const turns = Math.floor(s);
      if (turns !== 0) for (let k = 0; k < d; k++) pose[o + k] -= turns * cell[v][k];
    }
  }
}
