// A run that still goes on is followed to its end.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { begin, drawn, open, PATIENCE, scene, scratch, serve } from './setup.mjs';

test('a live run grows on the page and then has ended', async () => {
  const dir = join(scratch, 'live');
  const child = begin('run', scene('live'), '-o', dir, '--no-findings', '--quiet', '--threads', '1');
  const ended = new Promise((done) => child.on('exit', done));
  const until = Date.now() + PATIENCE;
  while (!existsSync(join(dir, 'run.json')) && Date.now() < until) await new Promise((done) => setTimeout(done, 50));
  const server = await serve(dir);
  const { page, faults, close } = await open(server.url);
  try {
    await drawn(page);
    assert.equal(await page.locator('#state').getAttribute('data-state'), 'running');
    const frames = () => page.evaluate(() => window.percuss.app.player.frames.length);
    const first = await frames();
    await page.waitForFunction((n) => window.percuss.app.player.frames.length > n, first);
    const second = await frames();
    // At the end of a growing run the page goes with it.
    await page.waitForFunction((n) => window.percuss.app.player.frame >= n - 1, second);
    await ended;
    await page.waitForFunction(() => document.querySelector('#state').dataset.state === 'ended');
    const all = await page.evaluate(() => ({
      frames: window.percuss.app.player.frames.length,
      last: window.percuss.app.player.last,
      to: window.percuss.app.about.time.until,
      text: document.querySelector('.badge').textContent,
    }));
    assert.ok(all.frames >= second, `${all.frames} states`);
    // The last step may be short: the end is the end to rounding.
    assert.ok(Math.abs(all.last - all.to) < 1e-9, `${all.last} and ${all.to}`);
    assert.ok(!all.text.includes('so far'), all.text);
    assert.deepEqual(faults, []);
  } finally {
    child.kill('SIGKILL');
    await close();
    await server.stop();
  }
});
