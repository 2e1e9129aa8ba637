import {createHash} from 'node:crypto';
import {createRequire} from 'node:module';
import {Socket} from 'node:net';
import {type Deadline, noAnswer, within} from './deadline.ts';
import {importPackage} from './failure.ts';
import {bareError, type SqlConnection} from './sql-statements.ts';

/** Few, because each operation is short and a site has many processes: a server takes about a hundred in all. */
const maxConnections = 5;

/** The codes of a statement that its connection has not prepared, or has prepared before: it was not carried out. */
const notPrepared: readonly unknown[] = ['26000', '42P05'];

export interface PostgresStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export type PostgresRow = Readonly<Record<string, unknown>>;

/** The parts of the package `pg` that we use. */
interface PostgresPackage {
  readonly Pool: new (options: object) => Pool;
}

interface Pool {
  connect(): Promise<Client>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'connect', listener: (client: Client) => void): void;
}

interface Client {
  query(statement: PostgresStatement & {name?: string}): Promise<{readonly rows: readonly PostgresRow[]}>;
  release(destroy: boolean): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

/**
 * A pool of our own, on the very `pg` that `@keyv/postgres` brings. The adapter itself keeps one pool for the whole
 * process, which another URL replaces and any `disconnect` ends.
 */
export class PostgresConnection implements SqlConnection<PostgresStatement, readonly PostgresRow[]> {
  readonly #options: {readonly stream?: () => Socket; readonly options?: string};
  readonly #timeout: number;
  readonly #sockets = new Set<Socket>();
  readonly #names = new Map<string, string>();
  #opening: Promise<Pool> | undefined;
  #takesParameters = true;
  #serverPrepares = true;
  #closed = false;

  /**
   * @param options those of a pool
   * @param timeout how long connecting, and a statement in the server, may take, in milliseconds
   */
  constructor(options: object, timeout: number) {
    this.#options = options;
    this.#timeout = timeout;
  }

  async send(statement: PostgresStatement, deadline: Deadline): Promise<readonly PostgresRow[]> {
    const client = await this.#client();
    if (deadline.isExpired) {
      client.release(false);
      throw noAnswer(deadline.timeout);
    }
    let isReleased = false;
    const release = (destroy: boolean): void => {
      if (!isReleased) client.release(destroy);
      isReleased = true;
    };
    const giveUp = (): void => {
      release(true);
    };
    deadline.signal.addEventListener('abort', giveUp);
    try {
      const {rows} = await client.query(this.#named(statement));
      release(false);
      return rows;
    } catch (error) {
      // A pooler such as PgBouncer before 1.21 takes each statement to any connection.
      if (notPrepared.includes((error as {code?: unknown}).code)) this.#serverPrepares = false;
      // The server may have become a standby, or be shutting down: a fresh connection finds out.
      release(true);
      throw bareError(error);
    } finally {
      deadline.signal.removeEventListener('abort', giveUp);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.then((pool) => within(this.#timeout, pool.end())).catch(() => undefined);
    // A silent server never ends its side.
    for (const socket of this.#sockets) socket.destroy();
  }

  /**
   * A server plans a statement with values once. Behind a pooler, connections of several processes meet the same
   * prepared statements, so the name is made of the text.
   */
  #named({text, values}: PostgresStatement): PostgresStatement & {name?: string} {
    if (!this.#serverPrepares || values.length === 0) return {text, values};
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `koa_short_url_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
      this.#names.set(text, name);
    }
    return {name, text, values};
  }

  async #client(): Promise<Client> {
    const opening = this.#open();
    const pool = await opening;
    try {
      return await pool.connect();
    } catch (error) {
      if (!refusesParameters(error)) throw bareError(error);
      if (this.#opening === opening) {
        this.#takesParameters = false;
        this.#opening = undefined;
      }
    }
    return (await this.#open()).connect().catch((error: unknown) => {
      throw bareError(error);
    });
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
      max: maxConnections,
      ...this.#options,
      connectionTimeoutMillis: this.#timeout,
      keepAlive: true,
      ...(this.#takesParameters ? this.#parameters() : {}),
      stream: () => this.#socket(),
    });
    // The pool drops lost connections itself; without listeners these events would end the process.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
    });
    return pool;
  }

  #parameters(): object {
    return {
      // The server gives up a statement that waits for a lock longer than its caller does.
      statement_timeout: this.#timeout,
      // A plan that was made while a table was small would read the whole table when it has grown. Every statement of
      // visitors finds its rows by a primary key.
      options: `${this.#options.options ?? ''} -c enable_seqscan=off -c jit=off`,
    };
  }

  #socket(): Socket {
    const socket = this.#options.stream?.() ?? new Socket();
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** A pooler such as PgBouncer, or a proxy of a cloud, may know fewer parameters than a server does. */
function refusesParameters(error: unknown): boolean {
  const {code, message} = error as {code?: unknown; message?: unknown};
  return ['08P01', '0A000'].includes(String(code)) && /startup parameter|command-line options/.test(String(message));
}
