import type {ShortUrlError} from '../errors.ts';
import type {Finding} from './findings.ts';

/** The key of `StoredFormat`: a record in every store with data. */
export const formatKey = 'format';
/** A sequence is this counter of its key. */
export const nextCounter = 'next';
/** Begins the keys of the last batch of each writer. */
export const batchPrefix = 'batch:';

/** A record and the revision that identifies it. Pass `revision` back to the store. Its form depends on the driver. */
export interface Entry<Value> {
  readonly value: Value;
  readonly revision: unknown;
  /** When the record expires, in milliseconds since the epoch; undefined if it never does. */
  readonly expires?: number | undefined;
}

/** A key with its value, and when the record expires, as in `insert`. */
export type Row = readonly [key: string, value: unknown, expires?: number | undefined];

/** How values are stored if their stored form differs from the form in which they are used. */
export interface Packing {
  /** Returns the stored form of a value, which must survive JSON. */
  pack(key: string, value: unknown): unknown;
  /** Returns the value for a stored form. Throws for anything that `pack` did not make. */
  unpack(key: string, stored: unknown): unknown;
  /** Whether `pack` may give a text for this key, which never begins with a brace. */
  isPacked(key: string): boolean;
  /** The number of all stored forms. It rises with each form that earlier versions would misread. */
  readonly format: number;
  /**
   * Whether short parts are kept without regard to case. The store remembers it, and a site with another setting is
   * refused. Undefined for the tools that take the store as it is, and whose writes are no use of a copy.
   */
  readonly ignoresCase?: boolean;
  /** A sequence that has begun in every store with data. */
  readonly firstSequence: string;
}

/** The named counters of one key. */
export interface Counters {
  /** A counter that was never added to is absent. */
  readonly counts: ReadonlyMap<string, number>;
  /** The latest `at` of the additions to the counters that were read, in milliseconds since the epoch. */
  readonly at: number | undefined;
}

/** Those of a key that was never added to. */
export const noCounters: Counters = {counts: new Map(), at: undefined};

/**
 * A link as a visitor's process saw it. Hand the same object to the store for every visit, with the same keys of
 * counters. The record of a link never expires.
 */
export interface SeenLink {
  readonly key: string;
  readonly revision: unknown;
  /** The link in the form in which the store sends it. It belongs to the store, which makes it for the first visit. */
  prepared?: unknown;
}

/**
 * Amounts to add, at least 1, by the name of the counter: 1 to 640 printable ASCII characters without spaces, never
 * `at`.
 */
export type Increments = Readonly<Record<string, number>>;

/** One visit, or several of one link that were made under the same conditions. */
export interface Addition {
  /** The addition counts only if this record is unchanged. Without it the addition always counts. */
  readonly link?: SeenLink | undefined;
  /** The keys of the counters, each once. On a cluster the first key has the hash tag of the link. */
  readonly keys: readonly string[];
  /** What is added to each key, in the same order. Equal ones should be one object, which is faster to sum up. */
  readonly adds: readonly Increments[];
  /** When the visit was made, or the last of them, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Additions that are stored together. The store accepts the batch `number` of a `writer` once, and remembers its result
 * for a day. If the batch is sent again after a lost reply, it changes nothing and gets the same result. The numbers of a
 * writer increase by one, and a batch is stored or given up before the next is sent.
 */
export interface Batch {
  readonly writer: string;
  readonly number: number;
  /** At most 200, so that a batch is stored within the timeout. `VisitLog` limits the number of counters as well. */
  readonly additions: readonly Addition[];
}

/**
 * The store as the services use it. Each operation is atomic for one key, so it works on a cluster too. It rejects with
 * `store_unavailable` if the store did not answer, so `undefined` always means that there is no record. Values must
 * survive JSON. Keys are printable ASCII, at most 200 characters, and case-sensitive.
 */
export interface Store {
  /** `memory`, `sqlite`, `redis`, `postgres`, `mysql`, or `keyv` for any other Keyv adapter. */
  readonly engine: string;

  /** `store`: exact between any number of processes. `process`: exact only while one process uses the store. */
  readonly guarantee: 'store' | 'process';

  /** Whether there is an outage: an operation has failed, and no ping was answered since. */
  readonly isAway: boolean;

  /** When the current outage began, in milliseconds since the epoch; undefined if there is none. */
  readonly awaySince: number | undefined;

  /** Why the last write has failed; undefined if one has succeeded since, or a minute has passed without a failure. */
  readonly writeFailure: ShortUrlError | undefined;

  /**
   * The error that says that the store has lost the data that this process has found in it; undefined if it has not. The
   * process looks with each `ping`, after an outage, and now and then when a record is absent.
   */
  readonly loss: ShortUrlError | undefined;

  /** Resolves when the store answers again; at once if there is no outage. Never rejects. */
  whenBack(): Promise<void>;

