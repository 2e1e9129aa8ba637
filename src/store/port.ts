import type {Finding} from './findings.ts';

/** A record and the revision that identifies it. Hand `revision` back to the store; its form is the driver's. */
export interface Entry<Value> {
  readonly value: Value;
  readonly revision: unknown;
}

/** How values are stored where their stored form is another than the one in which they are used. */
export interface Forms {
  /** What is stored of a value; it must survive JSON. */
  pack(key: string, value: unknown): unknown;
  /** The value, of what `pack` made of it. Throws if it is anything else. */
  unpack(key: string, stored: unknown): unknown;
  /** Whether `pack` may give a text for this key, which never begins with a brace. */
  isText(key: string): boolean;
}

/** The named counters of one key. */
export interface Counters {
  /** A counter that was never added to is absent. */
  readonly counts: ReadonlyMap<string, number>;
  /** The latest `at` of the additions to the counters that were read, in milliseconds since the epoch. */
  readonly at: number | undefined;
}

/** A link as a visitor's process saw it. Hand the same object to the store for every visit. */
export interface SeenLink {
  readonly key: string;
  readonly revision: unknown;
  /** The link in the form in which the store sends it. It belongs to the store, which makes it for the first visit. */
  prepared?: unknown;
}

/** What is added to the counters of one key. */
export interface KeyAddition {
  readonly key: string;
  /** What to add, at least 1, by the name of the counter: 1 to 100 of `A-Z a-z 0-9 : _ -`, never `at`. */
  readonly add: Readonly<Record<string, number>>;
}

/** Visits of one link that were made under the same conditions. */
export interface Addition {
  /** The addition counts only if this record is unchanged. Without it the addition always counts. */
  readonly link?: SeenLink | undefined;
  /** Each key once. On a cluster the first one shares its hash tag with the link. */
  readonly counters: readonly KeyAddition[];
  /** When the last of the visits was made, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Additions that are stored together. The store takes the batch `number` of a `writer` once and remembers its result
 * for a day: sent again after a lost reply, the batch changes nothing and gets the same result. Numbers of one writer
 * rise by one, and a batch is stored or given up before the next is sent.
 */
export interface Batch {
  readonly writer: string;
  readonly number: number;
  /** At most 200. */
  readonly additions: readonly Addition[];
}

/**
 * What the services ask of a store. Each operation touches one key (an operation on several keys is as many
 * operations), so it holds on a cluster too. Each rejects with `store_unavailable` when the store did not answer:
 * `undefined` always means that the store said "there is none". Values must survive JSON. Keys hold printable ASCII, at
 * most 200 characters, and are case-sensitive.
 */
export interface Store {
  /** `memory`, `sqlite`, `redis`, `postgres`, `mysql`, or `keyv` for any other Keyv adapter. */
  readonly engine: string;

  /** `store`: exact between any number of processes. `process`: exact only while one process uses the store. */
  readonly guarantee: 'store' | 'process';

  /** Whether an operation failed, and the store has not answered a ping since. */
  readonly isAway: boolean;

  /** When the outage began that is going on, in milliseconds since the epoch; undefined if the store is not away. */
  readonly awaySince: number | undefined;

  /** Resolves when the store answers again; at once if it is not away. Never rejects. */
  whenBack(): Promise<void>;

  /**
   * @param known an earlier entry, returned as it is if the record has not changed since: saves parsing it again
   * @throws ShortUrlError `internal_error` for a record that cannot be read
   */
  get<Value>(key: string, known?: Entry<Value>): Promise<Entry<Value> | undefined>;

  /** The entries in the order of the keys. A record that cannot be read is left out and reported to the host once. */
  getMany<Value>(keys: readonly string[]): Promise<Array<Entry<Value> | undefined>>;

  /** Puts the value if the key is absent. Of any number of callers exactly one gets true. */
  insert(key: string, value: unknown): Promise<boolean>;

  /** Puts the value if the record still has this revision; false if it has changed or gone. */
  replace(key: string, revision: unknown, value: unknown): Promise<boolean>;

  /** Removes the record, if there is one. */
  remove(key: string): Promise<void>;

  /** The next integer of a sequence, from 1, never given twice. */
  increment(key: string): Promise<number>;

  /** The integer that `increment` gave last; 0 before the first. */
  current(key: string): Promise<number>;

  /**
   * Adds to the counters of many keys in one step for each link.
   *
   * @returns for each addition whether it was counted: false if its link has changed or gone
   */
  count(batch: Batch): Promise<readonly boolean[]>;

  /**
   * The counters in the order of the keys.
   *
   * @param names which counters to read; all of them by default
   */
  getCounters(keys: readonly string[], names?: readonly string[]): Promise<readonly Counters[]>;

  /**
   * Removes counters of a key, if they are there.
   *
   * @param names which counters to remove; by default all of them, of a key to which nothing is added any more
   */
  removeCounters(key: string, names?: readonly string[]): Promise<void>;

  /** Resolves when the store answers. */
  ping(): Promise<void>;

  /** Waits for the operations that have begun, then lets the store go. Operations afterwards reject. */
  close(): Promise<void>;
}

/** What a listing of keys is about. */
export type KeyKind = 'records' | 'counters';

/** A part of a listing of keys. */
export interface KeyPart {
  readonly keys: readonly string[];
  /** Hand it back for the next part; undefined on the last one. It is meaningless to another process. */
  readonly next: string | undefined;
}

/** What an engine says of itself. */
export interface Inspection {
  /** As the engine names itself, such as `Redis 7.0.15`; undefined if it does not say. */
  readonly version: string | undefined;
  /** How far its clock is ahead of ours, in milliseconds; undefined if it has none of its own. */
  readonly clockOffset: number | undefined;
  readonly findings: readonly Finding[];
}

/** What the tools ask of a store besides: to see all that is stored, and to store what was stored elsewhere. */
export interface ToolStore extends Store {
  /**
   * Lists the keys of records, or of counters, that begin with `prefix`: some hundred with each call, in any order. A key
   * that is there from the first call to the last is given at least once, whatever is written meanwhile.
   *
   * @param cursor the `next` of the part before; undefined at the start
   * @throws TypeError where the engine cannot list its keys
   */
  keys(kind: KeyKind, prefix: string, cursor?: string): Promise<KeyPart>;

  /** Asks the engine about its configuration, and changes nothing. */
  inspect(): Promise<Inspection>;

  /** Puts each value if its key is absent, as `insert` does. The keys are distinct. */
  insertMany(rows: ReadonlyArray<readonly [key: string, value: unknown]>): Promise<readonly boolean[]>;

  /** The next integers of a sequence, so many of them in a row. Gives the first. */
  incrementBy(key: string, by: number): Promise<number>;

  /** A record as a text that is alike in every store. */
  textOf(key: string, entry: Entry<unknown>): Promise<string>;

  /** Records as such texts. They are not checked: one that cannot be read, or was written otherwise, differs. */
  getTexts(keys: readonly string[]): Promise<ReadonlyArray<string | undefined>>;

  /** Puts each text of another store if its key is absent. The keys are distinct. */
  insertTexts(rows: ReadonlyArray<readonly [key: string, text: string]>): Promise<readonly boolean[]>;

  /** Puts the text if the record is `expected`, a text that was read here; false if it has changed or gone. */
  replaceText(key: string, expected: string, text: string): Promise<boolean>;

  /** Sets counters, whatever they were before. Those of a key that are not named stay as they are. */
  setCounters(rows: ReadonlyArray<readonly [key: string, counters: Counters]>): Promise<void>;
}
