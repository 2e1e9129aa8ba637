import {setTimeout as delay} from 'node:timers/promises';
import {unavailable} from '../errors.ts';
import {planted} from '../planted.ts';
import type {Counters, Entry, Store} from './port.ts';

const maxTries = 100;

/** The longest pause before a retry, in milliseconds. */
const maxPause = 20;

/** An entry that was read, or undefined if there was none. `upsert` notes here what it has stored. */
export interface Reading<Value> {
  entry: Entry<Value> | undefined;
}

/** The result of a change; undefined to leave the record unchanged. */
type Changed<Value> = Value | undefined | Promise<Value | undefined>;

/** The records of a kind in a store. See `Store` for what the operations guarantee. */
export class Records<Id, Value> {
  readonly #store: Store;
  readonly #key: (id: Id) => string;
  readonly #expiryOf: ((value: Value) => number) | undefined;

  /** @param expiryOf when a record expires, as in `Store.insert`; by default a changed record expires with the old one */
  constructor(store: Store, key: (id: Id) => string, expiryOf?: (value: Value) => number) {
    this.#store = store;
    this.#key = key;
    this.#expiryOf = expiryOf;
  }

  /** @param known as in `Store.get` */
  get(id: Id, known?: Entry<Value>): Promise<Entry<Value> | undefined> {
    return this.#store.get<Value>(this.#key(id), known);
  }

  /** @param word as in `Store.getMany` */
  getMany(ids: readonly Id[], word?: string): Promise<Array<Entry<Value> | undefined>> {
    return this.#store.getMany<Value>(ids.map(this.#key), word);
  }

  isAbsent(id: Id): boolean {
    return this.#store.isAbsent(this.#key(id));
  }

  /** Stores the record if there is none. If several callers try, exactly one gets true. */
  insert(id: Id, value: Value): Promise<boolean> {
    return this.#store.insert(this.#key(id), value, this.#expiryOf?.(value));
  }

  /** Stores the record if the stored one still has this revision. Returns the new entry. */
  replace(id: Id, revision: unknown, value: Value): Promise<Entry<Value> | undefined> {
    return this.#store.replace(this.#key(id), revision, value, this.#expiryOf?.(value));
  }

  remove(id: Id): Promise<void> {
    return this.#store.remove(this.#key(id));
  }

  removeUnchanged(id: Id, revision: unknown): Promise<boolean> {
    return this.#store.removeUnchanged(this.#key(id), revision);
  }

  /**
   * Removes a record of which `isOver` holds. One that another caller has changed meanwhile stays.
   *
   * @returns what was removed
   */
  async removeIf(id: Id, isOver: (value: Value) => boolean): Promise<Value | undefined> {
    const entry = await this.get(id);
    if (entry === undefined || !isOver(entry.value)) return undefined;
    return (await this.removeUnchanged(id, entry.revision)) ? entry.value : undefined;
  }

  /**
   * Replaces a record by the result of `change`, as `upsert` does.
   *
   * @returns the new record, or undefined if there is none
   */
  async update(id: Id, change: (value: Value) => Changed<Value>, read?: Reading<Value>): Promise<Value | undefined> {
    let outcome: Value | undefined;
    const changed = async (value: Value | undefined): Promise<Value | undefined> => {
      const next = value === undefined ? undefined : await change(value);
      outcome = next ?? value;
      return next;
    };
    await this.upsert(id, changed, read);
    return outcome;
  }

  /**
   * Inserts a record, or replaces it by the result of `change`, which gets undefined if there is no record. It starts again
   * if another caller was faster. If `change` returns undefined, nothing is stored.
   *
   * @param read an earlier reading to begin with. What was stored takes its place
   * @throws ShortUrlError `store_unavailable` after a hundred attempts
   */
  async upsert(id: Id, change: (value: Value | undefined) => Changed<Value>, read?: Reading<Value>): Promise<void> {
    const key = this.#key(id);
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const entry = tries === 1 && read ? read.entry : await this.get(id);
      const next = await change(entry?.value);
      if (next === undefined) return;
      const expires = this.#expiryOf ? this.#expiryOf(next) : entry?.expires;
      const seen = planted('blind-change') && entry ? await this.get(id) : entry;
      if (seen === undefined) {
        if (await this.#store.insert(key, next, expires)) return;
      } else {
        const replaced = await this.#store.replace(key, seen.revision, next, expires);
        if (read && replaced) read.entry = replaced;
        if (replaced) return;
      }
      // The pauses are random, so that two callers do not conflict again.
      if (tries > 1) await delay(Math.random() * Math.min(tries, maxPause));
    }
    throw unavailable('The record is being changed by too many callers at once.');
  }
}

/** Records by their whole keys. */
export function recordsIn<Value>(store: Store): Records<string, Value> {
  return new Records(store, (key) => key);
}

/** The counters, or the sequences, of a kind in a store. */
export class CountersIn<Id> {
  readonly #store: Store;
  readonly #key: (id: Id) => string;

  constructor(store: Store, key: (id: Id) => string) {
    this.#store = store;
    this.#key = key;
  }

  /** @param names as in `Store.getCounters` */
  getMany(ids: readonly Id[], names?: readonly string[]): Promise<readonly Counters[]> {
    return this.#store.getCounters(ids.map(this.#key), names);
  }

  increment(id: Id): Promise<number> {
    return this.#store.increment(this.#key(id));
  }

  current(ids: readonly Id[]): Promise<readonly number[]> {
    return this.#store.current(ids.map(this.#key));
  }

  /** @param names as in `Store.removeCounters` */
  remove(id: Id, names?: readonly string[]): Promise<void> {
    return this.#store.removeCounters(this.#key(id), names);
  }
}
