/** Layers: a mesh, the material it is drawn with, and the one it is picked with. */
import {
  BufferGeometry,
  DoubleSide,
  Float32BufferAttribute,
  FrontSide,
  GLSL3,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  NormalBlending,
  RawShaderMaterial,
  type IUniform,
  type Object3D,
} from 'three';

export interface Layer {
  object: Object3D;
  /** Swaps to the material that writes numbers, or back. */
  picking(on: boolean): void;
  triangles: number;
  instances: number;
  /** See-through bodies are blended and hide nothing. */
  see?(glass: boolean): void;
  dispose(): void;
}

interface Look {
  vertex: string;
  fragment: string;
  uniforms: Record<string, IUniform>;
  /** Blended over what is behind, without writing depth. */
  blended?: boolean;
  depthTest?: boolean;
  /** Written even if blended. */
  depthWrite?: boolean;
  bothSides?: boolean;
  coverage?: boolean;
  /** May become see-through. */
  glass?: boolean;
  defines?: Record<string, string>;
}

function material(look: Look, pick: boolean): RawShaderMaterial {
  return new RawShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: look.vertex,
    fragmentShader: look.fragment,
    uniforms: look.uniforms,
    defines: { ...look.defines, ...(pick ? { PICK: '1' } : {}) },
    transparent: !pick && look.blended === true,
    blending: NormalBlending,
    depthWrite: pick || look.blended !== true || look.depthWrite === true,
    depthTest: look.depthTest !== false,
    side: look.bothSides === false ? FrontSide : DoubleSide,
    alphaToCoverage: !pick && look.coverage === true,
  });
}

/** A layer of `geometry`; without `pickable` it is not there when numbers are drawn. */
export function layer(
  geometry: BufferGeometry,
  look: Look,
  order: number,
  options: { lines?: boolean; pickable?: boolean } = {},
): Layer {
  const draw = material(look, false);
  const pick = options.pickable === false ? null : material(look, true);
  const object = options.lines ? new LineSegments(geometry, draw) : new Mesh(geometry, draw);
  object.frustumCulled = false;
  object.renderOrder = order;
  object.matrixAutoUpdate = false;
  let shown = true;
  const count = geometry.index ? geometry.index.count : (geometry.getAttribute('position')?.count ?? 0);
  const many = geometry instanceof InstancedBufferGeometry ? geometry.instanceCount : 1;
  return {
    object,
    triangles: options.lines ? 0 : (count / 3) * many,
    instances: many,
    picking(on) {
      if (on) shown = object.visible;
      object.material = on && pick ? pick : draw;
      object.visible = on ? shown && pick !== null : shown;
    },
    see(glass) {
      if (!look.glass) return;
      draw.transparent = glass || look.blended === true;
      draw.depthWrite = !draw.transparent;
    },
    dispose() {
      geometry.dispose();
      draw.dispose();
      pick?.dispose();
    },
  };
}

/** A plain geometry from arrays of numbers. */
export function plain(attributes: Record<string, [number[] | Float32Array, number]>): BufferGeometry {
  const g = new BufferGeometry();
  for (const [name, [values, size]] of Object.entries(attributes)) {
    g.setAttribute(name, new Float32BufferAttribute(values, size));
  }
  return g;
}

/** The same geometry many times, with values of its own for each. */
export function instanced(
  base: BufferGeometry,
  count: number,
  values: Record<string, [ArrayLike<number>, number]>,
): InstancedBufferGeometry {
  const g = new InstancedBufferGeometry();
  for (const name of Object.keys(base.attributes)) g.setAttribute(name, base.getAttribute(name));
  if (base.index) g.setIndex(base.index);
  for (const [name, [list, size]] of Object.entries(values)) {
    g.setAttribute(name, new InstancedBufferAttribute(Float32Array.from(list), size));
  }
  g.instanceCount = count;
  return g;
}

/** Two triangles over −1..1. */
export function square(): BufferGeometry {
  const g = plain({ position: [[-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], 3] });
  g.setIndex([0, 1, 2, 0, 2, 3]);
  return g;
}

/** Draws nothing; at its turn all depth is forgotten, so that what follows is on top. */
export function divider(order: number): Layer {
  const geometry = plain({ position: [[0, 0, 0, 0, 0, 0, 0, 0, 0], 3] });
  const empty = new MeshBasicMaterial({ colorWrite: false, depthWrite: false, transparent: true });
  const object = new Mesh(geometry, empty);
  object.frustumCulled = false;
  object.renderOrder = order;
  object.onBeforeRender = (renderer) => renderer.clearDepth();
  return {
    object,
    triangles: 0,
    instances: 0,
    picking() {},
    dispose() {
      geometry.dispose();
      empty.dispose();
    },
  };
}
