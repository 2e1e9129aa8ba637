import {Batcher} from '../../store/batching/batcher.ts';
import type {Store} from '../../store/port.ts';
import {storeKey} from '../../store/key.ts';
import {upsert} from '../../store/update.ts';
import type {LinkName} from '../bases.ts';
import {positionsKey} from '../record.ts';

/** Slots in one record. */
const slotsPerRecord = 50;

/**
 * The slots of a record in order: 0 for an empty one, `<short part>` for a link, and `<domain>:<short part>` where its
 * domain is not that of the link before. A short part holds no colon. Empty slots at the end are left out.
 */
export type StoredSlots = ReadonlyArray<string | 0>;

/** A slot that a link reserves or releases. */
interface Change {
  readonly position: number;
  readonly name: LinkName;
  readonly isReserved: boolean;
}

/** The record with the slot for `position` and its neighbours. */
export const indexKey = (generation: string, position: number): string =>
  storeKey('list', generation, String(Math.floor((position - 1) / slotsPerRecord)));
/** Begins the keys of indexes, and of no other records. */
export const indexPrefix = 'list:';

/**
 * The indexes of accounts: a slot for each position holds the name of its link. A slot is reserved before its link
 * exists, and it counts only if the link names its position.
 */
export class LinkIndex {
  readonly #store: Store;
  /** Without it, parallel creates of one process would make each other's compare-and-set fail. */
  readonly #changes = new Batcher((changes: readonly Change[], key) => this.#storeChanges(key, changes), {
    isSerial: true,
  });

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Reserves the slot at the next position. The sequence may repeat a position after the store has lost its last writes.
   */
  async reserve(generation: string, name: LinkName): Promise<number> {
    for (;;) {
      const position = await this.#store.increment(positionsKey(generation));
      if (await this.reserveAt(generation, position, name)) return position;
    }
  }

  /** The same for many links, in their order, with one step of the sequence. */
  async reserveMany(
    generation: string,
    names: readonly LinkName[],
    incrementBy: (key: string, by: number) => Promise<number>,
  ): Promise<number[]> {
    const first = await incrementBy(positionsKey(generation), names.length);
    return Promise.all(
      names.map(async (name, index) =>
        (await this.reserveAt(generation, first + index, name)) ? first + index : this.reserve(generation, name),
      ),
    );
  }

  /** Reserves one slot; false if another link has it. */
  reserveAt(generation: string, position: number, name: LinkName): Promise<boolean> {
    return this.#changes.add({position, name, isReserved: true}, indexKey(generation, position));
  }

  /** Empties the slot of a link. */
  async release(generation: string, position: number, name: LinkName): Promise<void> {
    await this.#changes.add({position, name, isReserved: false}, indexKey(generation, position));
  }

  async #storeChanges(key: string, changes: readonly Change[]): Promise<readonly boolean[]> {
    let outcomes: readonly boolean[] = [];
    await upsert<StoredSlots>(this.#store, key, (stored = []) => {
      const slots = unpackSlots(stored);
      outcomes = changes.map(({position, name, isReserved}) => {
        const index = (position - 1) % slotsPerRecord;
        const isDone = isReserved ? slots[index] === undefined : isSame(slots[index], name);
        if (isDone) slots[index] = isReserved ? name : undefined;
        return isDone;
      });
      return outcomes.includes(true) ? packSlots(slots) : undefined;
    });
    return outcomes;
  }
}

/** The links at these positions, in their order. A link need not exist: only its record shows that. */
export async function readSlots(
  store: Store,
  generation: string,
  positions: readonly number[],
): Promise<Array<LinkName | undefined>> {
  const keys = Array.from(new Set(positions.map((position) => indexKey(generation, position))));
  const entries = await store.getMany<StoredSlots>(keys);
  const slots = new Map(keys.map((key, index) => [key, unpackSlots(entries[index]?.value ?? [])]));
  return positions.map((position) => slots.get(indexKey(generation, position))?.[(position - 1) % slotsPerRecord]);
}

export function packSlots(slots: ReadonlyArray<LinkName | undefined>): StoredSlots {
  let last: string | undefined;
  const packed = Array.from(slots, (name) => {
    if (name === undefined) return 0;
    const text = name.domain === last ? name.slug : `${name.domain}:${name.slug}`;
    last = name.domain;
    return text;
  });
  while (packed.at(-1) === 0) packed.pop();
  return packed;
}

export function unpackSlots(packed: StoredSlots): Array<LinkName | undefined> {
  let domain = '';
  return packed.map((text) => {
    if (text === 0) return undefined;
    const colon = text.lastIndexOf(':');
    if (colon >= 0) domain = text.slice(0, colon);
    return {domain, slug: text.slice(colon + 1)};
  });
}

/** Whether `stored` has all slots of `wanted`. It may have more. */
export function hasSlots(stored: StoredSlots, wanted: StoredSlots): boolean {
  const slots = unpackSlots(stored);
  return unpackSlots(wanted).every((name, index) => name === undefined || isSame(slots[index], name));
}

function isSame(one: LinkName | undefined, other: LinkName): boolean {
  return one?.domain === other.domain && one.slug === other.slug;
}
