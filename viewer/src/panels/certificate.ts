/** The certificate as a badge: whether it is met, and its worst figures, each a click from its step. */
import type { App, Mounted } from '../app';
import { el } from '../dom';
import { number, quantity } from '../format';
import type { Certificate } from '../types';
import { unitOf } from './units';

interface Figure {
  key: string;
  label: string;
  unit: string;
  meaning: string;
}

const FIGURES: Figure[] = [
  { key: 'residual', label: 'residual', unit: '', meaning: 'residual of the contact problem' },
  { key: 'penetration', label: 'penetration', unit: 'length', meaning: 'overlap of a contact' },
  { key: 'momentum', label: 'momentum', unit: '', meaning: 'momentum balance left over' },
  { key: 'energy', label: 'energy', unit: '', meaning: 'energy balance left over' },
];

/** Steps that missed, in words; what a run under way says is said so far. */
export function verdict(c: Certificate | null, running: boolean): { text: string; kind: 'met' | 'missed' | 'none' } {
  if (!c || !(c.steps > 0)) return { text: running ? 'no step yet' : 'no certificate', kind: 'none' };
  const far = running ? ' so far' : '';
  if (c.missed > 0) {
    return { text: `${c.missed} of ${c.steps} steps missed${far}`, kind: 'missed' };
  }
  if ((c as { ok?: unknown }).ok === false) return { text: `certificate not met${far}`, kind: 'missed' };
  return { text: `certificate met${far}`, kind: 'met' };
}

export function mount(root: HTMLElement, app: App): Mounted {
  root.classList.add('panel', 'certificate');

  const goTo = (f: Figure, value: number, at: { step: number; t: number }): void => {
    app.player.pause();
    app.player.seek(at.t);
    const unit = unitOf(app.about, 'time');
    app.announce(`Worst ${f.label}: ${number(value, 3)} in step ${at.step}, t = ${quantity(at.t, unit)}.`);
  };

  const figure = (c: Certificate, f: Figure): HTMLElement | null => {
    const value = (c as unknown as Record<string, unknown>)[`worst_${f.key}`];
    if (typeof value !== 'number') return null;
    const text = quantity(value, unitOf(app.about, f.unit), 3);
    const at = c.worst?.[f.key];
    const label = el('span', { class: 'label' }, f.label);
    if (!at || !Number.isFinite(at.t)) return el('div', { class: 'figure', title: `largest ${f.meaning}` }, label, el('b', {}, text));
    const title = `largest ${f.meaning}: go to step ${at.step}`;
    const b = el('button', { type: 'button', class: 'figure', title, 'data-figure': f.key }, label, el('b', {}, text));
    b.addEventListener('click', () => goTo(f, value, at));
    return b;
  };

  /** The badge; where the bar is narrow it opens the figures below it. */
  let open = false;
  const draw = (): void => {
    const c = app.about.certificate;
    const v = verdict(c, app.about.state === 'running');
    const figures = c ? FIGURES.map((f) => figure(c, f)).filter((e) => e !== null) : [];
    const steps = c && c.steps > 0 ? `${c.steps} steps` : '';
    const badge = el('button', { type: 'button', class: `badge ${v.kind}`, 'data-verdict': v.kind, title: steps || undefined }, v.text);
    const focus = root.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    const kept = focus ? (focus.dataset.figure ?? 'badge') : null;
    root.replaceChildren(badge);
    badge.disabled = figures.length === 0;
    if (figures.length > 0) {
      root.append(el('div', { class: 'figures', role: 'group', 'aria-label': 'Worst figures of the run' }, ...figures));
    }
    const mark = (): void => {
      root.classList.toggle('open', open);
      badge.setAttribute('aria-expanded', String(open));
    };
    badge.addEventListener('click', () => {
      open = !open;
      mark();
    });
    mark();
    if (kept === 'badge') badge.focus();
    else if (kept) root.querySelector<HTMLElement>(`[data-figure="${kept}"]`)?.focus();
  };
  const close = (e: Event): void => {
    if (!open || (e instanceof KeyboardEvent && e.key !== 'Escape')) return;
    if (e instanceof PointerEvent && root.contains(e.target as Node)) return;
    open = false;
    draw();
  };
  document.addEventListener('pointerdown', close);
  document.addEventListener('keydown', close);
  draw();
  const stop = app.live.on(draw);
  return {
    destroy() {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
      stop();
      root.replaceChildren();
    },
  };
}
