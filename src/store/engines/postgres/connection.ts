import {Socket} from 'node:net';
import {importFailure} from '../../failing/failure.ts';
import {type Client, PostgresSessions} from './sessions.ts';

interface PostgresPackage {
  readonly Pool: new (options: object) => Pool;
}

interface Pool {
  connect(): Promise<Client>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'connect', listener: (client: Client) => void): void;
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

/** Connections to Postgres on pools of our own. */
export class PostgresConnection extends PostgresSessions<Pools> {
  readonly #options: PostgresOptions;
  #takesParameters = true;

  constructor(options: PostgresOptions, timeout: number) {
    super(timeout, options.max, true);
    this.#options = options;
  }

  protected async open(): Promise<Pools> {
    const {Pool} = await postgresPackage();
    const open = (parameters: object): Pool => {
      const pool = new Pool({
        // A full server might not accept another one.
        min: 1,
        ...this.#options,
        connectionTimeoutMillis: this.timeout,
        keepAlive: true,
        // A process that has nothing else to do ends without `close()`.
        allowExitOnIdle: true,
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

  protected release(client: Client, isUsable: boolean): void {
    client.release(!isUsable);
  }

  protected end(pools: Pools): Promise<unknown> {
    return Promise.all(pools.map((pool) => pool.end()));
  }

  #socket(): Socket {
    const socket = new Socket();
    this.sockets.add(socket);
    return socket.once('close', () => this.sockets.delete(socket));
  }
}

/** A pooler such as PgBouncer, or a proxy of a cloud, may accept fewer parameters than a server. */
function refusesParameters(error: unknown): boolean {
  const {code, message} = error as {code?: unknown; message?: unknown};
  return ['08P01', '0A000'].includes(String(code)) && /startup parameter|command-line options/.test(String(message));
}

async function postgresPackage(): Promise<PostgresPackage> {
  try {
    const {default: client} = await import('pg');
    return client;
  } catch (error) {
    throw importFailure('pg', error);
  }
}
