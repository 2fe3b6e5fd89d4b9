/** The page of a run: puts the parts together and keeps them going. */
import type { App } from './app';
import { button, el } from './dom';
import { number, quantity } from './format';
import { help, listen, type Command } from './keys';
import { watch, type Link } from './live';
import { mount as mountMechanism, type MechanismView } from './mechanism/index';
import type { Options } from './options';
import { mount as mountCertificate } from './panels/certificate';
import { mount as mountFindings } from './panels/findings';
import { mount as mountHistory } from './panels/history';
import { mount as mountPlots } from './panels/plots';
import { mount as mountPortrait } from './panels/portrait';
import { compose, fileName, save } from './shot';
import { choices, type Choice } from './stage/colouring';
import { Stage } from './stage/stage';
import { faster, fitting, mount as mountTimeline } from './timeline';
import { findContact } from './trace';
import { SourceError, type Pack } from './types';
import { colours, contacts, view } from './ui/controls';
import { build, folded, slot, tool, type Layout } from './ui/layout';
import { Legend } from './ui/legend';
import { mount as mountSelected } from './ui/selected';

interface Scene {
  stage: Stage;
  legend: Legend;
  list: Choice[];
}

/** Builds everything; the answer comes when the first picture can be drawn. */
export async function openPage(
  root: HTMLElement,
  app: App,
  options: Options,
  status: { tell: (text: string) => void },
  ready: (stage: Stage | null) => void,
): Promise<void> {
  const layout = build(root);
  status.tell = (text) => (layout.status.textContent = text);
  layout.title.textContent = app.about.title || app.about.name;
  layout.title.title = layout.title.textContent;
  chip(layout, app, app.about.state === 'running' ? 'running' : 'still');
  const frames = await begun(app, layout);
  app.live.value = app.about.revision;
  app.player.setFrames((frames.column('t') as Float64Array | undefined) ?? new Float64Array(0));
  app.player.setSpeed(fitting(app.about.time.until ?? app.player.last - app.player.first));

  let scene: Scene | null = null;
  let drawing: MechanismView | null = null;
  if (app.about.kind === 'bodies') scene = await openScene(layout, app, options, frames);
  else drawing = mechanism(layout, app);
  ready(scene?.stage ?? null);
  findings(layout, app);
  const held = (): Iterable<number> => scene?.stage.store.keys() ?? [];
  mountTimeline(layout.timeline, app, held);
  mountPlots(layout.plots, app);
  mountCertificate(layout.badge, app);
  commands(layout, app, options, scene, drawing);
  const follow = app.about.state === 'running';
  if (follow) app.player.toEnd();
  watch(
    app,
    (grown) => {
      app.player.setFrames((grown.column('t') as Float64Array | undefined) ?? app.player.frames);
      scene?.stage.grown(grown);
    },
    (link) => chip(layout, app, link),
  );
  loop(layout, app, scene);
}

/** What the run does now, in the bar and as a notice when the server is gone. */
function chip(layout: Layout, app: App, link: Link): void {
  const t = quantity(app.about.time.to, app.about.units?.time ?? 's');
  const words = {
    running: `running, t = ${t}`,
    ended: 'ended',
    interrupted: `interrupted at t = ${t}`,
    failed: `failed at t = ${t}`,
  };
  const before = layout.chip.dataset.state;
  layout.chip.dataset.state = link === 'gone' ? 'gone' : app.about.state;
  layout.chip.textContent = link === 'gone' ? 'server gone' : (words[app.about.state] ?? app.about.state);
  layout.notice.hidden = link !== 'gone';
  layout.notice.textContent =
    link === 'gone'
      ? 'The server does not answer any more. What was read can still be seen; start "percuss view" again for the rest.'
      : '';
  if (before === 'running' && layout.chip.dataset.state !== 'running') {
    app.announce(link === 'gone' ? layout.notice.textContent : `The run ${layout.chip.textContent}.`);
  }
}

