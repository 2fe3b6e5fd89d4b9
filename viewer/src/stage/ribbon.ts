/**
 * Lines with a width, arrows and dots that always face the eye.
 *
 * A ribbon goes from A to B; its width is a length of the scene, but never below some
 * pixels. In view axes the side is (B − A) × (towards the eye), so that nothing has to
 * be divided by depth and what is behind the eye is cut off by the machine.
 */
import { BufferAttribute, BufferGeometry, DynamicDrawUsage } from 'three';
import type { Shared } from './gpu';
import { layer, type Layer } from './layer';

const HEAD = /* glsl */ `
precision highp float;
precision highp int;
uniform mat4 viewMatrix, projectionMatrix;
uniform float pixel, orthographic;
in vec3 position, from, to;
in vec2 rest;
in vec4 tone;
uniform float least, most;
out vec2 across;
/* Place along a line and its length, in half widths: its ends are round. */
out float along;
flat out float extent;
flat out vec4 fill;
vec4 numbered(float id) {
  int k = int(id + 0.5) + 1;
  return vec4(float(k & 255), float((k >> 8) & 255), float((k >> 16) & 255), 255.0) / 255.0;
}
`;

const LINE_VERTEX = /* glsl */ `${HEAD}
void main() {
  vec3 a = (viewMatrix * vec4(from, 1.0)).xyz;
  vec3 b = (viewMatrix * vec4(to, 1.0)).xyz;
  vec3 way = b - a;
  float length0 = max(length(way), 1e-30);
  vec3 mid = 0.5 * (a + b);
  float unit = pixel * (orthographic > 0.5 ? 1.0 : max(-mid.z, 1e-6));
  float w = max(rest.x, least * unit);
#ifdef ARROW
  // position: along 0..1 of the shaft, across -1..1, z = 1 for the head.
  float head = min(3.2 * w, 0.6 * length0) / length0;
  float s = position.z > 0.5 ? mix(1.0 - head, 1.0, position.x) : position.x * (1.0 - head);
  float half_width = (position.z > 0.5 ? 1.5 : 0.5) * w;
#else
  float half_width = 0.5 * w;
  float s = position.x > 0.5 ? 1.0 + half_width / length0 : -half_width / length0;
#endif
  extent = length0 / half_width;
  along = s * extent;
  vec3 p = a + s * way;
  vec3 eye = orthographic > 0.5 ? vec3(0.0, 0.0, 1.0) : -p;
  vec3 side = cross(way, eye);
  float size = length(side);
  side = size > 1e-30 ? side / size : vec3(1.0, 0.0, 0.0);
  gl_Position = projectionMatrix * vec4(p + position.y * half_width * side, 1.0);
  across = vec2(position.y, 0.0);
#ifdef PICK
  fill = numbered(rest.y);
#else
  fill = tone;
#endif
}`;

const DOT_VERTEX = /* glsl */ `${HEAD}
void main() {
  vec3 a = (viewMatrix * vec4(from, 1.0)).xyz;
  float unit = pixel * (orthographic > 0.5 ? 1.0 : max(-a.z, 1e-6));
  // As large as the scene asks for, but within what is seen and does not hide all else.
  float r = clamp(0.5 * rest.x, least * unit, most * unit);
#ifdef PICK
  r += 3.0 * unit;
#endif
  gl_Position = projectionMatrix * vec4(a + r * vec3(position.xy, 0.0), 1.0);
  across = position.xy;
  along = 0.0;
  extent = 0.0;
#ifdef PICK
  fill = numbered(rest.y);
#else
  fill = tone;
#endif
}`;

const FRAGMENT = /* glsl */ `
precision highp float;
uniform vec3 background;
in vec2 across;
in float along;
flat in float extent;
flat in vec4 fill;
out vec4 colour;
void main() {
#ifdef LINE
  float beyond = max(max(-along, along - extent), 0.0);
  if (beyond * beyond + across.x * across.x > 1.0) discard;
#endif
#ifdef DOT
  float d = length(across);
  if (d > 1.0) discard;
#endif
#ifdef PICK
  colour = fill;
#else
#ifdef DOT
  float w = fwidth(d);
  float rim = smoothstep(0.7 - w, 0.7 + w, d);
  colour = vec4(mix(fill.rgb, background, rim), fill.a * (1.0 - smoothstep(1.0 - w, 1.0, d)));
#else
#ifdef TUBE
  colour = vec4(fill.rgb * (0.62 + 0.38 * sqrt(max(1.0 - across.x * across.x, 0.0))), fill.a);
#else
  colour = fill;
#endif
#endif
#endif
}`;

export type Style = 'line' | 'arrow' | 'dot';

