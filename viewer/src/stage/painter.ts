/** Draws a picture of everything that is there: the machine, its passes, its colours. */
import { Scene, Vector3, WebGLRenderer } from 'three';
import type { App } from '../app';
import type { Options } from '../options';
import type { Pack } from '../types';
import type { Bodies } from './bodies';
import type { View } from './camera';
import type { CellFrame } from './cell';
import type { Contacts } from './contacts';
import type { Shared } from './gpu';
import type { Layer } from './layer';
import { Marks } from './marks';

/** Above this many bodies smooth edges are left out where the processor draws. */
const SMOOTH = 20000;
/** Above this many bodies hidden spheres are left out even with a graphics card. */
const CROWD = 300000;

export class Painter {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly layers: Layer[];
  /** Pictures are computed without a graphics card. */
  readonly soft: boolean;
  private marks: Marks;
  /** For which eye and state spheres are in order. */
  private sorted = '';

  constructor(
    private canvas: HTMLCanvasElement,
    private shared: Shared,
    private bodies: Bodies,
    private contacts: Contacts,
    private cell: CellFrame,
    space: boolean,
  ) {
    this.soft = software();
    const antialias = !(this.soft && shared.bodies > SMOOTH);
    // Without alpha: what covers a pixel in part must not let the page show through.
    const context = canvas.getContext('webgl2', { alpha: false, antialias, powerPreference: 'high-performance' });
    if (!context) throw new Error('no WebGL 2');
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.autoClear = false;
    this.renderer.info.autoReset = false;
    this.marks = new Marks(shared, bodies, space);
    this.layers = [...bodies.layers, ...contacts.layers, ...this.marks.layers, cell.layer];
    for (const l of this.layers) this.scene.add(l.object);
  }

  resize(width: number, height: number, ratio: number): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
  }

  /** Takes the colours of the page. */
  theme(): void {
    const style = getComputedStyle(document.documentElement);
    const set = (v: Vector3, name: string): void => {
      const n = parseInt(style.getPropertyValue(name).trim().slice(1), 16);
      v.set(((n >> 16) & 255) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255);
    };
    const u = this.shared.uniforms;
    set(u.background.value, '--stage');
    set(u.line.value, '--ink');
    set(u.accent.value, '--mark');
  }

  /** `state` names what is shown, to know when spheres have to be put in order anew. */
  draw(app: App, options: Options, view: View, contacts: Pack | undefined, state: string): void {
    const u = this.shared.uniforms;
    const s = app.selection.value;
    u.pixel.value = view.pixel();
    u.selected.value = s?.kind === 'body' ? s.id : -1;
    u.faint.value = options.faint.value ? 1 : 0;
    const { camera } = view;
    u.up.value.copy(upOf(app.about.gravity, app.about.dimension)).transformDirection(camera.matrixWorldInverse);
    this.bodies.see(options.glass.value);
    this.bodies.ground?.place(view.middle(), view.span(), nice(4 * this.bodies.typical));
    this.order(view, state);
    this.marks.update(s, view, contacts);
    const b = u.background.value;
    this.renderer.info.reset();
    this.renderer.setClearColor(0, 1);
    // The colour is written as it is, without a transfer function.
    this.renderer.getContext().clearColor(b.x, b.y, b.z, 1);
    this.renderer.clear();
    const overlay = [...this.contacts.layers, ...this.marks.layers, this.cell.layer].map((l) => l.object);
    this.cell.passes(overlay, () => this.renderer.render(this.scene, camera));
  }

  private order(view: View, state: string): void {
    const m = view.camera.matrixWorld.elements;
    const cull = this.soft || this.shared.bodies > CROWD;
    const { width, height } = this.canvas;
    // In order for a direction; what is hidden also depends on the place.
    const look = `${(cull ? m : m.slice(8, 11)).join(' ')} ${width} ${height} ${state}`;
    if (look === this.sorted) return;
    this.sorted = look;
    const eye = { view: view.camera.matrixWorldInverse.elements, pixel: view.pixel(), width, height };
    this.bodies.round?.sort([-m[8], -m[9], -m[10]], cull ? eye : null);
  }
}

/** True if pictures are computed by the processor. */
function software(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

/** Against gravity; without it y in the plane and z in space. */
export function upOf(gravity: number[] | null, dimension: number): Vector3 {
  const g = new Vector3(gravity?.[0] ?? 0, gravity?.[1] ?? 0, gravity?.[2] ?? 0);
  if (g.lengthSq() === 0) return dimension === 2 ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
  return g.normalize().negate();
}

/** 1, 2 or 5 times a power of ten, not below `v`. */
function nice(v: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(v, 1e-30)));
  const m = v / power;
  return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}
