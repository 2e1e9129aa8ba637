import {addTo, noCounters, readCounters, removeFrom, type StoredCounters} from './counting.ts';
import {type Driver, nextCounter} from './driver.ts';
import type {Addition, Batch, Counters} from './port.ts';

/** Keeps everything in a Map: exact, because nothing happens between a read and the write that follows it. */
export class MemoryDriver implements Driver {
  readonly guarantee = 'process';
  readonly keepsObjects = true;
  readonly isRemote = false;
  readonly #map: Map<string, unknown>;
  /** By writer its last batch. */
  readonly #taken = new Map<string, {readonly number: number; readonly counted: readonly boolean[]}>();

  constructor(map: Map<string, unknown>) {
    this.#map = map;
  }

  read(keys: readonly string[]): unknown[] {
    return keys.map((key) => this.#map.get(key));
  }

  insert(rows: ReadonlyArray<readonly [key: string, record: unknown]>): boolean[] {
    return rows.map(([key, record]) => {
      if (this.#map.has(key)) return false;
      this.#map.set(key, record);
      return true;
    });
  }

  replace(key: string, expected: unknown, record: unknown): boolean {
    if (this.#map.get(key) !== expected) return false;
    this.#map.set(key, record);
    return true;
  }

  remove(key: string): void {
    this.#map.delete(key);
  }

  count({writer, number, additions}: Batch): readonly boolean[] {
    const taken = this.#taken.get(writer);
    if (taken !== undefined && taken.number >= number) return taken.counted;
    const counted = additions.map((addition) => {
      const {link, counters} = addition;
      if (link !== undefined && this.#map.get(link.key) !== link.revision) return false;
      for (const key of counters) this.#add(key, addition);
      return true;
    });
    this.#taken.set(writer, {number, counted});
    return counted;
  }

  increment(steps: ReadonlyArray<readonly [key: string, by: number]>): number[] {
    return steps.map(([key, by]) => this.#add(key, {add: {[nextCounter]: by}, at: 0}).counts[nextCounter] ?? 0);
  }

  getCounters(keys: readonly string[], names: readonly string[] | undefined): Counters[] {
    return keys.map((key) => readCounters(this.#map.get(key) as StoredCounters | undefined, names));
  }

  removeCounters(key: string, names: readonly string[]): void {
    const stored = this.#map.get(key) as StoredCounters | undefined;
    if (stored !== undefined) removeFrom(stored, names);
  }

  ping(): void {
    // The process always answers itself.
  }

  close(): void {
    // The Map may be the host's; one of ours goes with the driver.
  }

  #add(key: string, addition: Pick<Addition, 'add' | 'at'>): StoredCounters {
    let stored = this.#map.get(key) as StoredCounters | undefined;
    if (stored === undefined) {
      stored = noCounters();
      this.#map.set(key, stored);
    }
    addTo(stored, addition);
    return stored;
  }
}
