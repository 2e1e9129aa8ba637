import type {Socket} from 'node:net';
import {performance} from 'node:perf_hooks';
import {setTimeout as delay} from 'node:timers/promises';
import {asError, Deadline, noAnswer} from '../../failing/deadline.ts';
import {clientError} from '../../failing/failure.ts';

/**
 * `conflict`: the server rolled back a statement in favour of another one, as in a deadlock. `late`: the statement came
 * after its time limit, and changed nothing. `full`: the server accepts no more connections. `missing table`: or a column
 * of it, because another program made the table. `refusal`: the server refuses this row, for example because it is too
 * long for its column.
 */
export type SqlFailure = 'conflict' | 'late' | 'full' | 'missing table' | 'refusal' | 'failure';

/** A text, and the values of its parameters. */
export type SqlStatement = readonly [text: string, values?: readonly unknown[]];

/**
 * Several statements, which only MySQL gets, are one transaction, in one round trip. If one of them stores null where the
 * column allows none, they are undone, and there are no replies.
 */
export interface SqlRequest {
  readonly statements: readonly SqlStatement[];
  /**
   * Whether the server must not store it after the deadline. A network that was cut delivers statements later, when their
   * callers have got an error, and other processes may have changed the link since.
   */
  readonly isTimed?: boolean | undefined;
}

export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlReply {
  readonly rows: readonly SqlRow[];
  readonly changed: number;
}

/** Creates the tables, and returns whether something was missing. */
export type CreateTables = (deadline: Deadline) => Promise<boolean>;

/** After a connection has failed, the process may open one more after each such pause, in milliseconds. */
const growthPause = 1000;

/** The longest pause before a retry, in milliseconds. The pauses are random, so that two callers do not conflict again. */
const maxPause = 20;

/** Servers quote values and parts of the statement in their messages. */
const quoted = /".*"|'.*'/s;

/** Sends requests to an SQL server, on a pool that is opened when it is first needed. */
export abstract class SqlConnection<Pool, Client extends object> {
  protected readonly sockets = new Set<Socket>();
  protected readonly timeout: number;
  /** What an error says of a caller that got no connection in time; undefined for a pool of our own. */
  protected readonly noConnection: Error | undefined = undefined;
  /** Whether no transaction is open after the server has refused a request, so that its connection can be used again. */
  protected readonly endsTransactions: boolean = false;
  readonly #engine: string;
  readonly #maxConnections: number;
  #pool: Promise<Pool> | undefined;
  #creating: Promise<boolean> | undefined;
  #isClosed = false;
  /** How far the server's clock is ahead of the process's monotonic clock, in milliseconds. */
  readonly #offsets = new WeakMap<Client, number>();
  #inUse = 0;
  /** The callers that have asked the pool for a connection. A pool that is being closed may never answer them. */
  #connecting = 0;
  #whenConnected: (() => void) | undefined;
  /** How often a caller has got a connection. */
  #connected = 0;
  /**
   * How many connections may be in use, or being opened. There are fewer after a failure. A full server has no more. A slow
   * server would spend its time on connections that are given up before it accepts them.
   */
  #allowed: number;
  /** When that number last changed. */
  #allowedAt = -Infinity;
  /** The callers that wait for a connection, the one that has waited longest first. */
  readonly #waiting = new Set<() => void>();

  /**
   * @param timeout how long connecting, and a statement in the server, may take, in milliseconds
   * @param maxConnections the size of the pool
   */
  constructor(engine: string, timeout: number, maxConnections: number) {
    this.#engine = engine;
    this.timeout = timeout;
    this.#maxConnections = maxConnections;
    this.#allowed = maxConnections;
  }

