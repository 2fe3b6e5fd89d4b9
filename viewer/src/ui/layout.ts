/** The frame of the page: bar, stage, timeline, plots, side. */
import { button, el, icon } from '../dom';

export interface Layout {
  title: HTMLHeadingElement;
  chip: HTMLElement;
  badge: HTMLElement;
  tools: HTMLElement;
  notice: HTMLElement;
  work: HTMLElement;
  stage: HTMLElement;
  legend: HTMLElement;
  views: HTMLElement;
  busy: HTMLElement;
  timeline: HTMLElement;
  plots: HTMLElement;
  side: HTMLElement;
  status: HTMLElement;
}

export function build(root: HTMLElement): Layout {
  const l: Layout = {
    title: el('h1'),
    chip: el('span', { class: 'chip', id: 'state' }),
    badge: el('div', { id: 'badge' }),
    tools: el('div', { class: 'tools', role: 'group', 'aria-label': 'Page' }),
    notice: el('div', { class: 'notice', role: 'alert' }),
    work: el('main', { class: 'work' }),
    stage: el('div', { class: 'stage', id: 'stage' }),
    legend: el('div', { class: 'over legend', id: 'legend' }),
    views: el('div', { class: 'over views', role: 'group', 'aria-label': 'Views' }),
    busy: el('div', { class: 'card busy', role: 'status' }, 'Reading …'),
    timeline: el('div', { class: 'timeline', role: 'group', 'aria-label': 'Time' }),
    plots: el('section', { class: 'plots', id: 'plots', 'aria-label': 'Plots' }),
    side: el('aside', { class: 'side', 'aria-label': 'Controls and numbers' }),
    status: el('div', { class: 'status', role: 'status', 'aria-live': 'polite' }),
  };
  l.notice.hidden = true;
  l.busy.hidden = true;
  const left = el('div', { class: 'left' }, l.stage, l.timeline, l.plots);
  l.work.append(left, l.side);
  root.replaceChildren(
    el('header', { class: 'bar' }, l.title, l.chip, el('span', { class: 'gap' }), l.badge, l.tools),
    l.notice,
    l.work,
    l.status,
  );
  return l;
}

/** A section of the side; the answer is where its content goes. */
export function slot(side: HTMLElement, id: string, title?: string): HTMLElement {
  const content = el('div', { id });
  const s = el('section', {}, ...(title ? [el('h2', {}, title)] : []), content);
  side.append(s);
  return content;
}

export function folded(side: HTMLElement, title: string, open: boolean, ...children: Node[]): HTMLDetailsElement {
  const d = el('details', open ? { open: true } : {}, el('summary', {}, title), ...children);
  side.append(d);
  return d;
}

const SUN = ['M12 4V2', 'M12 22v-2', 'M4 12H2', 'M22 12h-2', 'M5.6 5.6L4.2 4.2', 'M19.8 19.8l-1.4-1.4', 'M5.6 18.4l-1.4 1.4', 'M19.8 4.2l-1.4 1.4', 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z'];
const CAMERA = ['M4 8h3l2-3h6l2 3h3v11H4z', 'M12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z'];
const PANEL = ['M4 5h16v14H4z', 'M15 5v14'];
const PLOTS = ['M4 4v16h16', 'M7 15l4-5 4 3 5-7'];
const HELP = ['M9 9a3 3 0 1 1 4.6 2.5c-1 .7-1.6 1.2-1.6 2.5', 'M12 17.5v.2'];

export function tool(kind: 'theme' | 'shot' | 'side' | 'plots' | 'help', label: string, run: () => void): HTMLButtonElement {
  const paths = { theme: SUN, shot: CAMERA, side: PANEL, plots: PLOTS, help: HELP }[kind];
  const b = button(label, icon(...paths), run);
  b.classList.add('plain');
  b.id = `tool-${kind}`;
  return b;
}
