/** The plots of the run under the picture: energy, residual, penetration, contacts, … */
import type { App, Mounted } from '../app';
import { el } from '../dom';
import type { Pack } from '../types';
import { Fresh, sentence } from './fresh';
import { TimePlot } from './plot';
import { KINDS, plotOf, sumsBefore, type Kind } from './series';
import { makeTabs } from './tabs';

export function mount(root: HTMLElement, app: App): Mounted {
  let all: Pack | null = null;
  let part: Pack | null = null;
  let window: [number, number] | null = null;

  const note = el('p', { class: 'note', role: 'status' }, 'Reading the steps …');
  const tabs = makeTabs<Kind>('Plots of the run', KINDS, 'percuss-plot', () => draw());
  const plot = new TimePlot(app, 'Quantities of the run against time. Plus and minus zoom, 0 shows the whole run.', (w) => choose(w));
  const body = el('div', { id: 'percuss-plot', role: 'tabpanel', class: 'plotbody' }, note, plot.element);
  root.classList.add('panel', 'plots');
  root.append(tabs.element, body);

  /** The whole span of time: of the table, which may reach farther than the states. */
  const whole = (): [number, number] => {
    const t = all?.column('t');
    if (!t || t.length === 0) return [0, 1];
    const to = Math.max(t[t.length - 1], app.player.last);
    return to > t[0] ? [t[0], to] : [t[0], t[0] + 1];
  };

  const draw = (): void => {
    if (!all) return;
    const offered = KINDS.filter((k) => plotOf(k.id, app.about, all!) !== null).map((k) => k.id);
    if (offered.length === 0 || (all.column('t')?.length ?? 0) === 0) {
      note.textContent = 'No step has been recorded yet.';
      note.hidden = false;
      plot.element.hidden = true;
      return;
    }
    tabs.offer(offered);
    const zoomed = window !== null && part !== null;
    const data = zoomed
      ? plotOf(tabs.value, app.about, part!, sumsBefore(all, part!.column('t')?.[0] ?? window![0]))
      : plotOf(tabs.value, app.about, all);
    if (!data) return;
    note.hidden = true;
    plot.element.hidden = false;
    plot.show(data, zoomed ? window! : whole(), zoomed);
  };

  const failed = (e: unknown): void => {
    // What is already drawn stays; the page's head tells of a server that is gone.
    if (all) return;
    note.textContent = sentence(e);
    note.hidden = false;
    plot.element.hidden = true;
  };
  const wholeRun = new Fresh<Pack>((p) => {
    all = p;
    draw();
  }, failed);
  const finer = new Fresh<Pack>((p) => {
    part = p;
    draw();
  }, failed);

  const choose = (w: [number, number] | null): void => {
    const [a, b] = whole();
    if (w) {
      const from = Math.max(a, w[0]);
      const to = Math.min(b, w[1]);
      if (!(to > from)) return;
      window = from <= a && to >= b ? null : [from, to];
    } else window = null;
    part = null;
    if (window) {
      const asked = window;
      finer.ask(() => app.source.steps(asked));
    } else draw();
  };

  const load = (): void => {
    wholeRun.ask(() => app.source.steps());
    if (window) {
      const asked = window;
      finer.ask(() => app.source.steps(asked));
    }
  };
  load();
  const stop = [app.live.on(load)];
  return {
    destroy() {
      for (const f of stop) f();
      wholeRun.stop();
      finer.stop();
      plot.destroy();
      root.replaceChildren();
    },
  };
}