  /** Sends a request. It retries after a conflict, and after a missing table, because an engine may come back empty. */
  async run(request: SqlRequest, createTables: CreateTables, deadline: Deadline): Promise<readonly SqlReply[]> {
    let isComplete = false;
    for (;;) {
      try {
        return await this.send(request, deadline);
      } catch (error) {
        const failure = this.failureOf(error);
        if (deadline.isExpired) throw error;
        // One caller creates the tables for all, because several would wait for each other's locks.
        if (failure === 'missing table' && !isComplete) {
          isComplete = !(await (this.#creating ??= this.#create(createTables)));
        }
        // A new connection measures the clocks again: one of them may have been set.
        else if (failure !== 'conflict' && failure !== 'late') throw error;
        deadline.note(error);
      }
      await this.pause(deadline);
    }
  }

  /** Pauses before a retry. Rejects when the deadline expires. */
  async pause({signal}: Deadline): Promise<void> {
    await delay(Math.random() * maxPause, undefined, {signal});
  }

  /** Whether the server has answered that it did not run a request, and is still the right one. */
  protected isRefusal(error: unknown): boolean {
    return !['failure', 'full'].includes(this.failureOf(error));
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
  async send(request: SqlRequest, deadline: Deadline): Promise<readonly SqlReply[]> {
    try {
      return await this.#use(await this.#connect(deadline), request, deadline);
    } catch (error) {
      throw clientError(error, quoted);
    }
  }

  /** @param timeout how long running requests may take, in milliseconds */
  async close(timeout = this.timeout): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.then((pool) => new Deadline(timeout).bound(this.#end(pool))).catch(() => undefined);
    // A server that does not answer never closes its side.
    for (const socket of this.sockets) socket.destroy();
  }

  protected abstract failureOf(error: unknown): SqlFailure;
  protected abstract open(): Promise<Pool>;
  protected abstract connect(pool: Pool): Promise<Client>;
  /** @param limit when a timed request must be stored, in milliseconds of the server's clock */
  protected abstract query(client: Client, request: SqlRequest, limit: number): Promise<readonly SqlReply[]>;
  /** The server's clock, in milliseconds since the epoch. */
  protected abstract clock(client: Client): Promise<number>;
  /** Gives the connection back to the pool, or closes it. */
  protected abstract release(client: Client, isUsable: boolean): void;
  /** Closes the pool when the running requests have been answered. */
  protected abstract end(pool: Pool): Promise<unknown>;

  async #end(pool: Pool): Promise<void> {
    // A pool of the host stays open, and takes back what it gives later.
    if (this.#connecting > 0 && !this.noConnection)
      await new Promise<void>((resolve) => (this.#whenConnected = resolve));
    await this.end(pool);
  }

  /** If the server accepts no more connections, waits for one that the process has. */
  async #connect(deadline: Deadline): Promise<Client> {
    for (;;) {
      if (this.#isClosed) throw new Error(`The connection to ${this.#engine} is closed`);
      if (this.noConnection) deadline.note(this.noConnection);
      await this.#turn(deadline);
      const wasAlone = this.#inUse === 1;
      const connected = this.#connected;
      const begun = performance.now();
      try {
        this.#pool ??= this.open().catch((error: unknown) => {
          this.#pool = undefined;
          throw error;
        });
        const pool = await this.#pool;
        this.#connecting += 1;
        const client = await this.connect(pool).finally(() => {
          this.#connecting -= 1;
          if (this.#connecting === 0) this.#whenConnected?.();
        });
        this.#connected += 1;
        if (this.noConnection) deadline.note(undefined);
        return client;
      } catch (error) {
        this.#allowed = Math.max(1, this.#inUse - 1);
        this.#allowedAt = performance.now();
        this.#endTurn();
        const now = performance.now();
        // The client has its own timeout, and does not know that the process was not there.
        const wasAbsent = now - begun >= this.timeout && now < deadline.expiry;
        // A connection that another caller had meanwhile may be free by now.
        const mayGetOne = this.failureOf(error) === 'full' && (!wasAlone || connected !== this.#connected);
        if (!(mayGetOne || wasAbsent) || deadline.isExpired) throw error;
        deadline.note(error);
      }
    }
  }

  /** A caller whose deadline expires leaves the queue. During an outage callers come faster than connections fail. */
  async #turn(deadline: Deadline): Promise<void> {
    if (deadline.isExpired) throw noAnswer(deadline.timeout);
    if (this.#allowed < this.#maxConnections && performance.now() - this.#allowedAt > growthPause) {
      this.#allowed += 1;
      this.#allowedAt = performance.now();
    }
    if (this.#inUse < this.#allowed) this.#inUse += 1;
    else {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.add(resolve);
        deadline.onExpiry(() => {
          if (this.#waiting.delete(resolve)) reject(noAnswer(deadline.timeout));
        });
      });
    }
  }

  /** Hands the turn to the caller that has waited longest. */
  #endTurn(): void {
    const [next] = this.#inUse <= this.#allowed ? this.#waiting : [];
    if (next) {
      this.#waiting.delete(next);
      next();
    } else this.#inUse -= 1;
  }

  /** The time of the server's clock at which the deadline expires. It may be slightly early, but never late. */
  async #limitOf(client: Client, request: SqlRequest, deadline: Deadline): Promise<number> {
    if (request.isTimed !== true) return Infinity;
    let offset = this.#offsets.get(client);
    if (offset === undefined) {
      const before = performance.now();
      const time = await this.clock(client);
      const after = performance.now();
      offset = time - after;
      // A slow answer says little about the clock, so the next request asks again.
      if (after - before < this.timeout / 4) this.#offsets.set(client, offset);
    }
    return deadline.expiry + offset;
  }

  async #use(client: Client, request: SqlRequest, deadline: Deadline): Promise<readonly SqlReply[]> {
    if (deadline.isExpired) {
      this.release(client, true);
      this.#endTurn();
      throw noAnswer(deadline.timeout);
    }
    let isReleased = false;
    const release = (isUsable: boolean): void => {
      if (isReleased) return;
      isReleased = true;
      this.release(client, isUsable);
      this.#endTurn();
    };
    deadline.onExpiry(() => {
      release(false);
    });
    try {
      const result = await this.query(client, request, await this.#limitOf(client, request, deadline));
      release(true);
      return result;
    } catch (error) {
      // The clock may have been set.
      this.#offsets.delete(client);
      // A transaction may still be open, or the server may have become a replica. A new connection is safe.
      release(this.endsTransactions && this.isRefusal(error));
      throw error;
    }
  }

  async #create(createTables: CreateTables): Promise<boolean> {
    const deadline = new Deadline(this.timeout);
    try {
      return await deadline.bound(createTables(deadline));
    } catch (error) {
      // When several processes create the tables at once, the server fails some of them.
      if (this.failureOf(error) !== 'conflict') throw error;
      return true;
    } finally {
      this.#creating = undefined;
    }
  }
}
