// The server gives the run and nothing else, to nobody else.
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { drawn, open, run, scene, scratch, serve } from './setup.mjs';

/** Sends a request as it stands, without the tidying that fetch does; answers status and body. */
function raw(url, path, headers = {}, method = 'GET') {
  const { hostname, port, host } = new URL(url);
  return new Promise((done, failed) => {
    const socket = connect(Number(port), hostname, () => {
      const lines = Object.entries({ Host: host, Connection: 'close', ...headers }).map(([k, v]) => `${k}: ${v}\r\n`);
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    });
    const chunks = [];
    socket.on('data', (d) => chunks.push(d));
    socket.on('error', failed);
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('latin1');
      done({ status: Number(/^HTTP\/1\.[01] (\d+)/.exec(text)?.[1] ?? 0), body: text });
    });
  });
}

test('what is outside the run, without the token, or by another host is refused', async () => {
  const server = await serve(await run('spheres', scene('spheres')));
  try {
    const token = new URL(server.url).pathname.replace(/\/$/, '');
    assert.ok(token.length >= 17, 'a token that can not be guessed');
    const good = await raw(server.url, `${token}/api/about`);
    assert.equal(good.status, 200);
    const refused = [
      `${token}/../../../../etc/passwd`,
      `${token}/api/../../../../../../etc/passwd`,
      `${token}/%2e%2e/%2e%2e/%2e%2e/etc/passwd`,
      `${token}/api/bodies/..%2f..%2fetc%2fpasswd`,
      `${token}/..`,
      `${token}//etc/passwd`,
      `${token}/run.json`,
      '/etc/passwd',
      '/api/about',
      '/wrong-token/api/about',
      '/',
      `${token.slice(0, -1)}/api/about`,
    ];
    for (const path of refused) {
      const answer = await raw(server.url, path);
      assert.ok([400, 403, 404].includes(answer.status), `${path}: ${answer.status}`);
      assert.ok(!answer.body.includes('root:'), path);
    }
    const elsewhere = await raw(server.url, `${token}/api/about`, { Host: 'evil.example' });
    assert.ok([400, 403].includes(elsewhere.status), `another host: ${elsewhere.status}`);
    const post = await raw(server.url, `${token}/api/about`, { 'Content-Length': '0' }, 'POST');
    assert.ok([400, 403, 404, 405].includes(post.status), `POST: ${post.status}`);
    for (const path of ['bodies/999999', 'bodies/-1', 'bodies/x', 'history?body=999999', 'nothing']) {
      const answer = await raw(server.url, `${token}/api/${path}`);
      assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`);
      assert.ok(answer.body.includes('"error"'), path);
    }
  } finally {
    await server.stop();
  }
});

test('the program serves the page that is committed', async () => {
  const server = await serve(await run('spheres', scene('spheres')));
  try {
    const served = await (await fetch(server.url)).text();
    const kept = readFileSync(join(import.meta.dirname, '..', '..', 'crates', 'view', 'page', 'viewer.html'), 'utf8');
    assert.ok(served === kept || process.env.PERCUSS_PAGE, 'the program holds an older page: build it again');
  } finally {
    await server.stop();
  }
});

test('a run directory with a hostile name is shown as text and runs nothing', async () => {
  const name = '<img src=x onerror=window.hacked=1> "quoted" & %2e%2e';
  const dir = join(scratch, name);
  cpSync(await run('spheres', scene('spheres')), dir, { recursive: true });
  const server = await serve(dir);
  const { page, faults, close } = await open(server.url);
  try {
    await drawn(page);
    await page.getByText('About this run').click();
    assert.ok((await page.locator('body').innerText()).includes(name), 'the name is on the page');
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.deepEqual(faults, []);
  } finally {
    await close();
    await server.stop();
  }
});

test('a page whose server is gone says so and keeps what it has', async () => {
  const server = await serve(await run('spheres', scene('spheres')));
  const { page, close } = await open(server.url);
  try {
    await drawn(page);
    await server.stop();
    await page.evaluate(() => window.percuss.app.player.seekFrame(150));
    await page.waitForFunction(() => [...document.querySelectorAll('.notice')].some((n) => !n.hidden && n.textContent.includes('server')));
    assert.ok(await page.evaluate(() => window.percuss.stage.stats().pictures > 0));
  } finally {
    await close();
  }
});
