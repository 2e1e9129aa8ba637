import {planted} from '../planted.ts';
import {LRUCache} from 'lru-cache';

/** In milliseconds. */
const maxAge = 60_000;

/** A value that survives JSON. */
export type Plain = string | number | boolean | null | undefined | readonly Plain[] | {readonly [name: string]: Plain};

interface Read<Value> {
  readonly at: number;
  readonly value: Promise<Value>;
}

/**
 * Results that take long, by all that was asked. Callers share one that began in the last minute. A failure is not
 * remembered.
 */
export class Remembered<Asked extends Plain, Value> {
  readonly #reads: LRUCache<string, Read<Value>>;
  readonly #now: () => number;
  readonly #read: (asked: Asked) => Promise<Value>;

  /**
   * @param max how many results are remembered
   * @param read reads a result, which depends only on what is asked and on the store
   */
  constructor(max: number, now: () => number, read: (asked: Asked) => Promise<Value>) {
    this.#reads = new LRUCache({max});
    this.#now = now;
    this.#read = read;
  }

  get(asked: Asked): Promise<Value> {
    const text = JSON.stringify([asked]);
    const key = planted('status-not-in-key') ? text.replace(/"status":"\w+"/, '') : text;
    const known = this.#reads.get(key);
    const age = known === undefined ? Infinity : this.#now() - known.at;
    // After a clock was set back, a result may have a time that is yet to come.
    if (known !== undefined && age >= 0 && age <= maxAge) return known.value;
    const begun = {at: this.#now(), value: this.#read(asked)};
    this.#reads.set(key, begun);
    begun.value.catch(() => {
      if (!planted('failure-remembered') && this.#reads.peek(key) === begun) this.#reads.delete(key);
    });
    return begun.value;
  }
}
