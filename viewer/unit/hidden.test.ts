import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random } from '../fixtures/scenes.mjs';
import { Hidden } from '../src/stage/hidden';
import { Sorter } from '../src/stage/sort';
import { findContact, tangential, thin } from '../src/trace';
import { table } from '../src/pack';

test('thinning keeps the ends, the order and the bound', () => {
  for (const [n, rows] of [[0, 5], [1, 5], [5, 5], [6, 5], [100001, 4000], [10, 2]]) {
    const list = thin(n, rows);
    assert.equal(list.length, Math.min(n, rows));
    if (n > 0) assert.deepEqual([list[0], list[list.length - 1]], [0, n - 1]);
    for (let i = 1; i < list.length; i++) assert.ok(list[i] > list[i - 1]);
  }
});

test('the sorter agrees with a plain sort, up to the width of a class', () => {
  const r = random(1);
  const keys = Array.from({ length: 5000 }, () => r() * 10 - 3);
  const order = Array.from(new Sorter(5000).order((i) => keys[i]));
  assert.deepEqual([...order].sort((a, b) => a - b), keys.map((_, i) => i), 'a permutation');
  // 65536 classes over the range of 10.
  for (let k = 1; k < order.length; k++) assert.ok(keys[order[k]] >= keys[order[k - 1]] - 10 / 65535);
});

test('keys that are all equal or no numbers are still a permutation', () => {
  for (const key of [() => 1, (i: number) => (i === 3 ? NaN : i)]) {
    const order = Array.from(new Sorter(10).order(key));
    assert.deepEqual([...order].sort((a, b) => a - b), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  }
});

/** For every pixel the sphere whose ray is met first, by trying all. */
function seen(spheres: number[][], size: number, pixel: number): Set<number> {
  const out = new Set<number>();
  for (let py = 0; py < size; py++) {
    for (let px = 0; px < size; px++) {
      const d = [(px + 0.5 - size / 2) * pixel, (size / 2 - py - 0.5) * pixel, -1];
      const norm = Math.hypot(...d);
      let best = Infinity;
      let who = -1;
      spheres.forEach(([x, y, z, r], i) => {
        const b = (d[0] * x + d[1] * y + d[2] * z) / norm;
        const under = b * b - (x * x + y * y + z * z) + r * r;
        if (under < 0) return;
        const t = b - Math.sqrt(under);
        if (t > 0 && t < best) [best, who] = [t, i];
      });
      if (who >= 0) out.add(who);
    }
  }
  return out;
}

test('no sphere that a ray meets first is left out, and many that none meets are', () => {
  const r = random(5);
  const spheres: number[][] = [];
  // A block of 12 layers before the eye, jittered so that spheres do not overlap.
  for (let k = 0; k < 12; k++) {
    for (let j = -6; j <= 6; j++) {
      // Each layer over the gaps of the one before.
      const half = 0.5 * (k % 2);
      for (let i = -6; i <= 6; i++) spheres.push([i + half + 0.02 * r(), j + half + 0.02 * r(), -14 - 0.8 * k - 0.02 * r(), 0.47 + 0.02 * r()]);
    }
  }
  const size = 120;
  const pixel = 0.9 / size;
  const order = new Sorter(spheres.length).order((i) => -spheres[i][2]);
  const view = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const out = new Uint32Array(spheres.length);
  const centre = (i: number, into: Float64Array): void => into.set(spheres[i]);
  const n = new Hidden().visible(order, centre, { view, pixel, width: size, height: size }, 1, out);
  const kept = new Set(out.subarray(0, n));
  for (const i of seen(spheres, size, pixel)) assert.ok(kept.has(i), `sphere ${i} shows but was left out`);
  assert.ok(n < 0.8 * spheres.length, `${n} of ${spheres.length} kept`);
});

test('a contact is found by its three numbers; the tangential impulse is what is not normal', () => {
  const pack = table({}, {
    a: Uint32Array.of(1, 1, 2), b: Uint32Array.of(2, 2, 3), feature: Uint32Array.of(0, 1, 0),
    nx: Float32Array.of(0, 0, 1), ny: Float32Array.of(1, 1, 0), sx: Float32Array.of(3, 0, 0), sy: Float32Array.of(7, 2, 4),
  });
  assert.equal(findContact(pack, { a: 1, b: 2, feature: 1 }), 1);
  assert.equal(findContact(pack, { a: 1, b: 3, feature: 0 }), -1);
  assert.equal(tangential(pack, 0), 3);
  assert.equal(tangential(pack, 2), 4);
});
