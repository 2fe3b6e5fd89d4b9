// Pictures of the page for the documentation: docs/images/page-*.png, 1400 by 900.
//
//   node shots.mjs PERCUSS RUNS
//
// RUNS is a folder for the records; runs that are already there are taken as they are, so the
// long ones need be made once. CHROMIUM names another browser, PERCUSS_PAGE another page than the
// one in the program.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { shrink } from './shots/shrink.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const images = join(here, '..', 'docs', 'images');
const [percuss, runs] = process.argv.slice(2);
if (!percuss || !runs) {
  console.error('usage: node shots.mjs PERCUSS RUNS');
  process.exit(2);
}

/** name of the picture, scene, settings of the run, time, what is done on the page. */
const LIST = [
  { name: 'wall', scene: 'wall-perfect', sets: ['until=1'], at: 0.62, script: () => window.percuss.options.setContacts({ chains: true, colour: 'impulse' }), tab: 'Energy' },
  { name: 'biaxial', scene: 'biaxial', sets: ['strain=0.02'], at: 1e9, script: () => {
      window.percuss.options.setContacts({ chains: true, aboveMean: true });
    }, tab: 'Contacts' },
  { name: 'bed', scene: join(here, 'shots', 'bed.toml'), sets: [], at: 1e9, script: () => window.percuss.options.setColour({ by: 'height' }), tab: 'Energy' },
  { name: 'catastrophe', scene: 'catastrophe', sets: [], at: 1e9, tab: 'Velocities' },
  { name: 'conveyor', scene: 'conveyor', sets: [], at: 6, tab: 'Coordinates' },
  { name: 'rocking-block', scene: 'rocking-block', sets: [], at: 0.35, tab: 'Energy', theme: 'dark' },
];

function records({ name, scene, sets }) {
  const dir = join(runs, name);
  if (!existsSync(join(dir, 'run.json'))) {
    console.log(`running ${name} …`);
    const args = ['run', scene, '-o', dir, '--no-findings', '--quiet', ...sets.flatMap((s) => ['--set', s])];
    try {
      execFileSync(percuss, args, { stdio: 'inherit' });
    } catch (e) {
      // Status 1: the certificate is not met; there is still something to look at.
      if (e.status !== 1) throw e;
    }
  }
  return dir;
}

async function serve(dir) {
  const child = spawn(percuss, ['view', dir, '--no-browser', '--quiet'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((found, failed) => {
    child.stdout.on('data', (d) => found(String(d).trim()));
    child.on('exit', (code) => failed(new Error(`percuss view ended with ${code}`)));
  });
  return { url, stop: () => child.kill('SIGINT') };
}

async function shot(browser, one) {
  const server = await serve(records(one));
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, colorScheme: one.theme ?? 'light', reducedMotion: 'reduce' });
  page.setDefaultTimeout(120_000);
  const other = process.env.PERCUSS_PAGE;
  if (other) await page.route(server.url, (r) => r.fulfill({ path: other, contentType: 'text/html; charset=utf-8' }));
  await page.goto(server.url);
  await page.waitForFunction(() => window.percuss && (window.percuss.stage ? window.percuss.stage.stats().pictures > 0 : document.querySelector('.mechanism .empty')?.hidden));
  await page.evaluate((t) => window.percuss.app.player.seek(t), one.at);
  if (one.script) await page.evaluate(one.script);
  if (one.tab) await page.getByRole('tab', { name: one.tab }).click();
  await page.waitForTimeout(one.wait ?? 2500);
  const file = join(images, `page-${one.name}.png`);
  const bytes = shrink(await page.screenshot());
  writeFileSync(file, bytes);
  console.log(`${file}: ${Math.round(bytes.length / 1024)} kB`);
  await page.close();
  server.stop();
}

mkdirSync(images, { recursive: true });
mkdirSync(runs, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
const wanted = process.argv.slice(4);
for (const one of LIST) if (wanted.length === 0 || wanted.includes(one.name)) await shot(browser, one);
await browser.close();
