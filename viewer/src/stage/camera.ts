/** Cameras and how they are moved: a sheet to be shifted in the plane, an orbit in space. */
import { Box3, OrthographicCamera, PerspectiveCamera, Sphere, Vector3, type Camera } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

export interface View {
  readonly camera: OrthographicCamera | PerspectiveCamera;
  readonly orthographic: boolean;
  /** Length of a pixel of the canvas at depth 1, or anywhere if orthographic. */
  pixel(): number;
  /** The point looked at, and how far one sees around it. */
  middle(): Vector3;
  span(): number;
  resize(width: number, height: number, ratio: number): void;
  fit(box: Box3): void;
  /** Looks along an axis; "free" is a view from above one side. */
  look(from: 'x' | 'y' | 'z' | 'free', box: Box3): void;
  shift(by: Vector3): void;
  zoom(factor: number): void;
  pan(dx: number, dy: number): void;
  onChange: () => void;
  destroy(): void;
}

export class PlaneView implements View {
  readonly orthographic = true;
  readonly camera = new OrthographicCamera(-1, 1, 1, -1, -1e6, 1e6);
  onChange = (): void => {};
  private centre = new Vector3();
  /** Length of a CSS pixel. */
  private scale = 0.01;
  private size: [number, number] = [1, 1];
  private ratio = 1;
  private pointers = new Map<number, [number, number]>();
  private off: () => void;

  constructor(private element: HTMLElement) {
    this.camera.position.set(0, 0, 10);
    this.off = this.listen();
  }

  private listen(): () => void {
    const e = this.element;
    const down = (ev: PointerEvent): void => {
      e.setPointerCapture(ev.pointerId);
      this.pointers.set(ev.pointerId, [ev.clientX, ev.clientY]);
    };
    const move = (ev: PointerEvent): void => this.drag(ev);
    const up = (ev: PointerEvent): void => void this.pointers.delete(ev.pointerId);
    const wheel = (ev: WheelEvent): void => {
      ev.preventDefault();
      const lines = ev.deltaMode === 1 ? 16 : 1;
      this.about(ev.clientX, ev.clientY, Math.exp(Math.min(Math.max(ev.deltaY * lines, -240), 240) * 0.0016));
    };
    e.addEventListener('pointerdown', down);
    e.addEventListener('pointermove', move);
    e.addEventListener('pointerup', up);
    e.addEventListener('pointercancel', up);
    e.addEventListener('wheel', wheel, { passive: false });
    return () => {
      e.removeEventListener('pointerdown', down);
      e.removeEventListener('pointermove', move);
      e.removeEventListener('pointerup', up);
      e.removeEventListener('pointercancel', up);
      e.removeEventListener('wheel', wheel);
    };
  }

  /** One pointer shifts; two also zoom, about the middle between them. */
  private drag(ev: PointerEvent): void {
    const before = this.pointers.get(ev.pointerId);
    if (!before) return;
    const now: [number, number] = [ev.clientX, ev.clientY];
    const other = [...this.pointers].find(([id]) => id !== ev.pointerId)?.[1];
    this.pointers.set(ev.pointerId, now);
    if (!other) {
      this.pan(now[0] - before[0], now[1] - before[1]);
      return;
    }
    const apart = (p: [number, number]): number => Math.max(Math.hypot(p[0] - other[0], p[1] - other[1]), 8);
    this.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    this.about((now[0] + other[0]) / 2, (now[1] + other[1]) / 2, apart(before) / apart(now));
  }

  pan(dx: number, dy: number): void {
    this.centre.x -= dx * this.scale;
    this.centre.y += dy * this.scale;
    this.apply();
  }

  /** Zooms so that what is under the pointer stays there. */
  private about(x: number, y: number, factor: number): void {
    const box = this.element.getBoundingClientRect();
    const dx = x - box.left - box.width / 2;
    const dy = box.top + box.height / 2 - y;
    const next = Math.min(Math.max(this.scale * factor, 1e-12), 1e12);
    this.centre.x += dx * (this.scale - next);
    this.centre.y += dy * (this.scale - next);
    this.scale = next;
    this.apply();
  }

  zoom(factor: number): void {
    this.scale = Math.min(Math.max(this.scale / factor, 1e-12), 1e12);
    this.apply();
  }

  private apply(): void {
    const [w, h] = this.size;
    const c = this.camera;
    c.left = (-w / 2) * this.scale;
    c.right = (w / 2) * this.scale;
    c.bottom = (-h / 2) * this.scale;
    c.top = (h / 2) * this.scale;
    c.position.set(this.centre.x, this.centre.y, 10);
    c.updateProjectionMatrix();
    c.updateMatrixWorld();
    this.onChange();
  }

