// All tests of the page in one process and one browser: PERCUSS and CHROMIUM name the programs.
import { after } from 'node:test';
import { finish } from './setup.mjs';

await import('./bodies.spec.mjs');
await import('./panels.spec.mjs');
await import('./mechanism.spec.mjs');
await import('./export.spec.mjs');
await import('./server.spec.mjs');
await import('./live.spec.mjs');
await import('./large.spec.mjs');

after(finish);
