/**
 * Triangles and edges of pieces, in body axes.
 *
 * A vertex is `point·radius + along·half`, so that one unit capsule or cylinder does
 * for all sizes; shapes with vertices of their own have radius 1 and half 0. Faces
 * have a normal each (flat shading): corners are told by the light, not smoothed away.
 */
import { ShapeUtils, Vector2 } from 'three';
import { inBody, type Piece } from './pieces';

export interface Soup {
  point: number[];
  along: number[];
  normal: number[];
  /** Edges: pairs of points, with their own `along`. */
  edge: number[];
  edgeAlong: number[];
  /** `along` counts in pixels: lines with a width that zooming does not change. */
  thin?: boolean;
}

export function soup(): Soup {
  return { point: [], along: [], normal: [], edge: [], edgeAlong: [] };
}

/** Sides of a round solid: its silhouette is then off by 0.2 % of the radius. */
const SIDES = 48;
const RINGS = 10;

type V3 = [number, number, number];

function vertex(s: Soup, p: V3, n: V3, along = 0): void {
  s.point.push(...p);
  s.along.push(0, 0, along);
  s.normal.push(...n);
}

function quad(s: Soup, c: [V3, V3, number][]): void {
  for (const k of [0, 1, 2, 0, 2, 3]) vertex(s, ...c[k]);
}

function edge(s: Soup, a: V3, b: V3, along = 0): void {
  s.edge.push(...a, ...b);
  s.edgeAlong.push(0, 0, along, 0, 0, along);
}

function turn(k: number, sides = SIDES): [number, number] {
  const a = (2 * Math.PI * (k % sides)) / sides;
  return [Math.cos(a), Math.sin(a)];
}

/** The unit cylinder along z: radius 1, half length 1. */
export function cylinder(): Soup {
  const s = soup();
  for (let k = 0; k < SIDES; k++) {
    const [c, d] = turn(k);
    const [e, f] = turn(k + 1);
    quad(s, [
      [[c, d, 0], [c, d, 0], -1],
      [[e, f, 0], [e, f, 0], -1],
      [[e, f, 0], [e, f, 0], 1],
      [[c, d, 0], [c, d, 0], 1],
    ]);
    for (const z of [1, -1]) {
      const n: V3 = [0, 0, z];
      const [p, q]: V3[] = z > 0 ? [[c, d, 0], [e, f, 0]] : [[e, f, 0], [c, d, 0]];
      vertex(s, [0, 0, 0], n, z);
      vertex(s, p, n, z);
      vertex(s, q, n, z);
      edge(s, [c, d, 0], [e, f, 0], z);
    }
  }
  // Two lines along the side show how it turns.
  for (const k of [0, SIDES / 2]) {
    const [c, d] = turn(k);
    s.edge.push(c, d, 0, c, d, 0);
    s.edgeAlong.push(0, 0, -1, 0, 0, 1);
  }
  return s;
}

/** The unit capsule along z: two half balls of radius 1 and the side between. */
export function capsule(): Soup {
  const s = soup();
  const ring = (r: number): { rho: number; z: number; along: number }[] =>
    r <= RINGS
      ? [{ rho: Math.cos((Math.PI / 2) * (1 - r / RINGS)), z: -Math.sin((Math.PI / 2) * (1 - r / RINGS)), along: -1 }]
      : [{ rho: Math.cos((Math.PI / 2) * ((r - RINGS - 1) / RINGS)), z: Math.sin((Math.PI / 2) * ((r - RINGS - 1) / RINGS)), along: 1 }];
  for (let r = 0; r < 2 * RINGS + 1; r++) {
    const [a] = ring(r);
    const [b] = ring(r + 1);
    for (let k = 0; k < SIDES; k++) {
      const [c, d] = turn(k);
      const [e, f] = turn(k + 1);
      const at = (x: number, y: number, o: typeof a): V3 => [x * o.rho, y * o.rho, o.z];
      const corner = (x: number, y: number, o: typeof a): [V3, V3, number] => [at(x, y, o), at(x, y, o), o.along];
      quad(s, [corner(c, d, a), corner(e, f, a), corner(e, f, b), corner(c, d, b)]);
    }
  }
  for (const k of [0, SIDES / 2]) {
    const [c, d] = turn(k);
    s.edge.push(c, d, 0, c, d, 0);
    s.edgeAlong.push(0, 0, -1, 0, 0, 1);
  }
  return s;
}

