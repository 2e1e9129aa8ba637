import test, {type ExecutionContext, type TestFn} from 'ava';
import {Deadline} from '../../../src/store/deadline.ts';
import type {MysqlDriver} from '../../../src/store/mysql.ts';
import type {Addition} from '../../../src/store/port.ts';
import type {PostgresDriver} from '../../../src/store/postgres.ts';
import {eventually} from './eventually.ts';
import {run} from './run.ts';

export type SqlDriver = MysqlDriver | PostgresDriver;

/** A connection of a test's own. */
interface Session {
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
}

export interface SqlEngine {
  readonly title: string;
  /** A database of the test file's own. */
  readonly url: string;
  readonly skip: string | undefined;
  readonly keyColumn: 'key' | 'id';
  /** A driver with a pool of its own. */
  readonly open: (url: string, timeout: number, table?: string) => SqlDriver;
  readonly connect: () => Promise<Session>;
  readonly ask: (text: string) => Promise<Array<Record<string, unknown>>>;
  /** How many statements of the test's database wait for a lock. */
  readonly waiting: () => Promise<number>;
}

/** So that a machine with more to do than these tests does not fail them, in milliseconds. */
const timeout = 20_000;

export function soon(): Deadline {
  return new Deadline(timeout);
}

export async function countsOf(driver: SqlDriver, keys: readonly string[]): Promise<Array<Record<string, number>>> {
  const counters = await driver.getCounters(keys, undefined, soon());
  return counters.map(({counts}) => Object.fromEntries(counts));
}

/** One visit of a link that was seen with this record. */
export function visit(key: string, revision: unknown, ...counters: string[]): Addition {
  return {link: {key, revision}, counters: counters.map((counter) => ({key: counter, add: {visits: 1}})), at: 1000};
}

let tests = 0;

/** Keys of one test alone. */
export function keysOf(...names: string[]): string[] {
  tests += 1;
  return names.map((name) => `${run}:${tests}:${name}`);
}

/** Tests against a real server, one after another, because they look at who waits there. */
export class SqlTests {
  readonly check: TestFn['serial'];
  readonly #engine: SqlEngine;

  constructor(engine: SqlEngine) {
    this.#engine = engine;
    this.check = (engine.skip === undefined ? test.serial : test.serial.skip) as TestFn['serial'];
  }

  driverOf(t: ExecutionContext, address = this.#engine.url, table?: string): SqlDriver {
    const driver = this.#engine.open(address, timeout, table);
    t.teardown(() => driver.close());
    return driver;
  }

  /** A driver over a table of the host's whose records have thirty characters at most. */
  async narrowDriver(t: ExecutionContext): Promise<SqlDriver> {
    const columns = `${this.#engine.keyColumn} varchar(255) primary key, value varchar(30)`;
    await this.#engine.ask(`create table if not exists narrow (${columns})`);
    return this.driverOf(t, this.#engine.url, 'narrow');
  }

  /** A connection that has begun a transaction and holds the row of a key. */
  async holder(t: ExecutionContext, table: string, key: string): Promise<Session> {
    const session = await this.#engine.connect();
    t.teardown(() => session.end());
    await session.query('begin');
    const {keyColumn} = this.#engine;
    await session.query(`select ${keyColumn} from ${table} where ${keyColumn} = '${key}' for update`);
    return session;
  }

  async untilWaiting(count: number): Promise<void> {
    await eventually(async () => {
      const waiting = await this.#engine.waiting();
      if (waiting !== count) throw new Error(`${waiting} statements wait, not ${count}`);
    });
  }
}

/** More than a column of thirty characters holds. */
export const refused = 'A refused record, which is too long';
