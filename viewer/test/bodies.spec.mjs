// A run of bodies in the plane and in space: drawn, played, sought, selected, with contacts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, known, onScreen, open, pixels, run, scene, serve, settled, table, twoFrames } from './setup.mjs';
import { difference, statistics } from './png.mjs';

const wall = () => run('wall-perfect', known('wall-perfect'), 'until=0.1');

/** A page on the wall; all that happens to it must be without complaint. */
async function onWall(what, options) {
  const server = await serve(await wall());
  const { page, faults, close } = await open(server.url, options);
  try {
    await drawn(page);
    await what(page, await wall());
    assert.deepEqual(faults, []);
  } finally {
    await close();
    await server.stop();
  }
}

test('the wall is really drawn', () =>
  onWall(async (page) => {
    await settled(page);
    const seen = statistics(await pixels(page, 'canvas.scene'));
    // Blocks, their outlines, ground and hatching over the background.
    assert.ok(seen.colours >= 6, `${seen.colours} colours`);
    assert.ok(seen.background < 0.9, `${seen.background} of one colour`);
    assert.ok(seen.hued > 0.1, `${seen.hued} with hue`);
    const stats = await page.evaluate(() => {
      const { frameTimes, pose, ...rest } = window.percuss.stage.stats();
      return rest;
    });
    assert.equal(stats.bodies, await page.evaluate(() => window.percuss.app.about.bodies));
    assert.ok(stats.triangles >= 2 * stats.bodies, `${stats.triangles} triangles`);
  }));

test('playing moves the time on and pausing stops it', () =>
  onWall(async (page) => {
    const time = () => page.evaluate(() => window.percuss.app.player.time);
    assert.equal(await time(), 0);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.percuss.app.player.time > 0.01);
    await page.keyboard.press('Space');
    const stopped = await time();
    await twoFrames(page);
    assert.equal(await time(), stopped);
    assert.ok(stopped > 0.01 && stopped <= 0.1 + 1e-12);
  }));

test('a state that is sought shows the numbers of the record', () =>
  onWall(async (page, dir) => {
    for (const frame of [0, 37, 100, 5]) {
      await page.evaluate((i) => window.percuss.app.player.seekFrame(i), frame);
      await settled(page);
      const seen = await page.evaluate(async () => {
        const { app, stage } = window.percuss;
        const pack = await app.source.bodies(app.player.frame);
        const list = [...pack.column('x')].map((x, i) => [x + app.about.origin[0], pack.column('y')[i] + app.about.origin[1], pack.column('angle')[i], pack.column('vx')[i]]);
        return { t: app.player.time, step: pack.header.step, list, posed: list.map((_, i) => stage.stats().pose(i)), origin: app.about.origin };
      });
      const rows = await table(dir, 'bodies', '--at', String(seen.t));
      assert.equal(rows.length, seen.list.length);
      assert.equal(rows[0].step, seen.step);
      rows.forEach((row, i) => {
        const expected = [row.x, row.y, row.angle, row.vx];
        // Numbers of size up to 10 in single precision: half a unit in the last place is 5e-7.
        expected.forEach((v, k) => assert.ok(Math.abs(v - seen.list[i][k]) <= 5e-7, `frame ${frame}, body ${i}: ${v} and ${seen.list[i][k]}`));
        const [x, y] = seen.posed[i];
        assert.ok(Math.abs(x + seen.origin[0] - row.x) <= 1e-6 && Math.abs(y + seen.origin[1] - row.y) <= 1e-6, `drawn at ${x}, ${y}`);
      });
    }
  }));

/** Selects the block by a click in its middle; answers its row of the table of names. */
async function select(page, dir, pick) {
  const names = await table(dir, 'names');
  const chosen = pick(names);
  const pose = await page.evaluate((i) => window.percuss.stage.stats().pose(i), chosen.body);
  const [x, y] = await onScreen(page, pose.slice(0, 3));
  await page.mouse.click(x, y);
  await page.waitForFunction((id) => window.percuss.app.selection.value?.id === id, chosen.body);
  return chosen;
}

