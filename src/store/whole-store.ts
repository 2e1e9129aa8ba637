import {batchPrefix} from './batching/batches.ts';
import {type Codec, commonCodec} from './codec.ts';
import type {Driver} from './driver.ts';
import {accepted, GuardedStore, type GuardedStoreOptions} from './guarded-store.ts';
import type {Counters, Entry, Forms, Inspection, KeyKind, KeyPart, ToolStore} from './port.ts';

/** The most rows in one call of a driver. */
const maxRows = 500;

/** The most counters in one call of a driver, so that no statement holds its locks for long. */
const maxCounters = 5000;

/** The store for the tools. */
export class WholeStore extends GuardedStore implements ToolStore {
  readonly #common: Codec;
  readonly #forms: Forms | undefined;

  constructor(driver: Driver, options: GuardedStoreOptions & {readonly forms: Forms | undefined}) {
    super(driver, options);
    this.#forms = options.forms;
    this.#common = commonCodec(options.forms);
  }

  async keys(kind: KeyKind, prefix: string, cursor?: string): Promise<KeyPart> {
    const {keys, next} = await this.ask('keys', (driver, deadline) =>
      driver.keys(kind, this.keyOf(prefix), cursor, deadline),
    );
    const start = this.keyOf('').length;
    const ours = keys.map((key) => key.slice(start)).filter((key) => !key.startsWith(batchPrefix));
    return {keys: ours, next};
  }

  inspect(): Promise<Inspection> {
    const nothing: Inspection = {version: undefined, clockOffset: undefined, findings: []};
    return this.ask('inspect', (driver, deadline) => driver.inspect?.(deadline) ?? nothing);
  }

  async insertMany(rows: ReadonlyArray<readonly [key: string, value: unknown]>): Promise<readonly boolean[]> {
    return this.#insert(rows, (key, value) => this.record(key, value));
  }

  async textOf(key: string, {value, revision}: Entry<unknown>): Promise<string> {
    // A text that is not JSON is the complete record.
    if (this.#forms?.isText(key) === true && typeof revision === 'string' && !revision.startsWith('{')) return revision;
    return (await this.#common.encode(key, value)) as string;
  }

  async getTexts(keys: readonly string[]): Promise<ReadonlyArray<string | undefined>> {
    if (keys.length === 0) return [];
    if (this.codec.isCommon) {
      const records = await this.ask('getTexts', (driver, deadline) => driver.read(keys.map(this.keyOf), deadline));
      return records as ReadonlyArray<string | undefined>;
    }
    const entries = await this.getMany(keys);
    return Promise.all(
      keys.map(async (key, index) => {
        const entry = entries[index];
        return entry && this.textOf(key, entry);
      }),
    );
  }

  async insertTexts(rows: ReadonlyArray<readonly [key: string, text: string]>): Promise<readonly boolean[]> {
    if (this.codec.isCommon) return this.#insert(rows, (_, text) => text);
    return this.#insert(rows, async (key, text) => this.record(key, await this.#common.decode(key, text)));
  }

  async replaceText(key: string, expected: string, text: string): Promise<boolean> {
    if (this.codec.isCommon) {
      const whole = this.keyOf(key);
      return accepted(await this.ask('replace', (driver, deadline) => driver.replace(whole, expected, text, deadline)));
    }
    const entry = await this.get(key);
    if (entry === undefined || (await this.textOf(key, entry)) !== expected) return false;
    return this.replace(key, entry.revision, await this.#common.decode(key, text));
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

  async #insert<Value>(
    rows: ReadonlyArray<readonly [key: string, value: Value]>,
    recordOf: (key: string, value: Value) => unknown,
  ): Promise<readonly boolean[]> {
    const results: boolean[] = [];
    for (let start = 0; start < rows.length; start += maxRows) {
      const some = rows.slice(start, start + maxRows);
      const records = await Promise.all(some.map(([key, value]) => recordOf(key, value)));
      const whole = some.map(([key], index) => [this.keyOf(key), records[index]] as const);
      const inserted = await this.ask('insert', (driver, deadline) => driver.insert(whole, deadline));
      results.push(...inserted.map(accepted));
    }
    return results;
  }
}
