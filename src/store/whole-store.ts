import {operationFailure} from './failure.ts';
import {batchPrefix, GuardedStore} from './guarded-store.ts';
import type {Counters, KeyKind, KeyPart, ToolStore} from './port.ts';

/** Rows that are inserted in one call of a driver. */
const maxRows = 500;

/** Counters that are set in one call of a driver, so that no statement holds its locks for long. */
const maxCounters = 5000;

/** The store as the tools see it. */
export class WholeStore extends GuardedStore implements ToolStore {
  async keys(kind: KeyKind, prefix: string, cursor?: string): Promise<KeyPart> {
    const {keys, next} = await this.ask('keys', (driver, deadline) =>
      driver.keys(kind, this.keyOf(prefix), cursor, deadline),
    );
    const start = this.keyOf('').length;
    const ours = keys.map((key) => key.slice(start)).filter((key) => !key.startsWith(batchPrefix));
    return {keys: ours, next};
  }

  async insertMany(rows: ReadonlyArray<readonly [key: string, value: unknown]>): Promise<readonly boolean[]> {
    const results: boolean[] = [];
    for (let start = 0; start < rows.length; start += maxRows) {
      const some = rows.slice(start, start + maxRows);
      const records = await Promise.all(
        some.map(async ([key, value]) => [this.keyOf(key), await this.record(key, value)] as const),
      );
      const inserted = await this.ask('insert', (driver, deadline) => driver.insert(records, deadline));
      for (const result of inserted) {
        if (result instanceof Error) throw operationFailure(result);
        results.push(result);
      }
    }
    return results;
  }

  async incrementBy(key: string, by: number): Promise<number> {
    const [end] = await this.ask('incrementBy', (driver, deadline) =>
      driver.increment([[this.keyOf(key), by]], deadline),
    );
    return Number(end) - by + 1;
  }

  async setCounters(rows: ReadonlyArray<readonly [key: string, counters: Counters]>): Promise<void> {
    for (let start = 0; start < rows.length;) {
      let end = start;
      for (let size = 0; end < rows.length; end += 1) {
        size += rows[end]?.[1].counts.size ?? 0;
        if (size > maxCounters && end > start) break;
      }
      const some = rows.slice(start, end).map(([key, counters]) => [this.keyOf(key), counters] as const);
      await this.ask('setCounters', (driver, deadline) => driver.setCounters(some, deadline));
      start = end;
    }
  }
}
