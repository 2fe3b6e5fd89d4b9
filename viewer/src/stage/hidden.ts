/**
 * Leaves out spheres that others hide, before anything is drawn.
 *
 * Spheres come nearest first. The picture is cut into squares; a square is closed once
 * a single sphere covers all of it, and a sphere whose squares are all closed can not
 * be seen. With s the angular radius and θ the angle from the axis, the silhouette
 * holds the circle of radius ρ = r/z about the projected middle and lies within
 * ρ/cos(θ + s): the first is used to close, the second (with room) to leave out. So no
 * sphere is left out that shows, if spheres do not overlap.
 */

/** How an eye sees: rows of the view matrix, length of a pixel at depth 1, size in pixels. */
export interface Eye {
  view: ArrayLike<number>;
  pixel: number;
  width: number;
  height: number;
}

export class Hidden {
  private closed = new Uint8Array(0);

  /**
   * Writes to `out` those of `list` (nearest first) that may be seen; the answer is
   * how many. `centre(i, into)` gives x, y, z, radius.
   */
  visible(
    list: ArrayLike<number>,
    centre: (i: number, into: Float64Array) => void,
    eye: Eye,
    side: number,
    out: Uint32Array,
  ): number {
    const columns = Math.ceil(eye.width / side) + 1;
    const rows = Math.ceil(eye.height / side) + 1;
    if (this.closed.length < columns * rows) this.closed = new Uint8Array(columns * rows);
    const closed = this.closed;
    closed.fill(0);
    const m = eye.view;
    const c = new Float64Array(4);
    let count = 0;
    for (let k = 0; k < list.length; k++) {
      const i = list[k];
      centre(i, c);
      const x = m[0] * c[0] + m[4] * c[1] + m[8] * c[2] + m[12];
      const y = m[1] * c[0] + m[5] * c[1] + m[9] * c[2] + m[13];
      const z = -(m[2] * c[0] + m[6] * c[1] + m[10] * c[2] + m[14]);
      const r = c[3];
      if (!(z > 2 * r)) {
        // Beside or behind the eye: the projection says nothing. Behind, it is not seen.
        if (!(z < -r)) out[count++] = i;
        continue;
      }
      const scale = 1 / (eye.pixel * z);
      const px = (eye.width / 2 + x * scale) / side;
      const py = (eye.height / 2 - y * scale) / side;
      const inner = (r * scale) / side;
      const outer = inner * (1.15 * Math.sqrt(x * x + y * y + z * z)) / z + 1;
      const x0 = Math.max(Math.floor(px - outer), 0);
      const x1 = Math.min(Math.floor(px + outer), columns - 1);
      const y0 = Math.max(Math.floor(py - outer), 0);
      const y1 = Math.min(Math.floor(py + outer), rows - 1);
      if (x1 < x0 || y1 < y0) continue;
      let open = false;
      for (let b = y0; b <= y1 && !open; b++) {
        const o = b * columns;
        for (let a = x0; a <= x1; a++) {
          if (closed[o + a] === 0) {
            open = true;
            break;
          }
        }
      }
      if (!open) continue;
      out[count++] = i;
      const limit = (0.97 * inner) ** 2;
      for (let b = y0; b <= y1; b++) {
        // The farthest corner of a square decides.
        const dy = Math.max(Math.abs(b - py), Math.abs(b + 1 - py));
        if (dy * dy > limit) continue;
        const o = b * columns;
        for (let a = x0; a <= x1; a++) {
          const dx = Math.max(Math.abs(a - px), Math.abs(a + 1 - px));
          if (dx * dx + dy * dy <= limit) closed[o + a] = 1;
        }
      }
    }
    return count;
  }
}
