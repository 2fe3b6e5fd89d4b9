/** The beginning: opens the source, builds the page, tells what went wrong. */
import { makeApp } from './app';
import { openSource } from './source';
import { mount as plots } from './panels/plots';

async function boot(): Promise<void> {
  const root = document.getElementById('page');
  if (!root) return;
  const source = openSource();
  const app = makeApp(source, await source.about(), () => {});
  root.replaceChildren(document.createTextNode(app.about.title));
  plots(root, app);
}

void boot();
