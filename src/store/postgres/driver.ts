import {countUnchanged, type AllOrNothing} from '../batching/batches.ts';
import {keyToFold, maxJoint, rowsOf} from '../batching/joint-counters.ts';
import type {Deadline} from '../failing/deadline.ts';
import {type CounterRows, type Driver, nextCounter, type RecordRow} from '../driver.ts';
import type {Batch, Counters, Inspection, KeyKind, KeyPart} from '../port.ts';
import {countersOf, endOf, keyPart, keysAtOnce, setRows} from '../sql/rows.ts';
import type {PostgresConnection, PostgresRow} from './connection.ts';
import {inspectPostgres} from './inspect.ts';
import {type PostgresTables, postgresStatements, separator} from './statements.ts';

/**
 * Stores records, counters and batches in tables of our own. Each operation is one statement.
 * Postgres decides races by row locks, and checks a condition again once it has the lock.
 */
export class PostgresDriver implements Driver {
  readonly engine = 'postgres';
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly isRemote = true;
  readonly #connection: PostgresConnection;
  readonly #tables: PostgresTables;
  readonly #texts: ReturnType<typeof postgresStatements>;

  constructor(connection: PostgresConnection, tables: PostgresTables) {
    this.#connection = connection;
    this.#tables = tables;
    this.#texts = postgresStatements(tables);
  }

  async read(keys: readonly string[], deadline: Deadline, word?: string): Promise<unknown[]> {
    const {read, search} = this.#texts;
    const rows =
      word === undefined
        ? await this.#run(read, [keys], deadline)
        : await this.#run(search, [keys, `%${word}%`], deadline);
    const records = new Map(rows.map(({key, value}) => [key, value]));
    return keys.map((key) => records.get(key) ?? undefined);
  }

  insert(rows: readonly RecordRow[], deadline: Deadline): Promise<ReadonlyArray<boolean | Error>> {
    return this.#connection.runRows(rows, async (some) => {
      const keys = some.map(([key]) => key);
      const values = [keys, some.map(([, record]) => record), some.map(([, , life]) => life ?? null)];
      const inserted = await this.#write(this.#texts.insert, values, deadline);
      const won = new Set(inserted.map(({key}) => key));
      return keys.map((key) => won.has(key));
    });
  }

  replace([key, record, life]: RecordRow, expected: unknown, deadline: Deadline): Promise<boolean | Error> {
    return this.#connection.runRow(async () => {
      const {replace, removeUnchanged} = this.#texts;
      const rows =
        record === undefined
          ? await this.#write(removeUnchanged, [key, expected], deadline)
          : await this.#write(replace, [key, expected, record, life ?? null], deadline);
      return rows.length > 0;
    });
  }

  async remove(key: string, deadline: Deadline): Promise<void> {
    await this.#write(this.#texts.remove, [key], deadline);
  }

  async collect(max: number, deadline: Deadline): Promise<void> {
    await this.#run(this.#texts.collect, [max], deadline);
  }

  async count({writer, number, additions}: Batch, deadline: Deadline): Promise<boolean[]> {
    if (number === 1) await this.#run(this.#texts.forget, [], deadline);
    const store = async ({indexes, links, added, increments}: AllOrNothing): Promise<readonly number[] | undefined> => {
      const key = keyToFold(added);
      if (key !== undefined) deadline.inBackground((own) => this.#fold([key], own, maxJoint));
      const rows = increments.map(rowsOf);
      const keys: string[] = [];
      const names: string[] = [];
      const amounts: number[] = [];
      const times: number[] = [];
      for (const {key, increment, at} of added) {
        for (const [name, n] of rows[increment] ?? []) {
          keys.push(key);
          names.push(name);
          amounts.push(n);
          times.push(at);
        }
      }
      const values = [
        writer,
        number,
        links.map(({key}) => key).join(separator),
        links.map(({revision}) => revision).join(separator),
        array(indexes),
        keys.join(separator),
        names.join(separator),
        array(amounts),
        array(times),
      ];
      const [taken] = await this.#write(this.#texts.count, values, deadline);
      return taken && ((taken['counted'] ?? indexes) as number[]);
    };
    const read = (keys: readonly string[]): Promise<unknown[]> => this.read(keys, deadline);
    return countUnchanged(additions, {store, read, pause: () => this.#connection.pause(deadline)});
  }

  async increment(
    steps: ReadonlyArray<readonly [key: string, by: number]>,
    deadline: Deadline,
  ): Promise<readonly number[]> {
    const keys = steps.map(([key]) => key);
    const values = [keys, nextCounter, steps.map(([, by]) => by)];
    const rows = await this.#write(this.#texts.increment, values, deadline);
    const sums = new Map(rows.map(({key, n}) => [key, n]));
    return keys.map((key) => Number(sums.get(key)));
  }

  async getCounters(
    keys: readonly string[],
    names: readonly string[] | undefined,
    deadline: Deadline,
  ): Promise<readonly Counters[]> {
    const {getCounters, getSomeCounters} = this.#texts;
    const rows = await this.#run(names ? getSomeCounters : getCounters, names ? [keys, names] : [keys], deadline);
    return countersOf(keys, rows, names);
  }

  async removeCounters(key: string, names: readonly string[] | undefined, deadline: Deadline): Promise<void> {
    if (names) await this.#fold([key], deadline);
    await this.#write(this.#texts.removeCounters, [key, names], deadline);
  }

  async setCounters(rows: CounterRows, deadline: Deadline): Promise<void> {
    await this.#fold(
      rows.map(([key]) => key),
      deadline,
    );
    const set = setRows(rows);
    const columns = (['key', 'name', 'n', 'at'] as const).map((column) => set.map((row) => row[column]));
    await this.#write(this.#texts.setCounters, columns, deadline);
  }

  async keys(kind: KeyKind, prefix: string, cursor: string | undefined, deadline: Deadline): Promise<KeyPart> {
    const text = kind === 'records' ? this.#texts.recordKeys : this.#texts.counterKeys;
    const rows = await this.#run(text, [cursor ?? prefix, endOf(prefix), keysAtOnce], deadline);
    return keyPart(rows.map(({key}) => String(key)));
  }

  inspect(deadline: Deadline): Promise<Inspection> {
    return inspectPostgres((text) => this.#run(text, [], deadline), this.#tables);
  }

  async ping(deadline: Deadline): Promise<void> {
    await this.#run(this.#texts.ping, [], deadline);
  }

  close(timeout?: number): Promise<void> {
    return this.#connection.close(timeout);
  }

  /**
   * Folds the keys that have more joint rows than `most`. One key in each statement, so that it never waits for a batch
   * that waits for it.
   */
  async #fold(keys: readonly string[], deadline: Deadline, most = 0): Promise<void> {
    const full = await this.#run(this.#texts.jointKeys, [keys, most], deadline);
    for (const {key} of full) await this.#run(this.#texts.fold, [key], deadline);
  }

  #run(text: string, values: readonly unknown[], deadline: Deadline): Promise<readonly PostgresRow[]> {
    return this.#connection.run({text, values}, {text: this.#texts.create, values: []}, deadline);
  }

  /** Runs a statement that the server does not store after the deadline. */
  #write(text: string, values: readonly unknown[], deadline: Deadline): Promise<readonly PostgresRow[]> {
    return this.#connection.run({text, values, isTimed: true}, {text: this.#texts.create, values: []}, deadline);
  }
}

/** Writes an array in the form of the server. The client's own function takes several times as long. */
function array(numbers: readonly number[]): string {
  return `{${numbers.join()}}`;
}
