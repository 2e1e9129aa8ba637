import type {Deadline} from './deadline.ts';
import {type Driver, nextCounter} from './driver.ts';
import type {MysqlReply, MysqlRow, MysqlStatement} from './mysql-connection.ts';
import {type MysqlTables, mysqlStatements} from './mysql-statements.ts';
import type {Batch, Counters, SeenLink} from './port.ts';
import {addedRows, caselessKey, countersOf, fittingKey} from './sql-rows.ts';
import {type SqlConnection, type SqlFailure, SqlStatements} from './sql-statements.ts';

type MysqlWay = SqlConnection<readonly MysqlStatement[], readonly MysqlReply[]>;

/**
 * Keeps records in the table of `@keyv/mysql`, and counters in tables beside it, on MySQL or MariaDB. Each operation is
 * one statement or one transaction. Keys are written so that the table may have any collation; records are compared as
 * bytes.
 */
export class MysqlDriver implements Driver {
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly isRemote = true;
  readonly #statements: SqlStatements<readonly MysqlStatement[], readonly MysqlReply[]>;
  readonly #texts: ReturnType<typeof mysqlStatements>;
  readonly #keySize: number;

  constructor(connection: MysqlWay, tables: MysqlTables) {
    this.#texts = mysqlStatements(tables);
    this.#keySize = tables.keySize;
    const {createRecords, createCounters, createBatches} = this.#texts;
    const creation = [createRecords, createCounters, createBatches].map((text) => [text, []] as const);
    this.#statements = new SqlStatements(connection, creation, failureOf);
  }

  async read(keys: readonly string[], deadline: Deadline): Promise<unknown[]> {
    const ids = this.#keys(keys);
    const rows = await this.#select([this.#texts.read, [ids]], deadline);
    const records = new Map(rows.map(({id, value}) => [id, value]));
    return ids.map((id) => records.get(id) ?? undefined);
  }

  insert(
    rows: ReadonlyArray<readonly [key: string, record: unknown]>,
    deadline: Deadline,
  ): Promise<ReadonlyArray<boolean | Error>> {
    return this.#statements.runRows(rows, async (some) => {
      const sorted = some.map(([key, record], place) => ({id: this.#key(key), record, place})).sort(byId);
      const replies = await this.#run(
        sorted.map(({id, record}) => [this.#texts.insert, [id, record]]),
        deadline,
      );
      const results = new Array<boolean>(some.length);
      for (const [index, {place}] of sorted.entries()) results[place] = changed(replies[index]);
      return results;
    });
  }

  async replace(key: string, expected: unknown, record: unknown, deadline: Deadline): Promise<boolean> {
    // An update that changes nothing could not be told from one that found nothing.
    if (record === expected) return (await this.read([key], deadline))[0] === expected;
    const [reply] = await this.#run([[this.#texts.replace, [record, this.#key(key), expected]]], deadline);
    return changed(reply);
  }

  async remove(key: string, deadline: Deadline): Promise<void> {
    await this.#run([[this.#texts.remove, [this.#key(key)]]], deadline);
  }

  async count({writer, number, additions}: Batch, deadline: Deadline): Promise<boolean[]> {
    if (additions.length === 0) return [];
    if (number === 1) await this.#run([[this.#texts.forget, []]], deadline);
    const batch = this.#key(writer);
    const conditions = additions.map(({link}, place) => this.#condition(place, link)).sort(byId);
    const taking = this.#texts.takeBatch(conditions.map(({text}) => text));
    const replies = await this.#run(
      [
        [taking, [batch, number, ...conditions.flatMap(({values}) => values)]],
        [this.#texts.addFresh, [JSON.stringify(addedRows(additions, (key) => this.#key(key))), batch]],
        [this.#texts.batch, [batch]],
      ],
      deadline,
    );
    const [taken] = replies[2] as readonly MysqlRow[];
    // When a later batch of the writer was taken, nobody waits for this one any more.
    const counted = Number(taken?.['number']) === number ? String(taken?.['counted']).split(',') : [];
    const places = new Set(counted);
    return additions.map((_, place) => places.has(String(place)));
  }

  async increment(
    steps: ReadonlyArray<readonly [key: string, by: number]>,
    deadline: Deadline,
  ): Promise<readonly number[]> {
    const ids = this.#keys(steps.map(([key]) => key));
    const rows = steps.map(([, by], place) => ({id: String(ids[place]), by})).sort(byId);
    const replies = await this.#run(
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
    const ids = this.#keys(keys);
    const {getCounters, getSomeCounters} = this.#texts;
    return countersOf(
      ids,
      await this.#select(names ? [getSomeCounters, [ids, names]] : [getCounters, [ids]], deadline),
    );
  }

  async removeCounters(key: string, names: readonly string[], deadline: Deadline): Promise<void> {
    await this.#run([[this.#texts.removeCounters, [this.#key(key), names]]], deadline);
  }

  async ping(deadline: Deadline): Promise<void> {
    await this.#run([[this.#texts.ping, []]], deadline);
  }

  close(): Promise<void> {
    return this.#statements.close();
  }

  #run(statements: readonly MysqlStatement[], deadline: Deadline): Promise<readonly MysqlReply[]> {
    return this.#statements.run(statements, deadline);
  }

  async #select(statement: MysqlStatement, deadline: Deadline): Promise<readonly MysqlRow[]> {
    return (await this.#run([statement], deadline))[0] as readonly MysqlRow[];
  }

  #condition(place: number, link: SeenLink | undefined): {id: string; text: string; values: unknown[]} {
    if (link === undefined) return {id: '', text: this.#texts.always, values: [place]};
    const id = this.#key(link.key);
    return {id, text: this.#texts.ifUnchanged, values: [place, id, link.revision]};
  }

  #key(key: string): string {
    return fittingKey(caselessKey(key), this.#keySize);
  }

  #keys(keys: readonly string[]): string[] {
    return keys.map((key) => this.#key(key));
  }
}

/** All processes lock rows in one order, so that deadlocks are rare. */
function byId(one: {readonly id: string}, other: {readonly id: string}): number {
  return one.id < other.id ? -1 : 1;
}

function changed(reply: MysqlReply | undefined): boolean {
  return (reply as {readonly affectedRows: number}).affectedRows > 0;
}

/** A deadlock, a lock not given in time, a row changed since the snapshot, and a commit that the group refused. */
const conflicts: readonly number[] = [1213, 1205, 1020, 3101];

/** Values that the character set of a column does not have, and more rows than one packet can hold. */
const refusals: readonly number[] = [1366, 1153];

function failureOf(error: unknown): SqlFailure {
  const {errno, sqlState} = error as {errno?: unknown; sqlState?: unknown};
  const number = Number(errno);
  if (conflicts.includes(number)) return 'conflict';
  if (number === 1146) return 'missing table';
  // The classes "data exception" and "integrity constraint violation".
  return /^(22|23)/.test(String(sqlState)) || refusals.includes(number) ? 'refusal' : 'failure';
}
