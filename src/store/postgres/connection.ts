import {createHash} from 'node:crypto';
import {Socket} from 'node:net';
import {importPackage} from '../failing/failure.ts';
import {SqlConnection, type SqlFailure, type SqlReply, type SqlRequest, type SqlRow} from '../sql/connection.ts';

/** The codes of a statement that its connection has not prepared, or has prepared before: so it was not executed. */
const notPrepared: readonly unknown[] = ['26000', '42P05'];

/** Deadlocks, serialization failures, tables that other connections create at the same time, and lost prepared statements. */
const conflicts: readonly unknown[] = ['40P01', '40001', '23505', '42P07', '42P06', '42710', ...notPrepared];

/** The server's name of the encoding that the package needs. */
export const utf8 = 'UTF8';

/** A statement as the client gets it. */
interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name?: string;
}

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
  /** The result of a text with several statements has no rows. */
  query(query: Query): Promise<{readonly rows?: readonly SqlRow[]}>;
  release(destroy: boolean): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

/** The second pool is for servers that refuse connection parameters. */
type Pools = readonly [withParameters: Pool, without: Pool];

/** The options of the pool, as `pg` names them. */
export interface PostgresOptions {
  readonly connectionString: string;
  readonly max: number;
  readonly options?: string;
  /** Whether a login over TLS is bound to the connection, if the server can do that. */
  readonly enableChannelBinding?: boolean;
}

export class PostgresConnection extends SqlConnection<Pools, Client> {
  readonly #options: PostgresOptions;
  readonly #names = new Map<string, string>();
  #takesParameters = true;
  #serverPrepares = true;

  constructor(options: PostgresOptions, timeout: number) {
    super('Postgres', timeout, options.max);
    this.#options = options;
  }

  protected failureOf(error: unknown): SqlFailure {
    const code = String((error as {code?: unknown}).code);
    if (conflicts.includes(code)) return 'conflict';
    // The statement was prepared before a column was altered, and was not executed.
    if (code === '0A000' && (error as Error).message.includes('cached plan')) return 'conflict';
    // Our statements divide only in `timely`.
    if (code === '22012') return 'late';
    if (code === '53300') return 'full';
    if (['42P01', '42703', '3F000'].includes(code)) return 'missing table';
    // The classes "data exception", "integrity constraint violation" and "program limit exceeded".
    return /^(22|23|54)/.test(code) ? 'refusal' : 'failure';
  }

  protected async open(): Promise<Pools> {
    const {default: client} = await importPackage('pg', () => import('pg'));
    const {Pool} = client as unknown as PostgresPackage;
    const open = (parameters: object): Pool => {
      const pool = new Pool({
        // A full server might not accept another one.
        min: 1,
        ...this.#options,
        connectionTimeoutMillis: this.timeout,
        keepAlive: true,
        ...parameters,
        stream: () => this.#socket(),
      });
      // The pool drops lost connections itself; without listeners these events would end the process.
      pool.on('error', () => undefined);
      pool.on('connect', (client) => {
        client.on('error', () => undefined);
      });
      return pool;
    };
    const parameters = {
      // The server cancels a statement that waits for a lock longer than its caller does.
      statement_timeout: this.timeout,
      // A plan from when a table was small would scan the whole table when it has grown. Every statement of visitors
      // finds its rows by a primary key.
      options: `${this.#options.options ?? ''} -c enable_seqscan=off -c jit=off`,
    };
    return [open(parameters), open({})];
  }

  protected async connect([withParameters, without]: Pools): Promise<Client> {
    if (!this.#takesParameters) return without.connect();
    try {
      return await withParameters.connect();
    } catch (error) {
      if (!refusesParameters(error)) throw error;
      this.#takesParameters = false;
      return without.connect();
    }
  }

  /** A timed statement gets the time limit as a last value, for `timely` in its text. */
  protected async query(
    client: Client,
    {statements: [[text, values = []] = ['']], isTimed}: SqlRequest,
    limit: number,
  ): Promise<readonly SqlReply[]> {
    try {
      const {rows = []} = await client.query(this.#named(text, isTimed ? [...values, limit / 1000] : values));
      return [{rows, changed: rows.length}];
    } catch (error) {
      // A pooler such as PgBouncer before 1.21 sends each statement to any connection.
      if (notPrepared.includes((error as {code?: unknown}).code)) this.#serverPrepares = false;
      throw error;
    }
  }

  protected async clock(client: Client): Promise<number> {
    const text = `select extract(epoch from clock_timestamp()) * 1000 as time, ${encoding}`;
    const {rows: [facts = {}] = []} = await client.query({text, values: []});
    // Every connection reads the clock before its first write.
    checkEncoding(facts);
    return Number(facts['time']);
  }

  protected release(client: Client, isUsable: boolean): void {
    client.release(!isUsable);
  }

  protected end(pools: Pools): Promise<unknown> {
    return Promise.all(pools.map((pool) => pool.end()));
  }

  /**
   * Prepares a statement with values, so that the server plans it once. Behind a pooler, several processes share prepared
   * statements, so the name is a digest of the text.
   */
  #named(text: string, values: readonly unknown[]): Query {
    if (!this.#serverPrepares || values.length === 0) return {text, values};
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `koa_short_url_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
      this.#names.set(text, name);
    }
    return {name, text, values};
  }

  #socket(): Socket {
    const socket = new Socket();
    this.sockets.add(socket);
    return socket.once('close', () => this.sockets.delete(socket));
  }
}

/** A column with the encoding of the database, for `checkEncoding`. */
export const encoding = "current_setting('server_encoding') as encoding";

/** @throws for a database that cannot store every text of a link, and would refuse some links in the middle of their create */
export function checkEncoding({encoding: name = utf8}: SqlRow): void {
  if (name !== utf8) throw new Error(`The database has the encoding ${String(name)}`);
}

/** A pooler such as PgBouncer, or a proxy of a cloud, may accept fewer parameters than a server. */
function refusesParameters(error: unknown): boolean {
  const {code, message} = error as {code?: unknown; message?: unknown};
  return ['08P01', '0A000'].includes(String(code)) && /startup parameter|command-line options/.test(String(message));
}
