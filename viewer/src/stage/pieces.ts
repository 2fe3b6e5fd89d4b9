/**
 * What a body is made of: the table of shapes read into pieces, each a simple shape
 * at a place in body axes. All but compounds are one piece.
 *
 * Body axes as in the records: a half-plane is y ≤ 0, a half-space z ≤ 0, a capsule
 * lies along x in the plane and along z in space, a cylinder along z.
 */
import type { Pack } from '../types';

export const KINDS = [
  'disc',
  'sphere',
  'capsule',
  'cylinder',
  'polygon',
  'polyhedron',
  'half_plane',
  'half_space',
  'chain',
  'mesh',
  'compound',
] as const;

export type Kind = (typeof KINDS)[number];

export interface Outline {
  vertices?: number[][];
  faces?: number[][];
  closed?: boolean;
  parts?: RawPart[];
}

interface RawPart {
  kind?: number | string;
  shape?: string;
  radius?: number | null;
  half_length?: number | null;
  outline?: number | Outline | null;
  position?: number[];
  rotation?: number[];
}

export interface Piece {
  body: number;
  kind: Kind;
  radius: number;
  half: number;
  /** Number in the list of outlines, or −1; with `outline` for those written in place. */
  index: number;
  outline: Outline | null;
  position: [number, number, number];
  /** Quaternion x y z w. */
  rotation: [number, number, number, number];
}

const NOWHERE: Piece['position'] = [0, 0, 0];
const UNTURNED: Piece['rotation'] = [0, 0, 0, 1];

/** Limits of motion in the column `motion`. */
export const FIXED_MOTION = 3;

function kindOf(k: number | string | undefined): Kind | null {
  if (typeof k === 'number') return KINDS[k] ?? null;
  return KINDS.find((name) => name === k) ?? null;
}

function finite(v: unknown): number {
  return typeof v === 'number' && Number.isFinite(v) ? v : 0;
}

function part(body: number, raw: RawPart, outlines: Outline[]): Piece | null {
  const kind = kindOf(raw.kind ?? raw.shape);
  if (!kind || kind === 'compound') return null;
  const inPlace = typeof raw.outline === 'object' ? raw.outline : null;
  const index = typeof raw.outline === 'number' ? raw.outline : -1;
  const p = raw.position ?? [];
  const q = raw.rotation ?? [1, 0, 0, 0];
  return {
    body,
    kind,
    radius: finite(raw.radius),
    half: finite(raw.half_length),
    index: -1,
    outline: inPlace ?? outlines[index] ?? null,
    position: [finite(p[0]), finite(p[1]), finite(p[2])],
    rotation: q.length === 4 ? [finite(q[1]), finite(q[2]), finite(q[3]), finite(q[0])] : [...UNTURNED],
  };
}

/** All pieces of all bodies. Bodies whose shape is not understood have none. */
export function pieces(shapes: Pack): Piece[] {
  const kind = shapes.column('kind');
  if (!kind) return [];
  const radius = shapes.column('radius');
  const half = shapes.column('half_length');
  const outline = shapes.column('outline');
  const outlines = (shapes.header.outlines ?? []) as Outline[];
  const out: Piece[] = [];
  for (let i = 0; i < kind.length; i++) {
    const name = KINDS[kind[i]];
    const index = outline ? outline[i] : -1;
    if (name === 'compound') {
      for (const raw of outlines[index]?.parts ?? []) {
        const p = part(i, raw, outlines);
        if (p) out.push(p);
      }
    } else if (name) {
      out.push({
        body: i,
        kind: name,
        radius: finite(radius?.[i]),
        half: finite(half?.[i]),
        index,
        outline: outlines[index] ?? null,
        position: NOWHERE,
        rotation: UNTURNED,
      });
    }
  }
  return out;
}

/** Distance of the farthest point from the origin of body axes; Infinity for unbounded ones. */
export function reach(p: Piece): number {
  const away = Math.hypot(...p.position);
  switch (p.kind) {
    case 'disc':
    case 'sphere':
      return away + p.radius;
    case 'capsule':
      return away + p.half + p.radius;
    case 'cylinder':
      return away + Math.hypot(p.half, p.radius);
    case 'half_plane':
    case 'half_space':
      return Infinity;
    default: {
      let most = 0;
      for (const v of p.outline?.vertices ?? []) most = Math.max(most, Math.hypot(v[0], v[1], v[2] ?? 0));
      return away + most;
    }
  }
}

/** The reach of every body: the largest of its pieces. */
export function reaches(all: Piece[], bodies: number): Float32Array {
  const out = new Float32Array(bodies);
  for (const p of all) out[p.body] = Math.max(out[p.body], reach(p));
  return out;
}

/** A point of the piece's own axes in body axes. */
export function inBody(p: Piece, v: readonly number[]): [number, number, number] {
  const [x, y, z, w] = p.rotation;
  const [vx, vy, vz] = [v[0], v[1], v[2] ?? 0];
  const cx = y * vz - z * vy + w * vx;
  const cy = z * vx - x * vz + w * vy;
  const cz = x * vy - y * vx + w * vz;
  return [
    p.position[0] + vx + 2 * (y * cz - z * cy),
    p.position[1] + vy + 2 * (z * cx - x * cz),
    p.position[2] + vz + 2 * (x * cy - y * cx),
  ];
}
