import {EventEmitter} from 'node:events';
import type {StoredData} from 'keyv';
import {SqliteDatabase} from './sqlite-database.ts';

/** Rows past their time are absent, whether or not anybody has removed them. */
const alive = '(expires is null or expires > ?)';

/** How many rows the iterator reads at a time. */
const pageSize = 100;

interface Row {
  readonly key: string;
  readonly value: unknown;
  /** Time to live in milliseconds. */
  readonly ttl?: number | undefined;
}

/** A Keyv storage adapter over one SQLite file, for Keyv as well as for our own driver. Failures reject. */
export class SqliteAdapter extends EventEmitter {
  readonly opts: {readonly dialect: 'sqlite'; readonly url: string};
  readonly database: SqliteDatabase;
  namespace: string | undefined;

  constructor(path: string, timeout: number) {
    super();
    this.opts = {dialect: 'sqlite', url: `sqlite:${path}`};
    this.database = new SqliteDatabase(path, timeout);
  }

  async get<Value>(key: string): Promise<StoredData<Value> | undefined> {
    const rows = await this.getMany<Value>([key]);
    return rows[0];
  }

  async getMany<Value>(keys: readonly string[]): Promise<Array<StoredData<Value> | undefined>> {
    const found = await this.database.read((prepare) =>
      prepare(`select key, value from keyv where key in (select value from json_each(?)) and ${alive}`).all(
        JSON.stringify(keys),
        Date.now(),
      ),
    );
    const values = new Map(found as Array<[string, StoredData<Value>]>);
    return keys.map((key) => values.get(key));
  }

  async set(key: string, value: unknown, ttl?: number): Promise<void> {
    await this.setMany([{key, value, ttl}]);
  }

  async setMany(rows: readonly Row[]): Promise<void> {
    for (const {value} of rows) assertStorable(value);
    await this.database.write((prepare) => {
      const put = prepare(
        'insert into keyv values (?, ?, ?) on conflict (key) do update set value = excluded.value, expires = excluded.expires',
      );
      for (const {key, value, ttl} of rows) put.run(key, value, ttl ? Date.now() + ttl : null);
    });
  }

  async delete(key: string): Promise<boolean> {
    return this.deleteMany([key]);
  }

  /** @returns whether any of them was there */
  async deleteMany(keys: readonly string[]): Promise<boolean> {
    return this.database.write(
      (prepare) =>
        prepare('delete from keyv where key in (select value from json_each(?))').run(JSON.stringify(keys)).changes > 0,
    );
  }

  async has(key: string): Promise<boolean> {
    return (await this.get(key)) !== undefined;
  }

  async hasMany(keys: readonly string[]): Promise<boolean[]> {
    return (await this.getMany(keys)).map((value) => value !== undefined);
  }

  /** Removes the rows of the namespace; without one, all rows. */
  async clear(): Promise<void> {
    const prefix = prefixOf(this.namespace);
    await this.database.write((prepare) => {
      prepare('delete from keyv where substr(key, 1, ?) = ?').run(prefix.length, prefix);
    });
  }

  /** Goes through the rows by key, a page at a time, so that it holds up nobody and needs little memory. */
  async *iterator<Value>(namespace?: string): AsyncGenerator<Array<string | Awaited<Value> | undefined>, void> {
    const prefix = prefixOf(namespace);
    for (let last = ''; ;) {
      const after = last;
      const rows = await this.database.read((prepare) =>
        prepare(
          `select key, value from keyv where key > ? and substr(key, 1, ?) = ? and ${alive} order by key limit ?`,
        ).all(after, prefix.length, prefix, Date.now(), pageSize),
      );
      for (const row of rows) yield row as [string, Awaited<Value>];
      if (rows.length < pageSize) return;
      last = String(rows.at(-1)?.[0]);
    }
  }

  async disconnect(): Promise<void> {
    await this.database.close();
  }
}

function prefixOf(namespace: string | undefined): string {
  return namespace === undefined || namespace === '' ? '' : `${namespace}:`;
}

/** The client cuts text at a NUL without a word; JSON never holds one. */
function assertStorable(value: unknown): asserts value is string {
  if (typeof value !== 'string' || value.includes('\0')) {
    throw new TypeError('Expected a value serialized to text without NUL characters');
  }
}
