import {
  addTo,
  isCounters,
  noCounters,
  readCounters,
  removeFrom,
  setIn,
  type StoredCounters,
} from './batching/counting.ts';
import {type CounterRows, type Driver, nextCounter} from './driver.ts';
import type {Batch, Counters, Increments, KeyKind, KeyPart} from './port.ts';

/** Stores everything in a Map. It is exact, because nothing runs between a read and the following write. */
export class MemoryDriver implements Driver {
  readonly engine = 'memory';
  readonly guarantee = 'process';
  readonly keepsObjects = true;
  readonly isRemote = false;
  readonly #map: Map<string, unknown>;
  /** The last batch of each writer. */
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
    if (record === undefined) this.#map.delete(key);
    else this.#map.set(key, record);
    return true;
  }

  remove(key: string): void {
    this.#map.delete(key);
  }

  count({writer, number, additions}: Batch): readonly boolean[] {
    const taken = this.#taken.get(writer);
    if (taken !== undefined && taken.number >= number) return taken.counted;
    const counted = additions.map((addition) => {
      const {link, keys, adds, at} = addition;
      if (link !== undefined && this.#map.get(link.key) !== link.revision) return false;
      for (const [index, key] of keys.entries()) this.#add(key, adds[index] ?? {}, at);
      return true;
    });
    this.#taken.set(writer, {number, counted});
    return counted;
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
    for (const [key, counters] of rows) {
      const stored = (this.#map.get(key) as StoredCounters | undefined) ?? noCounters();
      setIn(stored, counters);
      this.#map.set(key, stored);
    }
  }

  /** Lists all keys at once, because a changing Map has no stable cursor, and its keys are in memory already. */
  keys(kind: KeyKind, prefix: string): KeyPart {
    const keys: string[] = [];
    for (const [key, stored] of this.#map) {
      if (key.startsWith(prefix) && isCounters(stored) === (kind === 'counters')) keys.push(key);
    }
    return {keys, next: undefined};
  }

  ping(): void {
    // Memory is always reachable.
  }

  close(): void {
    // The Map may belong to the host.
  }

  #add(key: string, add: Increments, at: number): StoredCounters {
    let stored = this.#map.get(key) as StoredCounters | undefined;
    if (stored === undefined) {
      stored = noCounters();
      this.#map.set(key, stored);
    }
    addTo(stored, add, at);
    return stored;
  }
}
