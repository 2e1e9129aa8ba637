import {setImmediate} from 'node:timers/promises';
import {planted} from '../../../planted.ts';
import {countUnchanged, indexesOf, type AllOrNothing} from '../../batching/batches.ts';
import {keyToSplit, maxJoint, RowSums, rowsOf} from '../../batching/joint-counters.ts';
import type {Deadline} from '../../failing/deadline.ts';
import type {Answer, CounterRows, Driver, Listing, RecordRow} from '../../driver.ts';
import {type Batch, type Counters, type Inspection, type KeyKind, type SeenLink, nextCounter} from '../../port.ts';
import type {Client} from './client.ts';
import {type Prepare, SqliteDatabase} from './database.ts';
import {inspectSqlite} from './inspect.ts';
import {sqliteStatements} from './statements.ts';
import {sqliteTables} from './tables.ts';

/** How many rows are read before the event loop gets a turn, in about a millisecond. */
const readsAtOnce = 400;

/** The number of keys from which one statement for all is faster than one for each. */
const minTogether = 4;

const keysAtOnce = 500;

/** How long a writer is remembered after its last batch, in milliseconds. */
const writerLife = 86_400_000;

interface Prepared {
  readonly text: string;
  /** The version of the records when the link was last found unchanged. */
  version: number | undefined;
}

/** Runs a transaction for operations that read before they write. Statements get many keys as one JSON text. */
export class SqliteDriver implements Driver {
  readonly engine = 'sqlite';
  readonly guarantee = 'store';
  readonly isRemote = false;
  readonly #database: SqliteDatabase;
  readonly #texts = sqliteStatements();

  /**
   * @param path a file in an existing folder, relative to the working directory and created when absent, or `:memory:`
   * @param client default the one that needs no package
   */
  constructor(path: string, client?: Client) {
    this.#database = new SqliteDatabase(path, sqliteTables, client);
  }

