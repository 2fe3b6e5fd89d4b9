/** What pointers and the wheel do on a drawing: move, turn (in space), scale. */
import type { Lens } from './lens';

export interface Hands {
  detach(): void;
}

export function handle(
  canvas: HTMLElement,
  view: { lens(): Lens; changed(): void; fit(): void },
): Hands {
  const down = new Map<number, { x: number; y: number }>();
  let second = false;

  const begin = (e: PointerEvent): void => {
    canvas.setPointerCapture(e.pointerId);
    down.set(e.pointerId, { x: e.clientX, y: e.clientY });
    second = e.button !== 0 || e.shiftKey;
  };
  const move = (e: PointerEvent): void => {
    const last = down.get(e.pointerId);
    if (!last) return;
    const lens = view.lens();
    const [dx, dy] = [e.clientX - last.x, e.clientY - last.y];
    if (down.size === 2) pinch(e, dx, dy);
    else if (lens.dimension === 3 && !second) lens.turn(dx, dy);
    else lens.pan(dx, dy);
    down.set(e.pointerId, { x: e.clientX, y: e.clientY });
    view.changed();
  };
  /** Two fingers: half of each finger's way moves, their distance scales. */
  const pinch = (e: PointerEvent, dx: number, dy: number): void => {
    const other = [...down].find(([id]) => id !== e.pointerId)?.[1];
    const last = down.get(e.pointerId);
    if (!other || !last) return;
    const lens = view.lens();
    const r = canvas.getBoundingClientRect();
    const before = Math.hypot(last.x - other.x, last.y - other.y);
    const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
    lens.pan(dx / 2, dy / 2);
    if (before > 0 && after > 0) {
      lens.zoom(after / before, (e.clientX + other.x) / 2 - r.left, (e.clientY + other.y) / 2 - r.top);
    }
  };
  const end = (e: PointerEvent): void => void down.delete(e.pointerId);
  const wheel = (e: WheelEvent): void => {
    e.preventDefault();
    const r = canvas.getBoundingClientRect();
    // Lines and pages as pixels; one notch of about 100 is a factor of 1.16.
    const by = e.deltaMode === 1 ? e.deltaY * 33 : e.deltaMode === 2 ? e.deltaY * 400 : e.deltaY;
    view.lens().zoom(Math.exp(-by * 0.0015), e.clientX - r.left, e.clientY - r.top);
    view.changed();
  };
  const menu = (e: Event): void => e.preventDefault();
  const twice = (): void => view.fit();
  const list: [string, (e: never) => void][] = [
    ['pointerdown', begin],
    ['pointermove', move],
    ['pointerup', end],
    ['pointercancel', end],
    ['contextmenu', menu],
    ['dblclick', twice],
  ];
  for (const [name, f] of list) canvas.addEventListener(name, f as EventListener);
  canvas.addEventListener('wheel', wheel, { passive: false });
  return {
    detach() {
      for (const [name, f] of list) canvas.removeEventListener(name, f as EventListener);
      canvas.removeEventListener('wheel', wheel);
    },
  };
}
