import {createRequire} from 'node:module';
import type {Socket} from 'node:net';
import {setTimeout as delay} from 'node:timers/promises';
import {asError, Deadline, noAnswer} from '../failing/deadline.ts';
import {clientError, importPackage} from '../failing/failure.ts';

/**
 * `conflict`: the server rolled back a statement in favour of another one, as in a deadlock. `refusal`: the server
 * refuses this row, for example because it is too long for its column.
 */
export type SqlFailure = 'conflict' | 'missing table' | 'refusal' | 'failure';

/** Connections per process. A server accepts about a hundred from all processes of a site, and operations are short. */
export const maxConnections = 5;

/** The longest pause before a retry, in milliseconds. The pauses are random, so that two callers do not conflict again. */
const maxPause = 20;

/** Servers quote values and parts of the statement in their messages. */
const quoted = /".*"|'.*'/s;

/**
 * Sends requests to an SQL server, on a pool that is opened when it is first needed. A Keyv adapter keeps one
 * pool for the whole process, which another URL replaces and any `disconnect` ends.
 */
export abstract class SqlConnection<Pool, Client, Request, Result> {
  /** The open connections. */
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

  /** Sends a request. It retries after a conflict, and after a missing table, because an engine may come back empty. */
  async run(request: Request, createTables: Request, deadline: Deadline): Promise<Result> {
    for (;;) {
      try {
        return await this.send(request, deadline);
      } catch (error) {
        const failure = this.failureOf(error);
        if (deadline.isExpired) throw error;
        // One caller creates the tables for all, because several would wait for each other's locks.
        if (failure === 'missing table') await (this.#creating ??= this.#create(createTables));
        else if (failure !== 'conflict') throw error;
        deadline.note(error);
      }
      await this.pause(deadline);
    }
  }

  /** Pauses before a retry. Rejects when the deadline expires. */
  async pause({signal}: Deadline): Promise<void> {
    await delay(Math.random() * maxPause, undefined, {signal});
  }

  /** If the server refuses the row that `run` sends, the answer is the error. */
  async runRow<Answer>(run: () => Promise<Answer>): Promise<Answer | Error> {
    try {
      return await run();
    } catch (error) {
      if (this.failureOf(error) !== 'refusal') throw error;
      return asError(error);
    }
  }

  /** If the server refuses a row, each row is sent alone, so that the other rows of the statement are stored. */
  async runRows<Row, Answer>(
    rows: readonly Row[],
    run: (rows: readonly Row[]) => Promise<readonly Answer[]>,
  ): Promise<ReadonlyArray<Answer | Error>> {
    const answers = await this.runRow(() => run(rows));
    if (!(answers instanceof Error)) return answers;
    if (rows.length === 1) return [answers];
    return (await Promise.all(rows.map((row) => this.runRows([row], run)))).flat();
  }

  /**
   * Sends a request once, on any connection of the pool. It is never sent after the deadline.
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
    await this.#pool?.then((pool) => new Deadline(this.timeout).bound(this.end(pool))).catch(() => undefined);
    // A server that does not answer never closes its side.
    for (const socket of this.sockets) socket.destroy();
  }

  protected abstract failureOf(error: unknown): SqlFailure;
  protected abstract open(): Promise<Pool>;
  protected abstract connect(pool: Pool): Promise<Client>;
  protected abstract query(client: Client, request: Request): Promise<Result>;
  /** Gives the connection back to the pool, or closes it. */
  protected abstract release(client: Client, isUsable: boolean): void;
  /** Closes the pool when the running requests have been answered. */
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
      // A transaction may still be open, or the server may have become a replica. A new connection is safe.
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