function scaled(p: Piece, unit: Soup): Soup {
  const out = soup();
  const move = (point: number[], along: number[], into: number[]): void => {
    for (let i = 0; i < point.length; i += 3) {
      const v = [0, 1, 2].map((k) => point[i + k] * p.radius + along[i + k] * p.half);
      into.push(...inBody(p, v));
    }
  };
  move(unit.point, unit.along, out.point);
  move(unit.edge, unit.edgeAlong, out.edge);
  const still: Piece = { ...p, position: [0, 0, 0] };
  for (let i = 0; i < unit.normal.length; i += 3) out.normal.push(...inBody(still, unit.normal.slice(i, i + 3)));
  out.along = new Array<number>(out.point.length).fill(0);
  out.edgeAlong = new Array<number>(out.edge.length).fill(0);
  return out;
}

/** Triangles of a polygon that need not be convex, normal along z; its sides as edges. */
function polygon(p: Piece, s: Soup): void {
  const contour = (p.outline?.vertices ?? []).map((v) => new Vector2(v[0], v[1]));
  const n: V3 = [0, 0, 1];
  for (const t of ShapeUtils.triangulateShape(contour, [])) {
    for (const k of t) vertex(s, inBody(p, [contour[k].x, contour[k].y, 0]), n);
  }
  lines(p, s, true);
}

function lines(p: Piece, s: Soup, closed: boolean): void {
  const v = p.outline?.vertices ?? [];
  for (let k = 0; k + (closed ? 0 : 1) < v.length; k++) {
    edge(s, inBody(p, v[k]), inBody(p, v[(k + 1) % v.length]));
  }
}

/** A quad for every segment, as wide as some pixels to both sides. */
function chain(p: Piece, s: Soup): void {
  lines(p, s, p.outline?.closed === true);
  s.thin = true;
  for (let k = 0; k < s.edge.length; k += 6) {
    const a: V3 = [s.edge[k], s.edge[k + 1], 0];
    const b: V3 = [s.edge[k + 3], s.edge[k + 4], 0];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (!(length > 0)) continue;
    const side = [-(b[1] - a[1]) / length, (b[0] - a[0]) / length];
    for (const [point, sign] of [[a, -1], [b, -1], [b, 1], [a, -1], [b, 1], [a, 1]] as [V3, number][]) {
      s.point.push(...point);
      s.along.push(sign * side[0], sign * side[1], 0);
      s.normal.push(0, 0, 1);
    }
  }
}

function cross(a: V3, b: V3, c: V3): V3 {
  const u = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const v = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  const n: V3 = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...n);
  return length > 0 ? [n[0] / length, n[1] / length, n[2] / length] : [0, 0, 1];
}

/** Neighbouring faces this flat (cosine) show no edge between them. */
const FLAT = 0.985;

/** Faces as fans of triangles; edges where the surface bends. */
function faces(p: Piece, s: Soup): void {
  const raw = p.outline?.vertices ?? [];
  const v = raw.map((x) => inBody(p, x));
  const seen = new Map<string, V3>();
  for (const face of p.outline?.faces ?? []) {
    const f = face.filter((k) => k >= 0 && k < v.length);
    if (f.length < 3) continue;
    const n = cross(v[f[0]], v[f[1]], v[f[2]]);
    for (let k = 1; k + 1 < f.length; k++) {
      vertex(s, v[f[0]], n);
      vertex(s, v[f[k]], n);
      vertex(s, v[f[k + 1]], n);
    }
    for (let k = 0; k < f.length; k++) {
      const [a, b] = [f[k], f[(k + 1) % f.length]];
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      const other = seen.get(key);
      if (!other) seen.set(key, n);
      else {
        seen.delete(key);
        if (other[0] * n[0] + other[1] * n[1] + other[2] * n[2] < FLAT) edge(s, v[a], v[b]);
      }
    }
  }
  // What met no second face is a border.
  for (const key of seen.keys()) {
    const [a, b] = key.split(' ').map(Number);
    edge(s, v[a], v[b]);
  }
}

/** Sides of circles drawn as edges in the plane (selection only; fills are exact). */
export function circle(p: Piece): V3[] {
  const out: V3[] = [];
  const n = 2 * SIDES;
  for (let k = 0; k <= n; k++) {
    const [c, d] = turn(k, n);
    const along = p.kind === 'capsule' ? (c > 1e-9 ? p.half : c < -1e-9 ? -p.half : 0) : 0;
    out.push(inBody(p, [c * p.radius + along, d * p.radius, 0]));
  }
  return out;
}

/** Triangles and edges of one piece; none for round ones that are drawn exactly. */
export function soupOf(p: Piece, dimension: number): Soup {
  const s = soup();
  switch (p.kind) {
    case 'polygon':
      polygon(p, s);
      return s;
    case 'chain':
      chain(p, s);
      break;
    case 'polyhedron':
    case 'mesh':
      faces(p, s);
      break;
    case 'cylinder':
      return scaled(p, cylinder());
    case 'capsule':
      return dimension === 3 ? scaled(p, capsule()) : s;
    default:
      break;
  }
  return s;
}
