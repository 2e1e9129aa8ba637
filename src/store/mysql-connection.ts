import {createRequire} from 'node:module';
import {connect, type Socket} from 'node:net';
import {type Deadline, noAnswer, within} from './deadline.ts';
import {importPackage} from './failure.ts';
import type {MysqlOptions} from './mysql-options.ts';
import {bareError, type SqlConnection} from './sql-statements.ts';

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

/** A text with a `?` for each value. */
export type MysqlStatement = readonly [text: string, values: readonly unknown[]];

export type MysqlRow = Readonly<Record<string, unknown>>;

/** What a statement gave: rows, or how many rows it changed. */
export type MysqlReply = readonly MysqlRow[] | {readonly affectedRows: number};

/** Few, because each operation is short and a site has many processes: a server takes some hundred in all. */
const maxConnections = 5;

/** Callers that wait for a connection of the pool at most: the pool cannot be told that one has left. */
const maxWaiting = 10_000;

/**
 * A pool of our own, on the very `mysql2` that `@keyv/mysql` brings. The adapter itself keeps one pool for the whole
 * process, which another URL replaces and any `disconnect` ends.
 */
export class MysqlConnection implements SqlConnection<readonly MysqlStatement[], readonly MysqlReply[]> {
  readonly #options: Partial<MysqlOptions> & {readonly stream?: (options: unknown) => Socket};
  readonly #timeout: number;
  readonly #sockets = new Set<Socket>();
  #opening: Promise<Pool> | undefined;
  #closed = false;

  /**
   * @param options those of a pool
   * @param timeout how long connecting, and waiting for a lock in the server, may take, in milliseconds
   */
  constructor(options: Partial<MysqlOptions>, timeout: number) {
    this.#options = options;
    this.#timeout = timeout;
  }

  /** Several statements are one transaction, in one round trip. */
  async send(statements: readonly MysqlStatement[], deadline: Deadline): Promise<readonly MysqlReply[]> {
    const texts = statements.map(([text]) => text);
    const values = statements.flatMap((statement) => statement[1]);
    if (texts.length === 1) return [(await this.#query(String(texts[0]), values, deadline)) as MysqlReply];
    const text = ['start transaction', ...texts, 'commit'].join('; ');
    return ((await this.#query(text, values, deadline)) as MysqlReply[]).slice(1, -1);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening
      ?.then((pool) =>
        within(
          this.#timeout,
          called<unknown>((callback) => {
            pool.end(callback);
          }),
        ),
      )
      .catch(() => undefined);
    // A silent server never ends its side.
    for (const socket of this.#sockets) socket.destroy();
  }

  async #query(sql: string, values: readonly unknown[], deadline: Deadline): Promise<unknown> {
    const pool = await this.#open();
    const connection = await called<Connection>((callback) => {
      pool.getConnection(callback);
    });
    if (deadline.isExpired) {
      connection.release();
      throw noAnswer(deadline.timeout);
    }
    const giveUp = (): void => {
      discard(connection);
    };
    deadline.signal.addEventListener('abort', giveUp);
    try {
      const reply = await called<unknown>((callback) => {
        connection.query({sql, values}, callback);
      });
      connection.release();
      return reply;
    } catch (error) {
      // A transaction may be open still, or the server may have become a replica: a fresh connection finds out.
      discard(connection);
      throw error;
    } finally {
      deadline.signal.removeEventListener('abort', giveUp);
    }
  }

  #open(): Promise<Pool> {
    if (this.#closed) return Promise.reject(new Error('The connection to MySQL is closed'));
    this.#opening ??= this.#load().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #load(): Promise<Pool> {
    const {createPool} = await importPackage('@keyv/mysql', async () => {
      const requireFromAdapter = createRequire(import.meta.resolve('@keyv/mysql'));
      return requireFromAdapter('mysql2') as MysqlPackage;
    });
    const pool = createPool({
      connectionLimit: maxConnections,
      ...this.#options,
      ...statementOptions,
      connectTimeout: this.#timeout,
      waitForConnections: true,
      queueLimit: maxWaiting,
      stream: (options: unknown) => this.#socket(options),
    });
    const seconds = Math.max(1, Math.floor(this.#timeout / 1000));
    pool.on('connection', (connection) => {
      // The pool drops a lost connection itself; without a listener a second error would end the process.
      connection.on('error', () => undefined);
      // A server that is not strict cuts off what a column cannot hold. "Read committed" locks no gaps between rows.
      // The server gives up a statement that waits for a lock longer than its caller does.
      const session =
        'set session transaction isolation level read committed; ' +
        "set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit = 1, " +
        `group_concat_max_len = 65536, innodb_lock_wait_timeout = ${seconds}, lock_wait_timeout = ${seconds}`;
      connection.query({sql: session}, (error) => {
        if (error) discard(connection);
      });
    });
    return pool;
  }

  #socket(options: unknown): Socket {
    const {host = 'localhost', port = 3306, socketPath, stream} = this.#options;
    const socket =
      stream?.(options) ??
      (socketPath === undefined ? connect({host, port, keepAlive: true, noDelay: true}) : connect(socketPath));
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** How statements are written and answers read, whatever a host's adapter has chosen. */
const statementOptions = {
  charset: 'utf8mb4',
  multipleStatements: true,
  // `affectedRows` counts the rows that a statement changed, not those that it found.
  flags: ['-FOUND_ROWS'],
  rowsAsArray: false,
  nestTables: false,
  typeCast: true,
  namedPlaceholders: false,
  queryFormat: undefined,
  stringifyObjects: false,
};

/** The client's own `destroy` waits for the server to hang up. */
function discard(connection: Connection): void {
  connection.destroy();
  connection.stream.destroy();
}

function called<Result>(call: (callback: Callback<Result>) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    call((error, result) => {
      if (error) reject(bareError(error));
      else resolve(result);
    });
  });
}
