/** The controls at the side: colours, contacts, view. */
import { el } from '../dom';
import type { ContactChoice, ContactColour, Options } from '../options';
import { MAPS, type MapName } from '../palette';
import type { Choice } from '../stage/colouring';
import type { Stage } from '../stage/stage';
import type { Signal } from '../signal';

let serial = 0;

function row(label: string, control: HTMLElement): HTMLDivElement {
  const id = control.id || `control-${++serial}`;
  control.id = id;
  return el('div', { class: 'row' }, el('label', { for: id }, label), control);
}

function check(label: string, value: boolean, set: (on: boolean) => void, id?: string): { root: HTMLElement; box: HTMLInputElement } {
  const box = el('input', { type: 'checkbox', id });
  box.checked = value;
  box.addEventListener('change', () => set(box.checked));
  return { root: el('label', { class: 'check' }, box, label), box };
}

function select(options: [string, string][], value: string, set: (v: string) => void, id?: string): HTMLSelectElement {
  const s = el('select', { id });
  for (const [v, label] of options) s.append(el('option', { value: v }, label));
  s.value = value;
  s.addEventListener('change', () => set(s.value));
  return s;
}

function section(title: string, open: boolean, ...children: Node[]): HTMLDetailsElement {
  return el('details', open ? { open: true } : {}, el('summary', {}, title), ...children);
}

/** Colour by what, on which scale. */
export function colours(options: Options, list: Choice[], stage: Stage): HTMLElement {
  const by = select(
    list.map((c, i) => [c.by, i < 9 ? `${c.label}  (${i + 1})` : c.label]),
    options.colour.value.by,
    (v) => options.setColour({ by: v, low: null, high: null }),
    'colour-by',
  );
  const map = select(
    MAPS.map((m) => [m, m]),
    options.colour.value.map,
    (v) => options.setColour({ map: v as MapName }),
  );
  const bound = (which: 'low' | 'high', label: string): HTMLInputElement => {
    const input = el('input', { type: 'number', step: 'any', placeholder: 'automatic', 'aria-label': label });
    input.addEventListener('change', () => {
      const v = input.value.trim() === '' ? NaN : Number(input.value);
      options.setColour({ [which]: Number.isFinite(v) ? v : null });
    });
    return input;
  };
  const low = bound('low', 'Lowest value of the colour scale');
  const high = bound('high', 'Highest value of the colour scale');
  const log = check('Logarithmic', options.colour.value.log, (on) => options.setColour({ log: on }));
  const hold = el('button', { type: 'button' }, 'Hold this range');
  hold.addEventListener('click', () => {
    const s = stage.colouring.scale(options.colour.value);
    options.setColour({ low: s.low, high: s.high });
  });
  const free = el('button', { type: 'button' }, 'Automatic');
  free.addEventListener('click', () => {
    stage.colouring.reset(options.colour.value.by);
    options.setColour({ low: null, high: null });
  });
  const scale = el(
    'div',
    {},
    row('Palette', map),
    row('From', low),
    row('To', high),
    log.root,
    el('div', { class: 'row' }, hold, free),
  );
  const update = (): void => {
    const c = options.colour.value;
    by.value = c.by;
    map.value = c.map;
    log.box.checked = c.log;
    low.value = c.low === null ? '' : String(Number(c.low.toPrecision(6)));
    high.value = c.high === null ? '' : String(Number(c.high.toPrecision(6)));
    scale.hidden = list.find((x) => x.by === c.by)?.categories !== undefined;
  };
  options.colour.on(update);
  update();
  return section('Colour', true, row('Bodies by', by), scale);
}

/** What of the contacts is drawn. */
export function contacts(options: Options, recorded: boolean): HTMLElement {
  if (!recorded) {
    return section('Contacts', false, el('p', { class: 'muted' }, 'This run has no contacts recorded. Record them with tables = ["bodies", "contacts"].'));
  }
  const toggles: [keyof ContactChoice & ('points' | 'normals' | 'arrows' | 'chains'), string][] = [
    ['points', 'Points (c)'],
    ['normals', 'Normals (n)'],
    ['arrows', 'Impulses as arrows (i)'],
    ['chains', 'Force chains (k)'],
  ];
  const boxes = toggles.map(([key, label]) => ({
    key,
    ...check(label, options.contacts.value[key], (on) => options.setContacts({ [key]: on }), `contacts-${key}`),
  }));
  const colour = select(
    [
      ['status', 'Stick, slip, open'],
      ['usage', 'Use of the friction cone'],
      ['impulse', 'Normal impulse'],
    ],
    options.contacts.value.colour,
    (v) => options.setContacts({ colour: v as ContactColour }),
    'contacts-colour',
  );
  const scale = el('input', { type: 'range', min: -1.5, max: 1.5, step: 0.05, value: 0, 'aria-label': 'Size of arrows and chains' });
  scale.addEventListener('input', () => options.setContacts({ scale: 10 ** Number(scale.value) }));
  const above = check('Only above the mean', false, (on) => options.setContacts({ aboveMean: on }));
  options.contacts.on((c) => {
    for (const b of boxes) b.box.checked = c[b.key];
    colour.value = c.colour;
    above.box.checked = c.aboveMean;
  });
  return section('Contacts', true, ...boxes.map((b) => b.root), row('Colour', colour), row('Size', scale), above.root);
}

function bound(label: string, signal: Signal<boolean>): HTMLElement {
  const c = check(label, signal.value, (on) => (signal.value = on));
  signal.on((v) => (c.box.checked = v));
  return c.root;
}

export function view(options: Options, dimension: number): HTMLElement {
  return section(
    'View',
    false,
    bound('Smooth motion between recorded states', options.interpolate),
    bound('Faint bodies (b)', options.faint),
    ...(dimension === 3 ? [bound('See through what does not move (g)', options.glass)] : []),
    bound('Follow the selected body', options.follow),
  );
}
