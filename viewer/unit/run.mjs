// Bundles the unit tests and runs them with node's own runner.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'percuss-unit-'));
const tests = readdirSync(here).filter((f) => f.endsWith('.test.ts'));
await build({
  entryPoints: tests.map((f) => join(here, f)),
  bundle: true,
  outdir: out,
  outExtension: { '.js': '.mjs' },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
});
const files = readdirSync(out).map((f) => join(out, f));
const done = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' });
rmSync(out, { recursive: true, force: true });
process.exit(done.status ?? 1);