  pixel(): number {
    return this.scale / this.ratio;
  }
  middle(): Vector3 {
    return this.centre.clone();
  }
  span(): number {
    return Math.hypot(...this.size) * this.scale;
  }
  resize(width: number, height: number, ratio: number): void {
    this.size = [width, height];
    this.ratio = ratio;
    this.apply();
  }
  fit(box: Box3): void {
    const size = box.getSize(new Vector3());
    box.getCenter(this.centre);
    this.centre.z = 0;
    const [w, h] = this.size;
    this.scale = Math.max((1.12 * size.x) / w, (1.12 * size.y) / h, 1e-12);
    this.apply();
  }
  look(_from: string, box: Box3): void {
    this.fit(box);
  }
  shift(by: Vector3): void {
    this.centre.add(by);
    this.apply();
  }
  destroy(): void {
    this.off();
  }
}

export class SpaceView implements View {
  readonly orthographic = false;
  readonly camera = new PerspectiveCamera(35, 1, 0.01, 1000);
  onChange = (): void => {};
  private controls: OrbitControls;
  private height = 1;
  private radius = 1;

  constructor(
    element: HTMLElement,
    private up: Vector3,
  ) {
    this.camera.up.copy(up);
    this.controls = new OrbitControls(this.camera as Camera, element);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.changed());
  }

  private changed(): void {
    // Near and far as tight as the scene allows: depth has few bits.
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(distance - 3 * this.radius, 0.01 * distance, 1e-9);
    this.camera.far = distance + 30 * this.radius;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    this.onChange();
  }

  pixel(): number {
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / this.height;
  }
  middle(): Vector3 {
    return this.controls.target.clone();
  }
  span(): number {
    return Math.max(12 * this.radius, 3 * this.camera.position.distanceTo(this.controls.target));
  }
  resize(width: number, height: number, ratio: number): void {
    this.height = Math.max(height * ratio, 1);
    this.camera.aspect = width / Math.max(height, 1);
    this.changed();
  }

  private distance(box: Box3): number {
    const sphere = box.getBoundingSphere(new Sphere());
    this.radius = Math.max(sphere.radius, 1e-9);
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(1, this.camera.aspect);
    return this.radius / Math.sin(Math.atan(Math.tan(half) * narrow));
  }

  fit(box: Box3): void {
    const way = this.camera.position.clone().sub(this.controls.target);
    if (way.lengthSq() < 1e-30) return this.look('free', box);
    this.set(box, way.normalize());
  }

  private set(box: Box3, way: Vector3): void {
    const distance = this.distance(box);
    box.getCenter(this.controls.target);
    this.camera.position.copy(this.controls.target).addScaledVector(way, distance);
    this.controls.update();
    this.changed();
  }

  look(from: 'x' | 'y' | 'z' | 'free', box: Box3): void {
    const way = new Vector3();
    if (from === 'free') {
      // From the side of the two axes that are not up, and a little above.
      const u = this.up;
      const side = Math.abs(u.y) > 0.9 ? new Vector3(0.55, 0, 1) : new Vector3(0.55, -1, 0);
      if (Math.abs(u.x) > 0.9) side.set(0, -1, 0.55);
      way.copy(side).addScaledVector(u, -side.dot(u)).normalize().addScaledVector(u, 0.42).normalize();
    } else {
      way[from] = 1;
      // Exactly along "up" an orbit has no direction: a hair beside it.
      if (Math.abs(way.dot(this.up)) > 0.999) {
        const beside = Math.abs(this.up.y) > 0.9 ? new Vector3(0, 0, 1) : new Vector3(0, -1, 0);
        way.addScaledVector(beside, 1e-4).normalize();
      }
    }
    this.set(box, way);
  }

  shift(by: Vector3): void {
    this.controls.target.add(by);
    this.camera.position.add(by);
    this.changed();
  }

  zoom(factor: number): void {
    const way = this.camera.position.clone().sub(this.controls.target);
    this.camera.position.copy(this.controls.target).addScaledVector(way, 1 / factor);
    this.changed();
  }

  pan(dx: number, dy: number): void {
    const distance = this.camera.position.distanceTo(this.controls.target);
    const unit = this.pixel() * distance;
    const m = this.camera.matrixWorld.elements;
    const side = new Vector3(m[0], m[1], m[2]);
    const top = new Vector3(m[4], m[5], m[6]);
    this.shift(side.multiplyScalar(-dx * unit).addScaledVector(top, dy * unit));
  }

  destroy(): void {
    this.controls.dispose();
  }
}
