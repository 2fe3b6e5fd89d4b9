/** Names and numbers of what is selected. */
import type { App, Mounted } from '../app';
import { clear, el } from '../dom';
import type { Options } from '../options';
import type { Stage } from '../stage/stage';
import type { Selected } from '../types';
import { bodyFacts, contactFacts, type Facts } from './facts';

export function mount(root: HTMLElement, app: App, stage: Stage, options: Options): Mounted & { update(): void } {
  let known: { key: string; facts: Record<string, unknown> } = { key: '', facts: {} };
  // Built once and changed in place: a button that is replaced while it is pressed does nothing.
  const hint = el('p', { class: 'muted' }, 'Click a body or a contact for its numbers and its history.');
  const title = el('h3', { class: 'name' });
  const list = el('dl', { class: 'facts' });
  const off = el('button', { type: 'button' }, 'Deselect (Esc)');
  off.addEventListener('click', () => (app.selection.value = null));
  const follow = el('button', { type: 'button', 'aria-pressed': 'false' }, 'Follow');
  follow.addEventListener('click', () => (options.follow.value = !options.follow.value));
  const buttons = el('div', { class: 'row' }, follow, off);
  root.append(hint, title, list, buttons);

  const write = (facts: Facts): void => {
    if (list.children.length !== 2 * facts.length) {
      clear(list);
      for (let i = 0; i < facts.length; i++) list.append(el('dt'), el('dd'));
    }
    facts.flat().forEach((text, i) => {
      const e = list.children[i];
      if (e.textContent !== text) e.textContent = text;
    });
  };

  const update = (): void => {
    const s = app.selection.value;
    hint.hidden = s !== null;
    for (const e of [title, list, buttons]) e.hidden = s === null;
    follow.hidden = s?.kind !== 'body';
    follow.setAttribute('aria-pressed', String(options.follow.value));
    if (!s) return;
    const named = stage.bodies.shapes.header.names as string[] | undefined;
    title.textContent = s.kind === 'contact' ? 'Contact' : String(known.facts.name ?? named?.[s.id] ?? `Body ${s.id}`);
    write(s.kind === 'body' ? bodyFacts(app, stage, s.id, known.facts) : contactFacts(app, stage, s));
  };

  const chosen = (s: Selected | null): void => {
    const key = JSON.stringify(s);
    known = { key, facts: {} };
    update();
    if (s?.kind !== 'body') return;
    app.source.body(s.id).then(
      (facts) => {
        // Only if it is still the one that is selected.
        if (known.key !== key) return;
        known.facts = facts;
        update();
        app.announce(`Selected ${String(facts.name ?? `body ${s.id}`)}`);
      },
      () => {},
    );
  };
  const leave = [app.selection.on(chosen), options.follow.on(update)];
  update();
  return { destroy: () => leave.forEach((f) => f()), update };
}
