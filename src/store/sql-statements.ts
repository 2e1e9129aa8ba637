import {setTimeout as delay} from 'node:timers/promises';
import {asError, Deadline} from './deadline.ts';

/** A pool of connections to an SQL server. */
export interface SqlConnection<Request, Result> {
  /**
   * Sends a request on any connection of the pool. One that has not left when the deadline expires never leaves. The
   * errors carry neither values nor options.
   */
  send(request: Request, deadline: Deadline): Promise<Result>;
  close(): Promise<void>;
}

/**
 * `conflict`: the server rolled a statement back in favour of another one, as in a deadlock. `refusal`: the server does
 * not take this row, for instance because it is too long for its column.
 */
export type SqlFailure = 'conflict' | 'missing table' | 'refusal' | 'failure';

/** The longest pause before a retry, in milliseconds. The pauses are random, so that two callers do not meet again. */
const maxPause = 20;

/** Sends requests, and again after a conflict or when a table was missing: an engine may come up empty at any time. */
export class SqlStatements<Request, Result> {
  readonly #connection: SqlConnection<Request, Result>;
  readonly #createTables: Request;
  readonly #failureOf: (error: unknown) => SqlFailure;
  #creating: Promise<void> | undefined;

  constructor(
    connection: SqlConnection<Request, Result>,
    createTables: Request,
    failureOf: (error: unknown) => SqlFailure,
  ) {
    this.#connection = connection;
    this.#createTables = createTables;
    this.#failureOf = failureOf;
  }

  async run(request: Request, deadline: Deadline): Promise<Result> {
    for (;;) {
      try {
        return await this.#connection.send(request, deadline);
      } catch (error) {
        const failure = this.#failureOf(error);
        if (deadline.isExpired) throw error;
        // One caller creates the tables for all: several would wait for each other's locks.
        if (failure === 'missing table') await (this.#creating ??= this.#create(deadline.timeout));
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
      if (this.#failureOf(error) !== 'refusal') throw error;
      if (rows.length === 1) return [asError(error)];
    }
    return (await Promise.all(rows.map((row) => this.runRows([row], run)))).flat();
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #create(timeout: number): Promise<void> {
    const deadline = new Deadline(timeout);
    try {
      await deadline.bound(this.#connection.send(this.#createTables, deadline));
    } catch (error) {
      // When several processes create the tables at once, Postgres fails some of them.
      if (this.#failureOf(error) !== 'conflict') throw error;
    } finally {
      this.#creating = undefined;
    }
  }
}

/** What may be told of an error: neither the statement and its values, nor a row, nor the options of the connection. */
export function bareError(thrown: unknown): Error {
  const {message, code, errno, sqlState} = asError(thrown) as Error & Record<string, unknown>;
  // Servers quote values and parts of the statement.
  const text = String(message || code).replace(/".*"|'.*'/s, '…');
  return Object.assign(new Error(text), {code, errno, sqlState});
}
