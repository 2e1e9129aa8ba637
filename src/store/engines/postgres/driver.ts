import {rowsOf} from '../../batching/joint-counters.ts';
import type {Deadline} from '../../failing/deadline.ts';
import type {Change, Driver, RecordRow} from '../../driver.ts';
import {nextCounter} from '../../port.ts';
import type {SqlConnection, SqlStatement} from '../sql/connection.ts';
import {type CounterRow, type SqlBatch, SqlDriver, sqlTables} from '../sql/driver.ts';
import {judgePostgres} from './inspect.ts';
import {checkEncoding} from './sessions.ts';
import {postgresStatements, separator} from './statements.ts';
import {postgresTables} from './tables.ts';

/**
 * Each operation is one statement. Postgres decides races by row locks, and checks a condition again once it has the lock.
 */
export class PostgresDriver extends SqlDriver<ReturnType<typeof postgresStatements>> implements Driver {
  readonly engine = 'postgres';

  readonly #schema: string;

  constructor(connection: SqlConnection<unknown, object>, table = 'short_url', schema = 'public') {
    const tables = sqlTables(`${quoted(schema)}.${table}`);
    super(connection, postgresStatements(tables), postgresTables(tables), (facts) => judgePostgres(facts, tables));
    this.#schema = schema;
  }

  /** Creates the schema only if it is missing, because a role that may create tables in it often may not create one. */
  override async plan(deadline: Deadline): Promise<readonly string[]> {
    const [reply] = await this.connection.send({statements: [[this.texts.place, [this.#schema]]]}, deadline);
    const [place = {}] = reply?.rows ?? [];
    checkEncoding(place);
    const create = place['has_schema'] === false ? [`create schema if not exists ${quoted(this.#schema)}`] : [];
    return [...create, ...(await super.plan(deadline))];
  }

  insert(rows: readonly RecordRow[], deadline: Deadline): Promise<ReadonlyArray<boolean | Error>> {
    return this.connection.runRows(rows, async (some) => {
      const keys = some.map(([key]) => key);
      const values = [keys, some.map(([, record]) => record), some.map(([, , life]) => life ?? null)];
      const inserted = await this.write(this.texts.insert, values, deadline);
      const won = new Set(inserted.rows.map(({key}) => key));
      return keys.map((key) => won.has(key));
    });
  }

  protected async replaceAll(changes: readonly Change[], deadline: Deadline): Promise<readonly boolean[]> {
    const keys = changes.map(([[key]]) => key);
    const values = [
      keys.join(separator),
      changes.map(([, expected]) => expected).join(separator),
      changes.map(([[, record]]) => record).join(separator),
      array(changes.map(([[, , life]]) => life ?? 'null')),
    ];
    const {rows} = await this.write(this.texts.replaceMany, values, deadline);
    const replaced = new Set(rows.map(({key}) => key));
    return keys.map((key) => replaced.has(key));
  }

  async increment(
    steps: ReadonlyArray<readonly [key: string, by: number]>,
    deadline: Deadline,
  ): Promise<readonly number[]> {
    const keys = steps.map(([key]) => key);
    const {rows} = await this.write(this.texts.increment, [keys, nextCounter, steps.map(([, by]) => by)], deadline);
    const sums = new Map(rows.map(({key, n}) => [key, n]));
    return keys.map((key) => Number(sums.get(key)));
  }

  protected async store(
    {writer, number, indexes, links, added, increments}: SqlBatch,
    deadline: Deadline,
  ): Promise<readonly number[] | undefined> {
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
    const [taken] = (await this.write(this.texts.count, values, deadline)).rows;
    return taken && ((taken['counted'] ?? indexes) as number[]);
  }

  protected async set(rows: readonly CounterRow[], deadline: Deadline): Promise<void> {
    const columns = ([0, 1, 2, 3] as const).map((column) => rows.map((row) => row[column]));
    await this.write(this.texts.setCounters, columns, deadline);
  }

  protected splitting(key: string): readonly SqlStatement[] {
    return [[this.texts.split, [key]]];
  }
}

/** A schema as it is written in statements. Its name may be a word of SQL. */
function quoted(schema: string): string {
  return schema === 'public' ? schema : `"${schema}"`;
}

/** Writes an array in the form of the server. The client's own function takes several times as long. */
function array(numbers: ReadonlyArray<number | 'null'>): string {
  return `{${numbers.join()}}`;
}
