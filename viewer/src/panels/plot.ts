/** A plot with its legend: names, colours and values, each line can be switched off. */
import type { App } from '../app';
import { el } from '../dom';
import { number, quantity } from '../format';
import { Chart, type ChartData, type Line } from './chart';
import { lineColour } from './colours';
import { nearest } from './scale';

/** The value of a line at the sample nearest in time. */
function valueAt(line: Line, t: number): number {
  const i = nearest(line.x, t);
  if (i < 0) return NaN;
  return line.y[i];
}

interface Entry {
  line: Line;
  value: HTMLElement;
  swatch: HTMLElement;
  button: HTMLButtonElement;
}

export class TimePlot {
  readonly element: HTMLElement;
  private legend = el('div', { class: 'legend' });
  private readout = el('span', { class: 'readout', 'aria-live': 'off' });
  private back: HTMLButtonElement;
  private chart: Chart;
  private entries: Entry[] = [];
  private data: ChartData | null = null;
  private span: [number, number] = [0, 1];
  private hovered: number | null = null;
  /** What the user switched on or off, by name; kept while data come and go. */
  private chosen = new Map<string, boolean>();
  private stop: (() => void)[] = [];

  constructor(
    private app: App,
    label: string,
    onWindow: (w: [number, number] | null) => void,
  ) {
    this.chart = new Chart(label, {
      seek: (t) => {
        app.player.pause();
        app.player.seek(t);
      },
      window: onWindow,
      hover: (t) => {
        this.hovered = t;
        this.values();
      },
    });
    this.back = el('button', { type: 'button', class: 'whole', title: 'Show the whole time again (double click)' }, 'whole run');
    this.back.hidden = true;
    this.back.addEventListener('click', () => onWindow(null));
    this.element = el(
      'div',
      { class: 'timeplot' },
      el('div', { class: 'legendrow' }, this.legend, this.back, this.readout),
      this.chart.element,
    );
    const theme = (): void => {
      this.chart.setTheme(app.theme.value);
      this.paint();
    };
    theme();
    this.chart.setTime(app.player.time);
    this.stop = [
      app.theme.on(theme),
      app.player.on(() => {
        this.chart.setTime(app.player.time);
        if (this.hovered === null) this.values();
      }),
    ];
  }

  /** The lines that are switched on, as they are drawn. */
  get shown(): Line[] {
    return (this.data?.lines ?? []).filter((l) => !l.hidden);
  }

  show(data: ChartData, span: [number, number], zoomed: boolean): void {
    this.data = data;
    this.span = span;
    for (const l of data.lines) l.hidden = !(this.chosen.get(l.name) ?? !l.off);
    this.back.hidden = !zoomed;
    this.build();
    this.chart.set(data, span);
  }

  private build(): void {
    const lines = this.data?.lines ?? [];
    const same = this.entries.length === lines.length && this.entries.every((e, i) => e.line.name === lines[i].name);
    if (same) {
      // The same legend with new numbers: the focus stays where it is.
      this.entries.forEach((e, i) => (e.line = lines[i]));
    } else {
      this.entries = lines.map((line) => this.entry(line));
      this.legend.replaceChildren(...this.entries.map((e) => e.button));
    }
    this.paint();
    this.values();
  }

  private entry(line: Line): Entry {
    const swatch = el('span', { class: 'swatch' });
    const value = el('span', { class: 'value' });
    const title = line.meaning ? `${line.meaning} (click: show or hide)` : 'show or hide';
    const button = el('button', { type: 'button', title }, swatch, el('span', {}, line.name), value);
    const entry: Entry = { line, value, swatch, button };
    button.addEventListener('click', () => {
      this.chosen.set(entry.line.name, entry.line.hidden === true);
      if (this.data) this.show(this.data, this.span, !this.back.hidden);
    });
    return entry;
  }

  private paint(): void {
    for (const e of this.entries) {
      e.swatch.style.borderTopColor = lineColour(this.app.theme.value, e.line.colour);
      e.swatch.style.borderTopStyle = e.line.dash ? 'dashed' : 'solid';
      e.button.setAttribute('aria-pressed', String(!e.line.hidden));
    }
  }

  private values(): void {
    const t = this.hovered ?? this.app.player.time;
    for (const e of this.entries) e.value.textContent = quantity(valueAt(e.line, t), e.line.unit);
    this.readout.textContent = `t = ${number(t, 5)}${this.data?.x.unit ? `\u2009${this.data.x.unit}` : ''}`;
    this.readout.classList.toggle('hovering', this.hovered !== null);
  }

  destroy(): void {
    for (const f of this.stop) f();
    this.chart.destroy();
    this.element.remove();
  }
}
