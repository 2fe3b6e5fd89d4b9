// A hundred thousand spheres: how soon there is a picture, how much memory the page takes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { drawn, open, pixels, run, scene, serve, settled, twoFrames } from './setup.mjs';
import { statistics } from './png.mjs';

/**
 * Bytes that the page takes: of all that renders pages the process with the most memory, as
 * the system counts it; where it can not be asked, the script's heap and the page's arrays.
 */
async function memory(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  let most = 0;
  for (const { id, type } of processInfo) {
    if (type !== 'renderer') continue;
    try {
      const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, 'utf8'));
      most = Math.max(most, 1024 * Number(resident?.[1] ?? 0));
    } catch {
      // No such list of processes on this system.
    }
  }
  const own = await page.evaluate(() => (performance.memory?.totalJSHeapSize ?? 0) + window.percuss.stage.stats().memory);
  return Math.max(most, own);
}

test('a hundred thousand spheres are drawn in less than 1 GB', async (t) => {
  const server = await serve(await run('cloud', scene('cloud')));
  const { page, faults, close } = await open(server.url);
  try {
    await drawn(page);
    const first = await page.evaluate(() => window.percuss.stage.stats().firstPicture);
    await page.keyboard.press('End');
    await settled(page);
    await page.keyboard.press('3');
    await twoFrames(page);
    const stats = await page.evaluate(() => {
      const { pose, ...rest } = window.percuss.stage.stats();
      return rest;
    });
    assert.equal(stats.bodies, 100_001);
    // Spheres behind others are left out; those that can be seen are still many.
    assert.ok(stats.triangles > 10_000, `${stats.triangles} triangles`);
    const seen = statistics(await pixels(page, 'canvas.scene'));
    assert.ok(seen.colours > 10 && seen.background < 0.95, JSON.stringify(seen));
    const used = await memory(page);
    const frame = stats.frameTimes.toSorted((a, b) => a - b)[stats.frameTimes.length >> 1];
    const line = `100,000 spheres: first picture after ${(first / 1000).toFixed(2)} s (wanted: 3 s), page ${(used / 1e6).toFixed(0)} MB, ${frame.toFixed(0)} ms to draw in software`;
    t.diagnostic(line);
    console.log(line);
    assert.ok(used < 1e9, `${used} bytes`);
    assert.deepEqual(faults, []);
  } finally {
    await close();
    await server.stop();
  }
});
