import {planted} from '../../../planted.ts';
import {Deadline} from '../../failing/deadline.ts';
import {maxOfHost, noConnection} from '../sql/pool.ts';
import type {SqlFailure, SqlStatement} from '../sql/connection.ts';
import {type Callback, called, type Connection, MysqlSessions, queried, replyOf} from './sessions.ts';

interface CallbackPool {
  getConnection(callback: Callback<Connection>): unknown;
  readonly config?: {readonly connectionLimit?: unknown};
}

/** A pool of `mysql2` or `mysql2/promise`. */
export interface MysqlPool {
  getConnection(...values: never[]): unknown;
  query(...values: never[]): unknown;
}

/** The pool with callbacks, also of another copy of the package; undefined for any other value. */
export function mysqlPoolOf(value: object): CallbackPool | undefined {
  const {getConnection, promise, pool} = value as Record<string, unknown>;
  if (typeof getConnection !== 'function') return undefined;
  if (typeof promise === 'function') return value as CallbackPool;
  return typeof pool === 'object' && pool !== null ? mysqlPoolOf(pool) : undefined;
}

/** What decides how a session reads and stores our statements. */
const readSession =
  'select @@session.sql_mode as mode, @@session.autocommit as autocommit, @@session.character_set_client as charset';

/** A row was inserted after the statement had found none. */
const duplicate = 1062;

/**
 * Connections to MySQL or MariaDB on a pool of the host, which stays open. Nothing of a call remains on a connection, so
 * the time limits of the host's sessions apply, and a mode in which statements would mean something else is changed for the
 * call. Without `multipleStatements` each statement is a round trip.
 */
export class MysqlHostConnection extends MysqlSessions<CallbackPool> {
  protected override readonly endsTransactions = true;
  protected override readonly noConnection = noConnection;
  readonly #pool: CallbackPool;
  /** The statements that restore the sessions that are in use. */
  readonly #restore = new WeakMap<Connection, string>();

  /** @param timeout in milliseconds */
  constructor(pool: CallbackPool, timeout: number) {
    super(timeout, maxOfHost(pool.config?.connectionLimit));
    this.#pool = pool;
  }

  protected override failureOf(error: unknown): SqlFailure {
    return (error as {errno?: unknown}).errno === duplicate ? 'conflict' : super.failureOf(error);
  }

  protected async open(): Promise<CallbackPool> {
    return this.#pool;
  }

  protected async connect(pool: CallbackPool): Promise<Connection> {
    const connection = await called<Connection>((callback) => {
      pool.getConnection(callback);
    });
    connection.on('error', ignore);
    try {
      await this.#bound(this.#prepare(connection));
    } catch (error) {
      this.release(connection, false);
      throw error;
    }
    return connection;
  }

  /** One statement after another, because the pool may not accept several in one text. */
  protected override async transact(connection: Connection, statements: readonly SqlStatement[]): Promise<unknown[]> {
    const replies: unknown[] = [];
    await queried(connection, {sql: 'set transaction isolation level read committed'});
    await queried(connection, {sql: 'start transaction'});
    try {
      for (const [sql, values = []] of statements) replies.push(await queried(connection, {sql, values}));
      await queried(connection, {sql: 'commit'});
    } catch (error) {
      if (this.isRefusal(error) && !planted('mysql-no-rollback')) await queried(connection, {sql: 'rollback'});
      throw error;
    }
    return replies;
  }

  protected release(connection: Connection, isUsable: boolean): void {
    const sql = this.#restore.get(connection);
    this.#restore.delete(connection);
    if (!isUsable) end(connection);
    else if (sql === undefined) giveBack(connection);
    else void this.#restored(connection, sql);
  }

  protected async end(): Promise<void> {
    // The pool belongs to the host.
  }

  async #restored(connection: Connection, sql: string): Promise<void> {
    try {
      await this.#bound(queried(connection, {sql}));
      giveBack(connection);
    } catch {
      end(connection);
    }
  }

  /** A pool may give a connection that fell silent, and a caller's deadline knows nothing of it before it is prepared. */
  #bound<Result>(answer: Promise<Result>): Promise<Result> {
    return new Deadline(this.timeout).bound(answer);
  }

  /** In a mode without backslashes, the texts that the client escapes would end too early. */
  async #prepare(connection: Connection): Promise<void> {
    const [{mode, autocommit, charset} = {}] = replyOf(await queried(connection, {sql: readSession})).rows;
    if (charset !== 'utf8mb4') {
      throw Object.assign(new Error(`The pool has the character set ${String(charset)}`), {code: 'POOL_CHARSET'});
    }
    const isStrict = /STRICT_(ALL|TRANS)_TABLES/.test(String(mode));
    if (isStrict && !String(mode).includes('NO_BACKSLASH_ESCAPES') && Number(autocommit) === 1) return;
    this.#restore.set(connection, `set session sql_mode = '${String(mode)}', autocommit = ${Number(autocommit)}`);
    const sql = "set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit = 1";
    await queried(connection, {sql});
  }
}

function giveBack(connection: Connection): void {
  connection.off('error', ignore);
  connection.release();
}

/** Its listener stays, because it may still emit errors. */
function end(connection: Connection): void {
  connection.destroy();
  connection.stream.destroy();
}

function ignore(): void {
  // The caller of a query gets its error.
}
