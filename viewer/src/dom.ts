/** Small helpers to build elements. Texts go through textContent alone: files may be hostile. */

type Attributes = Record<string, string | number | boolean | undefined>;

/** An element with attributes and children (strings become text nodes). */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (v === undefined || v === false) continue;
    e.setAttribute(k, v === true ? '' : String(v));
  }
  e.append(...children);
  return e;
}

const SVG = 'http://www.w3.org/2000/svg';

/** An icon of 24 by 24 from the data of its paths (our own, never from a file). */
export function icon(...paths: string[]): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  for (const d of paths) {
    const p = document.createElementNS(SVG, 'path');
    p.setAttribute('d', d);
    svg.append(p);
  }
  return svg;
}

/** A button with a label for all and an icon for the eye. */
export function button(label: string, content: Node | string, onclick: () => void): HTMLButtonElement {
  const b = el('button', { type: 'button', 'aria-label': label, title: label }, content);
  b.addEventListener('click', onclick);
  return b;
}

/** Removes all children. */
export function clear(e: Element): void {
  e.replaceChildren();
}
