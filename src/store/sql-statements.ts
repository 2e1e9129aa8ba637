import {setTimeout as delay} from 'node:timers/promises';
import type {DriverSettings} from './driver.ts';
import {asError, noAnswer, whenTimeIsUp} from './failure.ts';

/** A way to an SQL server: a pool of our own, or the one behind a host's adapter. */
export interface SqlConnection<Result> {
  /**
   * Runs one statement on any connection of the pool, so a statement must be all that has to be atomic. When `signal`
   * aborts nobody waits any more: a statement that has not left by then never does.
   */
  send(text: string, values: readonly unknown[], signal: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

/** What an engine's errors mean. */
export interface SqlErrors {
  /** The engine gave a statement up for the sake of another one, and left everything as it was: a deadlock. */
  readonly isConflict: (error: unknown) => boolean;
  readonly isMissingTable: (error: unknown) => boolean;
}

/** How many keys one statement names, so that none holds its locks for long. */
const keysPerStatement = 500;

/** The longest pause before another try, in milliseconds; shorter ones at random, so that two do not meet again. */
const longestPause = 20;

/** Sends statements within the time limit, again where that is safe, and tells of an outage once. */
export class SqlStatements<Result> {
  readonly #connection: SqlConnection<Result>;
  readonly #createTable: string;
  readonly #errors: SqlErrors;
  readonly #settings: DriverSettings;
  #creating: Promise<void> | undefined;
  #failing = false;
  #closed = false;

  /** @param createTable is run when the table turns out to be missing, because an engine may come up empty */
  constructor(connection: SqlConnection<Result>, createTable: string, errors: SqlErrors, settings: DriverSettings) {
    this.#connection = connection;
    this.#createTable = createTable;
    this.#errors = errors;
    this.#settings = settings;
  }

  async run(text: string, values: readonly unknown[]): Promise<Result> {
    const {timeout, onError} = this.#settings;
    const late = new AbortController();
    let cancel: (() => void) | undefined;
    const timeIsUp = new Promise<never>((_, reject) => {
      cancel = whenTimeIsUp(timeout, () => {
        reject(noAnswer(timeout));
        late.abort();
      });
    });
    try {
      const result = await Promise.race([this.#send(text, values, late.signal), timeIsUp]);
      this.#failing = false;
      return result;
    } catch (error) {
      if (!this.#failing && !this.#closed) onError(asError(error));
      this.#failing = true;
      throw error;
    } finally {
      cancel?.();
    }
  }

  /** Runs a statement for some of the items at a time. */
  async runEach<Item>(items: readonly Item[], run: (some: readonly Item[]) => Promise<Result>): Promise<Result[]> {
    const runs: Array<Promise<Result>> = [];
    for (let start = 0; start < items.length; start += keysPerStatement) {
      runs.push(run(items.slice(start, start + keysPerStatement)));
    }
    return Promise.all(runs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connection.close();
  }

  async #send(text: string, values: readonly unknown[], signal: AbortSignal): Promise<Result> {
    for (;;) {
      try {
        return await this.#connection.send(text, values, signal);
      } catch (error) {
        if (signal.aborted || this.#closed) throw error;
        if (this.#errors.isMissingTable(error)) {
          // Once for all who miss it: each of them would wait for the others' locks.
          this.#creating ??= this.#create().finally(() => (this.#creating = undefined));
          await this.#creating;
        } else if (!this.#errors.isConflict(error)) throw error;
      }
      await delay(Math.random() * longestPause, undefined, {signal});
    }
  }

  async #create(): Promise<void> {
    try {
      await this.#connection.send(this.#createTable, [], AbortSignal.timeout(this.#settings.timeout));
    } catch (error) {
      // Of several that create it at once, Postgres lets some fail.
      if (!this.#errors.isConflict(error)) throw error;
    }
  }
}
