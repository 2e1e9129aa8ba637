import {
  addTo,
  noCounters,
  parseCounters,
  removeFrom,
  setIn,
  type StoredCounters,
} from '../../src/store/batching/counting.ts';
import {nextCounter} from '../../src/store/driver.ts';
import type {Batch, Counters} from '../../src/store/port.ts';

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

  /** Copies the content to a replica. The returned function promotes it: all that was written since is lost. */
  replicate(): () => void {
    const {records, ends, counters, batches} = structuredClone({
      records: this.records,
      ends: this.#ends,
      counters: this.counters,
      batches: this.#batches,
    });
    return () => {
      this.records = records;
      this.#ends = ends;
      this.counters = new Map(Array.from(counters, ([key, stored]) => [key, parseCounters(stored) ?? noCounters()]));
      this.#batches = batches;
    };
  }

  /** Copies the sequences, as they are on a shard. The returned function brings them back: their last values are lost. */
  replicateSequences(): () => void {
    const copied = structuredClone(Array.from(this.counters).filter(([key]) => isSequence(key)));
    return () => {
      for (const key of this.counters.keys()) if (isSequence(key)) this.counters.delete(key);
      for (const [key, stored] of copied) this.counters.set(key, parseCounters(stored) ?? noCounters());
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

const isSequence = (key: string): boolean => /^s:(?:sequence|positions):/.test(key);
