import {
  addTo,
  noCounters,
  parseCounters,
  removeFrom,
  setIn,
  type StoredCounters,
} from '../../src/store/batching/counting.ts';
import {type Batch, type Counters, nextCounter} from '../../src/store/port.ts';

/** How long the last batch of a writer is remembered, in milliseconds. */
const writerLife = 24 * 60 * 60_000;

/** The content of a simulated engine. Each method is one atomic step. */
export class Server {
  records = new Map<string, string>();
  counters = new Map<string, StoredCounters>();
  /** When the lives of records end, by the clock of the server. */
  #ends = new Map<string, number>();
  /** The last batch of each writer. */
  #batches = new Map<string, {readonly number: number; readonly counted: readonly boolean[]; readonly at: number}>();

  /** Copies a shard to its replica. The returned function promotes it: all that was written there since is lost. */
  replicate(shard: Shard): () => void {
    const isThere = shards[shard];
    const records = select(this.records, (key) => isThere(`record ${key}`));
    const ends = select(this.#ends, (key) => isThere(`record ${key}`));
    const counters = structuredClone(select(this.counters, (key) => isThere(`counter ${key}`)));
    const batches = select(this.#batches, () => isThere('batch'));
    return () => {
      this.records = new Map([...select(this.records, (key) => !isThere(`record ${key}`)), ...records]);
      this.#ends = new Map([...select(this.#ends, (key) => !isThere(`record ${key}`)), ...ends]);
      const copied = Array.from(counters, ([key, stored]) => [key, parseCounters(stored) ?? noCounters()] as const);
      this.counters = new Map([...select(this.counters, (key) => !isThere(`counter ${key}`)), ...copied]);
      this.#batches = new Map([...select(this.#batches, () => !isThere('batch')), ...batches]);
    };
  }

  /** Removes the record first if its life is over. */
  read(key: string): string | undefined {
    if ((this.#ends.get(key) ?? Infinity) <= Date.now()) this.records.delete(key);
    return this.records.get(key);
  }

  insert(key: string, record: string, life: number | undefined): boolean {
    if (this.read(key) !== undefined) return false;
    this.#set(key, record, life);
    return true;
  }

  replace(key: string, expected: unknown, record: string | undefined, life: number | undefined): boolean {
    if (this.read(key) === undefined || this.read(key) !== expected) return false;
    if (record === undefined) this.records.delete(key);
    else this.#set(key, record, life);
    return true;
  }

  count({writer, number, additions}: Batch): readonly boolean[] {
    const last = this.#batches.get(writer);
    if (last !== undefined && last.number >= number) return last.counted;
    const counted = additions.map(({link, keys, adds, at}) => {
      if (link !== undefined && this.records.get(link.key) !== link.revision) return false;
      for (const [index, key] of keys.entries()) addTo(this.#countersAt(key), adds[index] ?? {}, at);
      return true;
    });
    this.#batches.set(writer, {number, counted, at: Date.now()});
    // As on SQL. Redis forgets a batch by itself.
    for (const [other, {at}] of number === 1 ? this.#batches : []) {
      if (at < Date.now() - writerLife) this.#batches.delete(other);
    }
    return counted;
  }

  increment(key: string, by: number): number {
    const counters = this.#countersAt(key);
    addTo(counters, {[nextCounter]: by}, 0);
    return counters.counts[nextCounter] ?? 0;
  }

  removeCounters(key: string, names: readonly string[] | undefined): void {
    const stored = this.counters.get(key);
    if (names === undefined) this.counters.delete(key);
    else if (stored !== undefined) removeFrom(stored, names);
  }

  setCounters(key: string, counters: Counters): void {
    setIn(this.#countersAt(key), counters);
  }

  #set(key: string, record: string, life: number | undefined): void {
    this.records.set(key, record);
    if (life === undefined) this.#ends.delete(key);
    else this.#ends.set(key, Date.now() + life);
  }

  #countersAt(key: string): StoredCounters {
    const stored = this.counters.get(key) ?? noCounters();
    this.counters.set(key, stored);
    return stored;
  }
}

/** What is on one server. On a cluster, a failover loses the last writes of one shard only. */
const shards = {
  server: () => true,
  sequences: (key) => /^counter s:(?:sequence|positions):/.test(key),
  slots: (key) => key.startsWith('record s:list:'),
  pointers: (key) => key.startsWith('record s:accounts:'),
  visits: (key) => key === 'batch' || /^counter s:(?:v|totals):/.test(key),
} satisfies Record<string, (key: string) => boolean>;

export type Shard = keyof typeof shards;

function select<Value>(all: ReadonlyMap<string, Value>, has: (key: string) => boolean): Map<string, Value> {
  return new Map(Array.from(all).filter(([key]) => has(key)));
}
