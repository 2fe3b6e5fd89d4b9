/** Names and numbers of a body or a contact, as pairs of words and values. */
import type { App } from '../app';
import { number, quantity, unitOf } from '../format';
import { KINDS } from '../stage/pieces';
import type { Stage } from '../stage/stage';
import { findContact, tangential } from '../trace';
import type { Pack, Selected } from '../types';

const MOTIONS = ['free', 'partly held', 'moved as given', 'does not move'];
const STATES = ['open', 'sticks', 'slips'];

export type Facts = [string, string][];

function vector(pack: Pack, names: string[], i: number, add: number[] = []): string {
  const parts = names.map((k, a) => {
    const c = pack.column(k);
    return c ? number(c[i] + (add[a] ?? 0), 4) : null;
  });
  return parts.filter((p) => p !== null).join(', ') || '–';
}

/** `known` is what the source said of the body by name. */
export function bodyFacts(app: App, stage: Stage, id: number, known: Record<string, unknown>): Facts {
  const u = app.about.units ?? {};
  const length = u.length ?? 'm';
  const time = u.time ?? 's';
  const pack = stage.shownPack();
  const shapes = stage.bodies.shapes;
  const f = known;
  const out: Facts = [['Number', String(id)]];
  const text = (k: string): string | undefined => (typeof f[k] === 'string' ? (f[k] as string) : undefined);
  const kind = KINDS[shapes.column('kind')?.[id] ?? -1];
  if (kind) out.push(['Shape', kind.replace('_', '-')]);
  const radius = shapes.column('radius')?.[id];
  if (radius && radius > 0) out.push(['Radius', quantity(radius, length)]);
  const material = text('material') ?? app.about.materials[shapes.column('material')?.[id] ?? -1];
  if (material) out.push(['Material', material]);
  const groups = Array.isArray(f.groups) ? f.groups.filter((g) => typeof g === 'string').join(', ') : text('groups');
  if (groups) out.push(['Groups', groups]);
  out.push(['Motion', MOTIONS[shapes.column('motion')?.[id] ?? 0] ?? '–']);
  const mass = shapes.column('mass')?.[id];
  if (mass !== undefined && Number.isFinite(mass) && mass > 0) out.push(['Mass', quantity(mass, u.mass ?? 'kg')]);
  if (!pack) return out;
  out.push([`Position, ${length}`, vector(pack, ['x', 'y', 'z'], id, app.about.origin)]);
  if (pack.column('angle')) out.push(['Angle, rad', vector(pack, ['angle'], id)]);
  out.push([`Velocity, ${length}/${time}`, vector(pack, ['vx', 'vy', 'vz'], id)]);
  out.push([`Spin, rad/${time}`, vector(pack, pack.column('spin') ? ['spin'] : ['spin_x', 'spin_y', 'spin_z'], id)]);
  const contacts = pack.column('contacts')?.[id];
  if (contacts !== undefined) out.push(['Contacts with force', String(contacts)]);
  for (const c of app.about.columns ?? []) {
    const v = pack.column(c.name)?.[id];
    if (v !== undefined && c.name !== 'contacts') out.push([c.name, quantity(v, unitOf(u, c.unit))]);
  }
  return out;
}

export function contactFacts(app: App, stage: Stage, s: Extract<Selected, { kind: 'contact' }>): Facts {
  const u = app.about.units ?? {};
  const length = u.length ?? 'm';
  const time = u.time ?? 's';
  const name = (k: number): string => (stage.bodies.shapes.header.names as string[] | undefined)?.[k] ?? `body ${k}`;
  const out: Facts = [
    ['Between', `${name(s.a)} and ${name(s.b)}`],
    ['Point of the pair', String(s.feature)],
  ];
  const pack = stage.contactPack();
  const i = pack ? findContact(pack, s) : -1;
  if (!pack || i < 0) {
    out.push(['Now', 'not in contact']);
    return out;
  }
  const get = (k: string): number => pack.column(k)?.[i] ?? NaN;
  const impulse = unitOf(u, 'force*time', 'N s');
  out.push(
    ['Status', STATES[get('status')] ?? '–'],
    ['Gap', quantity(get('gap'), length)],
    ['Normal impulse', quantity(get('sn'), impulse)],
    ['Tangential impulse', quantity(tangential(pack, i), impulse)],
    ['Use of the cone', Number.isNaN(get('usage')) ? '–' : `${number(100 * get('usage'), 3)} %`],
    ['Sliding speed', quantity(get('ut'), `${length}/${time}`)],
    [`Place, ${length}`, vector(pack, ['x', 'y', 'z'], i, app.about.origin)],
    ['Normal', vector(pack, ['nx', 'ny', 'nz'], i)],
  );
  return out;
}
