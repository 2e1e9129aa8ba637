import {setImmediate} from 'node:timers/promises';
import type {Deadline} from './deadline.ts';
import {type Answer, type Driver, nextCounter} from './driver.ts';
import type {Batch, Counters} from './port.ts';
import {type Prepare, SqliteDatabase} from './sqlite-database.ts';

/** How many rows are read before the event loop has its turn: about a millisecond's worth. */
const readsAtOnce = 400;

/** How long a writer is remembered after its last batch, in milliseconds. */
const writerLife = 86_400_000;

/** The tables of a store, as they stand in a statement. */
interface Tables {
  readonly records: string;
  readonly counters: string;
  readonly batches: string;
}

/**
 * The file in `sqlite:path/to/file.db`, `sqlite:/path/to/file.db` or, as Keyv writes it, `sqlite://path/to/file.db`;
 * `sqlite:///path` is absolute. The path is taken as it stands: a `%` or a `?` is part of a name.
 */
export function sqlitePath(text: string): string {
  const path = text.replace(/^sqlite:(\/\/)?/i, '');
  if (path === '' || path.endsWith('/') || path.includes('\0')) {
    throw new TypeError('Expected a path to a file after `sqlite:` in the connection string of the store');
  }
  return path;
}

/** @param table the table of records; those of counters and batches stand beside it */
export function sqliteDriver(path: string, table: string): SqliteDriver {
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const tables = {records: quoted(table), counters: quoted(`${table}_counters`), batches: quoted(`${table}_batches`)};
  const schema = `
    create table if not exists ${tables.records} (key text primary key, value text not null);
    create table if not exists ${tables.counters} (
      key text, name text, n integer not null, at integer not null, primary key (key, name)) without rowid;
    create table if not exists ${tables.batches} (
      writer text primary key, number integer not null, counted text not null, at integer not null) without rowid`;
  return new SqliteDriver(new SqliteDatabase(path, schema), tables);
}

/** A transaction around all that must look before it writes. */
export class SqliteDriver implements Driver {
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly isRemote = false;
  readonly #database: SqliteDatabase;
  readonly #tables: Tables;

  constructor(database: SqliteDatabase, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  read(keys: readonly string[], deadline: Deadline): Answer<unknown[]> {
    const text = `select value from ${this.#tables.records} where key = ?`;
    const some = (part: readonly string[]): Answer<unknown[]> =>
      this.#database.read((prepare) => part.map((key) => prepare(text).get(key)?.[0]), deadline);
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
      const results = additions.map(({link, counters, add, at}) => {
        if (
          link &&
          prepare(`select value from ${this.#tables.records} where key = ?`).get(link.key)?.[0] !== link.revision
        ) {
          return false;
        }
        for (const key of counters) for (const name in add) this.#add(prepare, [key, name, add[name] ?? 0, at]);
        return true;
      });
      this.#remember(prepare, writer, number, results);
      return results;
    }, deadline);
  }

  increment(steps: ReadonlyArray<readonly [key: string, by: number]>, deadline: Deadline): Promise<number[]> {
    return this.#database.write((prepare) => {
      for (const [key, by] of steps) this.#add(prepare, [key, nextCounter, by, 0]);
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
      this.#database.read((prepare) => part.map((key) => this.#countersOf(prepare, key, names)), deadline);
    return keys.length <= readsAtOnce ? some(keys) : inParts(keys, some);
  }

  async removeCounters(key: string, names: readonly string[], deadline: Deadline): Promise<void> {
    await this.#database.write((prepare) => {
      for (const name of names)
        prepare(`delete from ${this.#tables.counters} where key = ? and name = ?`).run(key, name);
    }, deadline);
  }

  /** Takes the lock and lets it go, so that a file which cannot be written is found out too. */
  ping(deadline: Deadline): Promise<void> {
    return this.#database.write(() => undefined, deadline);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #add(prepare: Prepare, row: readonly [key: string, name: string, n: number, at: number]): void {
    prepare(
      `insert into ${this.#tables.counters} values (?, ?, ?, ?)
       on conflict (key, name) do update set n = n + excluded.n, at = max(at, excluded.at)`,
    ).run(...row);
  }

  #remember(prepare: Prepare, writer: string, number: number, counted: readonly boolean[]): void {
    prepare(
      `insert into ${this.#tables.batches} values (?, ?, ?, ?)
       on conflict (writer) do update set number = excluded.number, counted = excluded.counted, at = excluded.at`,
    ).run(writer, number, JSON.stringify(counted), Date.now());
    if (number === 1) prepare(`delete from ${this.#tables.batches} where at < ?`).run(Date.now() - writerLife);
  }

  #countersOf(prepare: Prepare, key: string, names: readonly string[] | undefined): Counters {
    const text = `select name, n, at from ${this.#tables.counters} where key = ?`;
    const rows =
      names === undefined
        ? prepare(text).all(key)
        : names.flatMap((name) => prepare(`${text} and name = ?`).all(key, name));
    const times = rows.map(([, , at]) => Number(at));
    return {
      counts: new Map(rows.map(([name, n]) => [String(name), Number(n)])),
      at: times.length > 0 ? Math.max(...times) : undefined,
    };
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
