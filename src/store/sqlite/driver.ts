import {setImmediate} from 'node:timers/promises';
import {sumByKey} from '../counting.ts';
import type {Deadline} from '../deadline.ts';
import {type Answer, type CounterRows, type Driver, nextCounter} from '../driver.ts';
import type {Batch, Counters, Inspection, KeyAddition, KeyKind, KeyPart} from '../port.ts';
import {type Prepare, SqliteDatabase} from './database.ts';
import {inspectSqlite} from './inspect.ts';

/** How many rows are read before the event loop gets a turn, in about a millisecond. */
const readsAtOnce = 400;

/** The number of keys from which one statement for all is faster than one for each. */
const minTogether = 4;

/** Keys in one part of a listing. */
const keysAtOnce = 500;

/** How long a writer is remembered after its last batch, in milliseconds. */
const writerLife = 86_400_000;

/** The tables of a store, as they are written in statements. */
interface Tables {
  readonly records: string;
  readonly counters: string;
  readonly batches: string;
}

/** Runs a transaction for operations that read before they write. */
export class SqliteDriver implements Driver {
  readonly engine = 'sqlite';
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly isRemote = false;
  readonly #database: SqliteDatabase;
  readonly #tables: Tables;

  /**
   * @param path a file, relative to the working directory and created when absent, or `:memory:`
   * @param table the table of records, whose name begins the names of the other tables
   */
  constructor(path: string, table: string) {
    const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
    const [records, counters, batches] = [quoted(table), quoted(`${table}_counters`), quoted(`${table}_batches`)];
    this.#tables = {records, counters, batches};
    this.#database = new SqliteDatabase(
      path,
      `create table if not exists ${records} (key text primary key, value text not null) without rowid;
       create table if not exists ${counters} (
         key text, name text, n integer not null, at integer not null, primary key (key, name)) without rowid;
       create table if not exists ${batches} (
         writer text primary key, number integer not null, counted text not null, at integer not null) without rowid`,
    );
  }

  read(keys: readonly string[], deadline: Deadline): Answer<unknown[]> {
    const text = `select value from ${this.#tables.records} where key = ?`;
    const many = `select key, value from ${this.#tables.records} where key in (select value from json_each(?))`;
    const some = (part: readonly string[]): Answer<unknown[]> =>
      this.#database.read((prepare) => {
        if (part.length < minTogether) return part.map((key) => prepare(text).get(key)?.[0]);
        const records = new Map(prepare(many).all(JSON.stringify(part)) as Array<[key: string, value: unknown]>);
        return part.map((key) => records.get(key));
      }, deadline);
    return keys.length <= readsAtOnce ? some(keys) : inParts(keys, some);
  }

  insert(rows: ReadonlyArray<readonly [key: string, record: unknown]>, deadline: Deadline): Promise<boolean[]> {
    const text = `insert into ${this.#tables.records} (key, value) values (?, ?) on conflict (key) do nothing`;
    return this.#database.write(
      (prepare) => rows.map(([key, record]) => prepare(text).run(key, record).changes > 0),
      deadline,
    );
  }

  replace(key: string, expected: unknown, record: unknown, deadline: Deadline): Promise<boolean> {
    const text = `update ${this.#tables.records} set value = ? where key = ? and value = ?`;
    return this.#database.write((prepare) => prepare(text).run(record, key, expected).changes > 0, deadline);
  }

  async remove(key: string, deadline: Deadline): Promise<void> {
    await this.#database.write(
      (prepare) => prepare(`delete from ${this.#tables.records} where key = ?`).run(key),
      deadline,
    );
  }

  count({writer, number, additions}: Batch, deadline: Deadline): Promise<readonly boolean[]> {
    return this.#database.write((prepare) => {
      const [last, counted] = prepare(`select number, counted from ${this.#tables.batches} where writer = ?`).get(
        writer,
      ) ?? [0, '[]'];
      if (Number(last) >= number) return JSON.parse(String(counted)) as boolean[];
      const text = `select value from ${this.#tables.records} where key = ?`;
      const results = additions.map(
        ({link}) => link === undefined || prepare(text).get(link.key)?.[0] === link.revision,
      );
      for (const [key, {counts, at}] of sumByKey(additions.filter((_, place) => results[place]))) {
        this.#add(prepare, key, counts, at);
      }
      this.#remember(prepare, writer, number, results);
      return results;
    }, deadline);
  }

  increment(steps: ReadonlyArray<readonly [key: string, by: number]>, deadline: Deadline): Promise<number[]> {
    return this.#database.write((prepare) => {
      for (const [key, by] of steps) this.#add(prepare, key, {[nextCounter]: by}, 0);
      const text = `select n from ${this.#tables.counters} where key = ? and name = ?`;
      return steps.map(([key]) => Number(prepare(text).get(key, nextCounter)?.[0]));
    }, deadline);
  }

  getCounters(
    keys: readonly string[],
    names: readonly string[] | undefined,
    deadline: Deadline,
  ): Answer<readonly Counters[]> {
    const some = (part: readonly string[]): Answer<Counters[]> =>
      this.#database.read((prepare) => this.#countersOf(prepare, part, names), deadline);
    return keys.length <= readsAtOnce ? some(keys) : inParts(keys, some);
  }

  async removeCounters(key: string, names: readonly string[] | undefined, deadline: Deadline): Promise<void> {
    const text = `delete from ${this.#tables.counters} where key = ?`;
    await this.#database.write((prepare) => {
      if (names === undefined) prepare(text).run(key);
      else for (const name of names) prepare(`${text} and name = ?`).run(key, name);
    }, deadline);
  }

  async setCounters(rows: CounterRows, deadline: Deadline): Promise<void> {
    const text = `insert into ${this.#tables.counters} values (?, ?, ?, ?)
      on conflict (key, name) do update set n = excluded.n, at = excluded.at`;
    await this.#database.write((prepare) => {
      for (const [key, {counts, at = 0}] of rows) for (const [name, n] of counts) prepare(text).run(key, name, n, at);
    }, deadline);
  }

  /** Texts are compared by their bytes, and a key has only printable ASCII after its prefix. */
  keys(kind: KeyKind, prefix: string, cursor: string | undefined, deadline: Deadline): Answer<KeyPart> {
    const some = `select distinct key from ${this.#tables[kind]} where key > ? and key < ? order by key limit ?`;
    const text = `select json_group_array(key), max(key) from (${some})`;
    return this.#database.read((prepare) => {
      const [found, last] = prepare(text).get(cursor ?? prefix, `${prefix}\x7f`, keysAtOnce) ?? ['[]'];
      const keys = JSON.parse(String(found)) as string[];
      return {keys, next: keys.length === keysAtOnce ? String(last) : undefined};
    }, deadline);
  }

  inspect(deadline: Deadline): Promise<Inspection> {
    const ask = (texts: readonly string[]): Answer<unknown[]> =>
      this.#database.read((prepare) => texts.map((text) => prepare(text).get()?.[0]), deadline);
    return inspectSqlite(ask, this.#database.path);
  }

  /** Takes and releases the write lock, which fails for a file that cannot be written. */
  ping(deadline: Deadline): Promise<void> {
    return this.#database.write(() => undefined, deadline);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /** Uses one statement for all counters of a key, because each call of the client is expensive. */
  #add(prepare: Prepare, key: string, add: KeyAddition['add'], at: number): void {
    prepare(
      `insert into ${this.#tables.counters} select ?, key, value, ? from json_each(?) where true
       on conflict (key, name) do update set n = n + excluded.n, at = max(at, excluded.at)`,
    ).run(key, at, JSON.stringify(add));
  }

  #remember(prepare: Prepare, writer: string, number: number, counted: readonly boolean[]): void {
    prepare(
      `insert into ${this.#tables.batches} values (?, ?, ?, ?)
       on conflict (writer) do update set number = excluded.number, counted = excluded.counted, at = excluded.at`,
    ).run(writer, number, JSON.stringify(counted), Date.now());
    if (number === 1) prepare(`delete from ${this.#tables.batches} where at < ?`).run(Date.now() - writerLife);
  }

  /** Reads all rows as one text, because rows are expensive in the client. A name has no space and no semicolon. */
  #countersOf(prepare: Prepare, keys: readonly string[], names: readonly string[] | undefined): Counters[] {
    const text = `select group_concat(k.key || ' ' || name || ' ' || n || ' ' || at, ';')
      from json_each(?) k cross join ${this.#tables.counters} c on c.key = k.value`;
    const [rows] =
      (names === undefined
        ? prepare(text).get(JSON.stringify(keys))
        : prepare(`${text} where name in (select value from json_each(?))`).get(
            JSON.stringify(keys),
            JSON.stringify(names),
          )) ?? [];
    const all = keys.map(() => ({counts: new Map<string, number>(), at: undefined as number | undefined}));
    for (const row of typeof rows === 'string' ? rows.split(';') : []) {
      const [place, name = '', n, at] = row.split(' ');
      const counters = all[Number(place)];
      counters?.counts.set(name, Number(n));
      if (counters) counters.at = Math.max(counters.at ?? 0, Number(at));
    }
    return all;
  }
}

async function inParts<Item, Result>(
  items: readonly Item[],
  read: (some: readonly Item[]) => Answer<Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += readsAtOnce) {
    if (start > 0) await setImmediate();
    results.push(...(await read(items.slice(start, start + readsAtOnce))));
  }
  return results;
}
