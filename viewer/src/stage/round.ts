/**
 * Round bodies, drawn exactly: two triangles each, the outline decided per pixel.
 *
 * Plane: |p − segment| ≤ r (a disc has a segment of length 0), with a line from the
 * middle to the rim that shows turning. Space: the ray through the pixel meets the
 * sphere at t = b − √(b² − |c|² + r²), b = d·c; depth is that of the point met, so
 * spheres cut each other and all else as they should.
 *
 * Very many spheres: the depth is that of the middle. The ray is inside a sphere from
 * b − √… to b + √…, around b; for spheres that do not overlap these spans are disjoint,
 * so the order of the middles is the order of what is seen. The machine can then leave
 * out what is hidden before it is computed, if the nearest come first: they are sorted.
 */
import { BufferAttribute, BufferGeometry, DataTexture, FloatType, RGBAFormat } from 'three';
import { Hidden, type Eye } from './hidden';
import { layer, type Layer } from './layer';
import { FRAGMENT_HEAD, LIGHT, VERTEX_HEAD, type Shared } from './gpu';
import type { Piece } from './pieces';
import { STRIDE } from './pose';
import { Sorter } from './sort';

/** Pieces are read from a texture by number: instances of two triangles are slow on many machines. */
const PIECE = /* glsl */ `
uniform highp sampler2D pieces;
vec2 position;
float body;
vec3 offset;
vec4 size;
void piece() {
  int k = 2 * (gl_VertexID >> 2);
  int c = gl_VertexID & 3;
  position = vec2((c == 1 || c == 2) ? 1.0 : -1.0, c >= 2 ? 1.0 : -1.0);
  vec4 a = texelFetch(pieces, ivec2(k & 2047, k >> 11), 0);
  size = texelFetch(pieces, ivec2((k + 1) & 2047, (k + 1) >> 11), 0);
  body = a.x;
  offset = a.yzw;
}
`;

const DISC_VERTEX = /* glsl */ `${VERTEX_HEAD}
${PIECE}
out vec2 local;
out vec3 world;
flat out vec2 extent;
flat out vec4 fill;
void main() {
  piece();
  int b = int(body + 0.5);
  float grow = size.x + 2.0 * pixel;
  local = vec2(position.x * (size.y + grow), position.y * grow);
  extent = size.xy;
  vec2 l = mat2(size.z, size.w, -size.w, size.z) * local;
  world = place(b).xyz + turn(turned(b), offset + vec3(l, 0.0)) + shift;
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
#ifdef PICK
  fill = vec4(number(b), 1.0);
#else
  fill = vec4(tinted(b).rgb, abs(selected - body) < 0.5 ? 0.0 : 1.0);
#endif
}`;

const DISC_FRAGMENT = /* glsl */ `${FRAGMENT_HEAD}
in vec2 local;
in vec3 world;
flat in vec2 extent;
flat in vec4 fill;
void main() {
  outside(world);
  float d = length(vec2(max(abs(local.x) - extent.y, 0.0), local.y)) - extent.x;
#ifdef PICK
  if (d > 0.0) discard;
  colour = fill;
#else
  float alpha = clamp(0.5 - d / pixel, 0.0, 1.0);
  if (alpha <= 0.0) discard;
  float size = extent.x / pixel;
  float rim = clamp(1.7 + d / pixel, 0.0, 1.0) * smoothstep(1.5, 4.0, size);
  float mark = extent.y > 0.0 || local.x < 0.0 ? 0.0 : clamp(1.1 - abs(local.y) / pixel, 0.0, 1.0);
  vec3 c = mix(fill.rgb, edged(fill.rgb), 0.8 * mark * smoothstep(4.0, 9.0, size));
  c = fade(mix(c, 0.35 * fill.rgb, rim));
  colour = vec4(fill.a < 0.5 ? mix(c, accent, 0.25) : c, alpha);
#endif
}`;

const SPHERE_VERTEX = /* glsl */ `${VERTEX_HEAD}
${PIECE}
out vec3 ray;
flat out vec3 centre;
flat out float radius;
flat out vec4 turning;
flat out vec4 fill;
void main() {
  piece();
  int b = int(body + 0.5);
  vec4 q = turned(b);
  centre = (viewMatrix * vec4(place(b).xyz + turn(q, offset) + shift, 1.0)).xyz;
  radius = size.x;
  turning = q;
  vec3 side = vec3(1.0, 0.0, 0.0);
  vec3 top = vec3(0.0, 1.0, 0.0);
  float reach = radius;
  if (orthographic < 0.5) {
    // The cone that touches the sphere cuts the plane through its middle in this radius.
    float d = length(centre);
    vec3 way = centre / max(d, 1e-20);
    side = normalize(cross(way, abs(way.y) > 0.99 ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0)));
    top = cross(side, way);
    reach = radius * d / sqrt(max(d * d - radius * radius, 1e-4 * d * d));
  }
  reach += pixel * (orthographic > 0.5 ? 1.0 : max(-centre.z, 0.0));
  ray = centre + reach * (position.x * side + position.y * top);
  gl_Position = projectionMatrix * vec4(ray, 1.0);
#ifdef PICK
  fill = vec4(number(b), 1.0);
#else
  fill = vec4(tinted(b).rgb, abs(selected - body) < 0.5 ? 0.0 : 1.0);
#endif
}`;

