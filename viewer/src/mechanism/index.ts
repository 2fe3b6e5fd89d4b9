import type { App, Mounted } from '../app';

/** Draws what a mechanism or a sweep declares (`drawing`) into the whole of `root`. */
export function mount(_root: HTMLElement, _app: App): Mounted {
  return { destroy() {} };
}
