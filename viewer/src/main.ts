/** The beginning: opens the source, builds the page, tells what went wrong. */
import { makeApp, type App } from './app';
import { el } from './dom';
import { Options } from './options';
import { openPage } from './page';
import { openSource } from './source';
import { SourceError } from './types';
import type { Stage } from './stage/stage';

declare global {
  interface Window {
    percuss?: { app: App; options: Options; stage: Stage | null };
  }
}

/** A failure as a sentence with what to do, instead of the page. */
export function fault(root: HTMLElement, e: unknown): void {
  const said = e instanceof Error ? e.message : String(e);
  const text = e instanceof SourceError ? said : `The page could not be drawn: ${said}`;
  root.replaceChildren(
    el('div', { class: 'fault', role: 'alert' }, el('h1', {}, 'This run can not be shown'), el('p', {}, text)),
  );
}

async function boot(): Promise<void> {
  const root = document.getElementById('page');
  if (!root) return;
  // Before anything is known, so that a fault is told in the right colours too.
  if (window.matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.dataset.theme = 'dark';
  try {
    const source = openSource();
    const about = await source.about();
    if (about.format !== 1) {
      throw new SourceError(`The data have format ${String(about.format)}, this page knows 1. Use the percuss that made them.`);
    }
    document.title = `${about.title || about.name} – percuss`;
    const status = { tell: (_: string): void => {} };
    const app = makeApp(source, about, (text) => status.tell(text));
    document.documentElement.dataset.theme = app.theme.value;
    // Before all others who listen: they read the colours of the style.
    app.theme.on((t) => (document.documentElement.dataset.theme = t));
    const options = new Options();
    window.percuss = { app, options, stage: null };
    await openPage(root, app, options, status, (stage) => {
      if (window.percuss) window.percuss.stage = stage;
    });
  } catch (e) {
    fault(root, e);
  }
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => void boot());
else void boot();