async function openScene(layout: Layout, app: App, options: Options, frames: Pack): Promise<Scene | null> {
  const shapes = await app.source.shapes();
  const count = shapes.column('kind')?.length ?? 0;
  if (count === 0 || app.player.frames.length === 0) {
    layout.stage.append(
      el('div', { class: 'empty' }, 'No states of bodies are recorded in this run. Record them: tables = ["bodies"] in [record].'),
    );
    return null;
  }
  const canvas = el('canvas', { class: 'scene', role: 'img', 'aria-label': `Picture of ${app.about.title || app.about.name}` });
  layout.stage.append(canvas, layout.views, layout.legend, layout.busy);
  let stage: Stage;
  try {
    stage = new Stage(layout.stage, canvas, app, options, shapes, frames);
  } catch {
    throw new SourceError('This browser has no WebGL 2, which the picture needs. Switch on hardware acceleration, or use another browser.');
  }
  const recorded = app.about.contact_frames > 0;
  const list = choices(app.about, recorded);
  if (list.length > 0 && !list.some((c) => c.by === options.colour.value.by)) options.setColour({ by: list[0].by });
  const legend = new Legend(layout.legend, app, options, list, stage);
  const where = slot(layout.side, 'selection', 'Selected');
  const numbers = mountSelected(where, app, stage, options);
  const history = el('div', { id: 'history' });
  where.after(history);
  mountHistory(history, app);
  layout.side.append(colours(options, list, stage), contacts(options, recorded), view(options, app.about.dimension));
  stage.onShown = () => {
    legend.update();
    if (app.selection.value) numbers.update();
  };
  stage.onFailure = (e) => {
    layout.notice.hidden = false;
    layout.notice.textContent = e instanceof Error ? e.message : String(e);
  };
  for (const s of [options.colour, options.contacts, app.theme]) s.on(() => legend.update());
  // Chains, and in space all of contacts, are seen best over pale bodies; who switches that
  // off again is left alone.
  let before = false;
  options.contacts.on((c) => {
    const pale = c.chains || (app.about.dimension === 3 && options.contactsOn);
    if (pale !== before) options.faint.value = pale;
    before = pale;
  });
  canvas.addEventListener('webglcontextlost', () => app.announce('The graphics were lost; they come back by themselves.'));
  click(canvas, app, stage);
  views(layout, app, stage);
  app.player.seekFrame(app.player.frame);
  return { stage, legend, list };
}

/** The times of the record; a run that has only begun is waited for. */
async function begun(app: App, layout: Layout): Promise<Pack> {
  const waiting = el('div', { class: 'empty', role: 'status' }, 'The run has only begun. Waiting for its first records …');
  for (;;) {
    const frames = await app.source.frames().catch((e: unknown) => {
      if (app.about.state !== 'running' || !(e instanceof SourceError) || e.gone) throw e;
      return null;
    });
    const some = (frames?.column('t')?.length ?? 0) > 0;
    if (frames && (some || app.about.state !== 'running')) {
      waiting.remove();
      return frames;
    }
    layout.stage.append(waiting);
    await new Promise((done) => window.setTimeout(done, 1000));
    Object.assign(app.about, await app.source.about());
    chip(layout, app, app.about.state === 'running' ? 'running' : 'still');
  }
}

/** A press that does not move is a click: it selects. */
function click(canvas: HTMLCanvasElement, app: App, stage: Stage): void {
  let down: [number, number] | null = null;
  canvas.addEventListener('pointerdown', (e) => (down = e.button === 0 ? [e.clientX, e.clientY] : null));
  canvas.addEventListener('pointerup', (e) => {
    if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return;
    const box = canvas.getBoundingClientRect();
    const hit = stage.pick(e.clientX - box.left, e.clientY - box.top);
    if (!hit) app.selection.value = null;
    else if ('body' in hit) app.selection.value = { kind: 'body', id: hit.body };
    else {
      const pack = stage.contactPack();
      const get = (k: string): number => pack?.column(k)?.[hit.contact] ?? 0;
      const s = { a: get('a'), b: get('b'), feature: get('feature') };
      if (pack && findContact(pack, s) >= 0) app.selection.value = { kind: 'contact', ...s };
    }
  });
}

