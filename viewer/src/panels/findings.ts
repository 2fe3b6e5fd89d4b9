import type { App, Mounted } from '../app';

export function mount(root: HTMLElement, _app: App): Mounted {
  root.hidden = true;
  return { destroy() {} };
}
