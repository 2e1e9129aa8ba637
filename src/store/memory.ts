import type {Driver} from './driver.ts';
import type {DailyTally, Tally, VisitBatch} from './port.ts';
import {addToTally, emptyTally, type StoredTally, unpackDay} from './tally.ts';

/** Keeps everything in a Map: exact, because nothing happens between a read and the write that follows it. */
export class MemoryDriver implements Driver {
  readonly guarantee = 'process';
  readonly keepsObjects = true;
  readonly #map: Map<string, unknown>;

  constructor(map: Map<string, unknown>) {
    this.#map = map;
  }

  get(key: string): unknown {
    return this.#map.get(key);
  }

  getMany(keys: readonly string[]): unknown[] {
    return keys.map((key) => this.#map.get(key));
  }

  insert(key: string, record: unknown): boolean {
    if (this.#map.has(key)) return false;
    this.#map.set(key, record);
    return true;
  }

  replace(key: string, expected: unknown, record: unknown): boolean {
    if (this.#map.get(key) !== expected) return false;
    this.#map.set(key, record);
    return true;
  }

  remove(key: string): void {
    this.#map.delete(key);
  }

  increment(key: string): number {
    const next = this.current(key) + 1;
    this.#map.set(key, String(next));
    return next;
  }

  current(key: string): number {
    return Number(this.#map.get(key) ?? 0);
  }

  addVisits(batch: VisitBatch): void {
    for (const addition of batch.additions) {
      const tally = this.#tally(addition.key) ?? emptyTally();
      if (addToTally(tally, batch.writer, batch.number, addition)) this.#map.set(addition.key, tally);
    }
  }

  getTallies(keys: readonly string[]): Tally[] {
    return keys.map((key) => {
      const {visits, lastVisit} = this.#tally(key) ?? {visits: 0, lastVisit: undefined};
      return {visits, lastVisit};
    });
  }

  getDailyTally(key: string): DailyTally {
    const {visits, lastVisit, days} = this.#tally(key) ?? {visits: 0, lastVisit: undefined, days: []};
    return {visits, lastVisit, days: days.map(unpackDay)};
  }

  #tally(key: string): StoredTally | undefined {
    return this.#map.get(key) as StoredTally | undefined;
  }

  ping(): void {
    // What is in the process always answers.
  }

  close(): void {
    // The Map may be the host's; one of ours goes with the driver.
  }
}
