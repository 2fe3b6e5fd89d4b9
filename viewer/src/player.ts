/**
 * The clock of the page: which simulated time is shown.
 *
 * `time` runs between the first and the last recorded state; `frame` is the last
 * recorded state not later than `time`. Playing advances `time` by speed times the
 * wall clock, in `advance`, which the page calls once per picture.
 */
export class Player {
  time = 0;
  frame = 0;
  frames: Float64Array = new Float64Array(0);
  playing = false;
  /** Simulated seconds per second of the wall clock. */
  speed = 1;
  loop = false;
  /** True: a growing record keeps the player at its end. */
  follow = false;

  private listeners = new Set<() => void>();

  static readonly SLOWEST = 0.01;
  static readonly FASTEST = 100;

  get first(): number {
    return this.frames.length > 0 ? this.frames[0] : 0;
  }

  get last(): number {
    return this.frames.length > 0 ? this.frames[this.frames.length - 1] : 0;
  }

  get atEnd(): boolean {
    return this.frame >= this.frames.length - 1;
  }

  on(f: () => void): () => void {
    this.listeners.add(f);
    return () => this.listeners.delete(f);
  }

  private tell(): void {
    for (const f of [...this.listeners]) f();
  }

  /** Takes over the times of the record, which may have grown. */
  setFrames(frames: Float64Array): void {
    const first = this.frames.length === 0;
    this.frames = frames;
    if (this.follow) this.time = this.last;
    else if (first) this.time = this.first;
    this.place();
    this.tell();
  }

  private place(): void {
    this.time = Math.min(Math.max(this.time, this.first), this.last);
    this.frame = lastNotAfter(this.frames, this.time);
  }

  seek(t: number): void {
    if (!Number.isFinite(t)) return;
    this.time = t;
    this.follow = false;
    this.place();
    this.tell();
  }

  seekFrame(i: number): void {
    if (this.frames.length === 0) return;
    const k = Math.min(Math.max(Math.round(i), 0), this.frames.length - 1);
    this.time = this.frames[k];
    this.frame = k;
    this.follow = false;
    this.tell();
  }

  /** One recorded state on (`by` = 1) or back; playing stops. */
  step(by: number): void {
    this.playing = false;
    // From between two states the step back goes to the state just passed.
    const between = this.time > this.frames[this.frame];
    this.seekFrame(this.frame + (by < 0 && between ? by + 1 : by));
  }

  /** Goes to the end; a record that grows is then followed. */
  toEnd(): void {
    this.seekFrame(this.frames.length - 1);
    this.follow = true;
  }

  play(): void {
    if (this.frames.length < 2) return;
    if (this.time >= this.last) this.time = this.first;
    this.follow = false;
    this.playing = true;
    this.place();
    this.tell();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.tell();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  setSpeed(s: number): void {
    if (!Number.isFinite(s)) return;
    this.speed = Math.min(Math.max(s, Player.SLOWEST), Player.FASTEST);
    this.tell();
  }

  setLoop(on: boolean): void {
    this.loop = on;
    this.tell();
  }

  /** Advances by `wall` seconds of the wall clock; true if the time changed. */
  advance(wall: number): boolean {
    if (!this.playing || !(wall > 0)) return false;
    const t = this.time + wall * this.speed;
    if (t < this.last) this.time = t;
    else if (this.loop && this.last > this.first) {
      this.time = this.first + ((t - this.last) % (this.last - this.first));
    } else {
      this.time = this.last;
      this.playing = false;
      // Whoever plays to the end of a record that grows wants to see it go on.
      this.follow = true;
    }
    this.place();
    this.tell();
    return true;
  }
}

/** Index of the last entry of the ascending `list` that is not after `t` (0 if none is). */
export function lastNotAfter(list: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = list.length - 1;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (list[mid] <= t) low = mid;
    else high = mid - 1;
  }
  return Math.max(low, 0);
}
