import assert from 'node:assert/strict';
import { test } from 'node:test';
import { number, quantity, ticks } from '../src/format';
import { CATEGORIES, category, FIXED, MAPS, MISSING, ramp, rgb, shade, statusColours, type Rgb } from '../src/palette';
import { table } from '../src/pack';
import { Colouring, Scale, scaleOf } from '../src/stage/colouring';
import type { About } from '../src/types';

/** Relative luminance after WCAG 2: what remains when colours can not be told apart. */
function luminance(c: Rgb): number {
  const [r, g, b] = c.map((v) => {
    const s = v / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

test('the maps get lighter all the way, so that they read in grey too', () => {
  for (const map of MAPS) {
    let before = -1;
    for (let i = 0; i <= 64; i++) {
      const l = luminance(shade(map, i / 64));
      assert.ok(l > before, `${map} at ${i}/64`);
      before = l;
    }
  }
});

test('known colours of viridis and cividis', () => {
  // Of the published tables of 256: entries 0 and 255, and 127 or 128 in the middle.
  assert.deepEqual(shade('viridis', 0), [68, 1, 84]);
  assert.deepEqual(shade('viridis', 1), [253, 231, 37]);
  assert.deepEqual(shade('cividis', 0), [0, 34, 78]);
  const middle = shade('viridis', 0.5);
  [33, 145, 140].forEach((v, k) => assert.ok(Math.abs(middle[k] - v) <= 2));
});

test('beyond the ends come the ends, and no number has a colour of its own', () => {
  assert.deepEqual(shade('viridis', -3), shade('viridis', 0));
  assert.deepEqual(shade('viridis', 7), shade('viridis', 1));
  assert.deepEqual(shade('viridis', NaN), MISSING);
  assert.deepEqual(Array.from(ramp('cividis', 3).slice(3, 6)), shade('cividis', 0.5));
  assert.deepEqual(category(0xffffffff), MISSING);
  assert.deepEqual(category(CATEGORIES.length + 1), CATEGORIES[1]);
  assert.deepEqual(rgb('#0072b2'), [0, 114, 178]);
});

test('stick and slip differ in lightness from each other or from open in both themes', () => {
  for (const theme of ['light', 'dark'] as const) {
    const [open, stick, slip] = statusColours(theme).map((s) => s.colour);
    const apart = (a: Rgb, b: Rgb): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    // A third of the length of the cube's edge: no two of them can be taken for each other.
    for (const [a, b] of [[open, stick], [open, slip], [stick, slip]]) assert.ok(apart(a, b) > 85);
  }
});

test('scales: linear, logarithmic, and what they make of zero and of no range', () => {
  const linear = new Scale(2, 6, false);
  assert.equal(linear.at(3), 0.25);
  assert.equal(linear.inverse(linear.at(5)), 5);
  const log = new Scale(1e-3, 10, true);
  assert.ok(Math.abs(log.at(0.1) - 0.5) < 1e-12);
  assert.equal(log.at(0), 0);
  assert.ok(Number.isNaN(log.at(NaN)));
  const base = { by: 'speed', map: 'viridis' as const, low: null, high: null };
  const seen = { low: 0, high: 4, positive: 0.01 };
  assert.deepEqual([scaleOf({ ...base, log: false }, seen).low, scaleOf({ ...base, log: false }, seen).high], [0, 4]);
  assert.equal(scaleOf({ ...base, log: true }, seen).low, 0.01);
  assert.equal(scaleOf({ ...base, log: false, low: 1, high: 2 }, seen).high, 2);
  const none = scaleOf({ ...base, log: true }, { low: 0, high: 0, positive: Infinity });
  assert.ok(none.high > none.low && Number.isFinite(none.at(1)));
  const flat = scaleOf({ ...base, log: false }, { low: 3, high: 3, positive: 3 });
  assert.ok(flat.high > flat.low);
});

function colouring(): Colouring {
  const about = { dimension: 2, gravity: [0, -2], origin: [0, 10, 0], units: {}, materials: ['m'], groups: [], columns: [] };
  const shapes = table({}, { motion: Uint8Array.of(0, 0, 3), material: Uint32Array.of(0, 0, 0) });
  return new Colouring(about as unknown as About, shapes, 3);
}

test('quantities are what they say, and what does not move does not widen their range', () => {
  const c = colouring();
  const pack = table({}, {
    x: Float32Array.of(0, 3, 0), y: Float32Array.of(0, 5, 0), vx: Float32Array.of(3, 0, 99), vy: Float32Array.of(4, 1, 0), spin: Float32Array.of(-2, 1, 0),
  });
  const choice = (by: string) => ({ by, map: 'viridis' as const, log: false, low: null, high: null });
  c.look('speed', pack);
  assert.deepEqual(Array.from(c.values), [5, 1, 99]);
  assert.deepEqual([c.scale(choice('speed')).low, c.scale(choice('speed')).high], [0, 5]);
  c.look('spin', pack);
  assert.deepEqual(Array.from(c.values), [2, 1, 0]);
  c.look('height', pack);
  assert.deepEqual(Array.from(c.values), [10, 15, 10]);
  c.look('displacement', pack);
  assert.ok(Number.isNaN(c.values[0]), 'unknown before the start is there');
  c.setStart(table({}, { x: Float32Array.of(0, 0, 0), y: Float32Array.of(0, 1, 0) }));
  c.look('displacement', pack);
  assert.deepEqual(Array.from(c.values), [0, 5, 0]);
  const tint = new Uint8Array(12);
  c.paint(tint, pack, choice('speed'), 'light');
  assert.deepEqual(Array.from(tint.subarray(0, 3)), shade('viridis', 1));
  assert.deepEqual(Array.from(tint.subarray(8, 11)), FIXED.light);
  c.paint(tint, pack, choice('no such column'), 'dark');
  assert.deepEqual(Array.from(tint.subarray(0, 3)), MISSING);
});

test('numbers and ticks as people read them', () => {
  assert.equal(number(0.5), '0.5');
  assert.equal(number(12345.678), '12346');
  assert.equal(number(-1.5e-7, 3), '−1.5e−7');
  assert.equal(number(NaN), '–');
  assert.equal(number(Infinity), '∞');
  assert.equal(number(100), '100');
  assert.equal(quantity(2, 'm'), '2\u2009m');
  assert.deepEqual(ticks(0, 1, 5).map((t) => Math.round(t * 1e9) / 1e9), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(3, 3), [3]);
});
