/**
 * Round bodies, drawn exactly: two triangles each, the outline decided per pixel.
 *
 * Plane: |p − segment| ≤ r (a disc has a segment of length 0), with a line from the
 * middle to the rim that shows turning. Space: the ray through the pixel meets the
 * sphere at t = b − √(b² − |c|² + r²), b = d·c; depth is that of the point met, so
 * spheres cut each other and all else as they should.
 */
import { instanced, layer, square, type Layer } from './layer';
import { FRAGMENT_HEAD, LIGHT, VERTEX_HEAD, type Shared } from './gpu';
import type { Piece } from './pieces';

const DISC_VERTEX = /* glsl */ `${VERTEX_HEAD}
in vec3 position;
in float body;
in vec3 offset;
in vec4 size;
out vec2 local;
out vec3 world;
flat out vec2 extent;
flat out vec4 fill;
void main() {
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
  vec3 c = mix(fade(fill.rgb), fade(line), 0.75 * max(rim, 0.8 * mark * smoothstep(4.0, 9.0, size)));
  colour = vec4(fill.a < 0.5 ? mix(c, accent, 0.25) : c, alpha);
#endif
}`;

const SPHERE_VERTEX = /* glsl */ `${VERTEX_HEAD}
in vec3 position;
in float body;
in vec3 offset;
in vec4 size;
out vec3 ray;
flat out vec3 centre;
flat out float radius;
flat out vec4 turning;
flat out vec4 fill;
void main() {
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
  vec4 p = projectionMatrix * vec4(hit, 1.0);
  gl_FragDepth = clamp(0.5 + 0.5 * p.z / p.w, 0.0, 1.0);
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

/** A layer of all round pieces: discs and capsules of the plane, spheres of space. */
export function round(pieces: Piece[], shared: Shared, dimension: number, order: number): Layer {
  const n = pieces.length;
  const body = new Float32Array(n);
  const offset = new Float32Array(3 * n);
  const size = new Float32Array(4 * n);
  pieces.forEach((p, i) => {
    body[i] = p.body;
    offset.set(p.position, 3 * i);
    const angle = 2 * Math.atan2(p.rotation[2], p.rotation[3]);
    size.set([p.radius, p.half, Math.cos(angle), Math.sin(angle)], 4 * i);
  });
  const geometry = instanced(square(), n, { body: [body, 1], offset: [offset, 3], size: [size, 4] });
  const space = dimension === 3;
  return layer(
    geometry,
    {
      vertex: space ? SPHERE_VERTEX : DISC_VERTEX,
      fragment: space ? SPHERE_FRAGMENT : DISC_FRAGMENT,
      uniforms: shared.uniforms,
      blended: !space,
      depthTest: space,
      coverage: space,
    },
    order,
  );
}