function views(layout: Layout, app: App, stage: Stage): void {
  const add = (label: string, text: string, run: () => void): void => layout.views.append(button(label, text, run));
  add('Fit all (f)', 'Fit', () => stage.fit());
  add('Closer (+)', '+', () => stage.view.zoom(1.25));
  add('Farther (−)', '−', () => stage.view.zoom(0.8));
  if (app.about.dimension !== 3) return;
  for (const axis of ['x', 'y', 'z'] as const) add(`Look along ${axis}`, axis, () => stage.view.look(axis, stage.box()));
  add('View from above one side', '3D', () => stage.view.look('free', stage.box()));
}

function mechanism(layout: Layout, app: App): MechanismView {
  const inner = el('div', { class: 'drawing', id: 'drawing' });
  layout.stage.append(inner);
  const view = mountMechanism(inner, app);
  mountPortrait(slot(layout.side, 'portrait'), app);
  return view;
}

function findings(layout: Layout, app: App): void {
  mountFindings(slot(layout.side, 'findings'), app);
  const facts = el('dl', { class: 'facts' });
  const fact = (k: string, v: string): void => void facts.append(el('dt', {}, k), el('dd', {}, v));
  fact('Run', app.about.name);
  if (app.about.directory) fact('Directory', app.about.directory);
  if (app.about.kind === 'bodies') fact('Bodies', String(app.about.bodies));
  fact('Recorded states', String(app.player.frames.length));
  if (app.about.time.step !== null) fact('Time step', quantity(app.about.time.step, app.about.units?.time ?? 's'));
  for (const [k, v] of Object.entries(app.about.parameters ?? {})) {
    fact(k, typeof v === 'number' ? number(v) : typeof v === 'string' ? v : JSON.stringify(v));
  }
  if (app.about.source) fact('Source', app.about.source);
  fact('percuss', app.about.version);
  const notes = [...(app.about.notes ?? []), ...thinned(app)];
  if (app.about.reason) notes.unshift(app.about.reason);
  folded(
    layout.side,
    'About this run',
    false,
    el('p', { class: 'about-text' }, app.about.about ?? ''),
    ...notes.map((n) => el('p', { class: 'muted' }, n)),
    facts,
  );
}

/** What an exported file leaves out, in a sentence. */
function thinned(app: App): string[] {
  const t = app.about.thinned;
  if (!t) return [];
  const count = (k: string): string => String(t[k] ?? '?');
  const contacts = t.contacts === false ? 'no contacts' : `contacts of ${count('contact_frames')} of ${count('contacts_of')} steps`;
  return [`This file holds ${count('frames')} of ${count('of')} recorded states and ${contacts}; the rest was left out to keep it small.`];
}

