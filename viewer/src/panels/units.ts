/** Units: the record names dimensions ("length/time"), the scene says in what ("m", "s"). */
import type { About } from '../types';

/** What SI has where the scene says nothing of its own. */
const SI: Record<string, string> = {
  length: 'm',
  time: 's',
  mass: 'kg',
  energy: 'J',
  force: 'N',
  angle: 'rad',
};

/** Words of a unit replaced by what they are in this run; '' for plain numbers. */
export function unitOf(about: About, unit: string | null | undefined): string {
  if (!unit || unit === '1') return '';
  const own = about.units ?? {};
  // Derived units of SI only go with the base units of SI.
  const foreign = ['length', 'time', 'mass'].some((k) => own[k] !== undefined && own[k] !== SI[k]);
  const text = unit.replace(/[a-z]+/g, (word) => {
    if (own[word] !== undefined) return own[word];
    if (!foreign || word === 'angle') return SI[word] ?? word;
    const [l, t, m] = [own.length ?? 'm', own.time ?? 's', own.mass ?? 'kg'];
    if (word === 'energy') return `${m}·${l}²/${t}²`;
    if (word === 'force') return `${m}·${l}/${t}²`;
    return SI[word] ?? word;
  });
  return text.replaceAll('*', '·');
}

/** The unit of a column of a pack, as its header says it. */
export function columnUnit(about: About, header: unknown, name: string): string {
  const list = (header as { columns?: { name: string; unit?: string }[] }).columns ?? [];
  return unitOf(about, list.find((c) => c.name === name)?.unit);
}
