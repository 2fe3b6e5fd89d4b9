import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastNotAfter, Player } from '../src/player';
import { ahead, FrameStore } from '../src/store';
import { table } from '../src/pack';
import { faster, fitting, SPEEDS } from '../src/timeline';

function player(times: number[]): Player {
  const p = new Player();
  p.setFrames(Float64Array.from(times));
  return p;
}

test('the frame is the last one not after the time', () => {
  const list = [0, 0.1, 0.1, 0.5, 2];
  for (const t of [-1, 0, 0.05, 0.1, 0.3, 0.5, 1, 2, 9]) {
    // The plain search it must agree with.
    let slow = 0;
    list.forEach((v, i) => {
      if (v <= t) slow = i;
    });
    assert.equal(lastNotAfter(list, t), slow, `t = ${t}`);
  }
  assert.equal(lastNotAfter([], 1), 0);
});

test('seeking a frame shows that frame, and beyond the ends the ends', () => {
  const p = player([0, 1, 2, 3]);
  p.seekFrame(2);
  assert.deepEqual([p.frame, p.time], [2, 2]);
  p.seekFrame(99);
  assert.equal(p.frame, 3);
  p.seekFrame(-5);
  assert.equal(p.frame, 0);
  p.seek(1.7);
  assert.deepEqual([p.frame, p.time], [1, 1.7]);
  p.seek(NaN);
  assert.equal(p.time, 1.7);
  p.seek(Infinity);
  assert.equal(p.time, 1.7);
});

test('a step back from between two states goes to the one just passed', () => {
  const p = player([0, 1, 2, 3]);
  p.seek(1.5);
  p.step(-1);
  assert.equal(p.time, 1);
  p.step(-1);
  assert.equal(p.time, 0);
  p.seek(1.5);
  p.step(1);
  assert.equal(p.time, 2);
});

test('playing advances by speed times the wall clock and stops at the end', () => {
  const p = player([0, 1, 2]);
  p.setSpeed(0.5);
  p.play();
  p.advance(1);
  assert.equal(p.time, 0.5);
  p.advance(10);
  assert.deepEqual([p.time, p.playing], [2, false]);
  p.play();
  assert.equal(p.time, 0, 'from the end it begins again');
});

test('a loop goes on from the start with what is left over', () => {
  const p = player([1, 2, 3]);
  p.setLoop(true);
  p.play();
  p.advance(2.5);
  assert.equal(p.time, 1.5);
  assert.equal(p.playing, true);
  // Many turns in one picture still end within the run.
  p.setSpeed(100);
  p.advance(1);
  assert.ok(p.time >= 1 && p.time <= 3);
});

test('speeds stay between the slowest and the fastest', () => {
  const p = player([0, 1]);
  p.setSpeed(1e9);
  assert.equal(p.speed, 100);
  p.setSpeed(0);
  assert.equal(p.speed, 0.01);
  p.setSpeed(NaN);
  assert.equal(p.speed, 0.01);
  assert.equal(faster(100, 1), 100);
  assert.equal(faster(1, -1), 0.5);
  assert.ok(SPEEDS.includes(fitting(1e-3)) && SPEEDS.includes(fitting(1e9)));
  assert.equal(fitting(10), 1);
});

test('a growing record is followed only if the player is at its end', () => {
  const p = player([0, 1]);
  p.setFrames(Float64Array.of(0, 1, 2));
  assert.equal(p.time, 0);
  p.toEnd();
  p.setFrames(Float64Array.of(0, 1, 2, 3));
  assert.equal(p.frame, 3);
  p.seek(1);
  p.setFrames(Float64Array.of(0, 1, 2, 3, 4));
  assert.equal(p.time, 1);
});

test('playing to the end of a growing record follows it; a record that begins is followed from its first state', () => {
  const p = player([0, 1]);
  p.play();
  p.advance(9);
  p.setFrames(Float64Array.of(0, 1, 2));
  assert.deepEqual([p.time, p.playing], [2, false]);
  const q = new Player();
  q.toEnd();
  q.setFrames(Float64Array.of(0, 1));
  assert.equal(q.time, 1);
});

test('no frames at all: nothing moves and nothing fails', () => {
  const p = new Player();
  p.play();
  p.step(1);
  p.seekFrame(3);
  p.toEnd();
  assert.deepEqual([p.playing, p.frame, p.time], [false, 0, 0]);
});

const settle = (): Promise<void> => new Promise((r) => setTimeout(r, 0));

test('answers in any order: each frame is found under its own number', async () => {
  const waiting = new Map<number, (p: ReturnType<typeof table>) => void>();
  const store = new FrameStore((i) => new Promise((r) => waiting.set(i, r)), 1e9);
  store.want([5, 6]);
  store.want([9, 10]);
  for (const i of [10, 5, 9, 6]) waiting.get(i)?.(table({ i }, { x: Float32Array.of(i) }));
  await settle();
  for (const i of [5, 6, 9, 10]) assert.equal(store.get(i)?.header.i, i);
});

test('memory is bounded, the least recently used goes first, what is needed stays', async () => {
  const size = 1000;
  const store = new FrameStore(async (i) => table({ i }, { x: new Uint8Array(size - 256) }), 3 * size);
  for (const i of [0, 1, 2]) {
    store.want([i], 1);
    await settle();
  }
  store.get(0);
  store.want([3], 1);
  await settle();
  assert.deepEqual([store.has(0), store.has(1), store.has(2), store.has(3)], [true, false, true, true]);
  assert.ok(store.memory <= 3 * size);
  // A single frame larger than the bound is still shown.
  const big = new FrameStore(async (i) => table({ i }, { x: new Uint8Array(5000) }), 1000);
  big.want([7], 1);
  await settle();
  assert.ok(big.has(7));
});

test('a failed frame is told, not asked for again until told to retry', async () => {
  let asked = 0;
  const store = new FrameStore(async () => {
    asked++;
    throw new Error('gone');
  }, 1000);
  const told: number[] = [];
  store.onChange = (i, e) => e && told.push(i);
  store.want([1]);
  await settle();
  store.want([1]);
  await settle();
  assert.deepEqual([asked, told], [1, [1]]);
  store.retry();
  store.want([1]);
  await settle();
  assert.equal(asked, 2);
});

test('what is asked for ahead begins with what is needed now and stays in the record', () => {
  const list = ahead(3, 10, 2.5, 6);
  assert.deepEqual(list.slice(0, 2), [3, 4]);
  assert.ok(list.length <= 6 && list.every((i) => i >= 0 && i < 10));
  assert.equal(new Set(list).size, list.length);
  assert.deepEqual(ahead(9, 10, 1, 6), [9]);
});
