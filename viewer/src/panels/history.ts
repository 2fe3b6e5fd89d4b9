/** The history of what is selected, as a plot with the page's cursor. */
import type { App, Mounted } from '../app';
import { el } from '../dom';
import type { Pack, Selected } from '../types';
import { STATUS, statusColour } from './colours';
import { safeName, save, toCsv } from './csv';
import { Fresh, sentence } from './fresh';
import { bodyQuantities, contactQuantities, titleOf, type Quantity } from './histories';
import { TimePlot } from './plot';

interface Answer {
  selected: Selected;
  title: string;
  quantities: Quantity[];
}

/** Names and mass come with the body; a record without them still has its numbers. */
async function facts(app: App, id: number): Promise<{ name: string; mass: number | null }> {
  try {
    const row = await app.source.body(id);
    return {
      name: typeof row.name === 'string' && row.name !== '' ? row.name : `body ${id}`,
      mass: typeof row.mass === 'number' ? row.mass : null,
    };
  } catch {
    return { name: `body ${id}`, mass: null };
  }
}

async function read(app: App, s: Selected): Promise<Answer> {
  const pack: Pack = await app.source.history(s);
  if (s.kind === 'body') {
    const { name, mass } = await facts(app, s.id);
    return { selected: s, title: name, quantities: bodyQuantities(app.about, pack, mass) };
  }
  const [a, b] = await Promise.all([facts(app, s.a), facts(app, s.b)]);
  return { selected: s, title: `${a.name} – ${b.name}`, quantities: contactQuantities(app.about, pack) };
}

export function mount(root: HTMLElement, app: App): Mounted {
  let answer: Answer | null = null;
  let window: [number, number] | null = null;
  /** The quantity last chosen, for bodies and for contacts. */
  const wish = { body: 'speed', contact: 'impulse' };

  const heading = el('h2', {}, 'History');
  const choice = el('select', { 'aria-label': 'Quantity' });
  const download = el('button', { type: 'button', title: 'Save what is shown as a CSV file' }, 'CSV');
  const band = el('span', { class: 'statuskey' });
  const note = el('p', { class: 'note', role: 'status' });
  const plot = new TimePlot(app, 'History of what is selected against time', (w) => {
    const [a, b] = whole();
    window = w && Math.min(w[1], b) > Math.max(w[0], a) ? [Math.max(w[0], a), Math.min(w[1], b)] : null;
    if (window && window[0] <= a && window[1] >= b) window = null;
    draw();
  });
  root.classList.add('panel', 'history');
  root.append(el('div', { class: 'panelhead' }, heading, choice, band, download), note, plot.element);

  const current = (): Quantity | undefined =>
    answer?.quantities.find((q) => q.id === choice.value) ?? answer?.quantities[0];

  const whole = (): [number, number] => {
    const x = current()?.data.lines[0]?.x;
    if (!x || x.length === 0) return [0, 1];
    return x[x.length - 1] > x[0] ? [x[0], x[x.length - 1]] : [x[0], x[0] + 1];
  };

  const key = (): void => {
    band.replaceChildren();
    if (answer?.selected.kind !== 'contact') return;
    STATUS.forEach((name, i) => {
      const patch = el('span', { class: 'patch' });
      patch.style.backgroundColor = statusColour(app.theme.value, i);
      band.append(patch, name);
    });
  };

  const draw = (): void => {
    const q = current();
    if (!answer || !q || q.data.lines[0].x.length === 0) {
      note.textContent = answer ? 'Nothing was recorded of it.' : '';
      note.hidden = !answer;
      plot.element.hidden = true;
      return;
    }
    note.hidden = true;
    plot.element.hidden = false;
    plot.show(q.data, window ?? whole(), window !== null);
  };

  const offer = (): void => {
    const kind = answer?.selected.kind ?? 'body';
    const list = answer?.quantities ?? [];
    choice.replaceChildren(...list.map((q) => el('option', { value: q.id }, q.label)));
    if (list.some((q) => q.id === wish[kind])) choice.value = wish[kind];
    choice.disabled = list.length === 0;
    download.disabled = list.length === 0;
  };

  const fresh = new Fresh<Answer>(
    (a) => {
      answer = a;
      heading.title = a.title;
      offer();
      key();
      draw();
    },
    (e) => {
      answer = null;
      note.textContent = sentence(e);
      note.hidden = false;
      plot.element.hidden = true;
    },
  );

  const load = (): void => {
    const s = app.selection.value;
    if (s) fresh.ask(() => read(app, s));
  };
  const select = (s: Selected | null): void => {
    root.hidden = s === null;
    answer = null;
    window = null;
    if (!s) return;
    heading.title = titleOf(s);
    note.textContent = 'Reading its history …';
    note.hidden = false;
    plot.element.hidden = true;
    load();
  };
  choice.addEventListener('change', () => {
    const kind = answer?.selected.kind ?? 'body';
    wish[kind] = choice.value;
    window = null;
    draw();
  });
  download.addEventListener('click', () => {
    const text = toCsv({ name: 't', unit: current()?.data.x.unit ?? '' }, plot.shown);
    if (text) save(`${safeName(`${app.about.name} ${answer?.title ?? ''} ${choice.value}`)}.csv`, text);
    else app.announce('All lines are switched off: there is nothing to save.');
  });
  const stop = [app.selection.on(select), app.live.on(load), app.theme.on(key)];
  select(app.selection.value);
  return {
    destroy() {
      for (const f of stop) f();
      fresh.stop();
      plot.destroy();
      root.replaceChildren();
    },
  };
}
