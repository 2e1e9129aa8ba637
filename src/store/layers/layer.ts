import type {CounterRows, RecordRow} from '../driver.ts';
import type {Batch, Counters, Inspection, KeyKind, KeyPart, ToolStore} from '../port.ts';

/** What the lower layers offer: the operations of the port on records, each with its deadline. */
export interface Records {
  get(key: string): Promise<unknown>;
  /** Whether there is surely no record. False if the driver, which is in the process, cannot tell at once. */
  isAbsent(key: string): boolean;
  /** The records in the order of the keys. */
  getMany(keys: readonly string[], word?: string): Promise<readonly unknown[]>;
  insert(row: RecordRow): Promise<boolean>;
  insertMany(rows: readonly RecordRow[]): Promise<readonly boolean[]>;
  /** Stores the row if its key still has `expected`, or removes the key if the record is undefined. */
  replace(row: RecordRow, expected: unknown): Promise<boolean>;
  remove(key: string): Promise<void>;
  /** Removes up to `max` of the records whose life is over. A failure is no outage. Absent if the engine does it by itself. */
  readonly collect: ((max: number) => Promise<void>) | undefined;
  increment(key: string): Promise<number>;
  count(batch: Batch): Promise<readonly boolean[]>;
  getCounters(keys: readonly string[], names?: readonly string[]): Promise<readonly Counters[]>;
  removeCounters(key: string, names?: readonly string[]): Promise<void>;
  setCounters(rows: CounterRows): Promise<void>;
  keys(kind: KeyKind, prefix: string, cursor?: string): Promise<KeyPart>;
  inspect(): Promise<Inspection>;
}

type OfEntries = 'get' | 'getMany' | 'insert' | 'insertMany' | 'replace' | 'removeUnchanged';

/** What the upper layers offer: the same on the values of the port. */
export type Entries = Pick<ToolStore, OfEntries> & Omit<Records, OfEntries>;
