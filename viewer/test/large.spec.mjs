// A hundred thousand spheres: how soon there is a picture, how much memory the page takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, open, pixels, run, scene, serve, settled, twoFrames } from './setup.mjs';
import { statistics } from './png.mjs';

/** Bytes of the page's own process and of its script, as Chromium counts them. */
async function memory(page) {
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable');
  const { metrics } = await client.send('Performance.getMetrics');
  const script = metrics.find((m) => m.name === 'JSHeapTotalSize')?.value ?? 0;
  const whole = await page.evaluate(() => performance.memory?.totalJSHeapSize ?? 0);
  // Typed arrays lie outside the script's heap: those of the page are known.
  const arrays = await page.evaluate(() => window.percuss.stage.stats().memory);
  return { heap: Math.max(script, whole), arrays };
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
    assert.ok(stats.triangles >= 2 * 100_000, `${stats.triangles} triangles`);
    const seen = statistics(await pixels(page, 'canvas.scene'));
    assert.ok(seen.colours > 10 && seen.background < 0.95, JSON.stringify(seen));
    const used = await memory(page);
    const frame = stats.frameTimes.toSorted((a, b) => a - b)[stats.frameTimes.length >> 1];
    const line = `100,000 spheres: first picture after ${(first / 1000).toFixed(2)} s (wanted: 3 s), page ${((used.heap + used.arrays) / 1e6).toFixed(0)} MB, ${frame.toFixed(0)} ms to draw in software`;
    t.diagnostic(line);
    console.log(line);
    assert.ok(used.heap + used.arrays < 1e9, JSON.stringify(used));
    assert.deepEqual(faults, []);
  } finally {
    await close();
    await server.stop();
  }
});
