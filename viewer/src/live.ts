/** Runs that still go on: asks about once a second what is new. */
import type { App } from './app';
import { SourceError, type Pack } from './types';

const EVERY = 1000;
/** Between tries while nobody answers, milliseconds. */
const GONE = 3000;

export type Link = 'still' | 'running' | 'gone';

/** Polls while the run goes on; `grown` is told the new table of frames. */
export function watch(app: App, grown: (frames: Pack) => void, link: (l: Link) => void): () => void {
  if (app.source.embedded) return () => {};
  let stopped = false;
  let timer = 0;
  let gone = false;
  const again = (ms: number): void => {
    if (!stopped) timer = window.setTimeout(() => void ask(), ms);
  };
  const ask = async (): Promise<void> => {
    try {
      const about = await app.source.about();
      const changed = about.revision !== app.live.value || about.state !== app.about.state;
      if (changed) {
        const frames = await app.source.frames();
        if (stopped) return;
        Object.assign(app.about, about);
        grown(frames);
        app.live.value = about.revision;
      }
      if (gone || changed) link(about.state === 'running' ? 'running' : 'still');
      gone = false;
      if (about.state === 'running') again(EVERY);
    } catch (e) {
      // A server that was stopped and started again is taken up where it was left.
      if (e instanceof SourceError && !gone) {
        gone = true;
        link('gone');
      }
      again(GONE);
    }
  };
  if (app.about.state === 'running') again(EVERY);
  return () => {
    stopped = true;
    window.clearTimeout(timer);
  };
}
