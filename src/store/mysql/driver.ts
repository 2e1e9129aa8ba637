import {countUnchanged, indexesOf, type AllOrNothing} from '../batching/batches.ts';
import {keyToFold, maxJoint, rowsOf} from '../batching/joint-counters.ts';
import type {Deadline} from '../failing/deadline.ts';
import {type CounterRows, type Driver, nextCounter, type RecordRow} from '../driver.ts';
import type {Batch, Counters, Inspection, KeyKind, KeyPart, SeenLink} from '../port.ts';
import {countersOf, endOf, keyPart, keysAtOnce, setRows} from '../sql/rows.ts';
import type {MysqlConnection, MysqlReply, MysqlRequest, MysqlRow, MysqlStatement} from './connection.ts';
import {inspectMysql} from './inspect.ts';
import {type MysqlTables, mysqlStatements, rowDigest} from './statements.ts';

/** A link's key, and the digest of its row. */
interface Prepared {
  readonly id: string;
  readonly digest: string;
}

/**
 * Stores records, counters and batches in tables of our own, on MySQL or MariaDB. Each operation is one statement or one
 * transaction. Records are compared as bytes.
 */
export class MysqlDriver implements Driver {
  readonly engine = 'mysql';
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly isRemote = true;
  readonly #connection: MysqlConnection;
  readonly #texts: ReturnType<typeof mysqlStatements>;
  readonly #createTables: MysqlRequest;

  constructor(connection: MysqlConnection, tables: MysqlTables) {
    this.#connection = connection;
    this.#texts = mysqlStatements(tables);
    const {createRecords, createCounters, createBatches} = this.#texts;
    this.#createTables = {statements: [createRecords, createCounters, createBatches].map((text) => [text, []])};
  }

