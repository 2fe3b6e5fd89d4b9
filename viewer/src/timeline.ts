/** The bar under the picture: play, step, scrub, speed, loop. */
import type { App, Mounted } from './app';
import { button, el, icon } from './dom';
import { number } from './format';
import { Player } from './player';

const PLAY = 'M7 4.5v15l12-7.5z';
const PAUSE = ['M8 5v14', 'M16 5v14'];
const BACK = ['M17 5l-9 7 9 7z', 'M6 5v14'];
const ON = ['M7 5l9 7-9 7z', 'M18 5v14'];
const START = ['M19 5l-7 7 7 7', 'M12 5l-7 7 7 7'];
const END = ['M5 5l7 7-7 7', 'M12 5l7 7-7 7'];
const LOOP = ['M17 3l3 3-3 3', 'M4 11V9a3 3 0 0 1 3-3h13', 'M7 21l-3-3 3-3', 'M20 13v2a3 3 0 0 1-3 3H4'];

/** Speeds to choose from: 1, 2, 5 of each power of ten from 0.01 to 100. */
export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

/** A speed at which the whole run takes from 2 s to a minute, real time if that does. */
export function fitting(duration: number): number {
  if (!(duration > 0) || (duration >= 2 && duration <= 60)) return 1;
  const wanted = duration / 10;
  return SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best));
}

/** The next speed up or down from `s`. */
export function faster(s: number, by: number): number {
  const k = SPEEDS.reduce((best, v, i) => (Math.abs(v - s) < Math.abs(SPEEDS[best] - s) ? i : best), 0);
  return SPEEDS[Math.min(Math.max(k + by, 0), SPEEDS.length - 1)];
}

/** Room beside the track for its handle, pixels. */
const PAD = 9;

/** Draws the bar, ticks at recorded states, those in memory, and the handle. */
function drawTrack(track: HTMLElement, canvas: HTMLCanvasElement, p: Player, held: Iterable<number>): void {
  const w = track.clientWidth;
  const h = track.clientHeight;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  const g = canvas.getContext('2d');
  if (!g || w < 2 * PAD + 2) return;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, h);
  const range = p.last - p.first;
  const x = (t: number): number => PAD + (range > 0 ? (t - p.first) / range : 0) * (w - 2 * PAD);
  const mid = h / 2;
  g.fillStyle = colour('--line');
  g.fillRect(PAD, mid - 2, w - 2 * PAD, 4);
  // Recorded states as ticks, unless there are more of them than room.
  const n = p.frames.length;
  if (n > 1) {
    const by = Math.max(1, Math.ceil((n * 4) / (w - 2 * PAD)));
    g.fillStyle = colour('--muted');
    g.globalAlpha = by > 1 ? 0.4 : 0.7;
    for (let i = 0; i < n; i += by) g.fillRect(x(p.frames[i]) - 0.5, mid + 5, 1, 5);
    g.globalAlpha = 0.35;
    g.fillStyle = colour('--accent');
    const cell = Math.max((w - 2 * PAD) / n, 1);
    for (const i of held) {
      if (i >= n) continue;
      const from = Math.max(x(p.frames[i]) - cell / 2, PAD);
      g.fillRect(from, mid - 2, Math.min(cell, w - PAD - from), 4);
    }
    g.globalAlpha = 1;
  }
  g.fillStyle = colour('--accent');
  g.fillRect(PAD, mid - 2, x(p.time) - PAD, 4);
  g.beginPath();
  g.arc(x(p.time), mid, 7, 0, 2 * Math.PI);
  g.fill();
  g.strokeStyle = colour('--panel');
  g.lineWidth = 2;
  g.stroke();
}

/** Pressing and dragging the track moves the time. */
function scrub(track: HTMLElement, p: Player): void {
  const timeAt = (x: number): number => {
    const box = track.getBoundingClientRect();
    const u = (x - box.left - PAD) / Math.max(box.width - 2 * PAD, 1);
    return p.first + Math.min(Math.max(u, 0), 1) * (p.last - p.first);
  };
  let scrubbing = false;
  track.addEventListener('pointerdown', (ev) => {
    track.setPointerCapture(ev.pointerId);
    scrubbing = true;
    p.pause();
    p.seek(timeAt(ev.clientX));
  });
  track.addEventListener('pointermove', (ev) => {
    if (scrubbing) p.seek(timeAt(ev.clientX));
  });
  const stop = (): void => {
    scrubbing = false;
  };
  track.addEventListener('pointerup', stop);
  track.addEventListener('pointercancel', stop);
}

