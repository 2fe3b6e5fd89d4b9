// Builds the page: one HTML file with script and style inside, for crates/view.
//   node build.mjs            writes ../crates/view/page/viewer.html
//   node build.mjs --check    fails if that file is not what the sources give
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const target = join(here, '..', 'crates', 'view', 'page', 'viewer.html');

async function bundle(entry, format) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format,
    target: ['chrome110', 'firefox115', 'safari16.4'],
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  return result.outputFiles[0].text.trim();
}

// The exporter puts data at the marker, or before the end of the body: neither word
// may occur in the script, where it would be found first.
function refuse(script) {
  for (const word of ['</script', '</body', '<!--percuss:data-->', '</html']) {
    if (script.toLowerCase().includes(word)) throw new Error(`the script contains ${word}`);
  }
}

/** The page as text. */
export async function page() {
  const [script, style, frame] = await Promise.all([
    bundle('src/main.ts', 'iife'),
    bundle('src/style.css', undefined),
    readFile(join(here, 'src', 'index.html'), 'utf8'),
  ]);
  refuse(script);
  const notice = '/* Contains three.js, copyright three.js authors, MIT licence. */';
  return frame
    .replace('/*style*/', () => style)
    .replace('/*script*/', () => `${notice}\n${script}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = await page();
  if (process.argv.includes('--check')) {
    const kept = await readFile(target, 'utf8').catch(() => '');
    if (kept !== text) {
      console.error('crates/view/page/viewer.html is older than its sources: run "npm run build".');
      process.exit(1);
    }
    console.log('viewer.html is what its sources give.');
  } else {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
    console.log(`viewer.html: ${Math.round(text.length / 1024)} kB`);
  }
}
