// Makes a PNG small: at most 256 colours, chosen by halving boxes of colours where they are
// widest (Heckbert's median cut), written as an indexed PNG. Flat pictures of pages keep their
// colours exactly; shaded ones lose what the eye hardly sees.
import { crc32 as crc, deflateSync } from 'node:zlib';
import { decode } from '../test/png.mjs';

const MOST = 256;

export function shrink(bytes) {
  const { width, height, pixels } = decode(bytes);
  const counts = new Map();
  for (let i = 0; i < pixels.length; i += 3) {
    const key = (pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2];
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const palette = cut([...counts]);
  const place = new Map();
  palette.forEach((box, k) => box.colours.forEach(([key]) => place.set(key, k)));
  const raw = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = 3 * (y * width + x);
      raw[y * (width + 1) + 1 + x] = place.get((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.concat(palette.map((b) => Buffer.from(b.mean)));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('PLTE', colours), chunk('IDAT', deflateSync(raw, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc(body), body.length + 4);
  return out;
}

const channel = (key, c) => (key >> (16 - 8 * c)) & 255;

/** A box of colours: its widest channel, how wide, and its mean by count. */
function box(colours) {
  const low = [255, 255, 255];
  const high = [0, 0, 0];
  const sum = [0, 0, 0];
  let n = 0;
  for (const [key, count] of colours) {
    n += count;
    for (let c = 0; c < 3; c++) {
      const v = channel(key, c);
      low[c] = Math.min(low[c], v);
      high[c] = Math.max(high[c], v);
      sum[c] += count * v;
    }
  }
  const widths = [0, 1, 2].map((c) => high[c] - low[c]);
  const axis = widths.indexOf(Math.max(...widths));
  return { colours, axis, width: widths[axis], n, mean: sum.map((s) => Math.round(s / n)) };
}

function cut(colours) {
  const boxes = [box(colours)];
  while (boxes.length < MOST) {
    // The widest, weighted a little by how many pixels it has.
    let best = -1;
    let most = 0;
    boxes.forEach((b, i) => {
      const weight = b.colours.length > 1 ? b.width * b.n ** 0.25 : 0;
      if (weight > most) [most, best] = [weight, i];
    });
    if (best < 0) break;
    const [b] = boxes.splice(best, 1);
    const sorted = b.colours.toSorted((p, q) => channel(p[0], b.axis) - channel(q[0], b.axis));
    // Halved by width rather than by count: rare colours stay apart from common ones.
    const middle = (channel(sorted[0][0], b.axis) + channel(sorted.at(-1)[0], b.axis)) / 2;
    let at = sorted.findIndex(([key]) => channel(key, b.axis) > middle);
    if (at <= 0) at = sorted.length >> 1;
    boxes.push(box(sorted.slice(0, at)), box(sorted.slice(at)));
  }
  return boxes;
}
