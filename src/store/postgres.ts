import type {Deadline} from './deadline.ts';
import {type Driver, nextCounter} from './driver.ts';
import type {Batch, Counters} from './port.ts';
import type {PostgresRow, PostgresStatement} from './postgres-connection.ts';
import {type PostgresTables, postgresStatements} from './postgres-statements.ts';
import {addedRows, countersOf, fittingKey} from './sql-rows.ts';
import {type SqlConnection, type SqlFailure, SqlStatements} from './sql-statements.ts';

/**
 * Keeps records in the table of `@keyv/postgres`, and counters in tables beside it. Each operation is one statement;
 * Postgres decides races between statements by the locks of rows, and checks a condition again once it has the lock.
 */
export class PostgresDriver implements Driver {
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly isRemote = true;
  readonly #statements: SqlStatements<PostgresStatement, readonly PostgresRow[]>;
  readonly #texts: ReturnType<typeof postgresStatements>;
  readonly #keySize: number;

  constructor(connection: SqlConnection<PostgresStatement, readonly PostgresRow[]>, tables: PostgresTables) {
    this.#texts = postgresStatements(tables);
    this.#keySize = tables.keySize;
    this.#statements = new SqlStatements(connection, {text: this.#texts.create, values: []}, failureOf);
  }

  async read(keys: readonly string[], deadline: Deadline): Promise<unknown[]> {
    const fitting = this.#keys(keys);
    const rows = await this.#run(this.#texts.read, [fitting], deadline);
    const records = new Map(rows.map(({key, value}) => [key, value]));
    return fitting.map((key) => records.get(key) ?? undefined);
  }

  insert(
    rows: ReadonlyArray<readonly [key: string, record: unknown]>,
    deadline: Deadline,
  ): Promise<ReadonlyArray<boolean | Error>> {
    return this.#statements.runRows(rows, async (some) => {
      const keys = this.#keys(some.map(([key]) => key));
      const inserted = await this.#run(this.#texts.insert, [keys, some.map(([, record]) => record)], deadline);
      const won = new Set(inserted.map(({key}) => key));
      return keys.map((key) => won.has(key));
    });
  }

  async replace(key: string, expected: unknown, record: unknown, deadline: Deadline): Promise<boolean> {
    return (await this.#run(this.#texts.replace, [this.#key(key), expected, record], deadline)).length > 0;
  }

  async remove(key: string, deadline: Deadline): Promise<void> {
    await this.#run(this.#texts.remove, [this.#key(key)], deadline);
  }

  async count({writer, number, additions}: Batch, deadline: Deadline): Promise<boolean[]> {
    if (number === 1) await this.#run(this.#texts.forget, [], deadline);
    const added = addedRows(additions, (key) => this.#key(key));
    const values = [
      this.#key(writer),
      number,
      additions.map((_, place) => place),
      additions.map(({link}) => link && this.#key(link.key)),
      additions.map(({link}) => link?.revision),
      added.map(({place}) => place),
      added.map(({key}) => key),
      added.map(({name}) => name),
      added.map(({n}) => n),
      added.map(({at}) => at),
    ];
    for (;;) {
      const [taken] = await this.#run(this.#texts.count, values, deadline);
      if (taken !== undefined) {
        // A later batch of the writer was taken: nobody waits for this one any more.
        const counted = Number(taken['number']) === number ? (taken['counted'] as number[]) : [];
        const places = new Set(counted);
        return additions.map((_, place) => places.has(place));
      }
      // The first attempt was still under way on another connection when this statement began.
      await this.#statements.pause(deadline);
    }
  }

  async increment(
    steps: ReadonlyArray<readonly [key: string, by: number]>,
    deadline: Deadline,
  ): Promise<readonly number[]> {
    const keys = this.#keys(steps.map(([key]) => key));
    const values = [keys, nextCounter, steps.map(([, by]) => by)];
    const rows = await this.#run(this.#texts.increment, values, deadline);
    const sums = new Map(rows.map(({key, n}) => [key, n]));
    return keys.map((key) => Number(sums.get(key)));
  }

  async getCounters(
    keys: readonly string[],
    names: readonly string[] | undefined,
    deadline: Deadline,
  ): Promise<readonly Counters[]> {
    const fitting = this.#keys(keys);
    return countersOf(fitting, await this.#run(this.#texts.getCounters, [fitting, names], deadline));
  }

  async removeCounters(key: string, names: readonly string[], deadline: Deadline): Promise<void> {
    await this.#run(this.#texts.removeCounters, [this.#key(key), names], deadline);
  }

  async ping(deadline: Deadline): Promise<void> {
    await this.#run(this.#texts.ping, [], deadline);
  }

  close(): Promise<void> {
    return this.#statements.close();
  }

  #run(text: string, values: readonly unknown[], deadline: Deadline): Promise<readonly PostgresRow[]> {
    return this.#statements.run({text, values}, deadline);
  }

  #key(key: string): string {
    return fittingKey(key, this.#keySize);
  }

  #keys(keys: readonly string[]): string[] {
    return keys.map((key) => this.#key(key));
  }
}

/** Deadlocks, serialization failures, tables that others create at the same time, and lost prepared statements. */
const conflicts: readonly string[] = ['40P01', '40001', '23505', '42P07', '42P06', '42710', '26000', '42P05'];

function failureOf(error: unknown): SqlFailure {
  const code = String((error as {code?: unknown}).code);
  if (conflicts.includes(code)) return 'conflict';
  if (code === '42P01' || code === '3F000') return 'missing table';
  // The classes "data exception", "integrity constraint violation" and "program limit exceeded".
  return /^(22|23|54)/.test(code) ? 'refusal' : 'failure';
}
