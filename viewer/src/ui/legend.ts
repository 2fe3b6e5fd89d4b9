/** Colour bar and keys over the corner of the picture. */
import type { App } from '../app';
import { clear, el } from '../dom';
import { number, quantity, unitOf } from '../format';
import type { Options } from '../options';
import { category, css, FIXED, ramp, statusColours, type MapName, type Rgb } from '../palette';
import { Scale, type Choice } from '../stage/colouring';
import type { Stage } from '../stage/stage';

const WIDTH = 220;

interface Bar {
  title: string;
  map: MapName;
  scale: Scale;
}

/** Fractions of the bar with a label: few enough not to touch. */
const LABELS = [0, 0.5, 1];

function paintBar(g: CanvasRenderingContext2D, bar: Bar, x: number, y: number, w: number, h: number): void {
  const table = ramp(bar.map, 220);
  for (let i = 0; i < 220; i++) {
    g.fillStyle = `rgb(${table[3 * i]} ${table[3 * i + 1]} ${table[3 * i + 2]})`;
    g.fillRect(x + (i * w) / 220, y, w / 220 + 1, h);
  }
}

function barCard(bar: Bar): HTMLElement {
  const canvas = el('canvas', { width: WIDTH, height: 12, 'aria-hidden': 'true' });
  const g = canvas.getContext('2d');
  if (g) paintBar(g, bar, 0, 0, WIDTH, 12);
  const labels = el('div', { class: 'ticks' });
  for (const u of LABELS) {
    const s = el('span', { class: u === 0 ? 'low' : u === 1 ? 'high' : '' }, number(bar.scale.inverse(u), 3));
    s.style.left = `${100 * u}%`;
    labels.append(s);
  }
  return el('div', { class: 'card scale' }, el('div', { class: 'what' }, bar.title), canvas, labels);
}

function keyCard(title: string, entries: { name: string; colour: Rgb }[]): HTMLElement {
  const keys = el('div', { class: 'keys' });
  for (const e of entries.slice(0, 9)) {
    const mark = el('i');
    mark.style.background = css(e.colour);
    keys.append(el('span', {}, mark, e.name));
  }
  if (entries.length > 9) keys.append(el('span', { class: 'muted' }, `and ${entries.length - 9} more`));
  return el('div', { class: 'card' }, el('div', { class: 'what' }, title), keys);
}

export class Legend {
  private signature = '';

  constructor(
    private root: HTMLElement,
    private app: App,
    private options: Options,
    private list: Choice[],
    private stage: Stage,
  ) {}

  private bodyBar(): Bar | null {
    const c = this.options.colour.value;
    const choice = this.list.find((x) => x.by === c.by);
    if (!choice || choice.categories) return null;
    const unit = choice.unit ? `, ${choice.unit}` : '';
    return { title: `${choice.label}${unit}${c.log ? ', logarithmic' : ''}`, map: c.map, scale: this.stage.colouring.scale(c) };
  }

  private contactBar(): Bar | null {
    const c = this.options.contacts.value;
    const map = this.options.colour.value.map;
    if (!this.options.contactsOn || c.colour === 'status') return null;
    if (c.colour === 'usage') return { title: 'Contacts: use of the friction cone', map, scale: new Scale(0, 1, false) };
    const unit = unitOf(this.app.about.units, 'force*time', 'N s');
    return { title: `Contacts: normal impulse, ${unit}`, map, scale: new Scale(0, this.stage.contacts.largest || 1, false) };
  }

  update(): void {
    const bars = [this.bodyBar(), this.contactBar()].filter((b) => b !== null);
    const choice = this.list.find((x) => x.by === this.options.colour.value.by);
    const status = this.options.contactsOn && this.options.contacts.value.colour === 'status';
    const late = this.lateness();
    const signature = JSON.stringify([bars, choice?.by, status, late, this.app.theme.value]);
    if (signature === this.signature) return;
    this.signature = signature;
    clear(this.root);
    if (choice?.categories) {
      const used = this.stage.bodies.categories(choice.by);
      const entries = choice.categories.map((name, k) => ({ name, colour: category(k) })).filter((_, k) => used.has(k));
      if (used.has(-1)) entries.push({ name: 'does not move', colour: FIXED[this.app.theme.value] });
      this.root.append(keyCard(choice.label, entries));
    }
    if (status) {
      const [open, stick, slip] = statusColours(this.app.theme.value);
      this.root.append(keyCard('Contacts', [stick, slip, open]));
    }
    for (const b of bars) this.root.append(barCard(b));
    if (late) this.root.append(el('div', { class: 'card' }, late));
  }

  /** Says when the contacts shown were recorded noticeably before the bodies shown. */
  private lateness(): string {
    const t = this.stage.contactTime();
    const p = this.app.player;
    if (Number.isNaN(t) || p.frames.length < 2) return '';
    if (p.frames[p.frame] - t < 1e-9 * Math.max(Math.abs(p.last), 1e-9)) return '';
    return `Contacts recorded at t = ${quantity(t, this.app.about.units?.time ?? 's')}`;
  }

  /** The bar of the bodies for a picture file. */
  forFile(ink: string): { draw(g: CanvasRenderingContext2D, x: number, y: number): void; width: number; height: number } | null {
    const bar = this.bodyBar() ?? this.contactBar();
    if (!bar) return null;
    return {
      width: WIDTH + 80,
      height: 44,
      draw(g, x, y) {
        g.font = '12px system-ui, sans-serif';
        g.textBaseline = 'top';
        g.fillStyle = ink;
        g.fillText(bar.title, x, y);
        paintBar(g, bar, x, y + 16, WIDTH, 10);
        g.fillStyle = ink;
        for (const u of LABELS) {
          g.textAlign = u === 0 ? 'left' : u === 1 ? 'right' : 'center';
          g.fillText(number(bar.scale.inverse(u), 3), x + u * WIDTH, y + 28);
        }
        g.textAlign = 'left';
      },
    };
  }
}
