import {setImmediate} from 'node:timers/promises';
import type {Answer, Driver, DriverSettings} from './driver.ts';
import {asError} from './failure.ts';
import type {DailyTally, Tally, VisitBatch} from './port.ts';
import type {SqliteDatabase} from './sqlite-database.ts';
import {addToTallyText, readDailyTally, readTally} from './tally.ts';

const select = 'select value from keyv where key = ? and (expires is null or expires > ?)';
const put = `insert into keyv values (?, ?, null) on conflict (key) do update set value = excluded.value, expires = null`;

/** How many rows are read before the event loop has its turn: about a millisecond's worth. */
const readsAtOnce = 400;

/** Uses the table of `SqliteAdapter`, with a transaction around what must look before it writes. */
export class SqliteDriver implements Driver {
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly #database: SqliteDatabase;
  readonly #own: boolean;

  /** @param own whether to close the database in the end */
  constructor(database: SqliteDatabase, own: boolean, {onError}: DriverSettings) {
    this.#database = database;
    this.#own = own;
    database.open().catch((error: unknown) => {
      onError(asError(error));
    });
  }

  get(key: string): Answer<unknown> {
    return this.#database.read((prepare) => prepare(select).get(key, Date.now())?.[0]);
  }

  async getMany(keys: readonly string[]): Promise<unknown[]> {
    const records: unknown[] = [];
    for (let start = 0; start < keys.length; start += readsAtOnce) {
      if (start > 0) await setImmediate();
      const some = keys.slice(start, start + readsAtOnce);
      records.push(
        ...(await this.#database.read((prepare) => some.map((key) => prepare(select).get(key, Date.now())?.[0]))),
      );
    }
    return records;
  }

  insert(key: string, record: unknown): Promise<boolean> {
    // A row past its time is one that a Keyv on the same file has left behind.
    return this.#database.write(
      (prepare) => prepare(`${put} where keyv.expires <= ?`).run(key, record, Date.now()).changes > 0,
    );
  }

  replace(key: string, expected: unknown, record: unknown): Promise<boolean> {
    return this.#database.write(
      (prepare) =>
        prepare('update keyv set value = ? where key = ? and value = ?').run(record, key, expected).changes > 0,
    );
  }

  async remove(key: string): Promise<void> {
    await this.#database.write((prepare) => prepare('delete from keyv where key = ?').run(key));
  }

  increment(key: string): Promise<number> {
    return this.#database.write((prepare) => {
      const next = Number(prepare(select).get(key, Date.now())?.[0] ?? 0) + 1;
      prepare(put).run(key, String(next));
      return next;
    });
  }

  async current(key: string): Promise<number> {
    return Number((await this.get(key)) ?? 0);
  }

  addVisits({writer, number, additions}: VisitBatch): Promise<void> {
    return this.#database.write((prepare) => {
      for (const addition of additions) {
        const stored = prepare(select).get(addition.key, Date.now())?.[0] as string | undefined;
        const text = addToTallyText(stored, writer, number, addition);
        if (text !== undefined) prepare(put).run(addition.key, text);
      }
    });
  }

  async getTallies(keys: readonly string[]): Promise<Tally[]> {
    return (await this.getMany(keys)).map((text) => readTally(text as string | undefined));
  }

  async getDailyTally(key: string): Promise<DailyTally> {
    return readDailyTally((await this.get(key)) as string | undefined);
  }

  /** Takes the lock and lets it go, so that a file which cannot be written is found out too. */
  ping(): Promise<void> {
    return this.#database.write(() => undefined);
  }

  async close(): Promise<void> {
    if (this.#own) await this.#database.close();
  }
}
