/** Scales, series, histories, drawings: what the panels compute before they draw. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counting, extent, linear, logarithmic, nearest, NOTHING, powerOfTen, scaleFor } from '../src/panels/scale';
import { energyLines, plotOf, running, sumsBefore } from '../src/panels/series';
import { bodyQuantities, contactQuantities, norm } from '../src/panels/histories';
import { safeName, toCsv } from '../src/panels/csv';
import { expectedText, valueText } from '../src/panels/findings';
import { verdict } from '../src/panels/certificate';
import { columnUnit, unitOf } from '../src/panels/units';
import { coordinatePlot, velocityNames } from '../src/panels/coordinates';
import { nearestPoint } from '../src/panels/path';
import { Fresh } from '../src/panels/fresh';
import { Sheet } from '../src/mechanism/sheet';
import { Lens } from '../src/mechanism/lens';
import { table } from '../src/pack';
import type { About } from '../src/types';

const about = {
  dimension: 2, kind: 'bodies', units: {}, certificate: { tolerance: 1e-8 },
} as unknown as About;

const near = (a: number, b: number, tolerance: number): void => assert.ok(Math.abs(a - b) <= tolerance, `${a} and ${b}`);

test('numbers of things have whole ticks', () => {
  for (const [low, high] of [[10, 10], [0, 1], [3, 7], [0, 5000]]) {
    const s = counting({ low, high, positive: 1, zeros: false });
    const labels = s.ticks(6).map((t) => t.label);
    assert.ok(labels.length >= 2 && labels.every((l) => !l.includes('.')), `${labels}`);
  }
});

test('a linear scale maps there and back, with round ticks inside', () => {
  const s = linear(-3, 7);
  // Rounding of a few operations on numbers of size 10.
  for (const v of [-3, -1, 0.123, 7]) near(s.from(s.to(v)), v, 1e-14);
  const labels = s.ticks(5).map((t) => t.label);
  assert.deepEqual(labels, ['−2', '0', '2', '4', '6']);
  for (const t of s.ticks(5)) assert.ok(t.at >= 0 && t.at <= 1);
});

test('labels of large and small numbers leave a power of ten to the title', () => {
  assert.equal(linear(0, 2.5e6).power, 6);
  assert.deepEqual(linear(0, 2e6).ticks(2).map((t) => t.label), ['0', '1', '2']);
  assert.equal(linear(0, 3e-5).power, -6);
  assert.equal(linear(0, 50).power, 0);
});

test('neighbouring ticks have different labels however narrow the span', () => {
  for (const [a, b] of [[1, 1.0001], [1000, 1000.01], [-1e-7, 2e-7], [5e8, 5.00001e8]]) {
    const labels = linear(a, b).ticks(5).map((t) => t.label);
    assert.equal(new Set(labels).size, labels.length, `${a} to ${b}: ${labels}`);
  }
});

test('a span of rounding, none, or no numbers still gives a scale', () => {
  for (const [a, b] of [[1, 1 + 2e-16], [0, 0], [5, 5], [Infinity, -Infinity], [NaN, NaN], [-2, -2]]) {
    const s = linear(a, b);
    assert.ok(s.high > s.low);
    assert.ok(s.ticks(5).length > 0 && s.ticks(5).length < 50);
  }
});

test('a logarithmic scale has a place for zeros below all numbers', () => {
  const s = logarithmic(1e-12, 1e-6, true);
  assert.equal(s.to(0), 0);
  assert.equal(s.to(-1), 0);
  assert.ok(s.to(1e-12) > 0);
  near(s.to(1e-6), 1, 1e-12);
  // Through a logarithm and a power: a few units in the last place, relative.
  near(s.from(s.to(3e-9)) / 3e-9, 1, 1e-12);
  assert.equal(s.ticks(6)[0].label, '0');
  assert.ok(s.ticks(6).some((t) => t.label === powerOfTen(-9)));
  assert.equal(powerOfTen(-12), '10⁻¹²');
});

test('an extent leaves out what is no number and what is outside the window', () => {
  const x = [0, 1, 2, 3];
  assert.deepEqual(extent(x, [5, NaN, -1, 9], [0.5, 2.5]), { low: -1, high: -1, positive: Infinity, zeros: true });
  assert.deepEqual(extent(x, [5, Infinity, 1, 9], null, NOTHING), { low: 1, high: 9, positive: 1, zeros: false });
  const s = scaleFor(extent(x, [0, 0, 0, 0], null), true);
  assert.ok(s.high > s.low && s.low > 0, 'only zeros on a logarithmic axis');
});

test('nearest is the nearest of all, by brute force', () => {
  const x = [0, 0.5, 0.7, 2, 2.5, 9];
  for (let v = -1; v < 10; v += 0.037) {
    const best = x.reduce((b, w, i) => (Math.abs(w - v) < Math.abs(x[b] - v) ? i : b), 0);
    assert.equal(nearest(x, v), best);
  }
  assert.equal(nearest([], 1), -1);
});

const steps = table(
  { columns: [{ name: 't', unit: 'time' }, { name: 'kinetic', unit: 'energy' }] },
  {
    t: Float64Array.of(0, 1, 2, 3),
    kinetic: Float64Array.of(4, 3, 2, 1),
    potential: Float64Array.of(0, 1, 0, 1),
    impact: Float64Array.of(0, -0.25, -0.5, 0),
    sliding: Float64Array.of(0, 0, 0, 0),
    boundary: Float64Array.of(0, 0.5, NaN, 0.5),
    energy: Float64Array.of(0, -1e-15, 1e-16, 0),
    momentum: Float64Array.of(0, 1e-15, 1e-16, 0),
    residual: Float64Array.of(0, 1e-9, 1e-10, 0),
  },
);

test('losses grow as works add up, and works without any are left out', () => {
  const lines = energyLines(about, steps);
  const get = (name: string): number[] => Array.from(lines.find((l) => l.name === name)?.y ?? []);
  assert.deepEqual(get('total'), [4, 4, 2, 2]);
  const raised = table({}, { t: steps.column('t')!, kinetic: steps.column('kinetic')!, potential: Float64Array.of(1e6, 1e6 + 1, 1e6, 1e6 + 1) });
  assert.deepEqual(Array.from(energyLines(about, raised)[0].y), [4, 4, 2, 2], 'the zero of potential energy is the start');
  assert.deepEqual(get('lost in impacts'), [0, 0.25, 0.75, 0.75]);
  assert.deepEqual(get('work of boundaries'), [0, 0.5, 0.5, 1]);
  assert.ok(!lines.some((l) => l.name === 'lost by sliding'));
  assert.equal(lines[0].unit, 'J');
});

test('works are not added up where steps are missing', () => {
  const columns = { t: steps.column('t')!, kinetic: steps.column('kinetic')!, impact: steps.column('impact')!, step: Float64Array.of(10, 20, 30, 40) };
  const names = (rows: number): string[] => energyLines(about, table({ rows }, columns)).map((l) => l.name);
  assert.ok(!names(4).includes('lost in impacts'), 'four rows of forty steps');
  assert.ok(names(40).includes('lost in impacts'), 'spans of ten steps, all there');
});

test('a window of the table has the same sums as the whole at the same instants', () => {
  const part = table({}, Object.fromEntries(['t', 'kinetic', 'potential', 'impact', 'boundary'].map((n) => [n, steps.column(n)!.subarray(2)])));
  const base = sumsBefore(steps, 2);
  const whole = energyLines(about, steps).find((l) => l.name === 'lost in impacts')!;
  const finer = energyLines(about, part, base).find((l) => l.name === 'lost in impacts')!;
  assert.deepEqual(Array.from(finer.y), Array.from(whole.y).slice(2));
  assert.deepEqual(Array.from(running([1, NaN, 2], -1, 5)), [4, 4, 2]);
});

test('the residual has its tolerance, balances are sizes', () => {
  const residual = plotOf('residual', about, steps)!;
  assert.equal(residual.log, true);
  assert.equal(residual.levels?.[0].value, 1e-8);
  const balance = plotOf('balance', about, steps)!;
  assert.ok(balance.lines.every((l) => Array.from(l.y).every((v) => v >= 0)));
  assert.equal(plotOf('iterations', about, steps), null);
});

test('quantities of a body are those of its columns', () => {
  const pack = table({}, {
    t: Float64Array.of(0, 1), x: Float64Array.of(1, 4), y: Float64Array.of(1, 5),
    vx: Float64Array.of(3, 0), vy: Float64Array.of(4, 0), spin: Float64Array.of(1, 2), angle: Float64Array.of(0, 1),
  });
  const list = bodyQuantities(about, pack, 2);
  const get = (id: string): number[] => Array.from(list.find((q) => q.id === id)!.data.lines[0].y);
  assert.deepEqual(get('speed'), [5, 0]);
  assert.deepEqual(get('energy'), [25, 0]);
  assert.deepEqual(get('displacement'), [0, 5]);
  assert.deepEqual(list.map((q) => q.id), ['position', 'speed', 'velocity', 'energy', 'displacement', 'spin', 'angle']);
  assert.ok(!bodyQuantities(about, pack, null).some((q) => q.id === 'energy'));
  assert.deepEqual(Array.from(norm([])), []);
});

test('quantities of a contact carry its status', () => {
  const pack = table({}, { t: Float64Array.of(0, 1), gap: Float64Array.of(1, 2), sn: Float64Array.of(1, 2), status: Float64Array.of(1, 2) });
  const list = contactQuantities(about, pack);
  assert.deepEqual(list.map((q) => q.id), ['impulse', 'gap']);
  assert.ok(list.every((q) => q.data.status));
});

test('units are those of the scene, derived ones follow the base', () => {
  assert.equal(unitOf(about, 'length/time'), 'm/s');
  assert.equal(unitOf(about, 'force*time'), 'N·s');
  assert.equal(unitOf(about, '1'), '');
  const mm = { ...about, units: { length: 'mm', time: 's', mass: 'g' } } as About;
  assert.equal(unitOf(mm, 'length'), 'mm');
  assert.equal(unitOf(mm, 'energy'), 'g·mm²/s²');
  assert.equal(unitOf(about, 'm/s'), 'm/s');
  assert.equal(columnUnit(about, steps.header, 'kinetic'), 'J');
});

test('saved values quote names with commas and leave out what is no number', () => {
  const line = { name: 'a, "b"', unit: 'm', x: [0, 1], y: [1.5, NaN], colour: 0 };
  assert.equal(toCsv({ name: 't', unit: 's' }, [line]), 't [s],"a, ""b"" [m]"\n0,1.5\n1,\n');
  assert.equal(toCsv({ name: 't', unit: '' }, []), null);
  assert.equal(safeName('../<img src=x>'), 'img-src-x');
  assert.equal(safeName('///'), 'percuss');
});

test('findings read as people write them', () => {
  assert.equal(valueText([1, 2, 3, 4]), '[1, 2, 3, … 4 in all]');
  assert.equal(valueText(true), 'yes');
  assert.equal(valueText(null), '–');
  const f = { name: 'x', value: 1, expected: 0.5, tolerance: 6e-4, ok: true };
  assert.equal(expectedText(f), '0.5 ± 6e−4');
  assert.equal(expectedText({ ...f, expected: null, tolerance: null, at_most: 3 } as never), '≤ 3');
});

test('the badge tells missed steps and what is only so far', () => {
  const c = { steps: 10, missed: 0 } as never;
  assert.equal(verdict(c, false).kind, 'met');
  assert.equal(verdict(c, true).text, 'certificate met so far');
  assert.equal(verdict({ steps: 10, missed: 2 } as never, false).text, '2 of 10 steps missed');
  assert.equal(verdict(null, false).kind, 'none');
});

const drawing = table(
  {
    dimension: 2, axes: ['x', 'y'], units: [], box: { min: [0, 0], max: [2, 2] }, frames: 3,
    portraits: [{ x: 'u', y: 'u_dot', x_unit: 'm', y_unit: 'm/s' }],
    items: [
      { name: 'bar', kind: 'link', fixed: false, contacts: ['tip'] },
      { name: 'floor', kind: 'obstacle', fixed: true },
      { name: 'way', kind: 'trace', fixed: false },
      { name: 'set', kind: 'set', fixed: false },
    ],
    columns: ['t', 'q:u', 'q:u_dot'].map((name) => ({ name })),
  },
  {
    t: Float64Array.of(0, 1, 2),
    count_0: Uint32Array.of(2, 2, 2), points_0: Float32Array.of(0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 2), touch_0: Uint8Array.of(0, 1, 1),
    count_1: Uint32Array.of(2), points_1: Float32Array.of(-1, 0, 1, 0),
    count_2: Uint32Array.of(1, 1, 1), points_2: Float32Array.of(0, 0, 1, 1, 2, 4),
    count_3: Uint32Array.of(3, 4, 0), points_3: Float32Array.of(0, 0, 1, 0, 0, 1, 2, 2, 3, 2, 3, 3, 2, 3),
    'q:u': Float64Array.of(0, 1, 2), 'q:u_dot': Float64Array.of(1, 1, 1),
  },
);

test('things move on straight lines between states and are exact in them', () => {
  const s = new Sheet(drawing);
  assert.deepEqual(s.place(0.25), { frame: 0, part: 0.25 });
  assert.deepEqual(s.place(1), { frame: 1, part: 0 });
  assert.deepEqual(s.place(99), { frame: 2, part: 0 });
  assert.deepEqual(Array.from(s.at(0, s.place(0.25))), [0, 0, 1, 0.25]);
  assert.deepEqual(Array.from(s.at(0, s.place(2))), [0, 0, 1, 2]);
  assert.deepEqual(Array.from(s.at(1, s.place(1.5))), [-1, 0, 1, 0]);
  assert.deepEqual(Array.from(s.at(2, s.place(1.5))), [0, 0, 1, 1, 1.5, 2.5]);
  // The corners of a set change in number: it waits for the next state.
  assert.deepEqual(Array.from(s.at(3, s.place(0.5))), [0, 0, 1, 0, 0, 1]);
  assert.equal(s.at(3, s.place(2)).length, 0);
});

test('contacts of a drawing begin where they did not act before', () => {
  const s = new Sheet(drawing);
  assert.deepEqual(s.touchable, [0]);
  assert.deepEqual(s.contactItems, [0]);
  assert.deepEqual(s.onsets(0), [1]);
  assert.equal(s.touched(0, 2), true);
  const { low, high } = s.bounds(3);
  assert.deepEqual([low[1], high[1]], [2, 3]);
  assert.ok(Number.isNaN(low[2]));
});

test('a sweep of one coordinate shows the ends of its set', () => {
  const s = new Sheet(drawing);
  assert.deepEqual([...velocityNames(s)], ['u_dot']);
  const plot = coordinatePlot({ ...about, kind: 'sweep' } as About, s, 'coordinates')!;
  assert.deepEqual(plot.lines.map((l) => l.name), ['u', 'set, lower end', 'set, upper end']);
  assert.deepEqual(Array.from(plot.marks!.x), [1]);
  assert.deepEqual(coordinatePlot(about, s, 'velocities')!.lines.map((l) => l.name), ['u_dot']);
});

test('a lens fits the box, keeps true proportions and the point under the cursor', () => {
  const lens = new Lens(2);
  lens.size = { width: 400, height: 200 };
  lens.fit({ min: [0, 0], max: [2, 2] }, { left: 0, right: 0, top: 0, bottom: 0 });
  assert.equal(lens.scale, 100);
  const to = lens.projector();
  assert.deepEqual(to(0, 0, 0).slice(0, 2), [100, 200]);
  assert.deepEqual(to(2, 2, 0).slice(0, 2), [300, 0]);
  const before = lens.unproject(120, 30);
  lens.zoom(1.7, 120, 30);
  const after = lens.unproject(120, 30);
  // Rounding of pixels over a scale of hundreds.
  near(before[0], after[0], 1e-12);
  near(before[1], after[1], 1e-12);
});

test('a lens of space has right-handed unit axes and shows all corners', () => {
  const lens = new Lens(3);
  lens.size = { width: 300, height: 200 };
  for (const [a, e] of [[0, 0], [-0.5, 0.5], [2, -1], [0, Math.PI / 2]]) {
    lens.azimuth = a;
    lens.elevation = e;
    const [r, u, d] = lens.axes();
    const dot = (p: number[], q: number[]): number => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    near(dot(r, r), 1, 1e-14);
    near(dot(u, u), 1, 1e-14);
    near(dot(r, u), 0, 1e-14);
    // right × up = toward the viewer
    near(r[1] * u[2] - r[2] * u[1], d[0], 1e-14);
    near(r[2] * u[0] - r[0] * u[2], d[1], 1e-14);
    near(r[0] * u[1] - r[1] * u[0], d[2], 1e-14);
    lens.fit({ min: [0, 0, 0], max: [1, 2, 3] }, { left: 10, right: 10, top: 10, bottom: 10 });
    const to = lens.projector();
    for (const x of [0, 1]) for (const y of [0, 2]) for (const z of [0, 3]) {
      const [px, py] = to(x, y, z);
      assert.ok(px >= 10 - 1e-9 && px <= 290 + 1e-9 && py >= 10 - 1e-9 && py <= 190 + 1e-9);
    }
  }
});

test('of a path the nearest point is taken', () => {
  const points: [number, number][] = [[0, 0], [5, 5], [NaN, 0], [9, 0]];
  assert.equal(nearestPoint(4, (i) => points[i], 6, 4), 1);
  assert.equal(nearestPoint(0, () => [0, 0], 6, 4), -1);
});

test('an answer that was overtaken is never shown', async () => {
  const shown: number[] = [];
  const asked: { value: number; answer: (v: number) => void }[] = [];
  const fresh = new Fresh<number>((v) => shown.push(v), () => shown.push(-1));
  const question = (value: number) => (): Promise<number> => new Promise((answer) => asked.push({ value, answer }));
  const settle = (): Promise<void> => new Promise((done) => setImmediate(done));
  for (const v of [1, 2, 3]) fresh.ask(question(v));
  // The second question was replaced by the third before its turn came.
  asked[0].answer(1);
  await settle();
  assert.deepEqual(asked.map((a) => a.value), [1, 3]);
  assert.deepEqual(shown, []);
  asked[1].answer(3);
  await settle();
  assert.deepEqual(shown, [3]);
  fresh.stop();
  fresh.ask(question(4));
  assert.equal(asked.length, 2);
});
