/** A record and what the store needs to recognise it again: hand `revision` back to `replace`, and do not look inside. */
export interface Entry<Value> {
  readonly value: Value;
  readonly revision: unknown;
}

/** The visits of one link. */
export interface Tally {
  readonly visits: number;
  /** When the last of them was counted, in milliseconds since the epoch; undefined before the first. */
  readonly lastVisit: number | undefined;
}

/** How many visits there were on one day (UTC), which is counted from the epoch. */
export type DayVisits = readonly [day: number, visits: number];

/** How many days of a tally are kept: the last day with visits, and those with visits in the 399 days before it. */
export const daysKept = 400;

/** A tally with its days, in any order. Some that are older than `daysKept` may be among them. */
export interface DailyTally extends Tally {
  readonly days: readonly DayVisits[];
}

/** In milliseconds. */
export const dayLength = 86_400_000;

/** The day (UTC) of a moment in milliseconds since the epoch. */
export function dayOf(milliseconds: number): number {
  return Math.floor(milliseconds / dayLength);
}

/** Visits to add to one tally. */
export interface Addition {
  readonly key: string;
  /** How many, at least 1. */
  readonly visits: number;
  /** When the last of them was made, in milliseconds since the epoch. */
  readonly lastVisit: number;
}

/**
 * Visits that are stored together. A tally takes the batch `number` of a `writer` once: written again after a cut
 * connection, it changes nothing. Numbers of one writer rise, and a batch is given up or stored before the next is sent.
 * The keys within a batch are distinct, and its visits were all made on one day (UTC).
 */
export interface VisitBatch {
  readonly writer: string;
  readonly number: number;
  readonly additions: readonly Addition[];
}

/**
 * What the services ask of a store. Each operation touches one key (the ones that take many are as many operations),
 * so that it holds on a cluster, and each rejects when the store did not answer: `undefined` always means that the
 * store said "there is none". Values must survive JSON. Keys hold printable ASCII, at most 200 characters, and differ
 * by case.
 */
export interface Store {
  /** `store`: exact between any number of processes. `process`: exact only while one process uses the store. */
  readonly guarantee: 'store' | 'process';

  /** @param known what was read before; given back as it is if the record has not changed since, to save reading it */
  get<Value>(key: string, known?: Entry<Value>): Promise<Entry<Value> | undefined>;

  /** The entries in the order of the keys. */
  getMany<Value>(keys: readonly string[]): Promise<Array<Entry<Value> | undefined>>;

  /** Puts the value if the key is absent. Of any number of callers exactly one gets true. */
  insert(key: string, value: unknown): Promise<boolean>;

  /** Puts the value if the record is still the one of this revision; false if it has changed or gone. */
  replace(key: string, revision: unknown, value: unknown): Promise<boolean>;

  /** Removes the record; nothing happens where there is none. */
  remove(key: string): Promise<void>;

  /** The next integer of a sequence, from 1, never given twice. */
  increment(key: string): Promise<number>;

  /** The integer that `increment` gave last; 0 before the first. */
  current(key: string): Promise<number>;

  /** Adds to many tallies at once, each tally once for each batch. Resolves when all of them are stored. */
  addVisits(batch: VisitBatch): Promise<void>;

  /** The tallies in the order of the keys; zero visits where none was counted. */
  getTallies(keys: readonly string[]): Promise<Tally[]>;

  /** One tally with its days; no days where no visit was counted. */
  getDailyTally(key: string): Promise<DailyTally>;

  /** Resolves when the store answers. */
  ping(): Promise<void>;

  /** Lets the store go. Operations afterwards reject. */
  close(): Promise<void>;
}

/**
 * Replaces a record by what `change` makes of it, again from the start whenever somebody else was faster.
 * `change` returns undefined to leave the record as it is.
 *
 * @returns the record as it is afterwards, or undefined where there is none
 */
export async function update<Value>(
  store: Store,
  key: string,
  change: (value: Value) => Value | undefined,
): Promise<Value | undefined> {
  let outcome: Value | undefined;
  await upsert<Value>(store, key, (value) => {
    const next = value === undefined ? undefined : change(value);
    outcome = next ?? value;
    return next;
  });
  return outcome;
}

/** The same for a record that may not be there yet; `change` gets undefined then. */
export async function upsert<Value>(
  store: Store,
  key: string,
  change: (value: Value | undefined) => Value | undefined,
): Promise<void> {
  for (;;) {
    const entry = await store.get<Value>(key);
    const next = change(entry?.value);
    if (next === undefined) return;
    if (entry ? await store.replace(key, entry.revision, next) : await store.insert(key, next)) return;
  }
}
