// An exported page is one file that needs nothing else.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { command, drawn, known, onScreen, open, pixels, run, scene, scratch, settled, table, twoFrames } from './setup.mjs';
import { statistics } from './png.mjs';

/** The exported file of a run, opened from the disk with no network. */
async function exported(dir, name, ...options) {
  const file = join(scratch, `${name}.html`);
  await command('export', dir, '--html', file, '--quiet', ...options);
  return { file, ...(await open(pathToFileURL(file).href, { offline: true })) };
}

test('an exported wall opens from the disk, with all its features and no request', async () => {
  const dir = await run('wall-perfect', known('wall-perfect'), 'until=0.1');
  const { page, faults, requests, close } = await exported(dir, 'wall');
  try {
    await drawn(page);
    await page.keyboard.press('End');
    await settled(page);
    const s = statistics(await pixels(page, 'canvas.scene'));
    assert.ok(s.colours >= 6 && s.background < 0.9, JSON.stringify(s));
    const seen = await page.evaluate(async () => {
      const { app } = window.percuss;
      const pack = await app.source.bodies(app.player.frame);
      return { t: app.player.time, x: [...pack.column('x')].map((x) => x + app.about.origin[0]) };
    });
    const rows = await table(dir, 'bodies', '--at', String(seen.t));
    // Single precision of numbers up to 10.
    rows.forEach((r, i) => assert.ok(Math.abs(r.x - seen.x[i]) <= 5e-7, `${r.x} and ${seen.x[i]}`));
    const body = rows.filter((r) => r.y > 1)[3];
    const pose = await page.evaluate((i) => window.percuss.stage.stats().pose(i), body.body);
    await page.mouse.click(...(await onScreen(page, pose.slice(0, 3))));
    await page.waitForSelector('.history .chart');
    await page.waitForFunction(() => document.querySelector('.history .legend .value')?.textContent);
    await page.keyboard.press('k');
    await page.waitForFunction(() => window.percuss.stage.stats().contacts > 0);
    await page.getByRole('tab', { name: 'Residual' }).click();
    await twoFrames(page);
    assert.deepEqual(faults, []);
    assert.equal(requests.filter((r) => !r.startsWith('file:') && !r.startsWith('data:') && !r.startsWith('blob:')).length, 0);
    assert.equal(requests.filter((r) => r.startsWith('file:')).length, 1);
  } finally {
    await close();
  }
});

test('an exported mechanism shows its drawing and its portrait', async () => {
  const { page, faults, close } = await exported(await run('woodpecker', known('woodpecker'), 'until=0.15'), 'woodpecker');
  try {
    await page.waitForFunction(() => document.querySelector('.mechanism .empty')?.hidden === true);
    await page.waitForSelector('.portrait .chart');
    await twoFrames(page);
    assert.ok(statistics(await pixels(page, '.mechanism')).colours >= 4);
    assert.deepEqual(faults, []);
  } finally {
    await close();
  }
});

test('hostile words in a scene are shown as words, in the exported file too', async () => {
  const bad = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"> <!--';
  const text = readFileSync(scene('spheres'), 'utf8').replace(/title = .*/, `title = '${bad}'`).replace('until = 0.4', 'until = 0.02');
  const file = join(scratch, 'hostile.toml');
  writeFileSync(file, text);
  const { page, faults, close } = await exported(await run('hostile', file), 'hostile-export');
  try {
    await drawn(page);
    assert.equal(await page.locator('h1').first().innerText(), bad);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.deepEqual(faults, []);
  } finally {
    await close();
  }
});
