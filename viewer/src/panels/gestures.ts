/** What pointers and keys do on a plot against time. */

export interface Handlers {
  /** The time under this place, in pixels from the element's left edge. */
  at(px: number): number;
  /** Whether a drag from here moves the time (else it chooses a window). */
  grip(px: number, py: number): boolean;
  inside(px: number): boolean;
  hover(t: number | null): void;
  seek(t: number): void;
  choose(from: number, to: number): void;
  chosen(from: number, to: number): void;
  whole(): void;
  /** A window so many times as long. */
  scale(by: number): void;
}

export interface Gestures {
  detach(): void;
}

/** A drag shorter than this is a click. */
const CLICK = 4;

export function attach(element: HTMLElement, h: Handlers): Gestures {
  let start: { px: number; t: number; id: number; moves: boolean; far: boolean } | null = null;
  const place = (e: PointerEvent): [number, number] => {
    const r = element.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  };
  const down = (e: PointerEvent): void => {
    const [px, py] = place(e);
    if (e.button !== 0 || !h.inside(px)) return;
    // A finger always moves the time: there is no hovering to find the grip with.
    const moves = e.pointerType === 'touch' || h.grip(px, py);
    start = { px, t: h.at(px), id: e.pointerId, moves, far: false };
    element.setPointerCapture(e.pointerId);
    if (moves) h.seek(start.t);
  };
  const move = (e: PointerEvent): void => {
    const [px, py] = place(e);
    if (!start) {
      h.hover(h.inside(px) ? h.at(px) : null);
      element.style.cursor = h.inside(px) ? (h.grip(px, py) ? 'ew-resize' : 'crosshair') : '';
      return;
    }
    if (e.pointerId !== start.id) return;
    if (Math.abs(px - start.px) > CLICK) start.far = true;
    if (start.moves) h.seek(h.at(px));
    else if (start.far) h.choose(start.t, h.at(px));
  };
  const up = (e: PointerEvent): void => {
    if (!start || e.pointerId !== start.id) return;
    const [px] = place(e);
    const begun = start;
    start = null;
    if (begun.moves) return;
    if (!begun.far) h.seek(begun.t);
    else h.chosen(Math.min(begun.t, h.at(px)), Math.max(begun.t, h.at(px)));
  };
  const cancel = (): void => {
    if (start && !start.moves) h.chosen(start.t, start.t);
    start = null;
  };
  const leave = (): void => h.hover(null);
  const twice = (): void => h.whole();
  const key = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === '+' || e.key === '=') h.scale(0.5);
    else if (e.key === '-') h.scale(2);
    else if (e.key === '0') h.whole();
    else return;
    // Digits choose colours elsewhere on the page.
    e.preventDefault();
    e.stopPropagation();
  };
  element.addEventListener('pointerdown', down);
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', cancel);
  element.addEventListener('pointerleave', leave);
  element.addEventListener('dblclick', twice);
  element.addEventListener('keydown', key);
  return {
    detach() {
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('pointermove', move);
      element.removeEventListener('pointerup', up);
      element.removeEventListener('pointercancel', cancel);
      element.removeEventListener('pointerleave', leave);
      element.removeEventListener('dblclick', twice);
      element.removeEventListener('keydown', key);
    },
  };
}
