import {createRequire} from 'node:module';
import {Socket} from 'node:net';
import type {DriverSettings} from './driver.ts';
import {importPackage, noAnswer, within} from './failure.ts';
import {codeOf, notPrepared, type PostgresRow} from './postgres.ts';
import type {SqlConnection} from './sql-statements.ts';

/** Few, because each operation is short and a site has many processes: a server takes about a hundred in all. */
const mostConnections = 5;

/** What we use of the package `pg`. */
interface PostgresPackage {
  readonly Pool: new (options: object) => Pool;
}

interface Pool {
  connect(): Promise<Client>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'connect', listener: (client: Client) => void): void;
}

interface Statement {
  /** Under this name the server keeps what it has parsed and planned, for each connection. */
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Client {
  query(statement: Statement): Promise<{readonly rows: readonly PostgresRow[]}>;
  release(destroy: boolean): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

/**
 * @throws {TypeError} unless it is a connection string that `pg` can read; the text does not repeat it
 */
export function assertPostgresAddress(text: string): void {
  try {
    // Without a host, as with a socket's folder in `?host=`, `pg` takes a user too, and `URL` does not.
    const {username, password, pathname} = new URL(text.replace(/@\//, '@localhost/'));
    for (const part of [username, password, pathname]) decodeURIComponent(part);
  } catch {
    throw new TypeError(
      'The Postgres connection string of the store is malformed: expected postgres://user:password@host:port/database',
    );
  }
}

/**
 * A pool of our own, on the very `pg` that `@keyv/postgres` brings. The adapter itself keeps one pool for the whole
 * process, which another URL replaces and any `disconnect` ends.
 */
export class OwnPostgresConnection implements SqlConnection<readonly PostgresRow[]> {
  readonly #connectionString: string;
  readonly #timeout: number;
  readonly #sockets = new Set<Socket>();
  #opening: Promise<Pool> | undefined;
  #serverStops = true;
  #serverPrepares = true;
  readonly #names = new Map<string, string>();
  #closed = false;

  constructor(connectionString: string, {timeout}: DriverSettings) {
    this.#connectionString = connectionString;
    this.#timeout = timeout;
  }

  async send(text: string, values: readonly unknown[], signal: AbortSignal): Promise<readonly PostgresRow[]> {
    const client = await this.#client();
    let released = false;
    const release = (destroy: boolean): void => {
      if (!released) client.release(destroy);
      released = true;
    };
    if (signal.aborted) {
      release(false);
      throw noAnswer(this.#timeout);
    }
    const giveUp = (): void => {
      release(true);
    };
    signal.addEventListener('abort', giveUp);
    try {
      const {rows} = await client.query(this.#statement(text, values));
      release(false);
      return rows;
    } catch (error) {
      // A pooler such as PgBouncer before 1.21 keeps no client to one connection.
      if (notPrepared.includes(codeOf(error))) this.#serverPrepares = false;
      // It may be a server that has become a standby, or one that is going: a fresh connection finds out.
      release(true);
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.then((pool) => within(this.#timeout, pool.end())).catch(() => undefined);
    // A server that has fallen silent never says goodbye.
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Planning the statement that adds visits takes longer than carrying it out. */
  #statement(text: string, values: readonly unknown[]): Statement {
    // What has no values is asked seldom.
    if (!this.#serverPrepares || values.length === 0) return {text, values};
    const name = this.#names.get(text) ?? `koa_short_url_${this.#names.size}`;
    this.#names.set(text, name);
    return {name, text, values};
  }

  async #client(): Promise<Client> {
    const opening = this.#open();
    try {
      return await (await opening).connect();
    } catch (error) {
      // A pooler such as PgBouncer may know fewer parameters than a server does.
      const {code, message} = error as {code?: unknown; message?: unknown};
      if (code !== '08P01' || !String(message).includes('startup parameter')) throw error;
      if (this.#opening === opening) {
        this.#serverStops = false;
        this.#opening = undefined;
      }
      return (await this.#open()).connect();
    }
  }

  #open(): Promise<Pool> {
    if (this.#closed) return Promise.reject(new Error('The connection to Postgres is closed'));
    this.#opening ??= this.#load().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #load(): Promise<Pool> {
    const {Pool} = await importPackage('@keyv/postgres', async () => {
      const requireFromAdapter = createRequire(import.meta.resolve('@keyv/postgres'));
      return requireFromAdapter('pg') as PostgresPackage;
    });
    const pool = new Pool({
      connectionString: this.#connectionString,
      max: mostConnections,
      connectionTimeoutMillis: this.#timeout,
      keepAlive: true,
      // A statement that waits for a lock is not carried out when its caller has long been told that it failed.
      ...(this.#serverStops ? {statement_timeout: this.#timeout} : {}),
      stream: () => this.#socket(),
    });
    // The pool has let go of the connection already; without listeners these would end the process.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
    });
    return pool;
  }

  #socket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }
}
