import { after } from 'node:test';
import { finish } from './setup.mjs';
await import('./export.spec.mjs');
after(finish);
