/**
 * The plots of the run under the picture: energy, residual, penetration, contacts, …;
 * of mechanisms and sweeps also their coordinates and velocities.
 */
import type { App, Mounted } from '../app';
import { el } from '../dom';
import type { Pack } from '../types';
import { Sheet } from '../mechanism/sheet';
import { coordinatePlot, MOTIONS, type Motion } from './coordinates';
import { Fresh, sentence } from './fresh';
import type { ChartData } from './chart';
import { TimePlot } from './plot';
import { complete, KINDS, plotOf, sumsBefore, type Kind } from './series';
import { makeTabs } from './tabs';

type Tab = Kind | Motion;

export function mount(root: HTMLElement, app: App): Mounted {
  let all: Pack | null = null;
  let part: Pack | null = null;
  let sheet: Sheet | null = null;
  let window: [number, number] | null = null;
  let fault = '';

  const list: { id: Tab; label: string }[] = app.about.kind === 'bodies' ? KINDS : [...MOTIONS, ...KINDS];
  const note = el('p', { class: 'note', role: 'status' }, 'Reading the steps …');
  const tabs = makeTabs<Tab>('Plots of the run', list, 'percuss-plot', () => draw());
  const plot = new TimePlot(app, 'Quantities of the run against time. Plus and minus zoom, 0 shows the whole run.', (w) => choose(w));
  const body = el('div', { id: 'percuss-plot', role: 'tabpanel', class: 'plotbody' }, note, plot.element);
  root.classList.add('panel', 'plots');
  root.append(tabs.element, body);

  /** The whole span of time: of the table, which may reach farther than the states. */
  const whole = (): [number, number] => {
    const t = all?.column('t') ?? sheet?.t;
    if (!t || t.length === 0) return [0, 1];
    // The first row is the end of the first step; the first state may be the start.
    const from = app.player.frames.length > 0 ? Math.min(t[0], app.player.first) : t[0];
    const to = Math.max(t[t.length - 1], app.player.last);
    return to > from ? [from, to] : [from, from + 1];
  };

  const plotFor = (tab: Tab): ChartData | null => {
    if (tab === 'coordinates' || tab === 'velocities') return sheet ? coordinatePlot(app.about, sheet, tab) : null;
    if (!all || (all.column('t')?.length ?? 0) === 0) return null;
    if (window === null || part === null) return plotOf(tab, app.about, all);
    return plotOf(tab, app.about, part, sumsBefore(all, part.column('t')?.[0] ?? window[0]), complete(all));
  };

  const draw = (): void => {
    const offered = list.map((k) => k.id).filter((id) => plotFor(id) !== null);
    note.hidden = offered.length > 0;
    plot.element.hidden = offered.length === 0;
    tabs.element.hidden = offered.length === 0;
    if (offered.length === 0) {
      note.textContent = fault || 'No step has been recorded yet.';
      return;
    }
    tabs.offer(offered);
    const data = plotFor(tabs.value);
    if (data) plot.show(data, window ?? whole(), window !== null);
  };

  const failed = (e: unknown): void => {
    // What is already drawn stays; the page's head tells of a server that is gone.
    fault = sentence(e);
    if (!all) draw();
  };
  const wholeRun = new Fresh<Pack>((p) => {
    all = p;
    draw();
  }, failed);
  const finer = new Fresh<Pack>((p) => {
    part = p;
    draw();
  }, failed);
  const drawing = new Fresh<Pack | null>((p) => {
    sheet = p ? new Sheet(p) : null;
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
    // What there is at once, the finer table when it comes.
    draw();
    refine();
  };

  const refine = (): void => {
    const asked = window;
    if (asked && all) finer.ask(() => app.source.steps(asked));
  };
  const load = (): void => {
    wholeRun.ask(() => app.source.steps());
    refine();
    if (app.about.kind !== 'bodies') drawing.ask(() => app.source.drawing());
  };
  load();
  const stop = [app.live.on(load)];
  return {
    destroy() {
      for (const f of stop) f();
      wholeRun.stop();
      finer.stop();
      drawing.stop();
      plot.destroy();
      root.replaceChildren();
    },
  };
}
