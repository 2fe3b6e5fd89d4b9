// Plots, certificate, findings: they tell what the record says and set the time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command, drawn, known, open, pixels, run, scene, scratch, serve, table, twoFrames } from './setup.mjs';
import { difference, statistics } from './png.mjs';

async function onRun(dir, what, options) {
  const server = await serve(dir);
  const { page, faults, close } = await open(server.url, options);
  try {
    await drawn(page);
    await page.waitForSelector('#plots .chart');
    await what(page);
    assert.deepEqual(faults, []);
  } finally {
    await close();
    await server.stop();
  }
}

const wall = () => run('wall-perfect', known('wall-perfect'), 'until=0.1');
const legend = (page) => page.locator('#plots .legend').innerText();

test('every plot of the run is drawn', async () =>
  onRun(await wall(), async (page) => {
    for (const tab of ['Energy', 'Residual', 'Penetration', 'Balances', 'Contacts', 'Iterations']) {
      await page.getByRole('tab', { name: tab }).click();
      await twoFrames(page);
      await twoFrames(page);
      const s = statistics(await pixels(page, '#plots .chart'));
      assert.ok(s.colours >= 5 && s.hued > 0.001, `${tab}: ${JSON.stringify(s)}`);
    }
  }));

test('the values under the plots are those of the table of steps', async () => {
  const dir = await wall();
  await onRun(dir, async (page) => {
    const at = 0.05;
    await page.evaluate((t) => window.percuss.app.player.seek(t), at);
    await twoFrames(page);
    const row = (await table(dir, 'steps', '--at', String(at)))[0];
    const values = await page.locator('#plots .legend button').allInnerTexts();
    const kinetic = values.find((v) => v.startsWith('kinetic'));
    const number = Number(/kinetic\s*(\S+?)\u2009/.exec(kinetic)[1].replaceAll('−', '-'));
    // Four significant digits are shown.
    assert.ok(Math.abs(number - row.kinetic) <= 5e-4 * Math.abs(row.kinetic), `${kinetic} and ${row.kinetic}`);
    const lost = values.find((v) => v.startsWith('lost by sliding'));
    const rows = (await table(dir, 'steps')).filter((r) => r.t <= at + 1e-9);
    const sum = -rows.reduce((s, r) => s + r.sliding, 0);
    const shown = Number(/sliding\s*(\S+?)\u2009/.exec(lost)[1].replaceAll('−', '-'));
    assert.ok(Math.abs(shown - sum) <= 5e-4 * Math.abs(sum), `${lost} and ${sum}`);
  });
});

test('a click on a plot sets the time, a drag chooses a window, a double click undoes it', async () =>
  onRun(await wall(), async (page) => {
    const box = await page.locator('#plots .chart').boundingBox();
    const y = box.y + box.height / 3;
    const time = () => page.evaluate(() => window.percuss.app.player.time);
    await page.mouse.click(box.x + box.width / 2, y);
    const middle = await time();
    assert.ok(middle > 0.03 && middle < 0.07, `t = ${middle}`);
    const whole = await pixels(page, '#plots .chart');
    const asked = page.waitForRequest((r) => r.url().includes('steps?from='));
    await page.mouse.move(box.x + box.width * 0.6, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, y, { steps: 4 });
    await page.mouse.up();
    await asked;
    const back = page.locator('#plots button.whole');
    await back.waitFor();
    await twoFrames(page);
    assert.ok(difference(whole, await pixels(page, '#plots .chart')) > 0.005, 'the window looks different');
    assert.equal(await time(), middle, 'choosing a window leaves the time');
    await page.mouse.dblclick(box.x + box.width * 0.5, y);
    await back.waitFor({ state: 'hidden' });
    // Along the axis a drag moves the time.
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height - 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.9, box.y + box.height - 20, { steps: 4 });
    await page.mouse.up();
    assert.ok((await time()) > 0.08);
  }));

test('the cursor of the plots moves with the time', async () =>
  onRun(await wall(), async (page) => {
    await page.evaluate(() => window.percuss.app.player.seek(0.02));
    await twoFrames(page);
    const before = await pixels(page, '#plots .chart');
    await page.evaluate(() => window.percuss.app.player.seek(0.07));
    await twoFrames(page);
    const share = difference(before, await pixels(page, '#plots .chart'));
    // Two thin lines changed and nothing else.
    assert.ok(share > 5e-4 && share < 0.03, `${share}`);
  }));

test('a line is switched off and on by its legend, tabs are chosen by arrows', async () =>
  onRun(await wall(), async (page) => {
    const line = page.locator('#plots .legend button').first();
    const before = await pixels(page, '#plots .chart');
    await line.click();
    assert.equal(await line.getAttribute('aria-pressed'), 'false');
    await twoFrames(page);
    assert.ok(difference(before, await pixels(page, '#plots .chart')) > 5e-4);
    await line.click();
    assert.equal(await line.getAttribute('aria-pressed'), 'true');
    await page.getByRole('tab', { name: 'Energy' }).focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.getByRole('tab', { name: 'Residual' }).getAttribute('aria-selected'), 'true');
    assert.ok((await legend(page)).includes('residual'));
  }));

test('the certificate is a badge, each figure a click from its worst step', async () => {
  const dir = await wall();
  const steps = await table(dir, 'steps');
  await onRun(dir, async (page) => {
    assert.equal(await page.locator('.badge').getAttribute('data-verdict'), 'met');
    for (const figure of ['residual', 'penetration', 'momentum', 'energy']) {
      await page.locator(`[data-figure="${figure}"]`).click();
      const worst = steps.reduce((w, r) => (Math.abs(r[figure]) > Math.abs(w[figure]) ? r : w));
      const t = await page.evaluate(() => window.percuss.app.player.time);
      // The time of a step is a number of the record: the same on both sides.
      assert.equal(t, worst.t, figure);
    }
  });
});

test('a run that misses its tolerance says how many steps did', async () => {
  const dir = await run('missed', scene('spheres'), 'max_iterations=2', 'until=0.3');
  const missed = (await table(dir, 'steps')).filter((r) => !r.reached).length;
  assert.ok(missed > 0);
  await onRun(dir, async (page) => {
    assert.equal(await page.locator('.badge').getAttribute('data-verdict'), 'missed');
    assert.ok((await page.locator('.badge').innerText()).startsWith(`${missed} of `));
  });
});

test('findings are listed with value, expectation and source', async () => {
  const dir = `${scratch}/three-discs`;
  await command('run', known('three-discs'), '-o', dir, '--quiet', '--threads', '1');
  const list = JSON.parse(await command('show', dir, '--json')).findings;
  await onRun(dir, async (page) => {
    const items = await page.locator('.findings li').allInnerTexts();
    assert.equal(items.length, list.length);
    list.forEach((f, i) => {
      assert.ok(items[i].includes(f.name.replaceAll('_', ' ')), items[i]);
      if (f.source) assert.ok(items[i].includes(f.source), items[i]);
      if (f.ok !== null) assert.ok(items[i].includes(f.ok ? 'ok' : 'not met'), items[i]);
    });
  });
});
