/** Draws what a mechanism or a sweep declares (`drawing`) into the whole of `root`. */
import type { App, Mounted } from '../app';
import { button, el } from '../dom';
import { Fresh, sentence } from '../panels/fresh';
import { fit as sharpen } from '../panels/frame';
import type { Pack } from '../types';
import { handle } from './hands';
import { Lens } from './lens';
import { itemColour, paint } from './paint';
import { Sheet } from './sheet';

/** What the page may ask of the drawing. */
export interface MechanismView extends Mounted {
  /** Shows all of it. */
  fit(): void;
  /** Makes it larger by a factor, about the middle. */
  zoom(by: number): void;
}

const MARGIN = { left: 50, right: 24, top: 28, bottom: 40 };

export function mount(root: HTMLElement, app: App): MechanismView {
  let sheet: Sheet | null = null;
  let lens = new Lens(2);
  let fitted = false;
  let request = 0;

  const canvas = el('canvas', { class: 'drawing', tabindex: 0, role: 'img', 'aria-label': `Drawing of ${app.about.title}` });
  const note = el('p', { class: 'empty', role: 'status' }, 'Reading the drawing …');
  const events = el('div', { class: 'events' });
  const views = el('div', { class: 'views' });
  const box = el('div', { class: 'mechanism' }, canvas, events, views, note);
  root.append(box);

  const later = (): void => {
    if (request) return;
    request = requestAnimationFrame(() => {
      request = 0;
      draw();
    });
  };

  const fit = (): void => {
    if (!sheet) return;
    lens.fit(sheet.header.box ?? { min: [-1, -1, -1], max: [1, 1, 1] }, MARGIN);
    fitted = true;
    later();
  };

  const draw = (): void => {
    const size = { width: box.clientWidth, height: box.clientHeight };
    if (!sheet || size.width < 20 || size.height < 20) return;
    const changed = size.width !== lens.size.width || size.height !== lens.size.height;
    lens.size = size;
    // What was fitted stays so; what the user chose stays where it is.
    if (!fitted || (changed && lens.untouched)) {
      fit();
      lens.untouched = true;
    }
    const g = sharpen(canvas, size.width, size.height);
    if (!g) return;
    const place = sheet.place(app.player.time);
    paint(g, sheet, lens, place, app.theme.value);
    light(place.frame, place.part > 0);
  };

  /** One chip for each thing with contacts; it lights up while they act. */
  let chips: { k: number; chip: HTMLElement; dot: HTMLElement }[] = [];
  const makeChips = (): void => {
    chips = (sheet?.contactItems ?? []).map((k) => {
      const item = sheet!.header.items[k];
      const dot = el('i', {});
      const chip = el('span', { class: 'event' }, dot, (item.contacts ?? []).join(', ') || item.name);
      return { k, chip, dot };
    });
    events.replaceChildren(...chips.map((c) => c.chip));
    colourChips();
  };
  const colourChips = (): void => {
    for (const c of chips) {
      const colour = itemColour(app.theme.value, sheet!.header.items[c.k].colour);
      c.dot.style.backgroundColor = colour;
    }
  };
  const light = (frame: number, between: boolean): void => {
    for (const c of chips) {
      const on = sheet!.touched(c.k, frame) || (between && sheet!.touched(c.k, frame + 1));
      c.chip.classList.toggle('now', on);
    }
  };

  const fresh = new Fresh<Pack | null>(
    (pack) => {
      const next = pack ? new Sheet(pack) : null;
      if (!next || next.header.items.length === 0 || next.header.frames === 0) {
        note.textContent = next && next.header.frames > 0
          ? 'This scene declares no drawing. Its coordinates are in the plots below and in the phase portrait.'
          : 'No state has been recorded yet.';
        note.hidden = false;
        return;
      }
      note.hidden = true;
      if (!sheet || sheet.dimension !== next.dimension) {
        lens = new Lens(next.dimension);
        fitted = false;
      }
      sheet = next;
      makeChips();
      makeViews();
      later();
    },
    (e) => {
      if (sheet) return;
      note.textContent = sentence(e);
      note.hidden = false;
    },
  );

  const look = (azimuth: number, elevation: number) => (): void => {
    lens.azimuth = azimuth;
    lens.elevation = elevation;
    fit();
  };
  const makeViews = (): void => {
    const list = [button('Fit all in view', 'fit', () => fit())];
    if (lens.dimension === 3) {
      list.push(button('Seen from the front', 'front', look(0, 0)));
      list.push(button('Seen from the side', 'side', look(Math.PI / 2, 0)));
      list.push(button('Seen from above', 'top', look(0, Math.PI / 2 - 1e-3)));
      list.push(button('Seen obliquely', 'oblique', look(-0.5, 0.5)));
    }
    if (views.children.length !== list.length) views.replaceChildren(...list);
  };

  const hands = handle(canvas, {
    lens: () => lens,
    changed: () => {
      lens.untouched = false;
      later();
    },
    fit: () => {
      fit();
      lens.untouched = true;
    },
  });
  const observer = new ResizeObserver(later);
  observer.observe(box);
  const load = (): void => fresh.ask(() => app.source.drawing());
  load();
  const stop = [
    app.player.on(later),
    app.live.on(load),
    app.theme.on(() => {
      colourChips();
      later();
    }),
  ];
  return {
    fit() {
      fit();
      lens.untouched = true;
    },
    zoom(by) {
      lens.zoom(by, lens.size.width / 2, lens.size.height / 2);
      lens.untouched = false;
      later();
    },
    destroy() {
      for (const f of stop) f();
      if (request) cancelAnimationFrame(request);
      observer.disconnect();
      hands.detach();
      fresh.stop();
      box.remove();
    },
  };
}