const SPHERE_FRAGMENT = /* glsl */ `${FRAGMENT_HEAD}
${LIGHT}
uniform mat4 projectionMatrix;
uniform mat4 viewMatrix;
in vec3 ray;
flat in vec3 centre;
flat in float radius;
flat in vec4 turning;
flat in vec4 fill;
void main() {
  vec3 eye = orthographic > 0.5 ? vec3(ray.xy, 0.0) : vec3(0.0);
  vec3 way = orthographic > 0.5 ? vec3(0.0, 0.0, -1.0) : normalize(ray);
  vec3 c = centre - eye;
  float b = dot(way, c);
  // |c - b way|^2 rather than |c|^2 - b^2: far away the difference would be rounding only.
  vec3 off = c - b * way;
  float under = radius * radius - dot(off, off);
  float unit = pixel * (orthographic > 0.5 ? 1.0 : -centre.z);
  float cover = clamp(0.5 + (radius - length(off)) / unit, 0.0, 1.0);
  if (cover <= 0.0) discard;
  vec3 hit = eye + (b - sqrt(max(under, 0.0))) * way;
#ifndef MANY
  vec4 p = projectionMatrix * vec4(hit, 1.0);
  gl_FragDepth = clamp(0.5 + 0.5 * p.z / p.w, 0.0, 1.0);
#endif
#ifdef PICK
  if (under < 0.0) discard;
  colour = fill;
#else
  vec3 n = normalize(hit - centre);
  vec3 base = fill.rgb;
  float size = radius / unit;
  if (size > 5.0) {
    vec3 world = n * mat3(viewMatrix);
    vec3 own = world + 2.0 * cross(-turning.xyz, cross(-turning.xyz, world) + turning.w * world);
    float s = own.x * own.y * own.z;
    float edge = max(0.6 / size, 1e-3);
    base *= 1.0 - 0.16 * smoothstep(-edge, edge, s) * smoothstep(5.0, 12.0, size);
  }
  vec3 shown = fade(lit(base, n));
  colour = vec4(fill.a < 0.5 ? mix(shown, accent, 0.3) : shown, cover);
#endif
}`;

/** From this many spheres on depth is that of the middle, and they are sorted. */
const MANY = 2000;

/** Side of the squares that tell what is hidden, in pixels. */
const SQUARE = 1;

export interface Round extends Layer {
  /** Puts the nearest first, for an eye that looks along `way`; with `eye` hidden ones are left out. */
  sort(way: readonly number[], eye: Eye | null): void;
  /** Spheres that were drawn last. */
  drawn(): number;
}

/** A layer of all round pieces: discs and capsules of the plane, spheres of space. */
export function round(pieces: Piece[], shared: Shared, dimension: number, order: number): Round {
  const n = pieces.length;
  const { texture, data } = table(pieces);
  const geometry = new BufferGeometry();
  const index = new Uint32Array(6 * n);
  for (let i = 0; i < n; i++) corners(index, i, i);
  const indices = new BufferAttribute(index, 1);
  geometry.setIndex(indices);
  const space = dimension === 3;
  const many = space && n > MANY;
  const made = layer(
    geometry,
    {
      vertex: space ? SPHERE_VERTEX : DISC_VERTEX,
      fragment: space ? SPHERE_FRAGMENT : DISC_FRAGMENT,
      uniforms: { ...shared.uniforms, pieces: { value: texture } },
      blended: !space,
      depthTest: space,
      coverage: space,
      defines: many ? { MANY: '1' } : {},
    },
    order,
  );
  const sorter = new Sorter(many ? n : 0);
  const hidden = new Hidden();
  const kept = new Uint32Array(many ? n : 0);
  // Those of compounds are not at the middle of their body: they are never left out.
  const plainSpheres = pieces.every((p) => p.position.every((v) => v === 0));
  let shown = n;
  return Object.assign(made, {
    instances: n,
    drawn: () => shown,
    sort(way: readonly number[], eye: Eye | null): void {
      if (!many) return;
      const { pose } = shared;
      let list = sorter.order((i) => {
        const o = STRIDE * data[8 * i];
        return way[0] * pose[o] + way[1] * pose[o + 1] + way[2] * pose[o + 2];
      });
      shown = n;
      if (eye && plainSpheres) {
        const at = (i: number, into: Float64Array): void => {
          const o = STRIDE * data[8 * i];
          into[0] = pose[o];
          into[1] = pose[o + 1];
          into[2] = pose[o + 2];
          into[3] = data[8 * i + 4];
        };
        shown = hidden.visible(list, at, eye, SQUARE, kept);
        list = kept;
      }
      for (let k = 0; k < shown; k++) corners(index, k, list[k]);
      geometry.setDrawRange(0, 6 * shown);
      indices.clearUpdateRanges();
      indices.addUpdateRange(0, 6 * shown);
      indices.needsUpdate = true;
    },
  });
}

/** The two triangles of piece `i` at place `k` of the order. */
function corners(index: Uint32Array, k: number, i: number): void {
  const o = 6 * k;
  const v = 4 * i;
  index[o] = v;
  index[o + 1] = v + 1;
  index[o + 2] = v + 2;
  index[o + 3] = v;
  index[o + 4] = v + 2;
  index[o + 5] = v + 3;
}

/** Body, offset, radius, half length and turn of every piece as a texture. */
function table(pieces: Piece[]): { texture: DataTexture; data: Float32Array } {
  const width = 2048;
  const rows = Math.max(1, Math.ceil((2 * pieces.length) / width));
  const data = new Float32Array(rows * width * 4);
  pieces.forEach((p, i) => {
    const angle = 2 * Math.atan2(p.rotation[2], p.rotation[3]);
    data.set([p.body, ...p.position, p.radius, p.half, Math.cos(angle), Math.sin(angle)], 8 * i);
  });
  const texture = new DataTexture(data, width, rows, RGBAFormat, FloatType);
  texture.needsUpdate = true;
  return { texture, data };
}
