/** A value that tells those who listen when it changes. */
export class Signal<T> {
  private listeners = new Set<(v: T) => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set value(v: T) {
    if (Object.is(v, this.current)) return;
    this.current = v;
    // A copy: a listener may take itself off while it is told.
    for (const f of [...this.listeners]) f(v);
  }

  /** Calls `f` at every change; the answer takes it off again. */
  on(f: (v: T) => void): () => void {
    this.listeners.add(f);
    return () => this.listeners.delete(f);
  }
}
