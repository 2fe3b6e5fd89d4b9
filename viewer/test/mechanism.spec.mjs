// Mechanisms and sweeps: their drawing moves, the portrait follows, coordinates are plotted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { known, open, pixels, run, serve, table, twoFrames } from './setup.mjs';
import { difference, statistics } from './png.mjs';

async function onRun(dir, what, options) {
  const server = await serve(dir);
  const { page, faults, close } = await open(server.url, options);
  try {
    await page.waitForSelector('.mechanism canvas');
    await page.waitForFunction(() => document.querySelector('#plots .chart')?.clientHeight > 0);
    await page.waitForFunction(() => document.querySelector('.mechanism .empty')?.hidden === true);
    await twoFrames(page);
    await what(page);
    assert.deepEqual(faults, []);
  } finally {
    await close();
    await server.stop();
  }
}

const seek = async (page, t) => {
  await page.evaluate((time) => window.percuss.app.player.seek(time), t);
  await twoFrames(page);
};

for (const [name, sets, until] of [
  ['woodpecker', ['until=0.15'], 0.15],
  ['rocking-block', [], 1],
  ['conveyor', ['until=1'], 1],
  ['catastrophe', [], 0.1],
  ['particle-on-surface', [], 0.5],
  ['sweep-square', [], 3],
  ['sweep-play', [], 8],
]) {
  test(`${name}: the drawing is drawn and moves`, async () =>
    onRun(await run(name, known(name), ...sets), async (page) => {
      const before = await pixels(page, '.mechanism');
      const s = statistics(before);
      assert.ok(s.colours >= 4 && s.background < 0.995, JSON.stringify(s));
      await seek(page, until / 2);
      assert.ok(difference(before, await pixels(page, '.mechanism')) > 2e-4, 'it moves');
    }));
}

test('the phase portrait shows the coordinates of the record at the current time', async () => {
  const dir = await run('rocking-block', known('rocking-block'));
  await onRun(dir, async (page) => {
    await page.waitForSelector('.portrait .chart');
    const [x, y] = await page.locator('.portrait select').evaluateAll((list) => list.map((s) => s.value));
    const row = (await table(dir, 'coordinates', '--at', '0.5'))[0];
    await seek(page, row.t);
    const shown = (await page.locator('.portrait .axes > .muted').innerText()).split(', ').map((v) => Number(v.split(/\s/)[0].replaceAll('−', '-')));
    for (const [i, name] of [x, y].entries()) {
      // Four significant digits; states may be thinned, but the drawing keeps this one or its neighbours.
      assert.ok(Math.abs(shown[i] - row[name]) <= 5e-3 * Math.abs(row[name]) + 1e-6, `${name}: ${shown[i]} and ${row[name]}`);
    }
    const before = await pixels(page, '.portrait .chart');
    await page.locator('.portrait select').first().selectOption('t');
    await twoFrames(page);
    assert.ok(difference(before, await pixels(page, '.portrait .chart')) > 0.002);
  });
});

test('a click on the portrait goes to the instant of that point', async () =>
  onRun(await run('rocking-block', known('rocking-block')), async (page) => {
    await page.waitForSelector('.portrait .chart');
    const box = await page.locator('.portrait .chart').boundingBox();
    await page.mouse.click(box.x + box.width * 0.7, box.y + box.height * 0.4);
    const at = await page.evaluate(() => window.percuss.app.player.time);
    assert.ok(at > 0, `t = ${at}`);
  }));

test('contacts light up when they act', async () => {
  const dir = await run('woodpecker', known('woodpecker'), 'until=0.15');
  await onRun(dir, async (page) => {
    const chips = await page.locator('.mechanism .event').allInnerTexts();
    assert.ok(chips.length > 0, 'the scene names the contacts of its drawing');
    const drawing = await page.evaluate(async () => {
      const pack = await window.percuss.app.source.drawing();
      const items = pack.header.items.map((_, k) => pack.column(`touch_${k}`)).filter((c) => c);
      const at = items.map((c) => c.findIndex((v) => v > 0));
      return { times: at.filter((i) => i >= 0).map((i) => pack.column('t')[i]) };
    });
    assert.ok(drawing.times.length > 0);
    await seek(page, drawing.times[0]);
    assert.ok((await page.locator('.mechanism .event.now').count()) > 0);
  });
});

test('drag and wheel move and scale the drawing, f fits it again', async () =>
  onRun(await run('rocking-block', known('rocking-block')), async (page) => {
    const fitted = await pixels(page, '.mechanism');
    const box = await page.locator('.mechanism').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel(0, -400);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 80, box.y + box.height / 2 + 30, { steps: 3 });
    await page.mouse.up();
    await twoFrames(page);
    assert.ok(difference(fitted, await pixels(page, '.mechanism')) > 0.003);
    await page.keyboard.press('f');
    await page.mouse.move(2, 2);
    await twoFrames(page);
    assert.ok(difference(fitted, await pixels(page, '.mechanism')) < 1e-4);
  }));

test('coordinates are plotted over time, with the ends of a moving interval', async () =>
  onRun(await run('sweep-play', known('sweep-play')), async (page) => {
    await page.getByRole('tab', { name: 'Coordinates' }).click();
    const text = await page.locator('#plots .legend').innerText();
    assert.ok(text.includes('lower end') && text.includes('upper end'), text);
    const values = await page.evaluate(async () => {
      const pack = await window.percuss.app.source.drawing();
      return { t: [...pack.column('t')].length };
    });
    assert.ok(values.t > 100);
  }));

test('a drawing fits a phone, in the dark', async () =>
  onRun(
    await run('rocking-block', known('rocking-block')),
    async (page) => {
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${overflow} pixels too wide`);
      assert.ok(statistics(await pixels(page, '.mechanism')).colours >= 4);
    },
    { width: 375, height: 740, hasTouch: true, colorScheme: 'dark' },
  ));
