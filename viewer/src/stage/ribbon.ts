/**
 * Lines with a width, arrows and dots: instances that always face the eye.
 *
 * A ribbon goes from A to B; its width is a length of the scene, but never below some
 * pixels. In view axes the side is (B − A) × (towards the eye), so that nothing has to
 * be divided by depth and what is behind the eye is cut off by the machine.
 */
import {
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  type BufferGeometry,
} from 'three';
import type { Shared } from './gpu';
import { layer, plain, square, type Layer } from './layer';

const HEAD = /* glsl */ `
precision highp float;
precision highp int;
uniform mat4 viewMatrix, projectionMatrix;
uniform float pixel, orthographic;
in vec3 position, from, to;
in float width;
in vec4 tone;
in float number;
uniform float least;
out vec2 across;
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
  float w = max(width, least * unit);
#ifdef ARROW
  // position: along 0..1 of the shaft, across -1..1, z = 1 for the head.
  float head = min(3.2 * w, 0.6 * length0) / length0;
  float s = position.z > 0.5 ? mix(1.0 - head, 1.0, position.x) : position.x * (1.0 - head);
  float half_width = (position.z > 0.5 ? 1.5 : 0.5) * w;
#else
  float s = position.x;
  float half_width = 0.5 * w;
#endif
  vec3 p = a + s * way;
  vec3 eye = orthographic > 0.5 ? vec3(0.0, 0.0, 1.0) : -p;
  vec3 side = cross(way, eye);
  float size = length(side);
  side = size > 1e-30 ? side / size : vec3(1.0, 0.0, 0.0);
  gl_Position = projectionMatrix * vec4(p + position.y * half_width * side, 1.0);
  across = vec2(position.y, 0.0);
#ifdef PICK
  fill = numbered(number);
#else
  fill = tone;
#endif
}`;

const DOT_VERTEX = /* glsl */ `${HEAD}
void main() {
  vec3 a = (viewMatrix * vec4(from, 1.0)).xyz;
  float unit = pixel * (orthographic > 0.5 ? 1.0 : max(-a.z, 1e-6));
  float r = max(0.5 * width, least * unit);
#ifdef PICK
  r += 3.0 * unit;
#endif
  gl_Position = projectionMatrix * vec4(a + r * vec3(position.xy, 0.0), 1.0);
  across = position.xy;
#ifdef PICK
  fill = numbered(number);
#else
  fill = tone;
#endif
}`;

const FRAGMENT = /* glsl */ `
precision highp float;
uniform vec3 background;
in vec2 across;
flat in vec4 fill;
out vec4 colour;
void main() {
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

function base(style: Style): BufferGeometry {
  if (style === 'dot') return square();
  const shaft = [0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0];
  const head = [0, -1, 1, 1, 0, 1, 0, 1, 1];
  const g = plain({ position: [style === 'arrow' ? [...shaft, ...head] : shaft, 3] });
  g.setIndex(style === 'arrow' ? [0, 1, 2, 0, 2, 3, 4, 5, 6] : [0, 1, 2, 0, 2, 3]);
  return g;
}

/** A set of ribbons that is written anew whenever what it shows changes. */
export class Ribbons {
  readonly layer: Layer;
  private geometry = new InstancedBufferGeometry();
  private capacity = 0;
  private from = new Float32Array(0);
  private to = new Float32Array(0);
  private width = new Float32Array(0);
  private tone = new Uint8Array(0);
  private number = new Float32Array(0);
  count = 0;

  constructor(
    style: Style,
    shared: Shared,
    options: { order: number; least: number; space: boolean; pickable?: boolean },
  ) {
    const g = base(style);
    this.geometry.setAttribute('position', g.getAttribute('position'));
    this.geometry.setIndex(g.index);
    this.geometry.instanceCount = 0;
    this.reserve(64);
    this.layer = layer(
      this.geometry,
      {
        vertex: style === 'dot' ? DOT_VERTEX : LINE_VERTEX,
        fragment: FRAGMENT,
        uniforms: { ...shared.uniforms, least: { value: options.least } },
        blended: true,
        depthTest: false,
        defines: {
          ...(style === 'dot' ? { DOT: '1' } : {}),
          ...(style === 'arrow' ? { ARROW: '1' } : {}),
          ...(options.space ? { TUBE: '1' } : {}),
        },
      },
      options.order,
      { pickable: options.pickable },
    );
  }

  private reserve(n: number): void {
    this.capacity = n;
    const grow = (old: Float32Array, size: number): Float32Array<ArrayBuffer> => {
      const a = new Float32Array(n * size);
      a.set(old);
      return a;
    };
    this.from = grow(this.from, 3);
    this.to = grow(this.to, 3);
    this.width = grow(this.width, 1);
    this.number = grow(this.number, 1);
    const tone = new Uint8Array(n * 4);
    tone.set(this.tone);
    this.tone = tone;
    const set = (name: string, a: Float32Array | Uint8Array, size: number, normalized = false): void => {
      const attribute = new InstancedBufferAttribute(a, size, normalized);
      attribute.setUsage(DynamicDrawUsage);
      this.geometry.setAttribute(name, attribute);
    };
    // The old buffers on the machine are let go with the old attributes.
    this.geometry.dispose();
    set('from', this.from, 3);
    set('to', this.to, 3);
    set('width', this.width, 1);
    set('number', this.number, 1);
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
    const i = this.count++;
    this.from.set([a[0], a[1], a[2]], 3 * i);
    this.to.set([b[0], b[1], b[2]], 3 * i);
    this.width[i] = width;
    this.number[i] = number;
    this.tone.set([tone[0], tone[1], tone[2], alpha], 4 * i);
  }

  /** Hands the written ribbons to the machine. */
  flush(): void {
    this.geometry.instanceCount = this.count;
    this.layer.instances = this.count;
    this.layer.object.visible = this.count > 0;
    for (const name of ['from', 'to', 'width', 'number', 'tone']) {
      this.geometry.getAttribute(name).needsUpdate = true;
    }
  }
}
