import {type AllOrNothing, countUnchanged} from '../../batching/batches.ts';
import {keyToSplit, maxJoint, RowSums} from '../../batching/joint-counters.ts';
import type {Change, CounterRows, Listing, RecordRow} from '../../driver.ts';
import type {Deadline} from '../../failing/deadline.ts';
import {offsetOf} from '../../findings.ts';
import type {Batch, Counters, Inspection, KeyKind} from '../../port.ts';
import {type Column, missingOf, type Table} from './schema.ts';
import type {SqlConnection, SqlReply, SqlRow, SqlStatement} from './connection.ts';

/** The tables as they are written in statements. */
export interface SqlTables {
  readonly records: string;
  readonly counters: string;
  readonly batches: string;
}

/** @param records the table of records, whose name begins the names of the other tables */
export function sqlTables(records: string): SqlTables {
  return {records, counters: `${records}_counters`, batches: `${records}_batches`};
}

/** The statements that both engines get with the same values. */
interface Texts {
  readonly read: string;
  readonly search: string;
  readonly replace: string;
  readonly remove: string;
  readonly removeUnchanged: string;
  readonly collect: string;
  readonly forget: string;
  readonly getCounters: string;
  readonly getSomeCounters: string;
  readonly removeCounters: string;
  readonly removeSomeCounters: string;
  /** Returns the keys that have more joint rows than a number. */
  readonly jointKeys: string;
  readonly keys: Readonly<Record<KeyKind, string>>;
  readonly ping: string;
  /** Returns the columns of those tables that are there. */
  readonly columns: string;
  /** Returns a row about the server, whose column `time` is its clock in milliseconds. */
  readonly facts: string;
}

type Judge = (facts: SqlRow) => Omit<Inspection, 'clockOffset'>;

export type CounterRow = readonly [key: string, name: string, n: number, at: number | undefined];

/** A batch, or what is left of it. */
export type SqlBatch = AllOrNothing & Pick<Batch, 'writer' | 'number'>;

const keysAtOnce = 1000;

