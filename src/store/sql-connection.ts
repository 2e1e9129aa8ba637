import {createRequire} from 'node:module';
import type {Socket} from 'node:net';
import {setTimeout as delay} from 'node:timers/promises';
import {asError, Deadline, noAnswer, within} from './deadline.ts';
import {clientError, importPackage} from './failure.ts';

/**
 * `conflict`: the server rolled a statement back in favour of another one, as in a deadlock. `refusal`: the server does
 * not take this row, for instance because it is too long for its column.
 */
export type SqlFailure = 'conflict' | 'missing table' | 'refusal' | 'failure';

/** Few, because each operation is short and a site has many processes: a server takes about a hundred in all. */
export const maxConnections = 5;

/** The longest pause before a retry, in milliseconds. The pauses are random, so that two callers do not meet again. */
const maxPause = 20;

/** Servers quote values and parts of the statement in their messages. */
const quoted = /".*"|'.*'/s;

/**
 * Sends requests to an SQL server, on a pool of our own that is opened when it is first needed. A Keyv adapter keeps one
 * pool for the whole process, which another URL replaces and any `disconnect` ends.
 */
export abstract class SqlConnection<Pool, Client, Request, Result> {
  /** Of all connections that are open. */
  protected readonly sockets = new Set<Socket>();
  protected readonly timeout: number;
  readonly #engine: string;
  #pool: Promise<Pool> | undefined;
  #creating: Promise<void> | undefined;
  #isClosed = false;

  /** @param timeout how long connecting, and a statement in the server, may take, in milliseconds */
  constructor(engine: string, timeout: number) {
    this.#engine = engine;
    this.timeout = timeout;
  }

  /** Sends a request, and again after a conflict or when a table was missing: an engine may come up empty at any time. */
  async run(request: Request, createTables: Request, deadline: Deadline): Promise<Result> {
    for (;;) {
      try {
        return await this.send(request, deadline);
      } catch (error) {
        const failure = this.failureOf(error);
        if (deadline.isExpired) throw error;
        // One caller creates the tables for all: several would wait for each other's locks.
        if (failure === 'missing table') await (this.#creating ??= this.#create(createTables));
        else if (failure !== 'conflict') throw error;
        deadline.note(error);
      }
      await this.pause(deadline);
    }
  }

  /** Before a retry. Rejects when the deadline expires. */
  async pause({signal}: Deadline): Promise<void> {
    await delay(Math.random() * maxPause, undefined, {signal});
  }

  /** A row that the server refuses must not fail those that share its statement, so then each row is sent alone. */
  async runRows<Row, Answer>(
    rows: readonly Row[],
    run: (rows: readonly Row[]) => Promise<readonly Answer[]>,
  ): Promise<ReadonlyArray<Answer | Error>> {
    try {
      return await run(rows);
    } catch (error) {
      if (this.failureOf(error) !== 'refusal') throw error;
      if (rows.length === 1) return [asError(error)];
    }
    return (await Promise.all(rows.map((row) => this.runRows([row], run)))).flat();
  }

  /**
   * Sends a request once, on any connection of the pool. One that has not left when the deadline expires never leaves.
   * The errors carry neither values nor options.
   */
  async send(request: Request, deadline: Deadline): Promise<Result> {
    try {
      return await this.#use(await this.#connect(), request, deadline);
    } catch (error) {
      throw clientError(error, quoted);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.then((pool) => within(this.timeout, this.end(pool))).catch(() => undefined);
    // A silent server never ends its side.
    for (const socket of this.sockets) socket.destroy();
  }

  protected abstract failureOf(error: unknown): SqlFailure;
  protected abstract open(): Promise<Pool>;
  protected abstract connect(pool: Pool): Promise<Client>;
  protected abstract query(client: Client, request: Request): Promise<Result>;
  /** Gives the connection back to the pool, or closes it. */
  protected abstract release(client: Client, isUsable: boolean): void;
  /** Closes the pool when the requests under way are answered. */
  protected abstract end(pool: Pool): Promise<unknown>;

  async #connect(): Promise<Client> {
    if (this.#isClosed) throw new Error(`The connection to ${this.#engine} is closed`);
    this.#pool ??= this.open().catch((error: unknown) => {
      this.#pool = undefined;
      throw error;
    });
    return this.connect(await this.#pool);
  }

  async #use(client: Client, request: Request, deadline: Deadline): Promise<Result> {
    if (deadline.isExpired) {
      this.release(client, true);
      throw noAnswer(deadline.timeout);
    }
    let isReleased = false;
    const release = (isUsable: boolean): void => {
      if (!isReleased) this.release(client, isUsable);
      isReleased = true;
    };
    deadline.onExpiry(() => {
      release(false);
    });
    try {
      const result = await this.query(client, request);
      release(true);
      return result;
    } catch (error) {
      // A transaction may be open still, or the server may be a replica by now: a fresh connection finds out.
      release(false);
      throw error;
    }
  }

  async #create(createTables: Request): Promise<void> {
    const deadline = new Deadline(this.timeout);
    try {
      await deadline.bound(this.send(createTables, deadline));
    } catch (error) {
      // When several processes create the tables at once, Postgres fails some of them.
      if (this.failureOf(error) !== 'conflict') throw error;
    } finally {
      this.#creating = undefined;
    }
  }
}

/** The client that a Keyv adapter depends on. */
export function importClient<Module>(adapter: string, client: string): Promise<Module> {
  return importPackage(adapter, async () => createRequire(import.meta.resolve(adapter))(client) as Module);
}
