import {randomUUID} from 'node:crypto';
import {planted} from '../../../planted.ts';
import {indexesOf} from '../../batching/batches.ts';
import {rowsOf} from '../../batching/joint-counters.ts';
import type {Deadline} from '../../failing/deadline.ts';
import type {Change, Driver, RecordRow} from '../../driver.ts';
import {type SeenLink, nextCounter} from '../../port.ts';
import type {SqlConnection, SqlStatement} from '../sql/connection.ts';
import {type CounterRow, listOf, type SqlBatch, SqlDriver, sqlTables} from '../sql/driver.ts';
import {judgeMysql} from './inspect.ts';
import {mysqlStatements, rowDigest} from './statements.ts';
import {mysqlTables} from './tables.ts';

interface Prepared {
  readonly key: string;
  readonly digest: string;
}

/** MySQL or MariaDB. Each operation is one statement or one transaction. Records are compared as bytes. */
export class MysqlDriver extends SqlDriver<ReturnType<typeof mysqlStatements>> implements Driver {
  readonly engine = 'mysql';

  readonly #countsFound: boolean;

  /**
   * @param table the table of records
   * @param countsFound whether replies count the rows that a statement has found, also if it has not changed them
   */
  constructor(connection: SqlConnection<unknown, object>, table = 'short_url', countsFound = false) {
    const tables = sqlTables(table);
    super(connection, mysqlStatements(tables), mysqlTables(tables), judgeMysql);
    this.#countsFound = countsFound;
  }

  insert(rows: readonly RecordRow[], deadline: Deadline): Promise<ReadonlyArray<boolean | Error>> {
    return this.connection.runRows(rows, async (some) => {
      const sorted = some.map((row, index) => ({row, index})).sort((one, other) => byKey(one.row, other.row));
      const statements = sorted.map(({row: [key, record, life]}): SqlStatement => {
        const values = [key, record, life ?? null];
        return this.#countsFound ? [this.texts.insertAbsent, [...values, key]] : [this.texts.insert, values];
      });
      const replies = await this.run(statements, deadline, true);
      const results = new Array<boolean>(some.length);
      for (const [position, {index}] of sorted.entries()) results[index] = replies[position]?.changed === 1;
      return results;
    });
  }

  override async replace(row: RecordRow, expected: unknown, deadline: Deadline): Promise<boolean | Error> {
    const [key, record] = row;
    // An update without a change would look like an update without a matching row.
    if (record === expected) return (await this.read([key], deadline))[0] === expected;
    return super.replace(row, expected, deadline);
  }

  protected async replaceAll(changes: readonly Change[], deadline: Deadline): Promise<readonly boolean[]> {
    const sorted = changes.toSorted(([one], [other]) => byKey(one, other));
    const {read, replace} = this.texts;
    const statements = sorted.map(([[key, record, life], expected]): SqlStatement =>
      record === expected ? [read, [[key]]] : [replace, [record, life ?? null, key, expected]],
    );
    const replies = await this.run(statements, deadline, true);
    const replaced = sorted.filter(([, expected], index) => {
      const {changed = 0, rows: [found] = []} = replies[index] ?? {};
      return changed > 0 || found?.['value'] === expected;
    });
    const results = new Set(replaced);
    return changes.map((change) => results.has(change));
  }

  async increment(
    steps: ReadonlyArray<readonly [key: string, by: number]>,
    deadline: Deadline,
  ): Promise<readonly number[]> {
    const keys = steps.map(([key]) => key);
    const rows = steps.map(([key, by]) => [key, nextCounter, by] as const).sort(byKey);
    const {increment, sums} = this.texts;
    const [, raised] = await this.run(
      [
        [increment, [rows]],
        [sums, [keys, nextCounter]],
      ],
      deadline,
      true,
    );
    const found = new Map(raised?.rows.map(({key, n}) => [key, n]));
    return keys.map((key) => Number(found.get(key)));
  }

  protected async store(
    {writer, number, indexes, links, added, increments}: SqlBatch,
    deadline: Deadline,
  ): Promise<readonly number[] | undefined> {
    const prepared = links.map(preparedOf);
    const keys = listOf(prepared.map(({key}) => key));
    const digests = listOf(prepared.map(({digest}) => digest));
    const raised = increments.map((add) => rowsOf(add).sort(byKey));
    const sorted = added.map(({key, increment, at}) => [key, at, raised[increment] ?? []] as const).sort(byKey);
    const rows = sorted.flatMap(([key, at, counters]) => counters.map(([name, n]) => [key, name, n, at]));
    const {takeBatch, add, batch} = this.texts;
    const taking: SqlStatement = [takeBatch, [writer, keys, digests, links.length, number, indexes.join()]];
    const replies = await this.run(rows.length > 0 ? [taking, [add, [rows]]] : [taking], deadline, true);
    if (replies.length > 0) return indexes;
    const [taken] = await this.select(batch, [writer], deadline);
    if (taken === undefined || Number(taken['number']) < number) return undefined;
    // If a later batch of the writer was taken, no caller waits for this one any more.
    return Number(taken['number']) > number ? [] : indexesOf(String(taken['counted']));
  }

  protected async set(rows: readonly CounterRow[], deadline: Deadline): Promise<void> {
    await this.write(this.texts.setCounters, [rows.toSorted(byKey)], deadline);
  }

  protected splitting(key: string): readonly SqlStatement[] {
    const {takeJoint, addSingle, removeCounters} = this.texts;
    const taken = ` ${randomUUID()}`;
    const take: SqlStatement = [takeJoint, [taken, key]];
    const remove: SqlStatement = [removeCounters, [taken]];
    if (planted('joint-rows-read-first')) return [[addSingle, [key, key]], take, remove];
    return [take, [addSingle, [key, taken]], remove];
  }
}

function preparedOf(link: SeenLink): Prepared {
  const {key, revision} = link;
  link.prepared ??= {key, digest: rowDigest(key, revision as string)} satisfies Prepared;
  return link.prepared as Prepared;
}

type Keyed = readonly [key: string, ...rest: unknown[]];

/** All processes lock rows in one order, so that deadlocks are rare. */
function byKey([one]: Keyed, [other]: Keyed): number {
  return one < other ? -1 : 1;
}