/** Stores records, counters and batches in tables of our own. */
export abstract class SqlDriver<OwnTexts extends Texts> {
  readonly guarantee = 'store';
  readonly isRemote = true;
  protected readonly connection: SqlConnection<unknown, object>;
  protected readonly texts: OwnTexts;
  readonly #tables: readonly Table[];
  readonly #judge: Judge;
  readonly #createTables = async (deadline: Deadline): Promise<boolean> => {
    const missing = await this.plan(deadline);
    if (missing.length > 0) await this.connection.send({statements: missing.map((text) => [text])}, deadline);
    return missing.length > 0;
  };

  constructor(connection: SqlConnection<unknown, object>, texts: OwnTexts, tables: readonly Table[], judge: Judge) {
    this.connection = connection;
    this.texts = texts;
    this.#tables = tables;
    this.#judge = judge;
  }

  async plan(deadline: Deadline): Promise<readonly string[]> {
    const names = this.#tables.map(({name}) => name);
    const [reply] = await this.connection.send({statements: [[this.texts.columns, [names]]]}, deadline);
    return missingOf(this.#tables, (reply?.rows ?? []) as unknown as readonly Column[]);
  }

  async read(keys: readonly string[], deadline: Deadline, word?: string): Promise<unknown[]> {
    const {read, search} = this.texts;
    const rows = await (word === undefined
      ? this.select(read, [keys], deadline)
      : this.select(search, [keys, `%${word}%`], deadline));
    const records = new Map(rows.map(({key, value}) => [key, value]));
    return keys.map((key) => records.get(key) ?? undefined);
  }

  replace([key, record, life]: RecordRow, expected: unknown, deadline: Deadline): Promise<boolean | Error> {
    const {replace, removeUnchanged} = this.texts;
    return this.connection.runRow(async () => {
      const {changed} = await (record === undefined
        ? this.write(removeUnchanged, [key, expected], deadline)
        : this.write(replace, [record, life ?? null, key, expected], deadline));
      return changed > 0;
    });
  }

  replaceMany(changes: readonly Change[], deadline: Deadline): Promise<ReadonlyArray<boolean | Error>> {
    return this.connection.runRows(changes, async (some) => this.replaceAll(some, deadline));
  }

  async remove(key: string, deadline: Deadline): Promise<void> {
    await this.write(this.texts.remove, [key], deadline);
  }

  async collect(max: number, deadline: Deadline): Promise<void> {
    await this.select(this.texts.collect, [max], deadline);
  }

  async count({writer, number, additions}: Batch, deadline: Deadline): Promise<boolean[]> {
    if (number === 1) await this.select(this.texts.forget, [], deadline);
    const store = (batch: AllOrNothing): Promise<readonly number[] | undefined> => {
      const key = keyToSplit(batch.added);
      if (key !== undefined) deadline.inBackground((own) => this.#split([key], own, maxJoint));
      return this.store({writer, number, ...batch}, deadline);
    };
    const read = (keys: readonly string[]): Promise<unknown[]> => this.read(keys, deadline);
    return countUnchanged(additions, {store, read, pause: () => this.connection.pause(deadline)});
  }

  async getCounters(
    keys: readonly string[],
    names: readonly string[] | undefined,
    deadline: Deadline,
  ): Promise<readonly Counters[]> {
    const {getCounters, getSomeCounters} = this.texts;
    const rows = await (names
      ? this.select(getSomeCounters, [keys, listOf(names)], deadline)
      : this.select(getCounters, [keys], deadline));
    const wanted = names && new Set(names);
    const found = new Map(keys.map((key) => [key, new RowSums(wanted)]));
    for (const {key, name, n, at} of rows) {
      found.get(String(key))?.add(String(name), Number(n), at === null ? undefined : Number(at));
    }
    return Array.from(found.values(), ({counters}) => counters);
  }

  async removeCounters(key: string, names: readonly string[] | undefined, deadline: Deadline): Promise<void> {
    const {removeCounters, removeSomeCounters} = this.texts;
    if (names) {
      await this.#split([key], deadline);
      await this.write(removeSomeCounters, [key, names], deadline);
    } else await this.write(removeCounters, [key], deadline);
  }

  async setCounters(counters: CounterRows, deadline: Deadline): Promise<void> {
    const rows = counters.flatMap(([key, {counts, at}]) =>
      Array.from(counts, ([name, n]) => [key, name, n, at] as const),
    );
    if (rows.length === 0) return;
    const keys = counters.map(([key]) => key);
    await this.#split(keys, deadline);
    await this.set(rows, deadline);
  }

  /**
   * Splits the keys that have more joint rows than `most`. One key in each transaction, so that it never waits for a batch
   * that waits for it.
   */
  async #split(keys: readonly string[], deadline: Deadline, most = 0): Promise<void> {
    const full = await this.select(this.texts.jointKeys, [keys, most], deadline);
    for (const {key} of full) await this.run(this.splitting(String(key)), deadline);
  }

  keys(kind: KeyKind, prefix: string): Listing {
    let last: string | undefined = prefix;
    return async (deadline) => {
      if (last === undefined) return undefined;
      // Keys are printable ASCII, and the engines sort them by their bytes.
      const rows = await this.select(this.texts.keys[kind], [last, `${prefix}\x7f`, keysAtOnce], deadline);
      const keys = rows.map(({key}) => String(key));
      last = keys.length === keysAtOnce ? keys.at(-1) : undefined;
      return keys;
    };
  }

  async inspect(deadline: Deadline): Promise<Inspection> {
    let facts: SqlRow = {};
    const clockOffset = await offsetOf(async () => {
      [facts = {}] = await this.select(this.texts.facts, [], deadline);
      return Number(facts['time']);
    });
    return {clockOffset, ...this.#judge(facts)};
  }

  async ping(deadline: Deadline): Promise<void> {
    await this.select(this.texts.ping, [], deadline);
  }

  close(timeout?: number): Promise<void> {
    return this.connection.close(timeout);
  }

  /** @param isTimed whether the server must not store anything after the deadline */
  protected run(
    statements: readonly SqlStatement[],
    deadline: Deadline,
    isTimed = false,
  ): Promise<readonly SqlReply[]> {
    return this.connection.run({statements, isTimed}, this.#createTables, deadline);
  }

  protected async select(text: string, values: readonly unknown[], deadline: Deadline): Promise<readonly SqlRow[]> {
    return (await this.run([[text, values]], deadline))[0]?.rows ?? [];
  }

  /** Runs a statement that the server does not store after the deadline. */
  protected async write(text: string, values: readonly unknown[], deadline: Deadline): Promise<SqlReply> {
    const [reply] = await this.run([[text, values]], deadline, true);
    return {rows: [], changed: 0, ...reply};
  }

  protected abstract replaceAll(changes: readonly Change[], deadline: Deadline): Promise<readonly boolean[]>;
  /** Stores a batch as `Batches.store` does. */
  protected abstract store(batch: SqlBatch, deadline: Deadline): Promise<readonly number[] | undefined>;
  protected abstract set(rows: readonly CounterRow[], deadline: Deadline): Promise<void>;
  /**
   * The statements that move the amounts of a key's joint rows to rows of the single counters. They run while others raise
   * these rows, so they remove what they have moved, and nothing by a name that was read before.
   */
  protected abstract splitting(key: string): readonly SqlStatement[];
}

/** A list for `in (?)`. An empty one would be a syntax error on MySQL. */
export function listOf(values: readonly string[]): ReadonlyArray<string | null> {
  return values.length > 0 ? values : [null];
}
