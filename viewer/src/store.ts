/**
 * Recorded states in memory: fetched ahead, dropped when they are too many.
 *
 * What is drawn is a function of the player's time and of what is here, never of
 * which answer came last; so an old answer can not overtake a newer wish.
 */
import { weight } from './pack';
import type { Pack } from './types';

/** At most this many requests at once: more only delay the one that is waited for. */
const AT_ONCE = 4;

interface Held {
  pack: Pack;
  bytes: number;
}

export class FrameStore {
  private held = new Map<number, Held>();
  private going = new Set<number>();
  private failed = new Map<number, unknown>();
  private queue: number[] = [];
  private bytes = 0;
  private needed = new Set<number>();
  /** Told about every frame that came or failed. */
  onChange: (frame: number, failure?: unknown) => void = () => {};

  constructor(
    private load: (i: number) => Promise<Pack>,
    private bound: number,
  ) {}

  /** The frame if it is here; it then counts as used just now. */
  get(i: number): Pack | undefined {
    const h = this.held.get(i);
    if (!h) return undefined;
    this.held.delete(i);
    this.held.set(i, h);
    return h.pack;
  }

  has(i: number): boolean {
    return this.held.has(i);
  }

  get memory(): number {
    return this.bytes;
  }

  /** Frames held, for the timeline. */
  keys(): IterableIterator<number> {
    return this.held.keys();
  }

  failure(i: number): unknown {
    return this.failed.get(i);
  }

  /**
   * Asks for `frames`, the first of them the most wanted; wishes of before that are
   * not repeated and not yet under way are forgotten.
   */
  want(frames: number[], needed = 2): void {
    this.needed = new Set(frames.slice(0, needed));
    this.queue = frames.filter((i) => !this.held.has(i) && !this.going.has(i) && !this.failed.has(i));
    this.pump();
  }

  /** Tries again what failed (the server may be back). */
  retry(): void {
    this.failed.clear();
  }

  /** Forgets frame `i`, which changed. */
  drop(i: number): void {
    const h = this.held.get(i);
    if (!h) return;
    this.bytes -= h.bytes;
    this.held.delete(i);
  }

  private pump(): void {
    while (this.going.size < AT_ONCE && this.queue.length > 0) {
      const i = this.queue.shift() as number;
      this.going.add(i);
      this.load(i).then(
        (pack) => this.take(i, pack),
        (e: unknown) => {
          this.going.delete(i);
          this.failed.set(i, e);
          this.onChange(i, e);
          this.pump();
        },
      );
    }
  }

  private take(i: number, pack: Pack): void {
    this.going.delete(i);
    const bytes = weight(pack);
    this.held.set(i, { pack, bytes });
    this.bytes += bytes;
    // Oldest first; what is on the screen stays, however large.
    for (const [k, h] of this.held) {
      if (this.bytes <= this.bound) break;
      if (k === i || this.needed.has(k)) continue;
      this.held.delete(k);
      this.bytes -= h.bytes;
    }
    this.onChange(i);
    this.pump();
  }

  /** How many frames of this size may be asked for ahead without pushing out others. */
  room(): number {
    if (this.held.size === 0) return 4;
    const mean = this.bytes / this.held.size;
    return Math.max(2, Math.min(64, Math.floor(this.bound / (2 * Math.max(mean, 1)))));
  }
}

/**
 * The frames a player at `frame` will need: this one, the next, then those that the
 * next pictures will visit when it goes `stride` frames per picture.
 */
export function ahead(frame: number, count: number, stride: number, room: number): number[] {
  const out: number[] = [];
  const add = (i: number): void => {
    if (i >= 0 && i < count && !out.includes(i)) out.push(i);
  };
  add(frame);
  add(frame + 1);
  const by = Math.max(1, stride);
  for (let k = 1; out.length < room && k <= room; k++) {
    const i = Math.floor(frame + k * by);
    add(i);
    add(i + 1);
  }
  return out.slice(0, Math.max(room, 2));
}