  async read(keys: readonly string[], deadline: Deadline, word?: string): Promise<unknown[]> {
    const {read, search} = this.#texts;
    const rows = await this.#select(
      word === undefined ? [read, [keys]] : [search, [keys, `%${word}%`, `%${word}%`]],
      deadline,
    );
    const records = new Map(rows.map(({id, value}) => [id, value]));
    return keys.map((key) => records.get(key) ?? undefined);
  }

  insert(rows: readonly RecordRow[], deadline: Deadline): Promise<ReadonlyArray<boolean | Error>> {
    return this.#connection.runRows(rows, async (some) => {
      const sorted = some.map(([id, record, life], index) => ({id, record, life: life ?? null, index})).sort(byId);
      const replies = await this.#write(
        sorted.map(({id, record, life}) => [this.#texts.insert, [id, record, life]]),
        deadline,
      );
      const results = new Array<boolean>(some.length);
      for (const [position, {index}] of sorted.entries()) results[index] = changed(replies[position]);
      return results;
    });
  }

  async replace([key, record, life]: RecordRow, expected: unknown, deadline: Deadline): Promise<boolean | Error> {
    // An update without a change would look like an update without a matching row.
    if (record === expected) return (await this.read([key], deadline))[0] === expected;
    return this.#connection.runRow(async () => {
      const {replace, removeUnchanged} = this.#texts;
      const statement =
        record === undefined
          ? ([removeUnchanged, [key, expected]] as const)
          : ([replace, [record, life ?? null, key, expected]] as const);
      const [reply] = await this.#write([statement], deadline);
      return changed(reply);
    });
  }

  async remove(key: string, deadline: Deadline): Promise<void> {
    await this.#write([[this.#texts.remove, [key]]], deadline);
  }

  async collect(max: number, deadline: Deadline): Promise<void> {
    await this.#run([[this.#texts.collect, [max]]], deadline);
  }

  async count({writer, number, additions}: Batch, deadline: Deadline): Promise<boolean[]> {
    if (number === 1) await this.#run([[this.#texts.forget, []]], deadline);
    const store = async ({indexes, links, added, increments}: AllOrNothing): Promise<readonly number[] | undefined> => {
      const key = keyToFold(added);
      if (key !== undefined) deadline.inBackground((own) => this.#fold([key], own, maxJoint));
      const prepared = links.map((link) => this.#prepared(link));
      const ids = listOf(prepared.map(({id}) => id));
      const digests = listOf(prepared.map(({digest}) => digest));
      const raised = increments.map((add) => rowsOf(add).sort(([one], [other]) => (one < other ? -1 : 1)));
      const rows = added.map(({key: id, increment, at}) => ({id, at, counters: raised[increment] ?? []})).sort(byId);
      const values = rows.flatMap(({id, at, counters}) => counters.map(([name, n]) => [id, name, n, at]));
      const {takeBatch, add, batch} = this.#texts;
      const taking: MysqlStatement = [takeBatch, [writer, ids, digests, links.length, number, indexes.join()]];
      const replies = await this.#write(values.length > 0 ? [taking, [add, [values]]] : [taking], deadline);
      if (replies.length > 0) return indexes;
      const [taken] = await this.#select([batch, [writer]], deadline);
      if (taken === undefined || Number(taken['number']) < number) return undefined;
      // If a later batch of the writer was taken, no caller waits for this one any more.
      return Number(taken['number']) > number ? [] : indexesOf(String(taken['counted']));
    };
    const read = (keys: readonly string[]): Promise<unknown[]> => this.read(keys, deadline);
    return countUnchanged(additions, {store, read, pause: () => this.#connection.pause(deadline)});
  }

  async increment(
    steps: ReadonlyArray<readonly [key: string, by: number]>,
    deadline: Deadline,
  ): Promise<readonly number[]> {
    const ids = steps.map(([key]) => key);
    const rows = steps.map(([id, by]) => ({id, by})).sort(byId);
    const replies = await this.#write(
      [
        [this.#texts.increment, [rows.map(({id, by}) => [id, nextCounter, by])]],
        [this.#texts.sums, [ids, nextCounter]],
      ],
      deadline,
    );
    const sums = new Map((replies[1] as readonly MysqlRow[]).map(({id, n}) => [id, n]));
    return ids.map((id) => Number(sums.get(id)));
  }

  async getCounters(
    keys: readonly string[],
    names: readonly string[] | undefined,
    deadline: Deadline,
  ): Promise<readonly Counters[]> {
    const {getCounters, getSomeCounters, getJointCounters} = this.#texts;
    const someOf = (some: readonly string[]): MysqlStatement =>
      some.length > 0 ? [getSomeCounters, [keys, some, keys]] : [getJointCounters, [keys]];
    return countersOf(keys, await this.#select(names ? someOf(names) : [getCounters, [keys]], deadline), names);
  }

  async removeCounters(key: string, names: readonly string[] | undefined, deadline: Deadline): Promise<void> {
    const {removeCounters, removeSomeCounters} = this.#texts;
    if (names) await this.#fold([key], deadline);
    await this.#write([names ? [removeSomeCounters, [key, names]] : [removeCounters, [key]]], deadline);
  }

  async setCounters(rows: CounterRows, deadline: Deadline): Promise<void> {
    const set = setRows(rows).map(({key, ...row}) => ({id: key, ...row}));
    const values = set.sort(byId).map(({id, name, n, at}) => [id, name, n, at]);
    await this.#fold(
      rows.map(([key]) => key),
      deadline,
    );
    if (values.length > 0) await this.#write([[this.#texts.setCounters, [values]]], deadline);
  }

  async keys(kind: KeyKind, prefix: string, cursor: string | undefined, deadline: Deadline): Promise<KeyPart> {
    const text = kind === 'records' ? this.#texts.recordKeys : this.#texts.counterKeys;
    const rows = await this.#select([text, [cursor ?? prefix, endOf(prefix), keysAtOnce]], deadline);
    return keyPart(rows.map(({id}) => String(id)));
  }

  inspect(deadline: Deadline): Promise<Inspection> {
    return inspectMysql((text) => this.#select([text, []], deadline));
  }

  async ping(deadline: Deadline): Promise<void> {
    await this.#run([[this.#texts.ping, []]], deadline);
  }

  close(timeout?: number): Promise<void> {
    return this.#connection.close(timeout);
  }

  /**
   * Folds the joint rows that it reads, of the keys that have more of them than `most`. One key in each transaction, so
   * that it never waits for a batch that waits for it.
   */
  async #fold(keys: readonly string[], deadline: Deadline, most = 0): Promise<void> {
    if (keys.length === 0) return;
    const {getJointCounters, lockJoint, addSingle, removeSomeCounters} = this.#texts;
    const rows = await this.#select([getJointCounters, [keys]], deadline);
    for (const key of keys) {
      const names = rows.filter((row) => row['key'] === key).map(({name}) => name);
      if (names.length <= most) continue;
      await this.#run(
        [lockJoint, addSingle, removeSomeCounters].map((text) => [text, [key, names]]),
        deadline,
      );
    }
  }

  #run(statements: readonly MysqlStatement[], deadline: Deadline): Promise<readonly MysqlReply[]> {
    return this.#connection.run({statements}, this.#createTables, deadline);
  }

  /** Runs statements that the server does not commit after the deadline. */
  #write(statements: readonly MysqlStatement[], deadline: Deadline): Promise<readonly MysqlReply[]> {
    return this.#connection.run({statements, isTimed: true}, this.#createTables, deadline);
  }

  async #select(statement: MysqlStatement, deadline: Deadline): Promise<readonly MysqlRow[]> {
    return (await this.#run([statement], deadline))[0] as readonly MysqlRow[];
  }

  #prepared(link: SeenLink): Prepared {
    const {key: id, revision} = link;
    link.prepared ??= {id, digest: rowDigest(id, revision as string)} satisfies Prepared;
    return link.prepared as Prepared;
  }
}

/** All processes lock rows in one order, so that deadlocks are rare. */
function byId(one: {readonly id: string}, other: {readonly id: string}): number {
  return one.id < other.id ? -1 : 1;
}

/** A list for `in (?)`. An empty one would be a syntax error. */
function listOf(values: readonly string[]): ReadonlyArray<string | null> {
  return values.length > 0 ? values : [null];
}

function changed(reply: MysqlReply | undefined): boolean {
  return (reply as {readonly affectedRows: number}).affectedRows > 0;
}
