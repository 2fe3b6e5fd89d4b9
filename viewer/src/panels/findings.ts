/** What the scene is known for, measured on this motion. */
import type { App, Mounted } from '../app';
import { el } from '../dom';
import { number } from '../format';
import type { Finding } from '../types';

/** A value as people read it: numbers rounded, long lists cut. */
export function valueText(v: unknown): string {
  if (v === null || v === undefined) return '–';
  if (typeof v === 'number') return number(v, 5);
  if (typeof v === 'boolean') return v ? 'yes' : 'no';
  if (Array.isArray(v)) {
    const seen = v.slice(0, 3).map(valueText).join(', ');
    return v.length > 3 ? `[${seen}, … ${v.length} in all]` : `[${seen}]`;
  }
  return String(v);
}

/** What was expected, with its tolerance or bounds. */
export function expectedText(f: Finding): string {
  const more = f as unknown as { at_most?: unknown; at_least?: unknown };
  const parts: string[] = [];
  if (f.expected !== null && f.expected !== undefined) {
    const t = f.tolerance;
    parts.push(valueText(f.expected) + (t !== null && t !== undefined ? ` ± ${typeof t === 'number' ? number(t, 3) : t}` : ''));
  }
  if (more.at_least !== null && more.at_least !== undefined) parts.push(`≥ ${valueText(more.at_least)}`);
  if (more.at_most !== null && more.at_most !== undefined) parts.push(`≤ ${valueText(more.at_most)}`);
  return parts.join(', ') || '–';
}

function verdictOf(f: Finding): [string, string] {
  if (f.ok === true) return ['✓ ok', 'good'];
  if (f.ok === false) return ['✕ not met', 'bad'];
  if (f.applicable === false) return ['not applicable', 'open'];
  return ['', 'open'];
}

export function mount(root: HTMLElement, app: App): Mounted {
  root.classList.add('panel', 'findings');
  let shown = '';
  const draw = (): void => {
    const list = app.about.findings ?? [];
    const state = JSON.stringify(list);
    if (state === shown) return;
    shown = state;
    root.hidden = list.length === 0;
    if (list.length === 0) {
      root.replaceChildren();
      return;
    }
    const met = list.filter((f) => f.ok === true).length;
    const judged = list.filter((f) => f.ok !== null && f.ok !== undefined).length;
    const rows = list.map((f) => {
      const [text, kind] = verdictOf(f);
      const about = (f as unknown as { about?: unknown }).about;
      const title = typeof about === 'string' ? about : undefined;
      const expected = expectedText(f);
      return el(
        'li',
        { class: kind, title },
        el('div', { class: 'name' }, el('b', {}, f.name.replaceAll('_', ' ')), el('span', { class: `mark ${kind}` }, text)),
        el(
          'div',
          { class: 'numbers' },
          valueText(f.value),
          ...(expected !== '–' ? [el('span', { class: 'expected' }, `  expected ${expected}`)] : []),
        ),
        ...(typeof f.source === 'string' && f.source !== '' ? [el('div', { class: 'source' }, f.source)] : []),
      );
    });
    const title = judged > 0 ? `Findings: ${met} of ${judged} as expected` : 'Findings';
    root.replaceChildren(el('h2', {}, title), el('ul', {}, ...rows));
  };
  draw();
  const stop = app.live.on(draw);
  return {
    destroy() {
      stop();
      root.replaceChildren();
    },
  };
}
