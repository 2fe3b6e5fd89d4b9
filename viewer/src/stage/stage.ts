/**
 * The picture of a run of bodies. What is drawn follows from the player's time, the
 * options and the frames that are here; nothing is drawn when nothing changed.
 */
import { Box3, Vector3 } from 'three';
import type { App } from '../app';
import type { Options } from '../options';
import { lastNotAfter } from '../player';
import { ahead, FrameStore } from '../store';
import type { Pack } from '../types';
import { Bodies } from './bodies';
import { PlaneView, SpaceView, type View } from './camera';
import { CellFrame } from './cell';
import { Colouring } from './colouring';
import { Contacts } from './contacts';
import { Shared } from './gpu';
import { Painter, upOf } from './painter';
import { Picker } from './pick';
import { interpolate } from './pose';
import type { Stats } from './stats';

/** Bytes of recorded states kept: bodies, contacts. */
const [BODIES_BOUND, CONTACTS_BOUND] = [192e6, 96e6];

export class Stage {
  readonly view: View;
  readonly store: FrameStore;
  readonly contactStore: FrameStore;
  readonly colouring: Colouring;
  readonly contacts: Contacts;
  readonly bodies: Bodies;
  /** Told when what is shown changed, for legends and numbers. */
  onShown: () => void = () => {};
  /** Told of frames that could not be had. */
  onFailure: (e: unknown) => void = () => {};
  private shared: Shared;
  private painter: Painter;
  private picker: Picker;
  private cell: CellFrame;
  private contactTimes: Float64Array;
  private shown = { frame: -1, alpha: -1, contact: -1 };
  private dirty = { pose: true, colour: true, contacts: true, picture: true };
  private times: number[] = [];
  private pictures = 0;
  private first = 0;
  private fitted = false;
  private followed: [number, number, number] | null = null;
  private off: (() => void)[] = [];

  constructor(
    private root: HTMLElement,
    readonly canvas: HTMLCanvasElement,
    private app: App,
    private options: Options,
    shapes: Pack,
    frames: Pack,
  ) {
    const about = app.about;
    const space = about.dimension === 3;
    this.contactTimes = (frames.column('contact_t') as Float64Array | undefined) ?? new Float64Array(0);
    const count = shapes.column('kind')?.length ?? 0;
    this.shared = new Shared(count);
    this.bodies = new Bodies(shapes, this.shared, about.dimension);
    this.contacts = new Contacts(this.shared, space);
    this.cell = new CellFrame(this.shared, about);
    this.colouring = new Colouring(about, shapes, count);
    this.painter = new Painter(canvas, this.shared, this.bodies, this.contacts, this.cell, space);
    this.view = space ? new SpaceView(canvas, upOf(about.gravity, 3)) : new PlaneView(canvas);
    this.shared.uniforms.orthographic.value = this.view.orthographic ? 1 : 0;
    this.view.onChange = () => this.redraw();
    this.picker = new Picker(this.painter.renderer, this.painter.scene, this.view, this.painter.layers);
    this.store = new FrameStore((i) => app.source.bodies(i), BODIES_BOUND);
    this.contactStore = new FrameStore((i) => app.source.contacts(i), CONTACTS_BOUND);
    this.store.onChange = (i, e) => this.arrived(i, e);
    this.contactStore.onChange = (_, e) => {
      if (e) this.onFailure(e);
      this.dirty.contacts = true;
    };
    this.listen();
    this.resize();
    this.theme();
  }