function commands(layout: Layout, app: App, options: Options, scene: Scene | null, drawing: MechanismView | null): void {
  const p = app.player;
  const theme = (): void => {
    app.theme.value = app.theme.value === 'dark' ? 'light' : 'dark';
  };
  const hide = (e: HTMLElement, pressed: HTMLButtonElement): void => {
    e.hidden = !e.hidden;
    pressed.setAttribute('aria-pressed', String(!e.hidden));
    layout.work.classList.toggle('wide', Boolean(layout.side.hidden));
  };
  const shot = async (): Promise<void> => {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--ink').trim();
    const canvas = scene ? scene.stage.snapshot() : layout.stage.querySelector('canvas');
    if (!canvas) return;
    const picture = compose(canvas, canvas.width / Math.max(canvas.clientWidth, 1), {
      title: app.about.title || app.about.name,
      time: `t = ${quantity(p.time, app.about.units?.time ?? 's')}`,
      background: style.getPropertyValue('--stage').trim(),
      ink,
      bar: scene?.legend.forFile(ink) ?? null,
    });
    await save(picture, fileName(app.about.name, p.time));
    app.announce('The picture was saved.');
  };
  const toggle = (k: 'points' | 'arrows' | 'chains' | 'normals'): void =>
    options.setContacts({ [k]: !options.contacts.value[k] });
  const list: Command[] = [
    { keys: [' '], shown: 'space', what: 'play, pause', run: () => p.toggle() },
    { keys: ['ArrowLeft'], shown: '←', what: 'one recorded state back (with shift: ten)', run: (e) => p.step(e.shiftKey ? -10 : -1) },
    { keys: ['ArrowRight'], shown: '→', what: 'one recorded state on (with shift: ten)', run: (e) => p.step(e.shiftKey ? 10 : 1) },
    { keys: ['Home'], shown: 'Home', what: 'to the start', run: () => p.seekFrame(0) },
    { keys: ['End'], shown: 'End', what: 'to the end; a running run is followed', run: () => p.toEnd() },
    { keys: ['ArrowUp', ']'], shown: '↑', what: 'faster', run: () => p.setSpeed(faster(p.speed, 1)) },
    { keys: ['ArrowDown', '['], shown: '↓', what: 'slower', run: () => p.setSpeed(faster(p.speed, -1)) },
    { keys: ['r'], shown: 'r', what: 'repeat', run: () => p.setLoop(!p.loop) },
  ];
  if (scene) {
    const { stage } = scene;
    list.push(
      { keys: ['f'], shown: 'f', what: 'fit all into the picture', run: () => stage.fit() },
      { keys: ['+', '='], shown: '+', what: 'closer', run: () => stage.view.zoom(1.25) },
      { keys: ['-'], shown: '−', what: 'farther', run: () => stage.view.zoom(0.8) },
      { keys: ['c'], shown: 'c', what: 'contact points', run: () => toggle('points') },
      { keys: ['n'], shown: 'n', what: 'normals', run: () => toggle('normals') },
      { keys: ['i'], shown: 'i', what: 'impulses as arrows', run: () => toggle('arrows') },
      { keys: ['k'], shown: 'k', what: 'force chains', run: () => toggle('chains') },
      { keys: ['b'], shown: 'b', what: 'faint bodies', run: () => (options.faint.value = !options.faint.value) },
      { keys: ['g'], shown: 'g', what: 'see through what does not move', run: () => (options.glass.value = !options.glass.value) },
      {
        keys: [...'123456789'],
        shown: '1 … 9',
        what: 'colour by the first to ninth of the list',
        run: (e) => {
          const c = scene.list[Number(e.key) - 1];
          if (!c) return;
          options.setColour({ by: c.by, low: null, high: null });
          app.announce(`Coloured by ${c.label}`);
        },
      },
    );
  }
  if (drawing) {
    list.push(
      { keys: ['f'], shown: 'f', what: 'fit all into the picture', run: () => drawing.fit() },
      { keys: ['+', '='], shown: '+', what: 'closer', run: () => drawing.zoom(1.25) },
      { keys: ['-'], shown: '−', what: 'farther', run: () => drawing.zoom(0.8) },
    );
  }
  list.push(
    { keys: ['l'], shown: 'l', what: 'light or dark', run: theme },
    { keys: ['s'], shown: 's', what: 'save the picture', run: () => void shot() },
    { keys: ['Escape'], shown: 'Esc', what: 'deselect', run: () => (app.selection.value = null) },
  );
  const open = (): void => (dialog.open ? dialog.close() : dialog.showModal());
  list.push({ keys: ['h', '?'], shown: 'h', what: 'these keys', run: open });
  const dialog = help(list, el('p', { class: 'muted' }, 'Drag to move or turn, wheel or two fingers to zoom, click to select.'));
  document.body.append(dialog);
  const side = tool('side', 'Controls at the side', () => hide(layout.side, side));
  const plots = tool('plots', 'Plots', () => hide(layout.plots, plots));
  for (const b of [side, plots]) b.setAttribute('aria-pressed', 'true');
  layout.tools.append(
    tool('shot', 'Save the picture (s)', () => void shot()),
    plots,
    side,
    tool('theme', 'Light or dark (l)', theme),
    tool('help', 'Keys (h)', open),
  );
  listen(list);
}

/** One turn per picture of the screen; nothing is drawn when nothing changed. */
function loop(layout: Layout, app: App, scene: Scene | null): void {
  let last = performance.now();
  let waited = 0;
  const turn = (now: number): void => {
    // A page that was away does not jump; a slow picture does not skip.
    const wall = Math.min((now - last) / 1000, 0.25);
    last = now;
    if (app.player.playing && (!scene || scene.stage.ready())) app.player.advance(wall);
    scene?.stage.tick();
    // Said only when it takes long enough to be noticed.
    waited = scene?.stage.waiting ? waited + wall : 0;
    layout.busy.hidden = waited < 0.3;
    requestAnimationFrame(turn);
  };
  requestAnimationFrame(turn);
}
