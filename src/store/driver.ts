import type {DailyTally, Tally, VisitBatch} from './port.ts';

/** A driver on an engine within the process answers at once, and pays for no promise. */
export type Answer<Result> = Result | Promise<Result>;

/**
 * What an engine must be able to do. A driver works on whole keys, and on records as the codec made them; namespaces,
 * values and the one error of the port are the business of `GuardedStore`. It keeps to its time limit itself, because
 * only it can take back what is still on the way to the engine; it never takes a failure for an absent record; and it
 * gets over an outage by itself.
 */
export interface Driver {
  readonly guarantee: 'store' | 'process';
  /** Whether it can keep a record that a Keyv without `serialize` leaves as an object; the others take text only. */
  readonly keepsObjects: boolean;

  /** The record as it is stored, or undefined where there is none. */
  get(key: string): Answer<unknown>;
  getMany(keys: readonly string[]): Answer<readonly unknown[]>;
  insert(key: string, record: unknown): Answer<boolean>;
  /** Puts `record` where `expected` still is: what `get` gave. */
  replace(key: string, expected: unknown, record: unknown): Answer<boolean>;
  remove(key: string): Answer<void>;

  /** Sequences and tallies are kept in a form of the engine's own, not in Keyv's: nobody else reads them. */
  increment(key: string): Answer<number>;
  current(key: string): Answer<number>;
  addVisits(batch: VisitBatch): Answer<void>;
  getTallies(keys: readonly string[]): Answer<readonly Tally[]>;
  getDailyTally(key: string): Answer<DailyTally>;

  ping(): Answer<void>;
  /** Lets go of what the driver itself opened; called once, and nothing is asked afterwards. */
  close(): Answer<void>;
}

/** What every driver is told when it is made. */
export interface DriverSettings {
  /** How long an operation may take before it rejects, in milliseconds. */
  readonly timeout: number;
  /** Hears of an outage once, when it begins, also when no operation is under way. */
  readonly onError: (error: Error) => void;
}
