// A run that still goes on is followed to its end.
//
// The run is stopped and let go on by signals, so that neither its speed nor that of the browser decides what
// the page must show: a stopped process keeps its lock, and by that the run counts as one under way.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { begin, drawn, open, PATIENCE, scene, scratch, serve } from './setup.mjs';

/** Number of the newest checkpoint, which is what the page has its states from; -1 without one. */
function newest(dir) {
  const numbers = existsSync(dir) ? readdirSync(dir).map((name) => /^checkpoint-(\d+)\.bin$/.exec(name)?.[1] ?? -1) : [];
  return Math.max(-1, ...numbers.map(Number));
}

/** Lets a run go on until it has a checkpoint after this one, and stops it; false if it ended before. */
async function advance(child, dir, after) {
  child.kill('SIGCONT');
  const until = Date.now() + PATIENCE;
  while (newest(dir) <= after && child.exitCode === null) {
    assert.ok(Date.now() < until, 'no new checkpoint');
    await new Promise((done) => setTimeout(done, 1));
  }
  child.kill('SIGSTOP');
  return JSON.parse(readFileSync(join(dir, 'run.json'))).status === 'running';
}

const state = (page) => page.locator('#state').getAttribute('data-state');
const frames = (page) => page.evaluate(() => window.percuss.app.player.frames.length);

/** The page on a run of some seconds of its own time; false if the run cannot be stopped before its end. */
async function follow(seconds) {
  const dir = join(scratch, `live-${seconds}`);
  const options = ['--no-findings', '--quiet', '--threads', '1', '--set', `until=${seconds}`];
  const child = begin('run', scene('live'), '-o', dir, ...options);
  const ended = new Promise((done) => child.on('exit', done));
  const undo = [() => child.kill('SIGKILL')];
  try {
    if (!(await advance(child, dir, -1))) return false;
    const server = await serve(dir);
    undo.push(server.stop);
    const { page, faults, close } = await open(server.url);
    undo.push(close);
    await drawn(page);
    assert.equal(await state(page), 'running');
    const first = await frames(page);
    if (!(await advance(child, dir, newest(dir)))) return false;
    await page.waitForFunction((n) => window.percuss.app.player.frames.length > n, first);
    assert.equal(await state(page), 'running');
    const second = await frames(page);
    // At the end of a growing run the page goes with it.
    await page.waitForFunction((n) => window.percuss.app.player.frame >= n - 1, second);
    child.kill('SIGCONT');
    await ended;
    await page.waitForFunction(() => document.querySelector('#state').dataset.state === 'ended');
    await complete(page, second);
    assert.deepEqual(faults, []);
    return true;
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

/** The page has the run to its end. */
async function complete(page, least) {
  const all = await page.evaluate(() => ({
    frames: window.percuss.app.player.frames.length,
    last: window.percuss.app.player.last,
    to: window.percuss.app.about.time.until,
    text: document.querySelector('.badge').textContent,
  }));
  assert.ok(all.frames > least, `${all.frames} states`);
  // The last step may be short: the end is the end to rounding.
  assert.ok(Math.abs(all.last - all.to) < 1e-9, `${all.last} and ${all.to}`);
  assert.ok(!all.text.includes('so far'), all.text);
}

test('a live run grows on the page and then has ended', async () => {
  // A run that was faster than this test could stop it is followed by a longer one.
  let seconds = 20;
  while (!(await follow(seconds))) seconds *= 4;
});
