import {createRequire} from 'node:module';
import {connect, type Socket} from 'node:net';
import type {DriverSettings} from './driver.ts';
import {importPackage, noAnswer, within} from './failure.ts';
import type {MysqlAddress} from './mysql-address.ts';
import type {MysqlResult} from './mysql.ts';
import {type MysqlReply, mysqlFailure, mysqlResult} from './mysql-reply.ts';
import type {SqlConnection} from './sql-statements.ts';

/** What we use of the package `mysql2`. */
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
  query(statement: object, callback: Callback<MysqlReply>): void;
  release(): void;
  destroy(): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

/** Few, because each operation is short and a site has many processes: a server takes some hundred in all. */
const mostConnections = 5;

/** Callers that wait for a connection of the pool at most; it cannot be told that one has gone. */
const longestQueue = 10_000;

/**
 * A pool of our own, on the very `mysql2` that `@keyv/mysql` brings. The adapter itself keeps one pool for the whole
 * process, which another URL replaces and any `disconnect` ends.
 */
export class OwnMysqlConnection implements SqlConnection<MysqlResult> {
  readonly #address: MysqlAddress;
  readonly #timeout: number;
  readonly #sockets = new Set<Socket>();
  #opening: Promise<Pool> | undefined;
  #closed = false;

  constructor(address: MysqlAddress, {timeout}: DriverSettings) {
    this.#address = address;
    this.#timeout = timeout;
  }

  async send(text: string, values: readonly unknown[], signal: AbortSignal): Promise<MysqlResult> {
    const pool = await this.#open();
    const connection = await called<Connection>((callback) => {
      pool.getConnection(callback);
    });
    if (signal.aborted) {
      connection.release();
      throw noAnswer(this.#timeout);
    }
    const giveUp = (): void => {
      discard(connection);
    };
    signal.addEventListener('abort', giveUp);
    try {
      const reply = await called<MysqlReply>((callback) => {
        connection.query({sql: text, values}, callback);
      });
      connection.release();
      return mysqlResult(reply);
    } catch (error) {
      // A statement that was refused for its row says nothing against the connection. Others may: the server may have
      // become a replica, or be going, and a fresh connection finds out.
      if (/^(23|40)/.test(String((error as {sqlState?: unknown}).sqlState))) connection.release();
      else discard(connection);
      return mysqlFailure(error);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening
      ?.then((pool) => {
        const end = called<unknown>((callback) => {
          pool.end(callback);
        });
        return within(this.#timeout, end);
      })
      .catch(() => undefined);
    // A server that has fallen silent never says goodbye.
    for (const socket of this.#sockets) socket.destroy();
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
      ...this.#address,
      connectionLimit: mostConnections,
      connectTimeout: this.#timeout,
      queueLimit: longestQueue,
      stream: () => this.#socket(),
    });
    const seconds = Math.max(1, Math.floor(this.#timeout / 1000));
    pool.on('connection', (connection) => {
      // The pool lets go of a connection that is lost; without a listener a second error would end the process.
      connection.on('error', () => undefined);
      // A server that is not strict cuts off what a column cannot hold. And a statement that waits for a lock is not
      // carried out when its caller has long been told that it failed.
      const session =
        "set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit = 1, " +
        `innodb_lock_wait_timeout = ${seconds}, lock_wait_timeout = ${seconds}`;
      connection.query({sql: session}, (error) => {
        if (error) discard(connection);
      });
    });
    return pool;
  }

  #socket(): Socket {
    const {host, port, socketPath} = this.#address;
    const socket =
      socketPath === undefined ? connect({host, port, keepAlive: true, noDelay: true}) : connect(socketPath);
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** The client's own `destroy` waits for the server to hang up. */
function discard(connection: Connection): void {
  connection.destroy();
  connection.stream.destroy();
}

function called<Result>(call: (callback: Callback<Result>) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    call((error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
}
