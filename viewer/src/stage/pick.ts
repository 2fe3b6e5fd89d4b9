/** What is under the pointer: one pixel drawn with numbers instead of colours. */
import { NearestFilter, Scene, WebGLRenderTarget, type WebGLRenderer } from 'three';
import type { View } from './camera';
import type { Layer } from './layer';

export class Picker {
  private target = new WebGLRenderTarget(1, 1, { minFilter: NearestFilter, magFilter: NearestFilter });
  private pixel = new Uint8Array(4);

  constructor(
    private renderer: WebGLRenderer,
    private scene: Scene,
    private view: View,
    private layers: Layer[],
  ) {}

  /** The number at (x, y) in CSS pixels of the canvas, −1 if there is nothing. */
  at(x: number, y: number): number {
    const canvas = this.renderer.domElement;
    const ratio = this.renderer.getPixelRatio();
    const camera = this.view.camera;
    camera.setViewOffset(canvas.width, canvas.height, Math.floor(x * ratio), Math.floor(y * ratio), 1, 1);
    for (const l of this.layers) l.picking(true);
    const gl = this.renderer.getContext();
    this.renderer.setRenderTarget(this.target);
    this.renderer.setClearColor(0, 0);
    gl.clearColor(0, 0, 0, 0);
    this.renderer.clear();
    this.renderer.render(this.scene, camera);
    this.renderer.readRenderTargetPixels(this.target, 0, 0, 1, 1, this.pixel);
    this.renderer.setRenderTarget(null);
    for (const l of this.layers) l.picking(false);
    camera.clearViewOffset();
    return this.pixel[0] + 256 * this.pixel[1] + 65536 * this.pixel[2] - 1;
  }
}
