// Pictures as pixels: reads the PNG files that a browser writes (8 bits, RGB or RGBA, not
// interlaced), so that a test can look at what was really drawn.
import { inflateSync } from 'node:zlib';

/** { width, height, pixels }: RGB bytes, row by row. */
export function decode(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 8;
  let head = null;
  const parts = [];
  while (at + 12 <= bytes.length) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') head = { width: view.getUint32(at + 8), height: view.getUint32(at + 12), depth: data[8], colour: data[9], lace: data[12] };
    else if (type === 'IDAT') parts.push(data);
    at += 12 + length;
  }
  if (!head || head.depth !== 8 || ![2, 6].includes(head.colour) || head.lace !== 0) throw new Error('a PNG of another kind');
  const channels = head.colour === 6 ? 4 : 3;
  const raw = inflateSync(Buffer.concat(parts));
  const stride = head.width * channels;
  const lines = unfilter(raw, head.height, stride, channels);
  const pixels = new Uint8Array(head.width * head.height * 3);
  for (let i = 0, n = head.width * head.height; i < n; i++) {
    for (let c = 0; c < 3; c++) pixels[3 * i + c] = lines[i * channels + c];
  }
  return { width: head.width, height: head.height, pixels };
}

function unfilter(raw, height, stride, channels) {
  const out = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    const kind = raw[y * (stride + 1)];
    for (let i = 0; i < stride; i++) {
      const left = i >= channels ? out[y * stride + i - channels] : 0;
      const up = y > 0 ? out[(y - 1) * stride + i] : 0;
      const corner = i >= channels && y > 0 ? out[(y - 1) * stride + i - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][kind];
      out[y * stride + i] = raw[y * (stride + 1) + 1 + i] + guess;
    }
  }
  return out;
}

function paeth(a, b, c) {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/**
 * What a picture consists of: how many colours (by 4 bits a channel, so that smoothing does
 * not count), the share of its commonest colour, and that of pixels with hue.
 */
export function statistics({ pixels }) {
  const counts = new Map();
  let hued = 0;
  const n = pixels.length / 3;
  for (let i = 0; i < n; i++) {
    const [r, g, b] = [pixels[3 * i], pixels[3 * i + 1], pixels[3 * i + 2]];
    const key = ((r >> 4) << 8) | ((g >> 4) << 4) | (b >> 4);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (Math.max(r, g, b) - Math.min(r, g, b) > 40) hued++;
  }
  return { colours: counts.size, background: Math.max(...counts.values()) / n, hued: hued / n };
}

/** Share of pixels that differ by more than 24 of 255 in a channel. */
export function difference(a, b) {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let count = 0;
  const n = a.pixels.length / 3;
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < 3; c++) {
      if (Math.abs(a.pixels[3 * i + c] - b.pixels[3 * i + c]) > 24) {
        count++;
        break;
      }
    }
  }
  return count / n;
}
