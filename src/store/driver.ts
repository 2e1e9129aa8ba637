import type {Deadline} from './failing/deadline.ts';
import type {Batch, Counters, Inspection, KeyKind} from './port.ts';

/** The answer of a driver. A driver within the process returns values without promises. */
export type Answer<Result> = Result | Promise<Result>;

/**
 * A record to store. `life` is the minimum time that the engine keeps it, in milliseconds from now by the engine's clock;
 * by default for ever. The engine may keep it longer, because readers check whether a record has expired.
 */
export type RecordRow = readonly [key: string, record: unknown, life?: number | undefined];

/** A record to store, and the one that its key must have, which `read` returned. */
export type Change = readonly [row: RecordRow, expected: unknown];

/** Returns the next keys; undefined after the last ones. */
export type Listing = (deadline: Deadline) => Answer<readonly string[] | undefined>;

/** Keys with their counters. */
export type CounterRows = ReadonlyArray<readonly [key: string, counters: Counters]>;

/**
 * The operations of an engine. A driver works on whole keys and on records of the codec. The layers above it handle
 * namespaces, values, deadlines, outages and the error of the port. Every call gets a deadline. When the deadline expires,
 * the caller has got an error, so the driver must not send anything later. A driver never reports a failure as an absent
 * record, and reconnects by itself after an outage.
 */
export interface Driver {
  /** The name of the engine, for the site's operator. */
  readonly engine: string;
  readonly guarantee: 'store' | 'process';
  /** Whether each call costs a round trip, so that calls of many callers are sent together. */
  readonly isRemote: boolean;
  /** The start of every key, before the namespace, where other programs may store keys on the same engine. */
  readonly keyPrefix?: string;

  /**
   * The records in the order of the keys; undefined for an absent record.
   *
   * @param word a hint, as in `Store.getMany`: an engine that can search leaves out other records
   */
  read(keys: readonly string[], deadline: Deadline, word?: string): Answer<readonly unknown[]>;
  /**
   * Inserts each record if its key is absent. The keys are distinct. If the engine refuses a row, its result is an error,
   * and the other rows are inserted.
   */
  insert(rows: readonly RecordRow[], deadline: Deadline): Answer<ReadonlyArray<boolean | Error>>;
  /**
   * Stores the row if its key still has `expected`, which `read` returned, or removes the key if the record is undefined.
   * The result is an error as in `insert`.
   */
  replace(row: RecordRow, expected: unknown, deadline: Deadline): Answer<boolean | Error>;
  /**
   * Replaces records in one step, as `replace` does. The keys are distinct, and none is removed. Absent if many calls at
   * once cost as little.
   */
  replaceMany?(changes: readonly Change[], deadline: Deadline): Answer<ReadonlyArray<boolean | Error>>;
  remove(key: string, deadline: Deadline): Answer<void>;
  /**
   * Removes up to `max` of the records whose life is over. It is called now and then after writes of records with a life.
   * Absent if the engine removes them by itself.
   */
  collect?(max: number, deadline: Deadline): Answer<void>;

  /**
   * Counters have the engine's own form instead of Keyv's, because only this package reads them. A counter is an integer
   * with a name under a key. An addition adds to it and raises the `at` of the key.
   */
  count(batch: Batch, deadline: Deadline): Answer<readonly boolean[]>;
  /** Adds to the counter `nextCounter` of each key and returns the sums. The keys are distinct. */
  increment(steps: ReadonlyArray<readonly [key: string, by: number]>, deadline: Deadline): Answer<readonly number[]>;
  getCounters(
    keys: readonly string[],
    names: readonly string[] | undefined,
    deadline: Deadline,
  ): Answer<readonly Counters[]>;
  removeCounters(key: string, names: readonly string[] | undefined, deadline: Deadline): Answer<void>;
  /** Sets counters and the `at` of the key. Other counters stay. The keys are distinct; at most 5,000 counters. */
  setCounters(rows: CounterRows, deadline: Deadline): Answer<void>;

  /**
   * Lists the keys of records, or of counters, that begin with `prefix`: some hundred per call, in any order. A key that
   * exists from the first call to the last is listed at least once, also during writes. If the engine stores batches as
   * records, their keys are listed too.
   *
   * @throws TypeError if the engine cannot list its keys
   */
  keys(kind: KeyKind, prefix: string): Listing;

  /**
   * The statements that create the tables which the database lacks. It runs none of them. Absent where there are no
   * tables.
   */
  plan?(deadline: Deadline): Promise<readonly string[]>;

  /** Asks the engine about its configuration, and changes nothing. Absent where there is nothing to ask. */
  inspect?(deadline: Deadline): Promise<Inspection>;

  /** Resolves if all servers that calls may need answer and accept writes. */
  ping(deadline: Deadline): Answer<void>;
  /**
   * Closes the connections that the driver has opened. Called once, after the last call.
   *
   * @param timeout after that many milliseconds the calls that are still running are aborted
   */
  close(timeout?: number): Answer<void>;
}

/** The options of every driver. */
export interface DriverSettings {
  /** How long a call may take, in milliseconds. */
  readonly timeout: number;
  /** Called when the connection cannot be used while no call is under way. */
  readonly onError: (error: Error) => void;
}
