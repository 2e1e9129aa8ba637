import test, {type ExecutionContext, type TestFn} from 'ava';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import type {MysqlDriver} from '../../../src/store/mysql/driver.ts';
import type {Addition} from '../../../src/store/port.ts';
import type {PostgresDriver} from '../../../src/store/postgres/driver.ts';
import {eventually} from './eventually.ts';
import {run} from './run.ts';

export type SqlDriver = MysqlDriver | PostgresDriver;

/** A connection of the test. */
interface Session {
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
}

export interface SqlEngine {
  readonly title: string;
  /** The test file's database. */
  readonly url: string;
  readonly skip: string | undefined;
  readonly keyColumn: 'key' | 'id';
  /** The type of the column `expires`. */
  readonly momentType: 'timestamptz' | 'bigint';
  /** Opens a driver with its own pool. */
  readonly open: (url: string, timeout: number, table?: string) => SqlDriver;
  readonly connect: () => Promise<Session>;
  readonly ask: (text: string) => Promise<Array<Record<string, unknown>>>;
  /** The number of statements in the test's database that wait for a lock. */
  readonly waiting: () => Promise<number>;
}

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;

export function soon(): Deadline {
  return new Deadline(timeout);
}

export async function countsOf(driver: SqlDriver, keys: readonly string[]): Promise<Array<Record<string, number>>> {
  const counters = await driver.getCounters(keys, undefined, soon());
  return counters.map(({counts}) => Object.fromEntries(counts));
}

/** A visit of a link that was read with this record. */
export function visit(key: string, revision: unknown, ...counters: string[]): Addition {
  return {link: {key, revision}, keys: counters, adds: counters.map(() => ({visits: 1})), at: 1000};
}

let tests = 0;

/** Unique keys for one test. */
export function keysOf(...names: string[]): string[] {
  tests += 1;
  return names.map((name) => `${run}:${tests}:${name}`);
}

/** Tests on a real server, run one after another because they watch which statements wait there. */
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

  /** A driver on a table of the host whose records have at most thirty characters. */
  async narrowDriver(t: ExecutionContext): Promise<SqlDriver> {
    const {keyColumn, momentType} = this.#engine;
    const columns = `${keyColumn} varchar(255) primary key, value varchar(30), expires ${momentType}`;
    await this.#engine.ask(`create table if not exists narrow (${columns})`);
    return this.driverOf(t, this.#engine.url, 'narrow');
  }

  /** A connection with a transaction that locks the row of a key. */
  async holder(
    t: ExecutionContext,
    table: string,
    key: string,
    column: string = this.#engine.keyColumn,
  ): Promise<Session> {
    const session = await this.#engine.connect();
    t.teardown(() => session.end());
    await session.query('begin');
    await session.query(`select ${column} from ${table} where ${column} = '${key}' for update`);
    return session;
  }

  async untilWaiting(count: number): Promise<void> {
    await eventually(async () => {
      const waiting = await this.#engine.waiting();
      if (waiting !== count) throw new Error(`${waiting} statements wait, not ${count}`);
    });
  }
}

/** Too long for a column of thirty characters. */
export const refused = 'A refused record, which is too long';
