import {performance} from 'node:perf_hooks';
import {
  addTo,
  isCounters,
  noCounters,
  readCounters,
  removeFrom,
  setIn,
  type StoredCounters,
  sumByKey,
} from '../batching/counting.ts';
import type {CounterRows, Driver, Listing, RecordRow} from '../driver.ts';
import {type Batch, type Counters, type Increments, type KeyKind, nextCounter} from '../port.ts';

/** How long a writer is remembered after its last batch, in milliseconds. */
const writerLife = 24 * 60 * 60_000;

/** Stores everything in a Map. It is exact, because nothing runs between a read and the following write. */
export class MemoryDriver implements Driver {
  readonly engine = 'memory';
  readonly guarantee = 'process';
  readonly isRemote = false;
  readonly #map: Map<string, unknown>;
  /** When the lives of records end, in milliseconds since the epoch. A Map that is opened again keeps its records. */
  readonly #ends = new Map<string, number>();
  /** Goes through them round after round. */
  #round = this.#ends.entries();
  /** The last batch of each writer, the oldest first. */
  readonly #taken = new Map<
    string,
    {readonly number: number; readonly counted: readonly boolean[]; readonly at: number}
  >();

  constructor(map: Map<string, unknown>) {
    this.#map = map;
  }

  read(keys: readonly string[]): unknown[] {
    return keys.map((key) => this.#map.get(key));
  }

  insert(rows: readonly RecordRow[]): boolean[] {
    return rows.map((row) => this.replace(row, undefined));
  }

  replace([key, record, life]: RecordRow, expected: unknown): boolean {
    if (this.#map.get(key) !== expected) return false;
    this.#ends.delete(key);
    if (record === undefined) this.#map.delete(key);
    else this.#map.set(key, record);
    if (life !== undefined) this.#ends.set(key, Date.now() + life);
    return true;
  }

  remove(key: string): void {
    this.#map.delete(key);
    this.#ends.delete(key);
  }

  collect(max: number): void {
    const now = Date.now();
    for (let looks = 0; looks < max; looks += 1) {
      const next = this.#round.next();
      if (next.done === true) {
        this.#round = this.#ends.entries();
        return;
      }
      const [key, end] = next.value;
      if (end <= now) this.remove(key);
    }
  }

  count({writer, number, additions}: Batch): readonly boolean[] {
    const taken = this.#taken.get(writer);
    if (taken !== undefined && taken.number >= number) return taken.counted;
    const counted = additions.map(({link}) => link === undefined || this.#map.get(link.key) === link.revision);
    const sums = sumByKey(additions.filter((_, index) => counted[index]));
    for (const [key, {counts, at}] of sums) this.#add(key, counts, at);
    this.#remember(writer, number, counted);
    return counted;
  }

  #remember(writer: string, number: number, counted: readonly boolean[]): void {
    const now = performance.now();
    this.#taken.delete(writer);
    this.#taken.set(writer, {number, counted, at: now});
    for (const [other, {at}] of this.#taken) {
      if (now - at <= writerLife) return;
      this.#taken.delete(other);
    }
  }

  increment(steps: ReadonlyArray<readonly [key: string, by: number]>): number[] {
    return steps.map(([key, by]) => this.#add(key, {[nextCounter]: by}, 0).counts[nextCounter] ?? 0);
  }

  getCounters(keys: readonly string[], names: readonly string[] | undefined): Counters[] {
    return keys.map((key) => readCounters(this.#map.get(key) as StoredCounters | undefined, names));
  }

  removeCounters(key: string, names: readonly string[] | undefined): void {
    if (names === undefined) {
      this.#map.delete(key);
      return;
    }
    const stored = this.#map.get(key) as StoredCounters | undefined;
    if (stored !== undefined) removeFrom(stored, names);
  }

  setCounters(rows: CounterRows): void {
    for (const [key, counters] of rows) setIn(this.#counters(key), counters);
  }

  /** Lists all keys at once, because they are in memory already. */
  keys(kind: KeyKind, prefix: string): Listing {
    let isListed = false;
    return () => {
      if (isListed) return undefined;
      isListed = true;
      const all = Array.from(this.#map);
      return all.flatMap(([key, stored]) =>
        key.startsWith(prefix) && isCounters(stored) === (kind === 'counters') ? [key] : [],
      );
    };
  }

  ping(): void {
    // Memory is always reachable.
  }

  close(): void {
    // The Map may belong to the host.
  }

  #add(key: string, add: Increments, at: number): StoredCounters {
    const stored = this.#counters(key);
    addTo(stored, add, at);
    return stored;
  }

  #counters(key: string): StoredCounters {
    let stored = this.#map.get(key) as StoredCounters | undefined;
    if (stored === undefined) {
      stored = noCounters();
      this.#map.set(key, stored);
    }
    return stored;
  }
}