  read(keys: readonly string[], deadline: Deadline, word?: string): Answer<unknown[]> {
    const {read, readMany, search} = this.#texts;
    const some = (part: readonly string[]): Answer<unknown[]> =>
      this.#database.read((prepare) => {
        if (part.length < minTogether) return part.map((key) => prepare(read).get([key])?.[0]);
        const wanted = JSON.stringify(part);
        const rows = word === undefined ? prepare(readMany).all([wanted]) : prepare(search).all([wanted, `%${word}%`]);
        const records = new Map(rows as Array<[key: string, value: unknown]>);
        return part.map((key) => records.get(key));
      }, deadline);
    return keys.length <= readsAtOnce ? some(keys) : inParts(keys, some);
  }

  insert(rows: readonly RecordRow[], deadline: Deadline): Promise<boolean[]> {
    const {insert} = this.#texts;
    return this.#database.write(
      (prepare) => rows.map(([key, record, life]) => prepare(insert).run([key, record, endOf(life)]).changes > 0),
      deadline,
    );
  }

  replace([key, record, life]: RecordRow, expected: unknown, deadline: Deadline): Promise<boolean> {
    const {replace, removeUnchanged} = this.#texts;
    return this.#database.write((prepare) => {
      this.#database.changeVersion();
      const changed =
        record === undefined
          ? prepare(removeUnchanged).run([key, expected])
          : prepare(replace).run([record, endOf(life), key, expected]);
      return changed.changes > 0;
    }, deadline);
  }

  /** Leaves the version of the records, because those of links do not expire. */
  async collect(max: number, deadline: Deadline): Promise<void> {
    await this.#database.write((prepare) => prepare(this.#texts.collect).run([Date.now(), max]), deadline);
  }

  async remove(key: string, deadline: Deadline): Promise<void> {
    await this.#database.write((prepare) => {
      this.#database.changeVersion();
      prepare(this.#texts.remove).run([key]);
    }, deadline);
  }

  count({writer, number, additions}: Batch, deadline: Deadline): Promise<boolean[]> {
    const {batch, unchanged, add, takeBatch, forget} = this.#texts;
    const store = ({indexes, links, added, increments}: AllOrNothing): Promise<readonly number[] | undefined> => {
      const toSplit = keyToSplit(added);
      return this.#database.write((prepare) => {
        const [last, counted] = prepare(batch).get([writer]) ?? [0];
        if (Number(last) >= number && !planted('sqlite-batch-twice')) return indexesOf(String(counted));
        const {version} = this.#database;
        const unsure = links.map(prepared).filter((link) => link.version !== version);
        if (unsure.length > 0) {
          const [count] = prepare(unchanged).get([object(unsure.map(({text}) => text))]) ?? [];
          if (count !== unsure.length) return undefined;
          for (const link of unsure) link.version = version;
        }
        const times = increments.map((): string[] => []);
        for (const {key, increment, at} of added) times[increment]?.push(property(key, at));
        for (const [increment, some] of times.entries())
          prepare(add).run([object(some), JSON.stringify(Object.fromEntries(rowsOf(increments[increment] ?? {})))]);
        if (toSplit !== undefined) this.#split(prepare, toSplit, maxJoint);
        prepare(takeBatch).run([writer, number, indexes.join(), Date.now()]);
        if (number === 1) prepare(forget).run([Date.now() - writerLife]);
        return indexes;
      }, deadline);
    };
    const read = async (keys: readonly string[]): Promise<unknown[]> => this.read(keys, deadline);
    // Clients older than SQLite 3.53 cut a text at a null character. Such a record seems unchanged here, and is refused
    // again until the deadline, which can only expire if the event loop gets a turn.
    return countUnchanged(additions, {store, read, pause: () => setImmediate()});
  }

  increment(steps: ReadonlyArray<readonly [key: string, by: number]>, deadline: Deadline): Promise<number[]> {
    const {add, counter} = this.#texts;
    return this.#database.write((prepare) => {
      for (const [key, by] of steps)
        prepare(add).run([JSON.stringify({[key]: 0}), JSON.stringify({[nextCounter]: by})]);
      return steps.map(([key]) => Number(prepare(counter).get([key, nextCounter])?.[0]));
    }, deadline);
  }

  getCounters(
    keys: readonly string[],
    names: readonly string[] | undefined,
    deadline: Deadline,
  ): Answer<readonly Counters[]> {
    const some = (part: readonly string[]): Answer<Counters[]> =>
      this.#database.read((prepare) => this.#countersOf(prepare, part, names), deadline);
    return keys.length <= readsAtOnce ? some(keys) : inParts(keys, some);
  }

  async removeCounters(key: string, names: readonly string[] | undefined, deadline: Deadline): Promise<void> {
    const {removeCounters, removeCounter} = this.#texts;
    await this.#database.write((prepare) => {
      if (names === undefined) {
        prepare(removeCounters).run([key]);
        return;
      }
      this.#split(prepare, key);
      for (const name of names) prepare(removeCounter).run([key, name]);
    }, deadline);
  }

  async setCounters(rows: CounterRows, deadline: Deadline): Promise<void> {
    const {setCounter} = this.#texts;
    await this.#database.write((prepare) => {
      for (const [key, {counts, at = 0}] of rows) {
        this.#split(prepare, key);
        for (const [name, n] of counts) prepare(setCounter).run([key, name, n, at]);
      }
    }, deadline);
  }

  keys(kind: KeyKind, prefix: string): Listing {
    let begin: string | undefined = prefix;
    return async (deadline) => {
      if (begin === undefined) return undefined;
      const parameters = [begin, `${prefix}\x7f`, keysAtOnce];
      const [found, last] = await this.#database.read(
        (prepare) => prepare(this.#texts.keys[kind]).get(parameters) ?? [],
        deadline,
      );
      const keys = JSON.parse(String(found)) as string[];
      begin = keys.length === keysAtOnce ? String(last) : undefined;
      return keys;
    };
  }

  plan(): Promise<readonly string[]> {
    return this.#database.plan();
  }

  inspect(deadline: Deadline): Promise<Inspection> {
    const readVersion = async (): Promise<string> => {
      const version = await this.#database.read((prepare) => prepare('select sqlite_version()').get([])?.[0], deadline);
      return `${String(version)} of ${this.#database.client}`;
    };
    return inspectSqlite(readVersion, this.#database.path);
  }

  /** Takes and releases the write lock, which fails for a file that cannot be written. */
  ping(deadline: Deadline): Promise<void> {
    // A transaction begins also in a file that may only be read. A statement fails there, even if it changes nothing.
    return this.#database.write((prepare) => void prepare(this.#texts.remove).run(['']), deadline);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /** Splits the joint rows of a key that has more of them than `most`. */
  #split(prepare: Prepare, key: string, most = 0): void {
    const [joint] = prepare(this.#texts.countJoint).get([key]) ?? [];
    if (Number(joint) <= most) return;
    prepare(this.#texts.addSingle).run([key]);
    prepare(this.#texts.removeJoint).run([key]);
  }

  #countersOf(prepare: Prepare, keys: readonly string[], names: readonly string[] | undefined): Counters[] {
    const {getCounters, getSomeCounters} = this.#texts;
    const of = JSON.stringify(keys);
    const [rows] =
      (names === undefined
        ? prepare(getCounters).get([of])
        : prepare(getSomeCounters).get([of, JSON.stringify(names)])) ?? [];
    const wanted = names && new Set(names);
    const all = keys.map(() => new RowSums(wanted));
    for (const row of typeof rows === 'string' ? rows.split('\n') : []) {
      // The last part is a name, which may have spaces.
      const [, place, n, at, name = ''] = /^(\d+) (-?\d+) (\d+) (.*)$/.exec(row) ?? [];
      all[Number(place)]?.add(name, Number(n), Number(at));
    }
    return all.map(({counters}) => counters);
  }
}

/** When the life of a record that is written now ends, in milliseconds since the epoch. */
function endOf(life: number | undefined): number | null {
  return life === undefined ? null : Date.now() + life;
}

function prepared(link: SeenLink): Prepared {
  link.prepared ??= {text: property(link.key, link.revision as string), version: undefined} satisfies Prepared;
  return link.prepared as Prepared;
}

/** Writes an object of properties in JSON. That of a link is written once for all of its visits. */
function object(properties: readonly string[]): string {
  return `{${properties.join()}}`;
}

function property(name: string, value: string | number): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

async function inParts<Item, Result>(
  items: readonly Item[],
  read: (some: readonly Item[]) => Answer<Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += readsAtOnce) {
    if (start > 0) await setImmediate();
    results.push(...(await read(items.slice(start, start + readsAtOnce))));
  }
  return results;
}