test('a click on a block gives its name, its numbers and its history', () =>
  onWall(async (page, dir) => {
    await page.evaluate(() => window.percuss.app.player.seekFrame(80));
    await settled(page);
    const block = await select(page, dir, (names) => names.filter((n) => n.motion === 'free')[40]);
    const text = await page.locator('#selection').innerText();
    assert.ok(text.includes(block.name), text);
    assert.ok(text.includes(block.material), text);
    const row = (await table(dir, 'bodies', '--at', '0.08')).find((r) => r.body === block.body);
    const shown = /Position, m\s+(\S+), (\S+)/.exec(text);
    // Four significant digits are shown.
    for (const [k, v] of [row.x, row.y].entries()) {
      const number = Number(shown[k + 1].replace('−', '-'));
      assert.ok(Math.abs(number - v) <= 5e-4 * Math.abs(v) + 1e-9, `${number} and ${v}`);
    }
    await page.waitForSelector('.history .chart');
    await page.waitForFunction(() => document.querySelector('.history .legend .value')?.textContent?.includes('m/s'));
    await twoFrames(page);
    const plot = statistics(await pixels(page, '.history .chart'));
    assert.ok(plot.hued > 0.002 && plot.colours > 5, JSON.stringify(plot));
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => window.percuss.app.selection.value), null);
    assert.equal(await page.locator('.history').isVisible(), false);
  }));

test('the history of a block is that of the record, and can be saved', () =>
  onWall(async (page, dir) => {
    await settled(page);
    const block = await select(page, dir, (names) => names.filter((n) => n.motion === 'free')[10]);
    await page.waitForSelector('.history .chart');
    await page.locator('.history select').selectOption('position');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
    const chunks = [];
    for await (const c of await download.createReadStream()) chunks.push(c);
    const lines = Buffer.concat(chunks).toString().trim().split('\n');
    assert.equal(lines[0], 't [s],x [m],y [m]');
    const rows = (await table(dir, 'bodies')).filter((r) => r.body === block.body);
    assert.equal(lines.length - 1, rows.length);
    lines.slice(1).forEach((line, i) => {
      const [t, x, y] = line.split(',').map(Number);
      assert.deepEqual([t, x, y], [rows[i].t, rows[i].x, rows[i].y]);
    });
  }));

test('force chains are drawn over the wall and go away again', () =>
  onWall(async (page) => {
    await page.evaluate(() => window.percuss.app.player.seekFrame(60));
    await settled(page);
    const without = await pixels(page, 'canvas.scene');
    await page.keyboard.press('k');
    await page.waitForFunction(() => window.percuss.stage.stats().contacts > 0);
    await twoFrames(page);
    const seen = await pixels(page, 'canvas.scene');
    // Bodies turn pale and chains stand out: much of the picture changes.
    assert.ok(difference(without, seen) > 0.05, `${difference(without, seen)} changed`);
    await page.keyboard.press('k');
    await twoFrames(page);
    await twoFrames(page);
    const again = await pixels(page, 'canvas.scene');
    assert.ok(difference(without, again) < 0.001, `${difference(without, again)} left`);
  }));

test('a contact is selected by a click and shows its impulses', () =>
  onWall(async (page, dir) => {
    await page.evaluate(() => window.percuss.app.player.seekFrame(50));
    await page.keyboard.press('c');
    await page.waitForFunction(() => window.percuss.stage.stats().contacts > 0);
    await settled(page);
    const rows = await table(dir, 'contacts', '--at', '0.05');
    const strong = rows.reduce((best, r) => (r.impulse_n > best.impulse_n ? r : best));
    const origin = await page.evaluate(() => window.percuss.app.about.origin);
    const [x, y] = await onScreen(page, [strong.x - origin[0], strong.y - origin[1], 0]);
    await page.mouse.click(x, y);
    await page.waitForFunction(() => window.percuss.app.selection.value?.kind === 'contact');
    const chosen = await page.evaluate(() => window.percuss.app.selection.value);
    // Contacts may lie on top of each other: one at that place was taken.
    const row = rows.find((r) => r.a === chosen.a && r.b === chosen.b && r.feature === chosen.feature);
    assert.ok(row && Math.hypot(row.x - strong.x, row.y - strong.y) < 0.05, JSON.stringify(chosen));
    await page.waitForSelector('.history .chart');
    await page.waitForFunction(() => document.querySelector('.history .legend')?.textContent?.includes('normal'));
    const value = await page.locator('.history .legend .value').first().innerText();
    const shown = Number(value.split(/\s/)[0].replace('−', '-'));
    assert.ok(Math.abs(shown - row.impulse_n) <= 5e-4 * row.impulse_n, `${value} and ${row.impulse_n}`);
    assert.ok((await page.locator('.statuskey').innerText()).includes('slip'));
  }));

