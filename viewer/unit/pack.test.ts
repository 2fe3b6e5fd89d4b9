import assert from 'node:assert/strict';
import { test } from 'node:test';
// The writer of the fixtures is another program than the reader of the page.
import { pack } from '../fixtures/pack.mjs';
import { decode, table, weight } from '../src/pack';

const bytes = (b: Uint8Array): Uint8Array => new Uint8Array(b);

test('columns of every type come back as they were written', () => {
  const columns = {
    a: ['f32', [1.5, -2, 0.25]],
    b: ['f64', [Math.PI, 1e300]],
    c: ['u32', [0, 4294967295]],
    d: ['i32', [-1, 2147483647, -5]],
    e: ['u8', [0, 255, 3, 4, 5]],
  };
  const p = decode(bytes(pack(columns, { t: 0.5, name: 'é' })));
  for (const [name, [, values]] of Object.entries(columns)) {
    assert.deepEqual(Array.from(p.column(name) ?? []), values, name);
  }
  assert.equal(p.header.t, 0.5);
  assert.equal(p.header.name, 'é');
  assert.equal(p.column('absent'), undefined);
});

test('a pack that begins at an odd place of a larger buffer is read the same', () => {
  const raw = bytes(pack({ x: ['f64', [1, 2, 3]] }));
  const shifted = new Uint8Array(raw.length + 3);
  shifted.set(raw, 3);
  assert.deepEqual(Array.from(decode(shifted.subarray(3)).column('x') ?? []), [1, 2, 3]);
});

test('damaged packs are refused with a sentence', () => {
  const raw = bytes(pack({ x: ['f64', [1, 2, 3]] }));
  assert.throws(() => decode(new Uint8Array(2)), /no header/);
  assert.throws(() => decode(raw.slice(0, 10)), /cut off/);
  assert.throws(() => decode(raw.slice(0, raw.length - 8)), /"x" does not fit/);
  const garbled = raw.slice();
  garbled[4] = 0;
  assert.throws(() => decode(garbled), /not JSON/);
  const odd = bytes(pack({ x: ['f64', [1]] }));
  const text = new TextDecoder().decode(odd).replace('"f64"', '"f16"');
  assert.throws(() => decode(new TextEncoder().encode(text)), /unknown type "f16"/);
});

test('empty columns and huge lengths do no harm', () => {
  assert.equal(decode(bytes(pack({ x: ['f32', []] }))).column('x')?.length, 0);
  const raw = bytes(pack({ x: ['f32', [1]] }));
  const text = new TextDecoder('latin1').decode(raw).replace('"length":1', '"length":9');
  const changed = Uint8Array.from(text, (c) => c.charCodeAt(0));
  assert.throws(() => decode(changed), /does not fit/);
});

test('the weight of a table is at least its columns', () => {
  const p = table({}, { x: new Float64Array(1000), y: new Uint8Array(10) });
  assert.ok(weight(p) >= 8010);
});
