/**
 * Bodies with corners: triangles and edges. Shapes that many bodies share are drawn as
 * instances of one; all others are put together in one mesh whose vertices know their
 * body. Either way the pose comes from the texture, so a new state costs no rebuild.
 */
import { capsule, cylinder, soup, soupOf, type Soup } from './geometry';
import { FRAGMENT_HEAD, LIGHT, VERTEX_HEAD, type Shared } from './gpu';
import { instanced, layer, plain, type Layer } from './layer';
import type { Piece } from './pieces';

/**
 * Shapes that many bodies share are instances only if copies of them would be more
 * than this many vertices: drawn from copies they are faster, above all small ones.
 */
const COPIED = 1.5e6;

const VERTEX = /* glsl */ `${VERTEX_HEAD}
in vec3 position;
in vec3 along;
#ifndef EDGE
in vec3 normal;
out vec3 facing;
#endif
in float body;
in vec2 size;
out vec3 world;
flat out vec4 fill;
void main() {
  int b = int(body + 0.5);
  vec4 q = turned(b);
  // A negative half length: as many pixels.
  float reach = size.y < 0.0 ? 1.4 * pixel : size.y;
  world = place(b).xyz + turn(q, position * size.x + along * reach) + shift;
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
#ifdef EDGE
  // Edges a hair before their faces.
  gl_Position.z -= 4e-5 * gl_Position.w;
#else
  facing = mat3(viewMatrix) * turn(q, normal);
#endif
#ifdef PICK
  fill = vec4(number(b), 1.0);
#else
  fill = vec4(tinted(b).rgb, abs(selected - body) < 0.5 ? 0.0 : 1.0);
#endif
}`;

const FRAGMENT = /* glsl */ `${FRAGMENT_HEAD}
${LIGHT}
uniform float glass;
in vec3 world;
flat in vec4 fill;
#ifndef EDGE
in vec3 facing;
#endif
void main() {
  outside(world);
#ifdef PICK
  colour = fill;
#else
  bool chosen = fill.a < 0.5;
#ifdef EDGE
  colour = vec4(chosen ? accent : fade(edged(fill.rgb)), 0.9 * mix(1.0, 0.5, glass));
#else
#ifdef FLAT
  vec3 c = fill.rgb;
#else
  vec3 c = lit(fill.rgb, normalize(gl_FrontFacing ? facing : -facing));
#endif
  c = fade(c);
  colour = vec4(chosen ? mix(c, accent, 0.25) : c, mix(1.0, 0.14, glass));
#endif
#endif
}`;

interface Bundle {
  soup: Soup;
  /** Number of the body per vertex and per end of an edge (merged), or per instance. */
  bodies: number[];
  edgeBodies: number[];
  sizes: number[] | null;
  /** Radius and half length per vertex (merged). */
  sized: number[];
}

function join(into: Bundle, s: Soup, body: number): void {
  const all = into.soup;
  for (const k of ['point', 'along', 'normal', 'edge', 'edgeAlong'] as const) {
    for (const v of s[k]) all[k].push(v);
  }
  for (let i = 0; i < s.point.length; i += 3) {
    into.bodies.push(body);
    into.sized.push(1, s.thin ? -1 : 0);
  }
  for (let i = 0; i < s.edge.length; i += 3) into.edgeBodies.push(body);
}

/** Which pieces are drawn as instances of one shape: a key for each, or null. */
function key(p: Piece, uses: Map<number, number>): string | null {
  const still = p.position.every((v) => v === 0) && p.rotation[3] === 1;
  if (!still) return null;
  if (p.kind === 'capsule' || p.kind === 'cylinder') return p.kind;
  const corners = 3 * (p.outline?.vertices?.length ?? 0) ** (p.outline?.faces ? 1.2 : 1);
  return p.index >= 0 && (uses.get(p.index) ?? 0) * corners > COPIED ? `${p.kind} ${p.index}` : null;
}

function bundles(pieces: Piece[], dimension: number): Bundle[] {
  const uses = new Map<number, number>();
  for (const p of pieces) if (p.index >= 0) uses.set(p.index, (uses.get(p.index) ?? 0) + 1);
  const merged: Bundle = { soup: soup(), bodies: [], edgeBodies: [], sizes: null, sized: [] };
  const shared = new Map<string, Bundle>();
  for (const p of pieces) {
    const k = key(p, uses);
    if (k === null) {
      join(merged, soupOf(p, dimension), p.body);
      continue;
    }
    let b = shared.get(k);
    if (!b) {
      const unit = k === 'capsule' ? capsule() : k === 'cylinder' ? cylinder() : soupOf(p, dimension);
      b = { soup: unit, bodies: [], edgeBodies: [], sizes: [], sized: [] };
      shared.set(k, b);
    }
    b.bodies.push(p.body);
    if (k.includes(' ')) b.sizes?.push(1, 0);
    else b.sizes?.push(p.radius, p.half);
  }
  return [merged, ...shared.values()];
}

function mesh(b: Bundle, shared: Shared, glass: { value: number }, dimension: number, order: number): Layer[] {
  const s = b.soup;
  const out: Layer[] = [];
  const look = {
    vertex: VERTEX,
    fragment: FRAGMENT,
    uniforms: { ...shared.uniforms, glass },
    blended: dimension === 2,
    depthTest: dimension === 3,
    bothSides: dimension === 2,
    glass: dimension === 3,
  };
  const flat: Record<string, string> = dimension === 2 ? { FLAT: '1' } : {};
  const ones = (n: number): Float32Array => Float32Array.from({ length: 2 * n }, (_, i) => (i % 2 === 0 ? 1 : 0));
  if (s.point.length > 0) {
    const base = plain({ position: [s.point, 3], along: [s.along, 3], normal: [s.normal, 3] });
    const g = b.sizes
      ? instanced(base, b.bodies.length, { body: [b.bodies, 1], size: [b.sizes, 2] })
      : base
          .setAttribute('body', plain({ body: [b.bodies, 1] }).getAttribute('body'))
          .setAttribute('size', plain({ size: [b.sized, 2] }).getAttribute('size'));
    out.push(layer(g, { ...look, defines: flat }, order));
  }
  if (s.edge.length > 0) {
    const base = plain({ position: [s.edge, 3], along: [s.edgeAlong, 3] });
    const g = b.sizes
      ? instanced(base, b.bodies.length, { body: [b.bodies, 1], size: [b.sizes, 2] })
      : base
          .setAttribute('body', plain({ body: [b.edgeBodies, 1] }).getAttribute('body'))
          .setAttribute('size', plain({ size: [ones(b.edgeBodies.length), 2] }).getAttribute('size'));
    out.push(layer(g, { ...look, blended: true, defines: { ...flat, EDGE: '1' } }, order + 0.5, { lines: true }));
  }
  return out;
}

/** Layers of all pieces with corners (and capsules of space); `glass` 1 makes them see-through. */
export function solids(
  pieces: Piece[],
  shared: Shared,
  glass: { value: number },
  dimension: number,
  order: number,
): Layer[] {
  if (pieces.length === 0) return [];
  return bundles(pieces, dimension).flatMap((b) => mesh(b, shared, glass, dimension, order));
}
