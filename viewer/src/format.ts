/** Numbers as people read them. */

/** `digits` significant figures, plain between 1e-3 and 1e5, else with an exponent. */
export function number(v: number | null | undefined, digits = 4): string {
  if (v === null || v === undefined || Number.isNaN(v)) return '–';
  if (!Number.isFinite(v)) return v > 0 ? '∞' : '−∞';
  if (v === 0) return '0';
  const a = Math.abs(v);
  let s: string;
  if (a >= 1e-3 && a < 1e5) {
    s = v.toPrecision(digits);
    if (s.includes('e')) s = String(Math.round(v));
    if (s.includes('.')) s = s.replace(/\.?0+$/, '');
  } else {
    const [m, e] = v.toExponential(digits - 1).split('e');
    s = `${m.includes('.') ? m.replace(/\.?0+$/, '') : m}e${Number(e)}`;
  }
  return s.replaceAll('-', '−');
}

/** A number and its unit, a thin space between. */
export function quantity(v: number | null | undefined, unit = '', digits = 4): string {
  const s = number(v, digits);
  return unit && s !== '–' ? `${s}\u2009${unit}` : s;
}

/** Round steps for about `count` ticks within [low, high]. */
export function ticks(low: number, high: number, count = 5): number[] {
  if (!(high > low) || !Number.isFinite(high - low)) return [low];
  const raw = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const m = raw / power;
  const step = power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
  const out: number[] = [];
  // + 0: no tick is −0. The bound: where low/step is beyond 2^53, k + 1 is k.
  for (let k = Math.ceil(low / step - 1e-9) + 0; k * step <= high + 1e-9 * step && out.length < 1000; k++) out.push(k * step);
  return out.length > 0 ? out : [low];
}

/** The unit of a dimension ("length/time") in a run; what is no dimension is a unit already. */
export function unitOf(units: Record<string, string> | undefined, dimension: string | undefined, fallback = ''): string {
  if (dimension === undefined) return fallback;
  return units?.[dimension] ?? (fallback || dimension);
}