/** The time in words, for the eye and for screen readers. */
function tell(p: Player, unit: string, now: HTMLElement, rest: HTMLElement, track: HTMLElement): void {
  const digits = clockDigits(p);
  now.textContent = `t = ${p.time.toFixed(digits)}`;
  rest.textContent = ` / ${p.last.toFixed(digits)} ${unit}`;
  track.setAttribute('aria-valuemin', String(p.first));
  track.setAttribute('aria-valuemax', String(p.last));
  track.setAttribute('aria-valuenow', String(p.time));
  track.setAttribute('aria-valuetext', `${number(p.time)} ${unit}, recorded state ${p.frame + 1} of ${p.frames.length}`);
}

export function mount(root: HTMLElement, app: App, held: () => Iterable<number>): Mounted {
  const p = app.player;
  const unit = app.about.units?.time ?? 's';
  const play = button('Play (space)', icon(PLAY), () => p.toggle());
  play.classList.add('main');
  const loop = button('Repeat', icon(...LOOP), () => p.setLoop(!p.loop));
  const speed = el('select', { 'aria-label': 'Speed, simulated time per real time', title: 'Speed' });
  for (const s of SPEEDS) speed.append(el('option', { value: s }, `${s}×`));
  speed.addEventListener('change', () => p.setSpeed(Number(speed.value)));
  const track = el('div', {
    class: 'track',
    role: 'slider',
    tabindex: 0,
    'aria-label': 'Simulated time',
    id: 'track',
  });
  const canvas = el('canvas', { 'aria-hidden': 'true' });
  track.append(canvas);
  const now = el('b');
  const rest = el('span');
  const clock = el('div', { class: 'clock', id: 'clock' }, now, rest);
  root.append(
    button('To the start (Home)', icon(...START), () => p.seekFrame(0)),
    button('One recorded state back (left arrow)', icon(...BACK), () => p.step(-1)),
    play,
    button('One recorded state on (right arrow)', icon(...ON), () => p.step(1)),
    button('To the end (End)', icon(...END), () => p.toEnd()),
    track,
    clock,
    speed,
    loop,
  );

  scrub(track, p);
  const draw = (): void => drawTrack(track, canvas, p, held());

  let wasPlaying: boolean | null = null;
  const update = (): void => {
    if (p.playing !== wasPlaying) {
      wasPlaying = p.playing;
      play.replaceChildren(p.playing ? icon(...PAUSE) : icon(PLAY));
      const label = p.playing ? 'Pause (space)' : 'Play (space)';
      play.setAttribute('aria-label', label);
      play.title = label;
    }
    play.disabled = p.frames.length < 2;
    loop.setAttribute('aria-pressed', String(p.loop));
    if (!SPEEDS.includes(p.speed) && !speed.querySelector(`option[value="${p.speed}"]`)) {
      speed.append(el('option', { value: p.speed }, `${number(p.speed, 2)}×`));
    }
    speed.value = String(p.speed);
    tell(p, unit, now, rest, track);
    clock.title = `Recorded state ${p.frame + 1} of ${p.frames.length}`;
    draw();
  };
  const off = [p.on(update), app.theme.on(() => requestAnimationFrame(draw))];
  const observer = new ResizeObserver(draw);
  observer.observe(track);
  update();
  return {
    destroy() {
      observer.disconnect();
      for (const f of off) f();
    },
  };
}

/** Decimals at which neighbouring recorded states differ. */
function clockDigits(p: Player): number {
  const spacing = p.frames.length > 1 ? (p.last - p.first) / (p.frames.length - 1) : 1;
  if (!(spacing > 0)) return 3;
  return Math.min(Math.max(Math.ceil(-Math.log10(spacing)) + 1, 0), 9);
}
