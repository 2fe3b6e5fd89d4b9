/** A row of tabs, reachable by Tab once and then by the arrow keys. */
import { el } from '../dom';

export interface Tabs<T extends string> {
  element: HTMLElement;
  readonly value: T;
  /** Only these are there to choose; the first of them if the user's choice is gone or was not made. */
  offer(ids: T[]): void;
}

export function makeTabs<T extends string>(
  label: string,
  list: { id: T; label: string }[],
  panel: string,
  onChange: (id: T) => void,
): Tabs<T> {
  const element = el('div', { class: 'tabs', role: 'tablist', 'aria-label': label });
  let value = list[0].id;
  let own = false;
  const buttons = new Map<T, HTMLButtonElement>();
  const mark = (): void => {
    for (const [id, b] of buttons) {
      b.setAttribute('aria-selected', String(id === value));
      b.tabIndex = id === value ? 0 : -1;
    }
  };
  const choose = (id: T): void => {
    if (id === value) return;
    value = id;
    mark();
    onChange(id);
  };
  for (const { id, label: text } of list) {
    const b = el('button', { type: 'button', role: 'tab', 'aria-controls': panel, 'data-tab': id }, text);
    b.addEventListener('click', () => {
      own = true;
      choose(id);
    });
    b.addEventListener('keydown', (e) => {
      const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
      if (by === 0) return;
      e.preventDefault();
      e.stopPropagation();
      const seen = [...buttons].filter(([, other]) => !other.hidden);
      const at = seen.findIndex(([other]) => other === value);
      const next = seen[(at + by + seen.length) % seen.length];
      own = true;
      choose(next[0]);
      next[1].focus();
    });
    buttons.set(id, b);
    element.append(b);
  }
  mark();
  return {
    element,
    get value() {
      return value;
    },
    offer(ids) {
      for (const [id, b] of buttons) b.hidden = !ids.includes(id);
      if (ids.length === 0 || (own && ids.includes(value))) return;
      value = ids[0];
      mark();
    },
  };
}
