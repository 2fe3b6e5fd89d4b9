/** What all shaders of bodies share: poses and colours in textures, read by number. */
import { DataTexture, FloatType, NearestFilter, RGBAFormat, UnsignedByteType, Vector2, Vector3 } from 'three';
import { STRIDE } from './pose';

/** Texels per row of the texture of poses (two per body). */
const WIDTH = 2048;

/** Poses and colours of all bodies, and the uniforms every material refers to. */
export class Shared {
  readonly pose: Float32Array;
  readonly tint: Uint8Array;
  private poseTexture: DataTexture;
  private tintTexture: DataTexture;
  readonly uniforms;

  constructor(readonly bodies: number) {
    const rows = Math.max(1, Math.ceil((2 * bodies) / WIDTH));
    this.pose = new Float32Array(rows * WIDTH * 4);
    this.poseTexture = new DataTexture(this.pose, WIDTH, rows, RGBAFormat, FloatType);
    const half = WIDTH / 2;
    this.tint = new Uint8Array(rows * half * 4);
    this.tintTexture = new DataTexture(this.tint, half, rows, RGBAFormat, UnsignedByteType);
    for (const t of [this.poseTexture, this.tintTexture]) {
      t.magFilter = t.minFilter = NearestFilter;
      t.generateMipmaps = false;
    }
    this.uniforms = {
      pose: { value: this.poseTexture },
      tint: { value: this.tintTexture },
      /** Length of a pixel at depth 1 (perspective) or anywhere (orthographic). */
      pixel: { value: 1 },
      orthographic: { value: 0 },
      selected: { value: -1 },
      /** 0: bodies in full colour, 1: hardly seen. */
      faint: { value: 0 },
      background: { value: new Vector3(1, 1, 1) },
      line: { value: new Vector3(0, 0, 0) },
      accent: { value: new Vector3(0, 0, 1) },
      up: { value: new Vector3(0, 1, 0) },
      /** Where what is drawn is put, for images of a periodic cell. */
      shift: { value: new Vector3() },
      clip: { value: 0 },
      /** Rows of the inverse of the cell, and its corner. */
      inverse0: { value: new Vector3() },
      inverse1: { value: new Vector3() },
      corner: { value: new Vector3() },
      viewport: { value: new Vector2(1, 1) },
    };
  }

  posed(): void {
    this.poseTexture.needsUpdate = true;
  }

  tinted(): void {
    this.tintTexture.needsUpdate = true;
  }

  centre(body: number): [number, number, number] {
    const o = body * STRIDE;
    return [this.pose[o], this.pose[o + 1], this.pose[o + 2]];
  }

  dispose(): void {
    this.poseTexture.dispose();
    this.tintTexture.dispose();
  }
}

/** Head of every vertex shader of bodies. */
export const VERTEX_HEAD = /* glsl */ `
precision highp float;
precision highp int;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform mat4 viewMatrix;
uniform highp sampler2D pose;
uniform lowp sampler2D tint;
uniform float pixel, orthographic, selected;
uniform vec3 shift;
vec4 place(int body) { int k = 2 * body; return texelFetch(pose, ivec2(k & 2047, k >> 11), 0); }
vec4 turned(int body) { int k = 2 * body + 1; return texelFetch(pose, ivec2(k & 2047, k >> 11), 0); }
vec4 tinted(int body) { return texelFetch(tint, ivec2(body & 1023, body >> 10), 0); }
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec3 number(int id) {
  // Numbers from 1 on; 0 is nothing. 24 bits are enough for sixteen million.
  int k = id + 1;
  return vec3(float(k & 255), float((k >> 8) & 255), float((k >> 16) & 255)) / 255.0;
}
`;

/** Head of every fragment shader of bodies. */
export const FRAGMENT_HEAD = /* glsl */ `
precision highp float;
precision highp int;
uniform float faint, clip, orthographic, pixel;
uniform vec3 background, line, accent;
uniform vec3 inverse0, inverse1, corner;
out vec4 colour;
/* Edges stand out from their own body: darker on light ones, lighter on dark ones. */
vec3 edged(vec3 c) {
  float light = dot(c, vec3(0.3, 0.59, 0.11));
  return light < 0.22 ? mix(c, vec3(1.0), 0.42) : mix(c, vec3(0.04, 0.07, 0.1), 0.72);
}
vec3 fade(vec3 c) { return mix(c, background, 0.78 * faint); }
void outside(vec3 p) {
  // An image of a cell is shown within the cell only.
  if (clip < 0.5) return;
  vec3 r = p - corner;
  vec2 s = vec2(dot(inverse0, r), dot(inverse1, r));
  if (any(lessThan(s, vec2(0.0))) || any(greaterThan(s, vec2(1.0)))) discard;
}
`;

/** Soft light: from the sky, and a little from the eye. Normals in view axes. */
export const LIGHT = /* glsl */ `
uniform vec3 up;
vec3 lit(vec3 c, vec3 n) {
  float sky = 0.5 + 0.5 * dot(n, up);
  float key = max(dot(n, normalize(vec3(-0.45, 0.6, 0.75))), 0.0);
  float eye = max(n.z, 0.0);
  return c * (0.42 + 0.2 * sky + 0.32 * key + 0.14 * eye);
}
`;
