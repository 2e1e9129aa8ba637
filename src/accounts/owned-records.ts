import {ownedKey, ownedPositions} from '../records.ts';
import {Grouper} from '../store/batching/grouper.ts';
import type {Store} from '../store/port.ts';
import {update, upsert} from '../store/update.ts';
import {type OrderedIndex, walk} from '../store/walk.ts';

const keysPerRecord = 50;

/** How many positions are read at once. */
const chunk = 100 * keysPerRecord;

/** Some keys of an account's index of conversions and customers. */
export interface OwnedKeys {
  /** When the last of their records expires, and this one too, in milliseconds since the epoch. */
  readonly until: number;
  readonly keys: readonly string[];
}

interface Noted {
  readonly key: string;
  readonly expires: number;
}

const recordOf = (generation: string, position: number): string =>
  ownedKey(generation, Math.floor((position - 1) / keysPerRecord));

/**
 * The records of an account that expire and that its links do not lead to: an index of their keys, so that its removal
 * finds them.
 */
export class OwnedRecords {
  readonly #store: Store;
  readonly #changes = new Grouper((noted: readonly Noted[], key) => this.#add(key, noted), {isSerial: true});

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Notes a record. Call it before the record is inserted, and before it expires later than noted.
   *
   * @param position where it is noted; by default at a new position
   * @returns the position
   */
  async note(generation: string, key: string, expires: number, position?: number): Promise<number> {
    const at = position ?? (await this.#store.increment(ownedPositions(generation)));
    await this.#changes.add({key, expires}, recordOf(generation, at));
    return at;
  }

  /** Drops a record that was removed. */
  async drop(generation: string, key: string, position: number): Promise<void> {
    await update<OwnedKeys>(this.#store, recordOf(generation, position), ({until, keys}) => {
      return keys.includes(key) ? {until, keys: keys.filter((each) => each !== key)} : undefined;
    });
  }

  /** Removes all of them. Idempotent. */
  async removeAll(generation: string): Promise<void> {
    const read = async (positions: readonly number[]) => {
      const index = Array.from(new Set(positions.map((position) => recordOf(generation, position))));
      const entries = await this.#store.getMany<OwnedKeys>(index);
      const found = index.flatMap((key, at) => (entries[at] ? [{key, keys: entries[at].value.keys}] : []));
      return {found, covered: positions.length, next: chunk};
    };
    for await (const {found} of walk(this.#store, indexOf(generation), {first: chunk}, read)) {
      for (const {key, keys} of found) {
        await Promise.all(keys.map((each) => this.#store.remove(each)));
        await this.#store.remove(key);
      }
    }
  }

  async #add(key: string, noted: readonly Noted[]): Promise<readonly undefined[]> {
    const more = noted.map((each) => each.key);
    const last = Math.max(...noted.map(({expires}) => expires));
    const add = ({until, keys}: OwnedKeys = {until: 0, keys: []}): OwnedKeys => ({
      until: Math.max(until, last),
      keys: Array.from(new Set([...keys, ...more])),
    });
    await upsert<OwnedKeys>(this.#store, key, add, ({until}) => until);
    return noted.map(() => undefined);
  }
}

function indexOf(generation: string): OrderedIndex {
  return {
    sequence: ownedPositions(generation),
    areUsed: async (store, positions) => {
      const keys = positions.map((position) => recordOf(generation, position));
      const entries = await store.getMany<OwnedKeys>(keys);
      return entries.map((entry) => entry !== undefined);
    },
  };
}
