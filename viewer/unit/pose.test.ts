import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from '../src/pack';
import { interpolate, place, reciprocal, STRIDE, wrap } from '../src/stage/pose';

const f = (...v: number[]): Float32Array => Float32Array.from(v);
/** Single precision: 24 bits, a few operations. */
const EPS = 1e-6;

function near(a: ArrayLike<number>, b: number[], eps = EPS): void {
  assert.equal(a.length, b.length);
  b.forEach((v, i) => assert.ok(Math.abs(a[i] - v) <= eps, `${Array.from(a)} is not ${b}`));
}

test('in the plane positions and angles go straight, over whole turns too', () => {
  const a = table({}, { x: f(0, 1), y: f(2, 3), angle: f(0, 0) });
  const b = table({}, { x: f(4, 1), y: f(2, 5), angle: f(4 * Math.PI, 1) });
  const out = new Float32Array(2 * STRIDE);
  interpolate(out, a, b, 0.25);
  near(out.subarray(0, 3), [1, 2, 0]);
  // A quarter of two turns is half a turn.
  near(out.subarray(4, 8), [0, 0, 1, 0]);
  near(out.subarray(8, 11), [1, 3.5, 0]);
  near(place(out, 0, [1, 0]), [0, 2, 0]);
});

test('at α = 0 and without a second state the first is shown as it is', () => {
  const a = table({}, { x: f(1), y: f(2), z: f(3), qw: f(0.6), qx: f(0), qy: f(0.8), qz: f(0) });
  const out = new Float32Array(STRIDE);
  for (const b of [null, a]) {
    interpolate(out, a, b, 0);
    near(out, [1, 2, 3, 0, 0, 0.8, 0, 0.6]);
  }
});

test('quaternions take the shorter way and meet the great arc in its middle', () => {
  const angle = 1;
  const q = (s: number): Record<string, Float32Array> => ({
    x: f(0), y: f(0), z: f(0), qw: f(s * Math.cos(angle / 2)), qx: f(s * Math.sin(angle / 2)), qy: f(0), qz: f(0),
  });
  const a = table({}, { x: f(0), y: f(0), z: f(0), qw: f(1), qx: f(0), qy: f(0), qz: f(0) });
  const out = new Float32Array(STRIDE);
  for (const sign of [1, -1]) {
    interpolate(out, a, table({}, q(sign)), 0.5);
    near(out.subarray(4), [Math.sin(angle / 4), 0, 0, Math.cos(angle / 4)]);
    // Away from the middle the speed is off by less than 1 % of the turn.
    interpolate(out, a, table({}, q(sign)), 0.25);
    const turned = 2 * Math.atan2(out[4], out[7]);
    assert.ok(Math.abs(turned - angle / 4) < 0.01 * angle);
    assert.ok(Math.abs(Math.hypot(...out.subarray(4)) - 1) < EPS);
  }
});

test('a rotation places points as its matrix does', () => {
  const [w, x, y, z] = [0.5, 0.5, -0.5, 0.5];
  const pose = f(1, 2, 3, 0, x, y, z, w);
  const v = [0.3, -0.7, 1.1];
  const m = [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
  near(place(pose, 0, v), m.map((r, k) => pose[k] + r[0] * v[0] + r[1] * v[1] + r[2] * v[2]));
});

test('states with a different number of bodies are not mixed', () => {
  const out = new Float32Array(2 * STRIDE);
  interpolate(out, table({}, { x: f(1, 2), y: f(0, 0), angle: f(0, 0) }), table({}, { x: f(9), y: f(9), angle: f(9) }), 0.5);
  near([out[0], out[8]], [1, 2]);
});

test('the reciprocal of a cell gives its coordinates', () => {
  for (const cell of [[[2, 0], [1, 3]], [[2, 0, 0.5], [1, 3, 0], [0, 0.2, 1]]]) {
    const inverse = reciprocal(cell);
    assert.ok(inverse);
    cell.forEach((v, i) => {
      const s = inverse.map((r) => r.reduce((sum, x, k) => sum + x * v[k], 0));
      near(s, cell.map((_, k) => (k === i ? 1 : 0)), 1e-12);
    });
  }
  assert.equal(reciprocal([[1, 2], [2, 4]]), null);
});

test('wrapped bodies are in the cell, moved by whole vectors of periodic axes only', () => {
  const cell = [[2, 0], [1, 3]];
  const pose = new Float32Array(2 * STRIDE);
  pose.set([7.3, -4.1, 0], 0);
  pose.set([-3, 10, 0], STRIDE);
  const before = Array.from(pose);
  const inverse = reciprocal(cell) as number[][];
  const corner = [0.5, -1];
  wrap(pose, 2, cell, [true, true], corner);
  for (const o of [0, STRIDE]) {
    const d = [pose[o] - before[o], pose[o + 1] - before[o + 1]];
    for (let v = 0; v < 2; v++) {
      const turns = inverse[v][0] * d[0] + inverse[v][1] * d[1];
      assert.ok(Math.abs(turns - Math.round(turns)) < 1e-5, 'whole vectors');
      const s = inverse[v][0] * (pose[o] - corner[0]) + inverse[v][1] * (pose[o + 1] - corner[1]);
      assert.ok(s > -1e-5 && s < 1 + 1e-5, 'inside');
    }
  }
  const half = Float32Array.from(before);
  wrap(half, 2, [[2, 0], [0, 3]], [true, false], [0, 0]);
  assert.equal(half[1], before[1]);
  assert.ok(half[0] >= 0 && half[0] < 2);
});
