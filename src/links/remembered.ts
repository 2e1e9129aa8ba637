import {LRUCache} from 'lru-cache';

/** In milliseconds. */
const maxAge = 60_000;

interface Read<Value> {
  readonly at: number;
  readonly value: Promise<Value>;
}

/** Results that take long, by key. Callers share one that began in the last minute. A failure is not remembered. */
export class Remembered<Value> {
  readonly #reads: LRUCache<string, Read<Value>>;
  readonly #now: () => number;

  /** @param max how many results are remembered */
  constructor(max: number, now: () => number) {
    this.#reads = new LRUCache({max});
    this.#now = now;
  }

  get(key: string, read: () => Promise<Value>): Promise<Value> {
    const known = this.#reads.get(key);
    const age = known === undefined ? Infinity : this.#now() - known.at;
    // After a clock was set back, a result may have a time that is yet to come.
    if (known !== undefined && age >= 0 && age <= maxAge) return known.value;
    const begun = {at: this.#now(), value: read()};
    this.#reads.set(key, begun);
    begun.value.catch(() => {
      if (this.#reads.peek(key) === begun) this.#reads.delete(key);
    });
    return begun.value;
  }
}