test('keys step, go to both ends, change colours and the theme, and tell themselves', () =>
  onWall(async (page) => {
    const frame = () => page.evaluate(() => window.percuss.app.player.frame);
    await page.keyboard.press('End');
    assert.equal(await frame(), await page.evaluate(() => window.percuss.app.player.frames.length - 1));
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    assert.equal(await frame(), await page.evaluate(() => window.percuss.app.player.frames.length - 2));
    await page.keyboard.press('Home');
    assert.equal(await frame(), 0);
    await settled(page);
    const light = await pixels(page, 'canvas.scene');
    await page.keyboard.press('l');
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    await twoFrames(page);
    await twoFrames(page);
    assert.ok(difference(light, await pixels(page, 'canvas.scene')) > 0.2, 'the picture follows the theme');
    await page.keyboard.press('End');
    await settled(page);
    const before = await page.locator('#legend').innerText();
    await page.keyboard.press('3');
    await page.waitForFunction((b) => document.querySelector('#legend').innerText !== b, before);
    await page.keyboard.press('h');
    assert.ok(await page.locator('dialog#help').isVisible());
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('dialog#help').isVisible(), false);
  }));

test('on a phone nothing is wider than the screen', () =>
  onWall(
    async (page) => {
      await settled(page);
      const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok((await overflow()) <= 0, `${await overflow()} pixels too wide`);
      const small = await page.evaluate(() =>
        [...document.querySelectorAll('button, select')]
          .filter((e) => e.offsetParent !== null)
          .map((e) => ({ text: e.getAttribute('aria-label') ?? e.textContent, h: e.getBoundingClientRect().height }))
          .filter((e) => e.h < 32),
      );
      assert.deepEqual(small, []);
      assert.ok(statistics(await pixels(page, 'canvas.scene')).colours >= 6);
    },
    { width: 375, height: 740, hasTouch: true },
  ));

test('every control has a name for those who do not see it', () =>
  onWall(async (page) => {
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll('button, select, input, [tabindex="0"]')]
        .filter((e) => e.offsetParent !== null)
        .filter((e) => !(e.getAttribute('aria-label') || e.textContent?.trim() || e.labels?.[0]?.textContent?.trim() || e.title))
        .map((e) => e.outerHTML.slice(0, 120)),
    );
    assert.deepEqual(nameless, []);
  }));

for (const [name, what, moves] of [
  ['spheres', scene('spheres'), true],
  ['cell', scene('cell'), true],
  // It stands.
  ['arch', known('arch'), false],
]) {
  test(`${name}: drawn at its end, and without complaint`, async () => {
    const dir = await run(name, what, ...(moves ? [] : ['until=0.2']));
    const server = await serve(dir);
    const { page, faults, close } = await open(server.url);
    try {
      await drawn(page);
      const first = await pixels(page, 'canvas.scene');
      await page.keyboard.press('End');
      await settled(page);
      const seen = await pixels(page, 'canvas.scene');
      const s = statistics(seen);
      assert.ok(s.colours >= 6 && s.background < 0.97, JSON.stringify(s));
      assert.equal(difference(first, seen) > 0.001, moves, `${difference(first, seen)} changed`);
      for (const key of ['c', 'i', 'n', '4']) await page.keyboard.press(key);
      await twoFrames(page);
      await settled(page);
      assert.deepEqual(faults, []);
    } finally {
      await close();
      await server.stop();
    }
  });
}