  private listen(): void {
    const { options: o, app } = this;
    const colour = (): boolean => (this.dirty.colour = true);
    const contacts = (): void => {
      this.dirty.contacts = true;
      this.request();
    };
    this.off.push(
      o.colour.on(() => {
        colour();
        contacts();
        this.survey();
      }),
      o.contacts.on(contacts),
      o.interpolate.on(() => (this.dirty.pose = true)),
      o.follow.on(() => (this.followed = null)),
      ...[o.faint, o.glass].map((s) => s.on(() => this.redraw())),
      app.selection.on(() => {
        this.followed = null;
        this.dirty.contacts = true;
        this.redraw();
      }),
      app.theme.on(() => {
        this.theme();
        colour();
        contacts();
      }),
      app.player.on(() => this.request()),
    );
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.root);
    this.off.push(() => observer.disconnect());
  }

  /** The next tick draws anew. */
  redraw(): void {
    this.dirty.picture = true;
  }

  private arrived(i: number, e?: unknown): void {
    if (e) this.onFailure(e);
    const pack = i === 0 ? this.store.get(0) : undefined;
    if (pack) {
      this.colouring.setStart(pack);
      this.dirty.colour = true;
    }
    this.dirty.pose = true;
  }

  /** Tells the stage that the record grew. */
  grown(frames: Pack): void {
    this.contactTimes = (frames.column('contact_t') as Float64Array | undefined) ?? this.contactTimes;
    this.colouring.update(this.app.about);
    this.store.retry();
    this.contactStore.retry();
    this.request();
  }

  private theme(): void {
    this.painter.theme();
    this.redraw();
  }

  resize(): void {
    const w = Math.max(this.root.clientWidth, 1);
    const h = Math.max(this.root.clientHeight, 1);
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.painter.resize(w, h, ratio);
    this.view.resize(w, h, ratio);
    this.redraw();
  }

  /** Asks for the frames the player needs now and soon. */
  private request(): void {
    const p = this.app.player;
    if (p.frames.length === 0) return;
    const spacing = p.frames.length > 1 ? (p.last - p.first) / (p.frames.length - 1) : 1;
    const stride = p.playing && spacing > 0 ? p.speed / 60 / spacing : 1;
    const list = ahead(p.frame, p.frames.length, stride, this.store.room());
    if (this.options.colour.value.by === 'displacement' && !this.store.has(0)) list.splice(1, 0, 0);
    this.store.want(list);
    if (!this.options.contactsOn && this.app.selection.value?.kind !== 'contact') return;
    const k = this.contactIndex();
    if (k >= 0) this.contactStore.want(ahead(k, this.contactTimes.length, stride, this.contactStore.room()), 1);
  }

  private contactIndex(): number {
    const t = this.app.player.time;
    if (this.contactTimes.length === 0 || t < this.contactTimes[0]) return -1;
    return lastNotAfter(this.contactTimes, t);
  }

  /** Looks at some states spread over the run, so that the range of colours is that of the run. */
  private surveyed = new Set<string>();
  private survey(): void {
    const by = this.options.colour.value.by;
    const n = this.app.player.frames.length;
    if (this.surveyed.has(by) || by === 'material' || by === 'group' || n < 2) return;
    this.surveyed.add(by);
    const wanted = [...new Set([0.1, 0.3, 0.5, 0.75, 1].map((s) => Math.round(s * (n - 1))))];
    const get = async (i: number): Promise<Pack | null> =>
      this.store.get(i) ?? (await this.app.source.bodies(i).catch(() => null));
    const next = async (): Promise<void> => {
      const start = by === 'displacement' ? await get(0) : null;
      if (start) this.colouring.setStart(start);
      for (const i of wanted) {
        const pack = await get(i);
        if (pack) this.colouring.look(by, pack);
      }
      this.dirty.colour = true;
    };
    void next();
  }

  /** True if the frames for the player's time are here (or can not be had). */
  ready(): boolean {
    const { frame, frames } = this.app.player;
    const here = (i: number): boolean => i >= frames.length || this.store.has(i) || this.store.failure(i) !== undefined;
    return here(frame) && here(frame + 1);
  }

  /** True while the picture is older than the player's time. */
  get waiting(): boolean {
    const { player } = this.app;
    return player.frames.length > 0 && this.shown.frame !== player.frame && this.store.failure(player.frame) === undefined;
  }

  /** Once per picture of the screen. */
  tick(): void {
    this.pose();
    if (this.dirty.colour) this.colour();
    if (this.dirty.contacts) this.showContacts();
    if (this.dirty.picture) this.render();
  }

  private pose(): void {
    const p = this.app.player;
    const a = this.store.get(p.frame);
    if (!a) return;
    let b: Pack | null = null;
    let alpha = 0;
    if (this.options.interpolate.value && p.time > p.frames[p.frame] && p.frame + 1 < p.frames.length) {
      b = this.store.get(p.frame + 1) ?? null;
      const [t0, t1] = [p.frames[p.frame], p.frames[p.frame + 1]];
      if (b && t1 > t0) alpha = (p.time - t0) / (t1 - t0);
    }
    const same = this.shown.frame === p.frame && this.shown.alpha === alpha;
    if (same && !this.dirty.pose) return;
    this.dirty.pose = false;
    if (same && this.pictures > 0) return;
    interpolate(this.shared.pose, a, b, alpha);
    this.cell.update(a, b, alpha);
    this.shared.posed();
    if (this.shown.frame !== p.frame) this.dirty.colour = true;
    this.shown.frame = p.frame;
    this.shown.alpha = alpha;
    if (!this.fitted) this.begin();
    this.follow();
    if (this.options.contactsOn || this.app.selection.value?.kind === 'contact') this.dirty.contacts = true;
    this.redraw();
    this.onShown();
  }

  private begin(): void {
    this.fitted = true;
    this.options.glass.value = this.app.about.dimension === 3 && this.bodies.enclosed(this.box());
    this.view.look('free', this.box(true));
  }

  /**
   * The box to fit: what moves now; also walls, and with `whole` where things end, unless that
   * would make what moves small.
   */
  box(whole = false): Box3 {
    const size = (b: Box3): number => b.getSize(new Vector3()).length();
    let box = this.bodies.box(new Box3(), 'moving');
    const all = this.bodies.box(new Box3(), 'all');
    if (box.isEmpty() || size(all) < 3 * size(box)) box = all;
    this.cell.include(box);
    if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    const known = this.app.about.box;
    if (whole && known) {
      const v = (a: number[]): Vector3 => new Vector3(a[0] ?? 0, a[1] ?? 0, a[2] ?? 0);
      const both = box.clone().union(new Box3(v(known.min), v(known.max)));
      if (size(both) < 3 * size(box)) return both;
    }
    return box;
  }

  fit(): void {
    this.view.fit(this.box());
  }

  private follow(): void {
    const s = this.app.selection.value;
    if (!this.options.follow.value || s?.kind !== 'body') return;
    const now = this.shared.centre(s.id);
    const before = this.followed;
    this.followed = now;
    if (before) this.view.shift(new Vector3(now[0] - before[0], now[1] - before[1], now[2] - before[2]));
  }

  private colour(): void {
    const pack = this.store.get(this.shown.frame);
    if (!pack) return;
    this.dirty.colour = false;
    this.survey();
    this.colouring.paint(this.shared.tint, pack, this.options.colour.value, this.app.theme.value);
    this.shared.tinted();
    this.redraw();
    this.onShown();
  }

  /** The contacts shown now, if they are here. */
  contactPack(): Pack | undefined {
    const k = this.contactIndex();
    return k >= 0 ? this.contactStore.get(k) : undefined;
  }

  /** Time of the contacts shown, NaN if there are none. */
  contactTime(): number {
    return this.shown.contact >= 0 ? this.contactTimes[this.shown.contact] : NaN;
  }

  private showContacts(): void {
    const chosen = this.app.selection.value?.kind === 'contact';
    if (!this.options.contactsOn && !chosen) {
      this.contacts.clear();
      this.dirty.contacts = false;
      this.shown.contact = -1;
      this.redraw();
      return;
    }
    const k = this.contactIndex();
    const pack = this.contactPack();
    if (k >= 0 && !pack) return;
    this.dirty.contacts = false;
    this.shown.contact = k;
    if (!pack) this.contacts.clear();
    else {
      const frame = lastNotAfter(this.app.player.frames, this.contactTimes[k]);
      const then = this.store.get(frame) ?? null;
      this.contacts.theme = this.app.theme.value;
      this.contacts.show({ pack, then, reach: this.bodies.reach, typical: this.bodies.typical }, this.options);
    }
    this.redraw();
    this.onShown();
  }

  private render(): void {
    if (this.shown.frame < 0) return;
    this.dirty.picture = false;
    const begin = performance.now();
    this.draw();
    this.times.push(performance.now() - begin);
    if (this.times.length > 120) this.times.shift();
    this.pictures++;
    if (this.first === 0) this.first = performance.now();
  }

  private draw(): void {
    const { frame, alpha } = this.shown;
    this.painter.draw(this.app, this.options, this.view, this.contactPack(), `${frame} ${alpha}`);
  }

  /** What is at a place of the canvas (CSS pixels from its corner). */
  pick(x: number, y: number): { body: number } | { contact: number } | null {
    if (this.shown.frame < 0) return null;
    const id = this.picker.at(x, y);
    this.redraw();
    if (id < 0) return null;
    return id < this.shared.bodies ? { body: id } : { contact: id - this.shared.bodies };
  }

  /** The recorded state that is shown. */
  shownPack(): Pack | undefined {
    return this.store.get(this.shown.frame);
  }

  /** The picture as it is, for a file. */
  snapshot(): HTMLCanvasElement {
    this.draw();
    return this.canvas;
  }

  stats(): Stats {
    const layers = [...this.bodies.layers, ...this.contacts.layers];
    const p = this.app.player;
    const { frame, alpha } = this.shown;
    const dt = frame >= 0 && frame + 1 < p.frames.length ? p.frames[frame + 1] - p.frames[frame] : 0;
    return {
      bodies: this.shared.bodies,
      instances: layers.reduce((s, l) => s + l.instances, 0),
      triangles: this.painter.renderer.info.render.triangles,
      calls: this.painter.renderer.info.render.calls,
      spheresDrawn: this.bodies.round?.drawn() ?? 0,
      software: this.painter.soft,
      frameTimes: [...this.times],
      pictures: this.pictures,
      firstPicture: this.first,
      shownFrame: frame,
      shownTime: frame >= 0 ? p.frames[frame] + Math.max(alpha, 0) * dt : NaN,
      contactFrame: this.shown.contact,
      contacts: this.contactPack()?.column('a')?.length ?? 0,
      memory: this.store.memory + this.contactStore.memory,
      pose: (body) => Array.from(this.shared.pose.subarray(8 * body, 8 * body + 8)),
    };
  }

  destroy(): void {
    for (const f of this.off) f();
    this.view.destroy();
    this.bodies.dispose();
    this.shared.dispose();
    this.painter.renderer.dispose();
  }
}
