/** Names and numbers of what is selected. */
import type { App, Mounted } from '../app';
import { clear, el } from '../dom';
import { number, quantity, unitOf } from '../format';
import type { Options } from '../options';
import type { Stage } from '../stage/stage';
import { findContact, tangential } from '../trace';
import type { Pack, Selected } from '../types';
import { KINDS } from '../stage/pieces';

const MOTIONS = ['free', 'partly held', 'moved as given', 'does not move'];
const STATES = ['open', 'sticks', 'slips'];

type Facts = [string, string][];

export function mount(root: HTMLElement, app: App, stage: Stage, options: Options): Mounted & { update(): void } {
  let known: { key: string; facts: Record<string, unknown> } = { key: '', facts: {} };
  const u = app.about.units ?? {};
  const length = u.length ?? 'm';
  const time = u.time ?? 's';

  const vector = (pack: Pack, names: string[], i: number, add: number[] = []): string => {
    const parts = names.map((k, a) => {
      const c = pack.column(k);
      return c ? number(c[i] + (add[a] ?? 0), 4) : null;
    });
    return parts.filter((p) => p !== null).join(', ') || '–';
  };

  const bodyFacts = (id: number): Facts => {
    const pack = stage.shownPack();
    const shapes = stage.bodies.shapes;
    const f = known.facts;
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
  };

  const contactFacts = (s: Extract<Selected, { kind: 'contact' }>): Facts => {
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
  };

  // Built once and changed in place: a button that is replaced while it is pressed does nothing.
  const hint = el('p', { class: 'muted' }, 'Click a body or a contact for its numbers and its history.');
  const title = el('h3', { class: 'name' });
  const list = el('dl', { class: 'facts' });
  const off = el('button', { type: 'button' }, 'Deselect (Esc)');
  off.addEventListener('click', () => (app.selection.value = null));
  const follow = el('button', { type: 'button', 'aria-pressed': 'false' }, 'Follow');
  follow.addEventListener('click', () => (options.follow.value = !options.follow.value));
  const buttons = el('div', { class: 'row' }, follow, off);
  root.append(hint, title, list, buttons);

  const write = (facts: Facts): void => {
    if (list.children.length !== 2 * facts.length) {
      clear(list);
      for (let i = 0; i < facts.length; i++) list.append(el('dt'), el('dd'));
    }
    facts.flat().forEach((text, i) => {
      const e = list.children[i];
      if (e.textContent !== text) e.textContent = text;
    });
  };

  const update = (): void => {
    const s = app.selection.value;
    hint.hidden = s !== null;
    for (const e of [title, list, buttons]) e.hidden = s === null;
    follow.hidden = s?.kind !== 'body';
    follow.setAttribute('aria-pressed', String(options.follow.value));
    if (!s) return;
    const named = stage.bodies.shapes.header.names as string[] | undefined;
    title.textContent = s.kind === 'contact' ? 'Contact' : String(known.facts.name ?? named?.[s.id] ?? `Body ${s.id}`);
    write(s.kind === 'body' ? bodyFacts(s.id) : contactFacts(s));
  };

  const chosen = (s: Selected | null): void => {
    const key = JSON.stringify(s);
    known = { key, facts: {} };
    update();
    if (s?.kind !== 'body') return;
    app.source.body(s.id).then(
      (facts) => {
        // Only if it is still the one that is selected.
        if (known.key !== key) return;
        known.facts = facts;
        update();
        app.announce(`Selected ${String(facts.name ?? `body ${s.id}`)}`);
      },
      () => {},
    );
  };
  const leave = [app.selection.on(chosen), options.follow.on(update)];
  update();
  return { destroy: () => leave.forEach((f) => f()), update };
}
