import type {Socket} from 'node:net';
import {importPackage} from '../failing/failure.ts';
import {SqlConnection, type SqlFailure, type SqlReply, type SqlRequest, type SqlRow} from '../sql/connection.ts';

/** The parts of the package `mysql2` that we use. */
interface MysqlPackage {
  readonly createPool: (options: object) => Pool;
}

type Callback<Result> = (error: Error | null, result: Result) => void;

interface Pool {
  getConnection(callback: Callback<Connection>): void;
  end(callback: Callback<unknown>): void;
  on(event: 'connection', listener: (connection: Connection) => void): void;
}

interface Connection {
  readonly stream: Socket;
  query(statement: object, callback: Callback<unknown>): void;
  release(): void;
  destroy(): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

/**
 * A deadlock, a lock timeout, a row changed since the snapshot, a commit that the group refused, and a column that another
 * connection has added meanwhile.
 */
const conflicts: readonly number[] = [1213, 1205, 1020, 3101, 1060];

/** No connection is left on the server, or for the user. */
const full: readonly number[] = [1040, 1203, 1226];

/** A value outside the character set of a column, and more rows than fit into one packet. */
const refusals: readonly number[] = [1366, 1153];

/** Fails after the time limit, because the sum exceeds the largest integer. Then the client ends the transaction. */
const timely = 'set @timely = ~0 + (unix_timestamp(now(3)) >= ?)';

/** Null for a column that allows none. */
const nullRefused = 1048;

/** The options of the pool, as `mysql2` names them. */
export interface MysqlOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string;
  readonly connectionLimit: number;
  readonly socketPath?: string | undefined;
  readonly ssl?: {readonly rejectUnauthorized: boolean; readonly verifyIdentity: boolean} | undefined;
}

/** Options for statements and results. */
const statementOptions = {
  charset: 'utf8mb4',
  multipleStatements: true,
  // `affectedRows` counts the rows that a statement changed, not the matching rows.
  flags: ['-FOUND_ROWS'],
};

export class MysqlConnection extends SqlConnection<Pool, Connection> {
  readonly #options: MysqlOptions;

  constructor(options: MysqlOptions, timeout: number) {
    super('MySQL', timeout, options.connectionLimit);
    this.#options = options;
  }

  protected failureOf(error: unknown): SqlFailure {
    const {errno, sqlState} = error as {errno?: unknown; sqlState?: unknown};
    const number = Number(errno);
    if (conflicts.includes(number)) return 'conflict';
    // Our statements compute only in `timely`.
    if (number === 1690) return 'late';
    if (full.includes(number)) return 'full';
    if (number === 1146 || number === 1054) return 'missing table';
    // The classes "data exception" and "integrity constraint violation".
    return /^(22|23)/.test(String(sqlState)) || refusals.includes(number) ? 'refusal' : 'failure';
  }

  protected async open(): Promise<Pool> {
    const {default: client} = await importPackage('mysql2', () => import('mysql2'));
    const {createPool} = client as unknown as MysqlPackage;
    const pool = createPool({
      ...this.#options,
      ...statementOptions,
      connectTimeout: this.timeout,
    });
    pool.on('connection', (connection) => {
      this.#begin(connection);
    });
    return pool;
  }

  protected connect(pool: Pool): Promise<Connection> {
    return called((callback) => {
      pool.getConnection(callback);
    });
  }

  protected async query(
    connection: Connection,
    {statements, isTimed}: SqlRequest,
    limit: number,
  ): Promise<readonly SqlReply[]> {
    const all: typeof statements = isTimed ? [...statements, [timely, [limit / 1000]]] : statements;
    const texts = all.map(([text]) => text);
    const values = all.flatMap(([, some = []]) => some);
    const isOne = all.length === 1;
    const sql = isOne ? texts[0] : ['start transaction', ...texts, 'commit'].join('; ');
    let reply: unknown;
    try {
      reply = await queried(connection, {sql, values});
    } catch (error) {
      if (isOne || (error as {errno?: unknown}).errno !== nullRefused) throw error;
      await queried(connection, {sql: 'rollback'});
      return [];
    }
    return isOne ? [replyOf(reply)] : (reply as unknown[]).slice(1, statements.length + 1).map(replyOf);
  }

  protected async clock(connection: Connection): Promise<number> {
    const sql = 'select unix_timestamp(now(3)) * 1000 as time';
    return Number(replyOf(await queried(connection, {sql})).rows[0]?.['time']);
  }

  protected release(connection: Connection, isUsable: boolean): void {
    if (isUsable) {
      connection.release();
      return;
    }
    connection.destroy();
    // The client's own `destroy` waits until the server closes the connection.
    connection.stream.destroy();
  }

  protected end(pool: Pool): Promise<unknown> {
    return called((callback) => {
      pool.end(callback);
    });
  }

  #begin(connection: Connection): void {
    const {stream} = connection;
    this.sockets.add(stream);
    stream.once('close', () => this.sockets.delete(stream));
    // The pool drops a lost connection itself; without a listener a second error would end the process.
    connection.on('error', () => undefined);
    const seconds = Math.max(1, Math.floor(this.timeout / 1000));
    // Without strict mode, a server truncates values that do not fit into a column. "Read committed" locks no gaps between rows.
    // The server cancels a statement that waits for a lock longer than its caller does. The timeouts of locks are whole
    // seconds. So below one second every statement has a limit. Only MariaDB reads this comment.
    const limit = this.timeout < 1000 ? ` /*M!100100 , max_statement_time = ${this.timeout / 1000} */` : '';
    const sql =
      'set session transaction isolation level read committed; ' +
      "set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit = 1, time_zone = '+00:00', " +
      `innodb_lock_wait_timeout = ${seconds}, lock_wait_timeout = ${seconds}${limit}`;
    connection.query({sql}, (error) => {
      if (error) this.release(connection, false);
    });
  }
}

/** The client gives rows, or how many were changed. */
function replyOf(reply: unknown): SqlReply {
  if (Array.isArray(reply)) return {rows: reply as readonly SqlRow[], changed: 0};
  return {rows: [], changed: (reply as {readonly affectedRows: number}).affectedRows};
}

function queried(connection: Connection, statement: object): Promise<unknown> {
  return called((callback) => {
    connection.query(statement, callback);
  });
}

function called<Result>(call: (callback: Callback<Result>) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    call((error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
}
