/**
 * Colours that people with any kind of colour vision can tell apart.
 *
 * Quantities: viridis and cividis, as 33 equally spaced colours of the published
 * tables with straight lines between (off by at most 2 of 255 from all 256).
 * Categories: the eight colours of Okabe and Ito.
 */

export type Rgb = [number, number, number];

const TABLES = {
  viridis:
    '440154470d6048186a482374472d7b4537814240863e49893b528b375b8d33638d2f6b8e2c728e297a8e26828e23898e21918c' +
    '1f988b1fa08822a78528ae8032b67a3fbc734ec36b5ec96270cf5784d44b98d83eaddc30c2df23d8e219ece51bfde725',
  cividis:
    '00224e00285b002e6a0533711a386f273e6e32436d3b496c434e6c4b546c535a6d5a5f6e61656f686a716f70737676767d7c78' +
    '8482798c8878938e789b9476a39a74aba072b4a76fbcae6cc4b468cdbb63d5c25edec958e7d150f0d846f9e03afee838',
} as const;

export type MapName = keyof typeof TABLES;
export const MAPS = Object.keys(TABLES) as MapName[];

function parse(hex: string): Rgb[] {
  const out: Rgb[] = [];
  for (let i = 0; i + 6 <= hex.length; i += 6) out.push(rgb(hex.slice(i, i + 6)));
  return out;
}

/** From "0072b2" or "#0072b2". */
export function rgb(hex: string): Rgb {
  const n = parseInt(hex.replace('#', ''), 16);
  return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
}

const PARSED: Record<MapName, Rgb[]> = { viridis: parse(TABLES.viridis), cividis: parse(TABLES.cividis) };

/** Colour at `u` in 0..1 (beyond: the ends), components 0..255. */
export function shade(map: MapName, u: number): Rgb {
  const table = PARSED[map];
  if (Number.isNaN(u)) return MISSING;
  const s = Math.min(Math.max(u, 0), 1) * (table.length - 1);
  const k = Math.min(Math.floor(s), table.length - 2);
  const f = s - k;
  const a = table[k];
  const b = table[k + 1];
  return [a[0] + (b[0] - a[0]) * f, a[1] + (b[1] - a[1]) * f, a[2] + (b[2] - a[2]) * f].map(Math.round) as Rgb;
}

/** A table of `n` colours, three bytes each, for many bodies at once. */
export function ramp(map: MapName, n = 256): Uint8Array {
  const out = new Uint8Array(3 * n);
  for (let i = 0; i < n; i++) out.set(shade(map, i / (n - 1)), 3 * i);
  return out;
}

/** Okabe and Ito, without black (which is for lines), sky blue first. */
export const CATEGORIES: Rgb[] = ['56b4e9', 'e69f00', '009e73', 'cc79a7', '0072b2', 'd55e00', 'f0e442', '999999'].map(rgb);

export const MISSING: Rgb = rgb('9aa0a8');

/** Bodies that do not move, under every colouring: they are the frame of the picture. */
export const FIXED = { light: rgb('c3c9d1'), dark: rgb('4a5461') };

/** Open, stick, slip (the numbers of the column `status`): told apart by all, in light and dark. */
export function statusColours(theme: 'light' | 'dark'): { name: string; colour: Rgb }[] {
  return [
    { name: 'open', colour: rgb('8b95a1') },
    { name: 'stick', colour: rgb(theme === 'dark' ? '56b4e9' : '0072b2') },
    { name: 'slip', colour: rgb(theme === 'dark' ? 'f08c3a' : 'd55e00') },
  ];
}

/** The colour of category `k`; none (4294967295) is the missing one. */
export function category(k: number): Rgb {
  return k === 0xffffffff || !(k >= 0) ? MISSING : CATEGORIES[k % CATEGORIES.length];
}

export function css(c: Rgb): string {
  return `rgb(${c[0]} ${c[1]} ${c[2]})`;
}