  /**
   * @param known an earlier entry, which is returned if the record is unchanged, so that it is not parsed again
   * @throws ShortUrlError `internal_error` for a record that cannot be parsed
   */
  get<Value>(key: string, known?: Entry<Value>): Promise<Entry<Value> | undefined>;

  /** Whether there is surely no record. False if the engine cannot tell at once, because it is not in the process. */
  isAbsent(key: string): boolean;

  /**
   * The entries in the order of the keys. A record that cannot be parsed is left out and reported once.
   *
   * @param word a hint: ASCII letters and digits in lower case. Records whose key and content are all ASCII and do not
   *   have the word, in any case, may be left out
   */
  getMany<Value>(keys: readonly string[], word?: string): Promise<Array<Entry<Value> | undefined>>;

  /**
   * Stores the value if there is no record. If several callers try, exactly one gets true.
   *
   * @param expires when the record expires, in milliseconds since the epoch by the clock of the site; by default never.
   *   From then on there is no record for any process whose clock is that far. The engine removes it some time later
   */
  insert(key: string, value: unknown, expires?: number): Promise<boolean>;

  /**
   * Stores the value if the record still has this revision. It may still succeed when the record has expired since it was
   * read, as if the call had been made before that.
   *
   * @param expires as in `insert`. One that has passed removes the record
   * @returns the new entry; undefined if the record was changed or removed
   */
  replace<Value>(key: string, revision: unknown, value: Value, expires?: number): Promise<Entry<Value> | undefined>;

  /** Removes the record if it still has this revision; false if it was changed or removed. */
  removeUnchanged(key: string, revision: unknown): Promise<boolean>;

  /** Removes the record, if there is one. */
  remove(key: string): Promise<void>;

  /**
   * The next integer of a sequence, from 1, never given twice.
   *
   * @throws ShortUrlError also `internal_error` for a damaged number
   */
  increment(key: string): Promise<number>;

  /** The last integers of `increment`, in the order of the keys; 0 before the first. */
  current(keys: readonly string[]): Promise<readonly number[]>;

  /**
   * Adds to the counters of many keys in one step for each link.
   *
   * @returns for each addition whether it was counted: false if its link was changed or removed
   */
  count(batch: Batch): Promise<readonly boolean[]>;

  /**
   * The counters in the order of the keys.
   *
   * @param names the counters to read; by default all of them
   */
  getCounters(keys: readonly string[], names?: readonly string[]): Promise<readonly Counters[]>;

  /**
   * Removes counters of a key, if they exist.
   *
   * @param names the counters to remove; by default all of them, of a key that gets no more additions
   */
  removeCounters(key: string, names?: readonly string[]): Promise<void>;

  /** Resolves when the store answers. */
  ping(): Promise<void>;

  /**
   * Waits for running operations and closes the store. Later operations reject.
   *
   * @param timeout after that many milliseconds the running operations reject too; by default five seconds
   */
  close(timeout?: number): Promise<void>;
}

/** The number of the stored forms, and settings. */
export interface StoredFormat {
  readonly format: number;
  /** The newest version that has written into the store, or into the one from which its data comes. */
  readonly version: string;
  /**
   * Names the data since the first write, so that a store that was emptied and begun again is noticed. Absent from a
   * record that was put back by hand.
   */
  readonly id?: string;
  /** Absent for a store that tells short parts apart by case. */
  readonly ignoresCase?: true | undefined;
  /** Names the store whose copy this is. Absent from the first write of a site on. */
  readonly copyOf?: string | undefined;
  /** What has to be finished before a site may use the store: a copy into it, or an import. */
  readonly incomplete?: string | undefined;
}

export type KeyKind = 'records' | 'counters';

/** What an engine reports about itself. */
export interface Inspection {
  /** The engine's name and version, such as `Redis 7.0.15`; undefined if it does not report them. */
  readonly version: string | undefined;
  /** How far its clock is ahead of ours, in milliseconds; undefined if it has none of its own. */
  readonly clockOffset: number | undefined;
  readonly findings: readonly Finding[];
}

/** The store as the tools use it, which also lists all content and stores content of another store. */
export interface ToolStore extends Store {
  /**
   * Lists the keys of records, or of counters, that begin with `prefix`: some hundred at a time, in any order. A key that
   * exists from the beginning to the end is listed at least once, also during writes. Keys of expired records may be listed
   * too.
   *
   * @throws TypeError if the engine cannot list its keys
   */
  keys(kind: KeyKind, prefix?: string): AsyncGenerator<readonly string[]>;

  /** Asks the engine about its configuration, and changes nothing. */
  inspect(): Promise<Inspection>;

  /** Stores each value if its key is absent, as `insert` does. The keys are distinct. */
  insertMany(rows: readonly Row[]): Promise<readonly boolean[]>;

  /** Sets counters. Other counters of a key do not change. */
  setCounters(rows: ReadonlyArray<readonly [key: string, counters: Counters]>): Promise<void>;
}
