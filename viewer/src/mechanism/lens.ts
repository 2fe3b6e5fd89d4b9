/**
 * From points of the plane or of space to pixels and back. Parallel projection, one
 * scale along both axes of the picture, so that lengths are true.
 */
export interface Size {
  width: number;
  height: number;
}

export class Lens {
  /** What is in the middle of the picture. */
  centre: [number, number, number] = [0, 0, 0];
  /** Pixels in a length of 1. */
  scale = 1;
  /** Directions of the viewer in space: about z, and above the plane. */
  azimuth = -0.5;
  elevation = 0.5;
  size: Size = { width: 1, height: 1 };
  /** Whether it is as `fit` left it. */
  untouched = true;

  constructor(readonly dimension: 2 | 3) {}

  /** Right, up and toward the viewer, as unit vectors. */
  axes(): [number[], number[], number[]] {
    if (this.dimension === 2) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const [ca, sa] = [Math.cos(this.azimuth), Math.sin(this.azimuth)];
    const [ce, se] = [Math.cos(this.elevation), Math.sin(this.elevation)];
    // Azimuth 0 looks along +y, z is up.
    return [
      [ca, sa, 0],
      [-sa * se, ca * se, ce],
      [sa * ce, -ca * ce, se],
    ];
  }

  /** A map from points to pixels and depth (larger is nearer). */
  projector(): (x: number, y: number, z: number) => [number, number, number] {
    const [r, u, d] = this.axes();
    const [cx, cy, cz] = this.centre;
    const { width, height } = this.size;
    const s = this.scale;
    return (x, y, z) => {
      const [a, b, c] = [x - cx, y - cy, z - cz];
      return [
        width / 2 + s * (r[0] * a + r[1] * b + r[2] * c),
        height / 2 - s * (u[0] * a + u[1] * b + u[2] * c),
        d[0] * a + d[1] * b + d[2] * c,
      ];
    };
  }

  /** The point of the plane under a pixel (in the plane only). */
  unproject(px: number, py: number): [number, number] {
    return [
      this.centre[0] + (px - this.size.width / 2) / this.scale,
      this.centre[1] - (py - this.size.height / 2) / this.scale,
    ];
  }

  /** Moves what is seen by pixels. */
  pan(dx: number, dy: number): void {
    const [r, u] = this.axes();
    for (let i = 0; i < 3; i++) this.centre[i] += (-dx * r[i] + dy * u[i]) / this.scale;
  }

  turn(dx: number, dy: number): void {
    this.azimuth -= dx * 0.008;
    const most = Math.PI / 2 - 1e-3;
    this.elevation = Math.min(Math.max(this.elevation + dy * 0.008, -most), most);
  }

  /** Scales by `by`; the point under the pixel stays where it is. */
  zoom(by: number, px: number, py: number): void {
    if (!(by > 0) || !Number.isFinite(by)) return;
    const next = Math.min(Math.max(this.scale * by, 1e-9), 1e12);
    const change = next / this.scale;
    const [dx, dy] = [px - this.size.width / 2, py - this.size.height / 2];
    this.pan(dx * (1 / change - 1), dy * (1 / change - 1));
    this.scale = next;
  }

  /** Shows the whole box with a margin in pixels on each side. */
  fit(box: { min: number[]; max: number[] }, margin: { left: number; right: number; top: number; bottom: number }): void {
    const low = [box.min[0] ?? 0, box.min[1] ?? 0, box.min[2] ?? 0];
    const high = [box.max[0] ?? 0, box.max[1] ?? 0, box.max[2] ?? 0];
    const [r, u] = this.axes();
    // Half the extent along a direction: sum of |component| times half the side.
    const reach = (d: number[]): number => d.reduce((s, c, i) => s + (Math.abs(c) * (high[i] - low[i])) / 2, 0);
    const width = Math.max(this.size.width - margin.left - margin.right, 20);
    const height = Math.max(this.size.height - margin.top - margin.bottom, 20);
    const scale = Math.min(width / (2 * reach(r)), height / (2 * reach(u)));
    this.scale = Number.isFinite(scale) && scale > 0 ? scale : Math.min(width, height) / 2;
    this.centre = [0, 1, 2].map((i) => (low[i] + high[i]) / 2) as [number, number, number];
    this.pan((margin.left - margin.right) / 2, (margin.top - margin.bottom) / 2);
  }
}
