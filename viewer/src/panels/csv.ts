/** Numbers as comma separated values, and the way to save them. */
import { el } from '../dom';
import type { Line } from './chart';

/** A field, quoted where it must be. */
function field(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function value(v: number): string {
  return Number.isFinite(v) ? String(v) : '';
}

/** Lines that share their x as a table; null without any. */
export function toCsv(x: { name: string; unit: string }, lines: Line[]): string | null {
  if (lines.length === 0) return null;
  const head = (name: string, unit: string): string => field(unit ? `${name} [${unit}]` : name);
  const rows = [[head(x.name, x.unit), ...lines.map((l) => head(l.name, l.unit))].join(',')];
  const times = lines[0].x;
  for (let i = 0; i < times.length; i++) rows.push([value(times[i]), ...lines.map((l) => value(l.y[i]))].join(','));
  return `${rows.join('\n')}\n`;
}

/** A file name of letters, digits and dashes only. */
export function safeName(text: string): string {
  return text.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'percuss';
}

/** Offers `text` to be saved as a file. */
export function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const a = el('a', { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  // Not at once: the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
