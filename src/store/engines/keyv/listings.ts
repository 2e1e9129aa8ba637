import {LRUCache} from 'lru-cache';
import type {KeyvStoreAdapter} from 'keyv';
import type {KeyPart} from '../../port.ts';

/** Entries that are read for each part of a listing. */
const entriesAtOnce = 500;

/** The maximum number of listings at once. A further one evicts the least recently used. */
const maxListings = 8;

type Entries = AsyncIterator<readonly [key: string, record: unknown, ...rest: unknown[]]>;

interface Listing {
  read(isWanted: (key: string, record: unknown) => boolean): Promise<KeyPart>;
}

/** The open listings of an adapter's keys. An adapter can only be iterated from start to end. */
export class Listings {
  readonly #adapter: KeyvStoreAdapter;
  readonly #open = new LRUCache<string, Entries>({max: maxListings});
  #last = 0;

  constructor(adapter: KeyvStoreAdapter) {
    this.#adapter = adapter;
  }

  /**
   * The listing with this cursor; a new one without.
   *
   * @throws TypeError if the adapter has no iterator
   */
  of(cursor: string | undefined): Listing {
    const entries = cursor === undefined ? this.#begin() : this.#open.get(cursor);
    if (entries === undefined) throw new Error('This listing of keys was dropped in favour of others. Start it again');
    const id = cursor ?? String((this.#last += 1));
    return {read: (isWanted) => this.#read(id, entries, isWanted)};
  }

  async #read(id: string, entries: Entries, isWanted: (key: string, record: unknown) => boolean): Promise<KeyPart> {
    const keys: string[] = [];
    for (let count = 0; count < entriesAtOnce; count += 1) {
      const entry = await entries.next();
      if (entry.done === true) {
        this.#open.delete(id);
        return {keys, next: undefined};
      }
      const [key, record] = entry.value;
      if (isWanted(key, record)) keys.push(key);
    }
    this.#open.set(id, entries);
    return {keys, next: id};
  }

  #begin(): Entries {
    const entries = this.#adapter.iterator?.(this.#adapter.namespace) as Entries | undefined;
    if (entries !== undefined) return entries;
    throw new TypeError('The Keyv adapter of the store cannot list its keys: it has no `iterator`');
  }
}
