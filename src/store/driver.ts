import type {Deadline} from './deadline.ts';
import type {Batch, Counters, Inspection, KeyKind, KeyPart} from './port.ts';

/** A driver on an engine within the process answers at once, and pays for no promise. */
export type Answer<Result> = Result | Promise<Result>;

/** Keys, each with counters of its own. */
export type CounterRows = ReadonlyArray<readonly [key: string, counters: Counters]>;

/** A sequence is this counter of its key. */
export const nextCounter = 'next';

/**
 * What an engine must be able to do. A driver works on whole keys and on records as the codec made them. Namespaces,
 * values, deadlines, outages and the one error of the port belong to `GuardedStore`, which passes every call a deadline:
 * when it expires, the caller has been told that the store did not answer, and a driver must not send what has not been
 * sent by then. A driver never takes a failure for an absent record, and reconnects by itself after an outage.
 */
export interface Driver {
  /** What keeps the records, for the site's operator. */
  readonly engine: string;
  readonly guarantee: 'store' | 'process';
  /** Whether it can keep a record that a Keyv without `serialize` leaves as an object; the others take text only. */
  readonly keepsObjects: boolean;
  /** Whether each call costs a round trip, so that calls of many callers are worth sending together. */
  readonly isRemote: boolean;

  /** The records in the order of the keys; undefined where there is none. */
  read(keys: readonly string[], deadline: Deadline): Answer<readonly unknown[]>;
  /**
   * Inserts each record if its key is absent. The keys are distinct. An error stands in the place of a row that the
   * engine refused; the other rows are inserted all the same.
   */
  insert(
    rows: ReadonlyArray<readonly [key: string, record: unknown]>,
    deadline: Deadline,
  ): Answer<ReadonlyArray<boolean | Error>>;
  /** Puts `record` where `expected` still is: what `read` gave. */
  replace(key: string, expected: unknown, record: unknown, deadline: Deadline): Answer<boolean>;
  remove(key: string, deadline: Deadline): Answer<void>;

  /**
   * Counters are kept in the engine's own form, not in Keyv's: nobody else reads them. Each is an integer with a name,
   * under a key; every addition adds to it and raises the key's `at`.
   */
  count(batch: Batch, deadline: Deadline): Answer<readonly boolean[]>;
  /** Adds to the counter `nextCounter` of each key and gives the sums. The keys are distinct. */
  increment(steps: ReadonlyArray<readonly [key: string, by: number]>, deadline: Deadline): Answer<readonly number[]>;
  getCounters(
    keys: readonly string[],
    names: readonly string[] | undefined,
    deadline: Deadline,
  ): Answer<readonly Counters[]>;
  removeCounters(key: string, names: readonly string[] | undefined, deadline: Deadline): Answer<void>;
  /** Sets counters, and the key's `at`; those that are not named stay. The keys are distinct; at most 5,000 counters. */
  setCounters(rows: CounterRows, deadline: Deadline): Answer<void>;

  /**
   * Lists the keys of records, or of counters, that begin with `prefix`: some hundred with each call, in an order of the
   * engine's. A key that is there from the first call to the last is given at least once, whatever is written meanwhile.
   * Where batches are records too, their keys are among them.
   *
   * @param cursor the `next` of the part before; undefined at the start
   * @throws TypeError where the engine cannot list its keys
   */
  keys(kind: KeyKind, prefix: string, cursor: string | undefined, deadline: Deadline): Answer<KeyPart>;

  /** Asks the engine about its configuration, and changes nothing. Absent where there is nothing to ask. */
  inspect?(deadline: Deadline): Promise<Inspection>;

  /** Resolves when every server answers that a call may have to go to, and takes writes. */
  ping(deadline: Deadline): Answer<void>;
  /** Lets go of what the driver itself opened; called once, and nothing is asked afterwards. */
  close(): Answer<void>;
}

/** What every driver is told when it is made. */
export interface DriverSettings {
  /** How long a call may take, in milliseconds. */
  readonly timeout: number;
  /** Called when a connection is lost while no call is under way. */
  readonly onError: (error: Error) => void;
}

/** A driver for a Keyv adapter of the host's. */
export interface AdapterDriver {
  readonly driver: Driver;
  /** What the adapter puts before each key that Keyv hands it. */
  readonly keyPrefix: string;
}
