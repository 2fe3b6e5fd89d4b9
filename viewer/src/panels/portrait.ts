/** The phase portrait: one recorded coordinate or velocity against another, with a moving point. */
import type { App, Mounted } from '../app';
import { el } from '../dom';
import { Sheet } from '../mechanism/sheet';
import { quantity } from '../format';
import { Fresh } from './fresh';
import { PathChart } from './path';
import { unitOf } from './units';

export function mount(root: HTMLElement, app: App): Mounted {
  root.classList.add('panel', 'portrait');
  root.hidden = true;
  if (app.about.kind === 'bodies') return { destroy() {} };

  let sheet: Sheet | null = null;
  const across = el('select', { 'aria-label': 'Quantity across' });
  const upward = el('select', { 'aria-label': 'Quantity upward' });
  const reading = el('span', { class: 'muted' });
  const chart = new PathChart('Phase portrait. A click goes to the instant of the nearest point.', (t) => {
    app.player.pause();
    app.player.seek(t);
  });
  root.append(
    el('h2', {}, 'Phase portrait'),
    el('div', { class: 'axes' }, el('label', {}, 'x ', across), el('label', {}, 'y ', upward), reading),
    chart.element,
  );

  const unit = (name: string): string => {
    if (name === 't') return unitOf(app.about, 'time');
    const p = sheet?.header.portraits.find((q) => q.x === name || q.y === name);
    return unitOf(app.about, p ? (p.x === name ? p.x_unit : p.y_unit) : '');
  };

  const marks = (): number[] => {
    if (!sheet) return [];
    const all = sheet.contactItems.flatMap((k) => sheet!.onsets(k));
    return [...new Set(all)].sort((a, b) => a - b);
  };

  const draw = (): void => {
    const x = sheet?.series(across.value);
    const y = sheet?.series(upward.value);
    if (!sheet || !x || !y) return;
    chart.set({
      t: sheet.t,
      x,
      y,
      marks: marks(),
      xTitle: { label: across.value, unit: unit(across.value) },
      yTitle: { label: upward.value, unit: unit(upward.value) },
    });
    moved();
  };

  const moved = (): void => {
    if (!sheet) return;
    const place = sheet.place(app.player.time);
    const [x, y] = chart.move(place);
    reading.textContent = `${quantity(x, unit(across.value))}, ${quantity(y, unit(upward.value))}`;
  };

  const offer = (names: string[]): void => {
    const keep = [across.value, upward.value];
    for (const list of [across, upward]) list.replaceChildren(...names.map((n) => el('option', { value: n }, n)));
    const first = sheet?.header.portraits[0];
    const otherwise = first ? [first.x, first.y] : [names[1] ?? names[0], names[2] ?? names[1] ?? names[0]];
    across.value = names.includes(keep[0]) ? keep[0] : otherwise[0];
    upward.value = names.includes(keep[1]) ? keep[1] : otherwise[1];
  };

  const fresh = new Fresh(
    (next: Sheet | null) => {
      sheet = next;
      const names = next ? ['t', ...next.coordinates] : [];
      root.hidden = names.length < 2 || (next?.t.length ?? 0) < 2;
      if (root.hidden) return;
      if (across.options.length !== names.length) offer(names);
      draw();
    },
    () => {
      // The drawing's own place tells why there is none.
      if (!sheet) root.hidden = true;
    },
  );
  const load = (): void =>
    fresh.ask(async () => {
      const pack = await app.source.drawing();
      return pack ? new Sheet(pack) : null;
    });
  across.addEventListener('change', draw);
  upward.addEventListener('change', draw);
  chart.setTheme(app.theme.value);
  load();
  const stop = [app.player.on(moved), app.live.on(load), app.theme.on((t) => chart.setTheme(t))];
  return {
    destroy() {
      for (const f of stop) f();
      fresh.stop();
      chart.destroy();
      root.replaceChildren();
    },
  };
}
