/** Coordinates and velocities of a mechanism or a sweep against time. */
import { itemColour } from '../mechanism/paint';
import type { Sheet } from '../mechanism/sheet';
import type { About } from '../types';
import type { ChartData, Line } from './chart';
import { unitOf } from './units';

export type Motion = 'coordinates' | 'velocities';

export const MOTIONS: { id: Motion; label: string }[] = [
  { id: 'coordinates', label: 'Coordinates' },
  { id: 'velocities', label: 'Velocities' },
];

/** Lines that are on from the start; more are there to be switched on. */
const SHOWN = 8;

/** The names of velocities: those that portraits set against a coordinate, and rates by name. */
export function velocityNames(sheet: Sheet): Set<string> {
  const named = new Set(sheet.header.portraits.map((p) => p.y));
  for (const name of sheet.coordinates) {
    if (/(_dot|^d[A-Z]|^omega|spin)/.test(name)) named.add(name);
  }
  // A coordinate of a portrait is a coordinate, whatever it is called.
  for (const p of sheet.header.portraits) if (p.x !== p.y) named.delete(p.x);
  return named;
}

export function coordinatePlot(about: About, sheet: Sheet, motion: Motion): ChartData | null {
  const rates = velocityNames(sheet);
  const names = sheet.coordinates.filter((n) => rates.has(n) === (motion === 'velocities'));
  const units = new Map(sheet.header.portraits.flatMap((p) => [[p.x, p.x_unit], [p.y, p.y_unit]] as const));
  const lines: Line[] = [];
  for (const name of names) {
    const y = sheet.series(name);
    if (!y) continue;
    const i = lines.length;
    const dash = i >= 8 ? [5, 3] : undefined;
    lines.push({ name, unit: unitOf(about, units.get(name)), x: sheet.t, y, colour: i, dash, off: i >= SHOWN });
  }
  if (lines.length === 0) return null;
  if (motion === 'coordinates' && about.kind === 'sweep' && names.length === 1) lines.push(...interval(sheet));
  const data: ChartData = {
    x: { label: 'time', unit: unitOf(about, 'time') },
    y: { label: lines.length === 1 ? lines[0].name : motion, unit: common(lines) },
    lines,
  };
  const marks = touches(sheet);
  if (marks) data.marks = marks;
  return data;
}

/** The unit that all lines share, else none. */
function common(lines: Line[]): string {
  return lines.every((l) => l.unit === lines[0].unit) ? lines[0].unit : '';
}

/** The ends of the moving set, where it is an interval. */
function interval(sheet: Sheet): Line[] {
  const k = sheet.header.items.findIndex((item) => item.kind === 'set');
  if (k < 0) return [];
  const { low, high } = sheet.bounds(k);
  return [
    { name: 'set, lower end', unit: '', x: sheet.t, y: low, colour: 4, dash: [5, 3] },
    { name: 'set, upper end', unit: '', x: sheet.t, y: high, colour: 4, dash: [2, 3] },
  ];
}

/** The instants at which contacts begin to act, as marks along the time axis. */
function touches(sheet: Sheet): ChartData['marks'] | null {
  const list = sheet.contactItems.flatMap((k) => sheet.onsets(k).map((i) => ({ t: sheet.t[i], k })));
  if (list.length === 0) return null;
  list.sort((a, b) => a.t - b.t);
  return { x: list.map((m) => m.t), colour: (i, theme) => itemColour(theme, sheet.header.items[list[i].k].colour) };
}
