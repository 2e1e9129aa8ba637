import {maxOfHost, noConnection} from '../sql/pool.ts';
import {type Client, PostgresSessions} from './sessions.ts';

/** The part of a `Pool` of the package `pg` that is used here. */
export interface PostgresPool {
  connect(): Promise<unknown>;
  query(...values: never[]): unknown;
  readonly totalCount: number;
  readonly waitingCount: number;
}

/** Whether the value is a pool of `pg`, also of another copy of the package. */
export function isPostgresPool(value: object): value is PostgresPool {
  const {connect, query, totalCount, waitingCount} = value as Record<string, unknown>;
  return [connect, query].every((method) => typeof method === 'function') && [totalCount, waitingCount].every(isCount);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number';
}

/**
 * Connections to Postgres on a pool of the host, which stays open. Nothing of a call remains on a connection: no setting, no
 * prepared statement and no listener. So the time limits of the host's sessions apply.
 */
export class PostgresHostConnection extends PostgresSessions<PostgresPool> {
  /** Each request is one statement. */
  protected override readonly endsTransactions = true;
  protected override readonly noConnection = noConnection;
  readonly #pool: PostgresPool;

  /** @param timeout in milliseconds */
  constructor(pool: PostgresPool, timeout: number) {
    const {max} = (pool as {options?: {max?: unknown}}).options ?? {};
    super(timeout, maxOfHost(max), false);
    this.#pool = pool;
  }

  protected async open(): Promise<PostgresPool> {
    return this.#pool;
  }

  protected async connect(pool: PostgresPool): Promise<Client> {
    const client = (await pool.connect()) as Client;
    // While it is in use, the pool does not listen for errors, and one without a listener would end the process.
    client.on('error', ignore);
    return client;
  }

  protected release(client: Client, isUsable: boolean): void {
    // A client that is being closed may still emit errors.
    if (isUsable) client.off('error', ignore);
    client.release(!isUsable);
  }

  protected async end(): Promise<void> {
    // The pool belongs to the host.
  }
}

function ignore(): void {
  // The caller of a query gets its error.
}
