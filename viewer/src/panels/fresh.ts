/**
 * Answers that come in the order they were asked for: an older one that arrives late is
 * dropped, and while one is under way at most one more is kept waiting.
 */
export class Fresh<T> {
  private running = false;
  private again: (() => Promise<T>) | null = null;
  private stopped = false;

  constructor(
    private done: (v: T) => void,
    private failed: (e: unknown) => void,
  ) {}

  ask(question: () => Promise<T>): void {
    if (this.stopped) return;
    if (this.running) {
      this.again = question;
      return;
    }
    this.running = true;
    question()
      .then((v) => {
        // A newer question makes this answer an old one.
        if (!this.stopped && !this.again) this.done(v);
      })
      .catch((e: unknown) => {
        if (!this.stopped && !this.again) this.failed(e);
      })
      .finally(() => {
        this.running = false;
        const next = this.again;
        this.again = null;
        if (next) this.ask(next);
      });
  }

  stop(): void {
    this.stopped = true;
    this.again = null;
  }
}

/** What to tell of a failure. */
export function sentence(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}
