/** Half-planes and half-spaces: without end, so drawn as far as the view goes. */
import { Vector3 } from 'three';
import { FRAGMENT_HEAD, VERTEX_HEAD, type Shared } from './gpu';
import { instanced, layer, square, type Layer } from './layer';
import type { Piece } from './pieces';

const VERTEX = /* glsl */ `${VERTEX_HEAD}
in vec3 position;
in float body;
uniform vec3 around;
uniform float span;
out vec3 local;
out vec3 world;
flat out vec4 fill;
void main() {
  int b = int(body + 0.5);
  vec4 q = turned(b);
  vec3 from = place(b).xyz;
  // The middle of the view in body axes: the square is centred below it.
  vec3 middle = turn(vec4(-q.xyz, q.w), around - from);
#ifdef SPACE
  local = vec3(middle.xy + span * position.xy, 0.0);
#else
  local = vec3(middle.x + span * position.x, span * (position.y - 1.0), 0.0);
#endif
  world = from + turn(q, local);
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
#ifdef PICK
  fill = vec4(number(b), 1.0);
#else
  fill = vec4(tinted(b).rgb, abs(selected - body) < 0.5 ? 0.0 : 1.0);
#endif
}`;

const FRAGMENT = /* glsl */ `${FRAGMENT_HEAD}
uniform vec3 around;
uniform float span, mesh;
in vec3 local;
in vec3 world;
flat in vec4 fill;
#ifdef SPACE
float grid(vec2 p) {
  // Lines of one pixel; they fade where they would be closer than a few pixels.
  vec2 w = max(fwidth(p), 1e-6);
  vec2 d = abs(fract(p - 0.5) - 0.5) / w;
  vec2 a = clamp(1.0 - d, 0.0, 1.0) * clamp(0.25 / w - 0.4, 0.0, 1.0);
  return max(a.x, a.y);
}
#endif
void main() {
#ifdef PICK
  colour = fill;
#else
  vec3 c = fade(fill.a < 0.5 ? mix(fill.rgb, accent, 0.35) : fill.rgb);
#ifdef SPACE
  float g = max(0.35 * grid(local.xy / mesh), 0.65 * grid(local.xy / (5.0 * mesh)));
  float far = 1.0 - smoothstep(0.35, 1.0, length(world - around) / span);
  colour = vec4(mix(mix(background, c, 0.45), line, 0.5 * g), far * 0.9);
#else
  float depth = -local.y / pixel;
  float stripe = (local.x + local.y) / pixel / 9.0;
  float hatch = clamp(1.0 - abs(fract(stripe) - 0.5) * 9.0 + 0.2, 0.0, 1.0) * (1.0 - smoothstep(8.0, 22.0, depth));
  float edge = 1.0 - smoothstep(0.8, 1.8, depth);
  colour = vec4(mix(mix(background, c, 0.5), line, max(0.45 * hatch, 0.9 * edge)), 1.0);
#endif
#endif
}`;

export interface Ground extends Layer {
  /** Centres it below `around`, as wide as `span`; `mesh` is the side of a square of the grid. */
  place(around: Vector3, span: number, mesh: number): void;
}

export function ground(pieces: Piece[], shared: Shared, dimension: number, order: number): Ground {
  const own = { around: { value: new Vector3() }, span: { value: 1 }, mesh: { value: 1 } };
  const geometry = instanced(square(), pieces.length, { body: [pieces.map((p) => p.body), 1] });
  const made = layer(
    geometry,
    {
      vertex: VERTEX,
      fragment: FRAGMENT,
      uniforms: { ...shared.uniforms, ...own },
      blended: true,
      depthTest: dimension === 3,
      // Seen from the free side alone, so that walls do not hide what is between them.
      bothSides: dimension === 2,
      defines: dimension === 3 ? { SPACE: '1' } : {},
    },
    order,
  );
  return Object.assign(made, {
    place(around: Vector3, span: number, mesh: number): void {
      own.around.value.copy(around);
      own.span.value = span;
      own.mesh.value = mesh;
    },
  });
}
