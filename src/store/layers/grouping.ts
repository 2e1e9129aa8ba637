import {setImmediate} from 'node:timers/promises';
import {planted} from '../../planted.ts';
import {isThenable} from '../../values/callback.ts';
import {Grouper} from '../batching/grouper.ts';
import type {Change, CounterRows, Driver, RecordRow} from '../driver.ts';
import type {Batch, Counters, Inspection} from '../port.ts';
import type {Call} from './deadlines.ts';
import type {Outages} from './outages.ts';

/** The maximum number of rows in one call of a driver. */
const maxRows = 500;

/** The maximum number of counters in one call of a driver, so that no statement holds its locks for long. */
const maxCounters = 5000;

/** A driver within the process answers a read of so many keys only after other work of the process had its turn. */
const longRead = 20;

/** Waiting callers of a write that was not answered have no time left. */
const serial = {isSerial: true, failsWaiting: true};

const noInspection: Inspection = {version: undefined, clockOffset: undefined, findings: []};

/**
 * The calls of a driver, of bounded size. If a call costs a round trip, the calls of one turn of the event loop share one.
 * A driver only gets distinct keys.
 */
export function grouped(driver: Driver, call: Call, outages: Outages) {
  const {isRemote} = driver;

  const read = (keys: readonly string[], word?: string): Promise<readonly unknown[]> =>
    outages.send('read', (deadline) => driver.read(keys, deadline, word));

  /** Without I/O, a loop over many reads would keep visitors waiting until its end. */
  async function giveWay(keys: readonly string[]): Promise<void> {
    if (!isRemote && keys.length >= longRead) await setImmediate();
  }

  async function readEach(keys: readonly string[], word?: string): Promise<readonly unknown[]> {
    const distinct = keys.length === 1 ? keys : Array.from(new Set(keys));
    const records = await read(distinct, word);
    if (distinct.length === keys.length) return records;
    const byKey = new Map(distinct.map((key, index) => [key, records[index]]));
    return keys.map((key) => byKey.get(key));
  }

  function isAbsent(key: string): boolean {
    try {
      const records = call((deadline) => driver.read([key], deadline));
      if (!isThenable(records)) return records[0] === undefined;
      records.catch(() => undefined);
    } catch {
      // The next read reports it.
    }
    return false;
  }

  const insert = (rows: readonly RecordRow[]): Promise<ReadonlyArray<boolean | Error>> =>
    outages.send('write', (deadline) => driver.insert(rows, deadline));

  /** If several callers insert the same key, the first one succeeds, and the others get false. */
  async function insertEach(rows: readonly RecordRow[]): Promise<ReadonlyArray<boolean | Error>> {
    const first = firstOfKeys(rows, ([key]) => key);
    const distinct = Array.from(first.values());
    const inserted = await insert(distinct);
    const results = new Map(distinct.map(([key], index) => [key, inserted[index] ?? false]));
    return rows.map((row) => {
      const result = results.get(row[0]) ?? false;
      return first.get(row[0]) === row || result instanceof Error || planted('equal-inserts') ? result : false;
    });
  }

  const replace = async (row: RecordRow, expected: unknown): Promise<boolean | Error> =>
    outages.send('write', (deadline) => driver.replace(row, expected, deadline));

  /** If several callers replace the same record, the others follow when the first one has its answer. */
  async function replaceEach(changes: readonly Change[]): Promise<ReadonlyArray<boolean | Error>> {
    const distinct = Array.from(firstOfKeys(changes, ([[key]]) => key).values());
    const replaced = await replaceDistinct(distinct);
    const results = new Map(distinct.map((change, index) => [change, replaced[index] ?? false]));
    const others = changes.filter((change) => !results.has(change));
    const later = others.length > 0 ? await replaceEach(others) : [];
    let turn = 0;
    return changes.map((change) => results.get(change) ?? later[turn++] ?? false);
  }

  async function replaceDistinct(changes: readonly Change[]): Promise<ReadonlyArray<boolean | Error>> {
    const [[row, expected] = []] = changes;
    if (changes.length === 1 && row !== undefined) return [await replace(row, expected)];
    return outages.send('write', (deadline) => driver.replaceMany?.(changes, deadline) ?? []);
  }

  /** Each caller gets another number. */
  async function incrementEach(keys: readonly string[]): Promise<readonly number[]> {
    const steps = new Map<string, number>();
    for (const key of keys) steps.set(key, (steps.get(key) ?? 0) + 1);
    const ends = await outages.send('write', (deadline) => driver.increment(Array.from(steps), deadline));
    const next = new Map(Array.from(steps, ([key, by], index) => [key, Number(ends[index]) - by]));
    return keys.map((key) => {
      const value = (next.get(key) ?? 0) + 1;
      next.set(key, value);
      return value;
    });
  }

  const reads = new Grouper((keys: readonly string[]) => readEach(keys));
  const inserts = new Grouper(insertEach, serial);
  const replaces = new Grouper(replaceEach, serial);
  const increments = new Grouper(incrementEach, serial);

  return {
    get: isRemote
      ? (key: string): Promise<unknown> => reads.add(key)
      : async (key: string): Promise<unknown> => (await read([key]))[0],
    /** The records in the order of the keys. */
    async getMany(keys: readonly string[], word?: string): Promise<readonly unknown[]> {
      if (keys.length === 0) return [];
      await giveWay(keys);
      return readEach(keys, word);
    },
    /** Whether there is surely no record. False if the driver, which is in the process, cannot tell at once. */
    isAbsent,
    async insert(row: RecordRow): Promise<boolean> {
      const result = isRemote ? await inserts.add(row) : (await insert([row]))[0];
      return outages.accepted(result ?? false);
    },
    async insertMany(rows: readonly RecordRow[]): Promise<readonly boolean[]> {
      const results: boolean[] = [];
      for (let start = 0; start < rows.length; start += maxRows) {
        const inserted = await insert(rows.slice(start, start + maxRows));
        results.push(...inserted.map((result) => outages.accepted(result)));
      }
      return results;
    },
    /** Stores the row if its key still has `expected`, or removes the key if the record is undefined. */
    async replace(row: RecordRow, expected: unknown): Promise<boolean> {
      const isAlone = driver.replaceMany === undefined || row[1] === undefined;
      return outages.accepted(await (isAlone ? replace(row, expected) : replaces.add([row, expected])));
    },
    remove: (key: string): Promise<void> => outages.send('write', (deadline) => driver.remove(key, deadline)),
    /** Removes up to `max` of the records whose life is over, unless the engine does it by itself. A failure is no outage. */
    collect: async (max: number): Promise<void> => call((deadline) => driver.collect?.(max, deadline)),
    increment: isRemote
      ? (key: string): Promise<number> => increments.add(key)
      : async (key: string): Promise<number> => Number((await incrementEach([key]))[0]),
    count: (batch: Batch): Promise<readonly boolean[]> =>
      outages.send('write', (deadline) => driver.count(batch, deadline)),
    async getCounters(keys: readonly string[], names?: readonly string[]): Promise<readonly Counters[]> {
      if (keys.length === 0) return [];
      await giveWay(keys);
      return outages.send('read', (deadline) => driver.getCounters(keys, names, deadline));
    },
    async removeCounters(key: string, names?: readonly string[]): Promise<void> {
      if (names?.length === 0) return;
      await outages.send('write', (deadline) => driver.removeCounters(key, names, deadline));
    },
    async setCounters(rows: CounterRows): Promise<void> {
      for (const some of inParts(rows)) await outages.send('write', (deadline) => driver.setCounters(some, deadline));
    },
    inspect: (): Promise<Inspection> =>
      outages.send('inspect', (deadline) => driver.inspect?.(deadline) ?? noInspection),
  };
}

/** The operations of the port on whole keys and records. */
export type Calls = ReturnType<typeof grouped>;

/** The first item of each key. */
function firstOfKeys<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item> {
  const first = new Map<string, Item>();
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item);
  return first;
}

/** Parts with a bounded number of counters. One row is never split. */
function* inParts(rows: CounterRows): Iterable<CounterRows> {
  let part: Array<CounterRows[number]> = [];
  let size = 0;
  for (const row of rows) {
    const {size: added} = row[1].counts;
    if (part.length > 0 && size + added > maxCounters) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(row);
    size += added;
  }
  if (part.length > 0) yield part;
}