/** Corners (along, across, head) and triangles of one ribbon. */
function base(style: Style): { corners: number[]; triangles: number[] } {
  if (style === 'dot') return { corners: [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], triangles: [0, 1, 2, 0, 2, 3] };
  const shaft = [0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0];
  const head = [0, -1, 1, 1, 0, 1, 0, 1, 1];
  if (style === 'line') return { corners: shaft, triangles: [0, 1, 2, 0, 2, 3] };
  return { corners: [...shaft, ...head], triangles: [0, 1, 2, 0, 2, 3, 4, 5, 6] };
}

/** A set of ribbons that is written anew whenever what it shows changes. */
export class Ribbons {
  readonly layer: Layer;
  private geometry = new BufferGeometry();
  private corners: number[];
  private triangles: number[];
  /** Corners of one ribbon. Each has a copy of its values: instances this small are slow. */
  private each: number;
  private capacity = 0;
  private from = new Float32Array(0);
  private to = new Float32Array(0);
  private rest = new Float32Array(0);
  private tone = new Uint8Array(0);
  count = 0;

  constructor(
    style: Style,
    shared: Shared,
    options: { order: number; least: number; most?: number; space: boolean; pickable?: boolean },
  ) {
    const b = base(style);
    this.corners = b.corners;
    this.triangles = b.triangles;
    this.each = b.corners.length / 3;
    this.reserve(16);
    this.geometry.setDrawRange(0, 0);
    this.layer = layer(
      this.geometry,
      {
        vertex: style === 'dot' ? DOT_VERTEX : LINE_VERTEX,
        fragment: FRAGMENT,
        uniforms: { ...shared.uniforms, least: { value: options.least }, most: { value: options.most ?? options.least } },
        blended: true,
        depthTest: options.space,
        depthWrite: options.space,
        defines: {
          ...(style === 'dot' ? { DOT: '1' } : {}),
          ...(style === 'arrow' ? { ARROW: '1' } : {}),
          ...(style === 'line' ? { LINE: '1' } : {}),
          ...(options.space ? { TUBE: '1' } : {}),
        },
      },
      options.order,
      { pickable: options.pickable },
    );
  }

  private reserve(n: number): void {
    const { each } = this;
    const grow = <A extends Float32Array | Uint8Array>(old: A, fresh: A): A => {
      fresh.set(old);
      return fresh;
    };
    this.from = grow(this.from, new Float32Array(3 * n * each));
    this.to = grow(this.to, new Float32Array(3 * n * each));
    this.rest = grow(this.rest, new Float32Array(2 * n * each));
    this.tone = grow(this.tone, new Uint8Array(4 * n * each));
    const position = new Float32Array(3 * n * each);
    const index = new Uint32Array(n * this.triangles.length);
    for (let i = 0; i < n; i++) {
      position.set(this.corners, 3 * each * i);
      for (let k = 0; k < this.triangles.length; k++) index[i * this.triangles.length + k] = i * each + this.triangles[k];
    }
    this.capacity = n;
    // The old buffers on the machine are let go with the old attributes.
    this.geometry.dispose();
    this.geometry.setAttribute('position', new BufferAttribute(position, 3));
    this.geometry.setIndex(new BufferAttribute(index, 1));
    const set = (name: string, a: Float32Array | Uint8Array, size: number, normalized = false): void => {
      const attribute = new BufferAttribute(a, size, normalized);
      attribute.setUsage(DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    };
    set('from', this.from, 3);
    set('to', this.to, 3);
    set('rest', this.rest, 2);
    set('tone', this.tone, 4, true);
  }

  clear(): void {
    this.count = 0;
  }

  add(
    a: readonly number[],
    b: readonly number[],
    width: number,
    tone: readonly number[],
    alpha = 255,
    number = 0,
  ): void {
    if (this.count === this.capacity) this.reserve(2 * this.capacity);
    const first = this.each * this.count++;
    const { from, to, rest, tone: tones } = this;
    for (let v = first; v < first + this.each; v++) {
      for (let k = 0; k < 3; k++) {
        from[3 * v + k] = a[k];
        to[3 * v + k] = b[k];
        tones[4 * v + k] = tone[k];
      }
      rest[2 * v] = width;
      rest[2 * v + 1] = number;
      tones[4 * v + 3] = alpha;
    }
  }

  /** Hands the written ribbons to the machine. */
  flush(): void {
    this.geometry.setDrawRange(0, this.count * this.triangles.length);
    this.layer.instances = this.count;
    this.layer.object.visible = this.count > 0;
    for (const name of ['from', 'to', 'rest', 'tone']) this.geometry.getAttribute(name).needsUpdate = true;
  }
}
