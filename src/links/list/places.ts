import type {Store} from '../../store/port.ts';
import {storeKey} from '../../store/key.ts';
import {upsert} from '../../store/update.ts';
import type {LinkName} from '../bases.ts';
import {positionsKey} from '../record.ts';

/** Places in one record. */
const placesAtOnce = 50;

/**
 * The places of a record in order: 0 for an empty one, `<short part>` for a link, and `<domain>:<short part>` where its
 * domain is not that of the link before. A short part holds no colon. Empty places at the end are left out.
 */
export type StoredPlaces = ReadonlyArray<string | 0>;

/** A place that a link takes or leaves. */
interface Change {
  readonly position: number;
  readonly name: LinkName;
  readonly isTaken: boolean;
  readonly resolve: (isDone: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** The record with the place at `position` and its neighbours. */
export const placesKey = (owner: string, position: number): string =>
  storeKey('list', owner, String(Math.floor((position - 1) / placesAtOnce)));
/** Begins the keys of places, and of no other records. */
export const placesPrefix = 'list:';

/**
 * The places in the lists of owners: which link stands where, by position. A place is taken before its link is there,
 * and counts only if the link names it.
 */
export class Places {
  readonly #store: Store;
  /**
   * The changes of a record that wait until earlier ones are stored; absent while none is being stored. Without the
   * queue, parallel creates of one process would make each other's compare-and-set fail.
   */
  readonly #waiting = new Map<string, Change[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Takes the next free place of a list. A sequence may repeat a place after the store has lost its last writes. */
  async take(owner: string, name: LinkName): Promise<number> {
    for (;;) {
      const position = await this.#store.increment(positionsKey(owner));
      if (await this.put(owner, position, name)) return position;
    }
  }

  /** The same for many links, in their order, with one step of the sequence. */
  async takeMany(
    owner: string,
    names: readonly LinkName[],
    incrementBy: (key: string, by: number) => Promise<number>,
  ): Promise<number[]> {
    const first = await incrementBy(positionsKey(owner), names.length);
    return Promise.all(
      names.map(async (name, index) =>
        (await this.put(owner, first + index, name)) ? first + index : this.take(owner, name),
      ),
    );
  }

  /** Puts a link in a place, unless another one has it. */
  put(owner: string, position: number, name: LinkName): Promise<boolean> {
    return this.#change(owner, {position, name, isTaken: true});
  }

  /** Empties the place of a link. */
  async leave(owner: string, position: number, name: LinkName): Promise<void> {
    await this.#change(owner, {position, name, isTaken: false});
  }

  #change(owner: string, change: Omit<Change, 'resolve' | 'reject'>): Promise<boolean> {
    const key = placesKey(owner, change.position);
    return new Promise((resolve, reject) => {
      const all: Change = {...change, resolve, reject};
      const waiting = this.#waiting.get(key);
      if (waiting) waiting.push(all);
      else void this.#storeAll(key, [all]);
    });
  }

  async #storeAll(key: string, first: readonly Change[]): Promise<void> {
    for (let changes = first; changes.length > 0;) {
      const next: Change[] = [];
      this.#waiting.set(key, next);
      await this.#storeChanges(key, changes).catch((error: unknown) => {
        for (const {reject} of changes) reject(error);
      });
      changes = next;
    }
    // Runs in the same turn as the last check. A change that arrived in between would wait for ever.
    this.#waiting.delete(key);
  }

  async #storeChanges(key: string, changes: readonly Change[]): Promise<void> {
    let outcomes: readonly boolean[] = [];
    await upsert<StoredPlaces>(this.#store, key, (stored = []) => {
      const places = unpackPlaces(stored);
      outcomes = changes.map(({position, name, isTaken}) => {
        const index = (position - 1) % placesAtOnce;
        const isFree = isTaken ? places[index] === undefined : isSame(places[index], name);
        if (isFree) places[index] = isTaken ? name : undefined;
        return isFree;
      });
      return outcomes.includes(true) ? packPlaces(places) : undefined;
    });
    for (const [index, {resolve}] of changes.entries()) resolve(outcomes[index] === true);
  }
}

/** The links at these positions, in their order. A link need not exist: only its record shows that. */
export async function readPlaces(
  store: Store,
  owner: string,
  positions: readonly number[],
): Promise<Array<LinkName | undefined>> {
  const keys = Array.from(new Set(positions.map((position) => placesKey(owner, position))));
  const entries = await store.getMany<StoredPlaces>(keys);
  const places = new Map(keys.map((key, index) => [key, unpackPlaces(entries[index]?.value ?? [])]));
  return positions.map((position) => places.get(placesKey(owner, position))?.[(position - 1) % placesAtOnce]);
}

export function packPlaces(places: ReadonlyArray<LinkName | undefined>): StoredPlaces {
  let last: string | undefined;
  const packed = Array.from(places, (name) => {
    if (name === undefined) return 0;
    const text = name.domain === last ? name.slug : `${name.domain}:${name.slug}`;
    last = name.domain;
    return text;
  });
  while (packed.at(-1) === 0) packed.pop();
  return packed;
}

export function unpackPlaces(packed: StoredPlaces): Array<LinkName | undefined> {
  let domain = '';
  return packed.map((text) => {
    if (text === 0) return undefined;
    const colon = text.lastIndexOf(':');
    if (colon >= 0) domain = text.slice(0, colon);
    return {domain, slug: text.slice(colon + 1)};
  });
}

/** Whether `stored` has all places of `wanted`. It may have more. */
export function hasPlaces(stored: StoredPlaces, wanted: StoredPlaces): boolean {
  const places = unpackPlaces(stored);
  return unpackPlaces(wanted).every((name, index) => name === undefined || isSame(places[index], name));
}

function isSame(one: LinkName | undefined, other: LinkName): boolean {
  return one?.domain === other.domain && one.slug === other.slug;
}
