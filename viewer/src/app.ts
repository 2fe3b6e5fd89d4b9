/** What all parts of the page share. */
import { Player } from './player';
import { Signal } from './signal';
import type { About, Selected, Source } from './types';

export { Player, Signal };
export type { About, Pack, Selected, Source } from './types';

export type Theme = 'light' | 'dark';

export interface App {
  source: Source;
  about: About;
  player: Player;
  selection: Signal<Selected | null>;
  theme: Signal<Theme>;
  /** Grows whenever the record changed; `about` is already the new one then. */
  live: Signal<number>;
  /** Tells the user in the status line, also to screen readers. */
  announce(text: string): void;
}

/** What every panel's `mount` answers. */
export interface Mounted {
  destroy(): void;
}

export function makeApp(source: Source, about: About, announce: (text: string) => void): App {
  const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  return {
    source,
    about,
    player: new Player(),
    selection: new Signal<Selected | null>(null),
    theme: new Signal<Theme>(dark ? 'dark' : 'light'),
    live: new Signal(about.revision),
    announce,
  };
}
