import test, {type ExecutionContext} from 'ava';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import {MysqlConnection} from '../../../src/store/engines/mysql/connection.ts';
import {MysqlDriver} from '../../../src/store/engines/mysql/driver.ts';
import {mysqlOptions} from '../../../src/store/engines/mysql/open.ts';
import type {Addition} from '../../../src/store/port.ts';
import {PostgresConnection} from '../../../src/store/engines/postgres/connection.ts';
import {PostgresDriver} from '../../../src/store/engines/postgres/driver.ts';
import {postgresOptions} from '../../../src/store/engines/postgres/open.ts';
import {
  askMysql,
  askPostgres,
  connectMysql,
  connectPostgres,
  type Database,
  newMysql,
  newPostgres,
} from '../engines/servers.ts';
import {eventually} from './eventually.ts';
import {forThisFile, missing} from './own.ts';
import {run} from './run.ts';

export type SqlDriver = MysqlDriver | PostgresDriver;

/** A connection of the test. */
interface Session {
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
}

interface Kind {
  readonly name: 'postgres' | 'mysql';
  readonly keyColumn: 'key' | 'id';
  /** The columns besides the key of a table whose records have at most thirty characters. */
  readonly narrow: string;
  /** Records that this table refuses. */
  readonly refused: readonly string[];
  readonly database: () => Database;
  readonly open: (url: string, timeout: number, table?: string) => SqlDriver;
  readonly connect: (url: string) => Promise<Session>;
  readonly ask: (url: string, text: string) => Promise<Array<Record<string, unknown>>>;
  /** A query with a row for each statement in the database that waits for a lock. */
  readonly waiting: string;
}

const tooLong = 'A refused record, which is too long';

const kinds: readonly Kind[] = [
  {
    name: 'postgres',
    keyColumn: 'key',
    narrow: 'value varchar(30), expires timestamptz',
    refused: [tooLong],
    database: newPostgres,
    open: (url, limit, table) => new PostgresDriver(new PostgresConnection(postgresOptions(url), limit), table),
    connect: connectPostgres,
    ask: askPostgres,
    waiting: "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  },
  {
    name: 'mysql',
    keyColumn: 'id',
    narrow: 'value varchar(30) character set latin1, expires bigint',
    refused: [tooLong, '\u{1f517}'],
    database: newMysql,
    open: (url, limit, table) => new MysqlDriver(new MysqlConnection(mysqlOptions(url), limit), table),
    connect: connectMysql,
    ask: askMysql,
    // The server refreshes this table at most every tenth of a second.
    waiting:
      'select 1 from (select sleep(0.12)) as pause join information_schema.innodb_trx ' +
      "join information_schema.processlist on id = trx_mysql_thread_id where trx_state = 'LOCK WAIT' and db = database()",
  },
];

/** Milliseconds; long enough for a busy machine. */
export const timeout = 20_000;

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

/** A server, with a database of the test file. */
export class SqlEngine {
  readonly name: Kind['name'];
  readonly keyColumn: Kind['keyColumn'];
  readonly refused: readonly string[];
  readonly url: string;
  readonly #kind: Kind;
  readonly #skip: string | undefined;

  constructor(kind: Kind, skip: string | undefined) {
    this.name = kind.name;
    this.keyColumn = kind.keyColumn;
    this.refused = kind.refused;
    this.url = forThisFile(kind.database(), skip);
    this.#kind = kind;
    this.#skip = skip;
  }

  /** Declares a test. They run one after another, because they watch which statements wait. */
  check(sentence: string, body: (t: ExecutionContext) => Promise<void>): void {
    (this.#skip === undefined ? test.serial : test.serial.skip)(`${this.name}: ${sentence}`, body);
  }

  ask(text: string): Promise<Array<Record<string, unknown>>> {
    return this.#kind.ask(this.url, text);
  }

  connect(url = this.url): Promise<Session> {
    return this.#kind.connect(url);
  }

  /** A driver with its own pool. */
  driverOf(
    t: ExecutionContext,
    {url = this.url, limit = timeout, table}: {url?: string; limit?: number; table?: string} = {},
  ): SqlDriver {
    const driver = this.#kind.open(url, limit, table);
    t.teardown(() => driver.close());
    return driver;
  }

  /** A driver on a table of the host that refuses some records. */
  async narrowDriver(t: ExecutionContext): Promise<SqlDriver> {
    const {keyColumn, narrow} = this.#kind;
    await this.ask(`create table if not exists narrow (${keyColumn} varchar(255) primary key, ${narrow})`);
    return this.driverOf(t, {table: 'narrow'});
  }

  /** A connection with a transaction that locks the row of a key. */
  async holder(t: ExecutionContext, table: string, key: string, column: string = this.keyColumn): Promise<Session> {
    const session = await this.connect();
    t.teardown(() => session.end());
    await session.query('begin');
    await session.query(`select ${column} from ${table} where ${column} = '${key}' for update`);
    return session;
  }

  async untilWaiting(count: number): Promise<void> {
    await eventually(async () => {
      const waiting = (await this.ask(this.#kind.waiting)).length;
      if (waiting !== count) throw new Error(`${waiting} statements wait, not ${count}`);
    });
  }
}

/** Postgres and MySQL. Await it before anything is declared. */
export async function sqlEngines(): Promise<SqlEngine[]> {
  const missed = new Map<string, string | undefined>();
  for (const {name} of kinds) missed.set(name, await missing(name));
  return kinds.map((kind) => new SqlEngine(kind, missed.get(kind.name)));
}
