// What all tests of the page share: runs made by percuss, servers, one browser, pages whose
// every complaint is kept.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { decode } from './png.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const execute = promisify(execFile);

export const percuss = process.env.PERCUSS;
assert.ok(percuss && existsSync(percuss), 'PERCUSS must name the program');

/** Patience with a loaded machine, in milliseconds: no test depends on being fast. */
export const PATIENCE = Number(process.env.PERCUSS_PATIENCE ?? 60_000);

export const scratch = mkdtempSync(join(tmpdir(), 'percuss-page-'));
export const scene = (name) => join(here, 'scenes', `${name}.toml`);
/** A scene of the repository. */
export const known = (name) => join(here, '..', '..', 'crates', 'scene', 'scenes', `${name}.toml`);

const running = new Set();

/** Runs percuss to its end; the exit status may be 1 (a finding or a certificate not met). */
export async function command(...args) {
  try {
    return (await execute(percuss, args, { maxBuffer: 1 << 28 })).stdout;
  } catch (e) {
    if (e.code === 1) return e.stdout;
    throw new Error(`percuss ${args.join(' ')}: ${e.stderr || e.message}`);
  }
}

const made = new Map();

/** The records of a run, made once: `run('wall', 'wall', 'until=0.1')`. */
export function run(name, what, ...sets) {
  if (!made.has(name)) {
    const dir = join(scratch, name);
    const options = sets.flatMap((s) => ['--set', s]);
    made.set(name, command('run', what, '-o', dir, '--no-findings', '--quiet', '--threads', '1', ...options).then(() => dir));
  }
  return made.get(name);
}

/** A process of percuss that goes on by itself. */
export function begin(...args) {
  const child = spawn(percuss, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

/** `percuss view` on a directory: its address, and how to end it. */
export async function serve(dir) {
  const child = begin('view', dir, '--no-browser');
  let said = '';
  const url = await new Promise((found, failed) => {
    child.stdout.on('data', (d) => {
      said += d;
      const address = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(said);
      if (address) found(address[0]);
    });
    child.stderr.on('data', (d) => (said += d));
    child.on('exit', (code) => failed(new Error(`percuss view ended with ${code}: ${said}`)));
  });
  const ended = new Promise((done) => child.on('exit', done));
  return { url, stop: () => (child.kill('SIGINT'), ended) };
}

let shared = null;

async function browser() {
  // Software rendering, as on a machine without a screen.
  const args = ['--no-sandbox', '--disable-gpu', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--enable-precise-memory-info', '--js-flags=--expose-gc'];
  shared ??= chromium.launch({ executablePath: process.env.CHROMIUM, args });
  return shared;
}

/**
 * Opens an address in a page of its own. `faults` holds errors of the console, exceptions,
 * and requests that failed or went elsewhere.
 */
export async function open(url, options = {}) {
  const { width = 1280, height = 860, ...more } = options;
  const context = await (await browser()).newContext({ viewport: { width, height }, acceptDownloads: true, reducedMotion: 'reduce', ...more });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const faults = [];
  const requests = [];
  page.on('console', (m) => m.type() === 'error' && faults.push(`console: ${m.text()}`));
  page.on('pageerror', (e) => faults.push(`exception: ${e.message}`));
  page.on('dialog', (d) => {
    faults.push(`dialog: ${d.message()}`);
    void d.dismiss();
  });
  const origin = url.startsWith('file:') ? 'file:' : new URL(url).origin;
  page.on('request', (r) => {
    const to = r.url();
    requests.push(to);
    if (!to.startsWith(origin) && !to.startsWith('data:') && !to.startsWith('blob:')) faults.push(`request to ${to}`);
  });
  page.on('requestfailed', (r) => faults.push(`failed: ${r.url()} ${r.failure()?.errorText}`));
  // While working on the page: this one instead of the one in the program.
  const other = process.env.PERCUSS_PAGE;
  if (other && origin !== 'file:') await page.route(url, (r) => r.fulfill({ path: other, contentType: 'text/html; charset=utf-8' }));
  await page.goto(url);
  return { page, faults, requests, close: () => context.close() };
}

/** Waits for a picture of bodies. */
export async function drawn(page) {
  await page.waitForFunction(() => (window.percuss?.stage?.stats().pictures ?? 0) > 0);
}

/** Waits until the state that the player stands at is the one that is drawn. */
export async function settled(page) {
  await page.waitForFunction(() => {
    const { app, stage } = window.percuss;
    const s = stage.stats();
    return s.shownFrame === app.player.frame;
  });
  await twoFrames(page);
}

/** Two pictures of the screen: what was asked for is drawn. */
export const twoFrames = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));

/** The pixels of an element as they are on the screen. */
export async function pixels(page, selector) {
  return decode(await page.locator(selector).first().screenshot());
}

/** Where a point of the scene is on the screen, in pixels of the window. */
export const onScreen = (page, point) =>
  page.evaluate((p) => {
    const { stage } = window.percuss;
    const c = stage.view.camera;
    c.updateMatrixWorld();
    const times = (m, [x, y, z, w]) => [0, 1, 2, 3].map((i) => m[i] * x + m[4 + i] * y + m[8 + i] * z + m[12 + i] * w);
    const eye = times(c.matrixWorldInverse.elements, [p[0], p[1], p[2] ?? 0, 1]);
    const clip = times(c.projectionMatrix.elements, eye);
    const box = stage.canvas.getBoundingClientRect();
    return [box.left + ((clip[0] / clip[3] + 1) / 2) * box.width, box.top + ((1 - clip[1] / clip[3]) / 2) * box.height];
  }, point);

/** Rows of a table of percuss as objects. */
export async function table(dir, name, ...more) {
  return JSON.parse(await command('table', dir, name, '--format', 'json', ...more));
}

/** Ends what is left and removes the records. */
export async function finish() {
  for (const child of running) child.kill('SIGKILL');
  if (shared) await (await shared).close();
  rmSync(scratch, { recursive: true, force: true });
}
