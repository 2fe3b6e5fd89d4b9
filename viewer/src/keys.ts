/** Keys, and the overlay that lists them. */
import { el, button } from './dom';

export interface Command {
  /** As in KeyboardEvent.key; several do the same. */
  keys: string[];
  shown: string;
  what: string;
  run: (ev: KeyboardEvent) => void;
}

/** True where keys belong to what is being edited. */
function editing(target: EventTarget | null): boolean {
  const e = target as HTMLElement | null;
  if (!e || !e.tagName) return false;
  if (e.tagName === 'INPUT') return !['checkbox', 'button'].includes((e as HTMLInputElement).type);
  return e.tagName === 'SELECT' || e.tagName === 'TEXTAREA' || e.isContentEditable;
}

export function listen(commands: Command[]): () => void {
  const on = (ev: KeyboardEvent): void => {
    if (ev.ctrlKey || ev.metaKey || ev.altKey || editing(ev.target)) return;
    // Space and Enter press the button that has the focus, as everywhere.
    const focused = (ev.target as HTMLElement | null)?.tagName;
    if ((focused === 'BUTTON' || focused === 'SUMMARY' || focused === 'INPUT') && [' ', 'Enter'].includes(ev.key)) return;
    if (document.querySelector('dialog[open]') && ev.key !== 'h' && ev.key !== '?') return;
    const found = commands.find((c) => c.keys.includes(ev.key));
    if (!found) return;
    ev.preventDefault();
    found.run(ev);
  };
  window.addEventListener('keydown', on);
  return () => window.removeEventListener('keydown', on);
}

/** The overlay with all keys. */
export function help(commands: Command[], about: Node): HTMLDialogElement {
  const dialog = el('dialog', { 'aria-labelledby': 'help-title', id: 'help' });
  const table = el('table');
  for (const c of commands) {
    if (!c.shown) continue;
    table.append(el('tr', {}, el('td', {}, el('kbd', {}, c.shown)), el('td', {}, c.what)));
  }
  dialog.append(el('h2', { id: 'help-title' }, 'Keys'), table, about, button('Close', 'Close', () => dialog.close()));
  return dialog;
}
