import {ownedKey, ownedPositions, type RecordOf} from '../records.ts';
import {Grouper} from '../store/batching/grouper.ts';
import type {Store} from '../store/port.ts';
import {removeIf, update, upsert} from '../store/update.ts';
import {type OrderedIndex, walk} from '../store/walk.ts';

const keysPerRecord = 50;

/** How many positions are read at once. */
const chunk = 100 * keysPerRecord;

/** Some keys of an account's index of conversions and customers. */
type OwnedKeys = RecordOf<'owned'>;

interface Noted {
  readonly position: number;
  readonly key: string;
  readonly expires: number;
}

const slotOf = (position: number): number => (position - 1) % keysPerRecord;

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
    await this.#changes.add({position: at, key, expires}, recordOf(generation, at));
    return at;
  }

  /** Empties a position whose record was removed, or is about to be. */
  async drop(generation: string, position: number): Promise<void> {
    const key = recordOf(generation, position);
    const slot = slotOf(position);
    await update<OwnedKeys>(this.#store, key, ({until, keys}) =>
      keys[slot] ? {until, keys: keys.with(slot, '')} : undefined,
    );
    // The account may have been removed, so that nobody removes the record later.
    await removeIf<OwnedKeys>(this.#store, key, ({keys}) => keys.every((each) => each === ''));
  }

  /** Removes all of them, after the account was removed. Idempotent. */
  async removeAll(generation: string): Promise<void> {
    const read = async (positions: readonly number[]) => {
      const index = Array.from(new Set(positions.map((position) => recordOf(generation, position))));
      const entries = await this.#store.getMany<OwnedKeys>(index);
      const found = index.flatMap((key, at) => (entries[at] ? [{key, keys: entries[at].value.keys}] : []));
      return {found, covered: positions.length, next: chunk};
    };
    for await (const {found} of walk(this.#store, indexOf(generation), {first: chunk}, read)) {
      for (const {key, keys} of found) {
        await Promise.all(keys.filter((each) => each !== '').map((each) => this.#store.remove(each)));
        await this.#store.remove(key);
      }
    }
    await this.#store.removeCounters(ownedPositions(generation));
  }

  async #add(record: string, noted: readonly Noted[]): Promise<readonly undefined[]> {
    const last = Math.max(...noted.map(({expires}) => expires));
    const add = ({until, keys}: OwnedKeys = {until: 0, keys: []}): OwnedKeys => {
      const slots = [...keys];
      for (const {position, key} of noted) {
        while (slots.length < slotOf(position)) slots.push('');
        slots[slotOf(position)] = key;
      }
      return {until: Math.max(until, last), keys: slots};
    };
    await upsert<OwnedKeys>(this.#store, record, add, ({until}) => until);
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
