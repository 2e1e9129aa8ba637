import type {Driver, DriverSettings} from './driver.ts';
import {GatheredReads} from './gathered-reads.ts';
import type {DailyTally, Tally, VisitBatch} from './port.ts';
import {fittingKey} from './sql-key.ts';
import {type SqlConnection, type SqlErrors, SqlStatements} from './sql-statements.ts';
import {batchDay, readDailyTally, writerLife, writersKept} from './tally.ts';

/** The codes of a statement that its connection has not prepared, or has prepared before: it was not carried out. */
export const notPrepared: readonly string[] = ['26000', '42P05'];

export type PostgresRow = Readonly<Record<string, unknown>>;

/** The table of an `@keyv/postgres` adapter. */
export interface PostgresTable {
  /** Schema and name, as they stand in a statement. */
  readonly name: string;
  /** What creates it, and its schema, if they are missing. */
  readonly create: string;
  /** How many characters a key may have. */
  readonly keySize: number;
}

/**
 * Uses the table of `@keyv/postgres`. Each operation is one statement, because each runs on any connection of a pool;
 * Postgres decides races between them by locking the row, and looks at the condition again when it has the lock.
 */
export class PostgresDriver implements Driver {
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly #statements: SqlStatements<readonly PostgresRow[]>;
  readonly #table: PostgresTable;
  readonly #reads = new GatheredReads((keys) => this.#read(keys));

  constructor(connection: SqlConnection<readonly PostgresRow[]>, table: PostgresTable, settings: DriverSettings) {
    this.#statements = new SqlStatements(connection, table.create, errors, settings);
    this.#table = table;
    this.ping().catch(() => undefined);
  }

  async get(key: string): Promise<unknown> {
    return this.#reads.get(fittingKey(key, this.#table.keySize));
  }

  async getMany(keys: readonly string[]): Promise<unknown[]> {
    return this.#read(this.#keys(keys));
  }

  async #read(keys: readonly string[]): Promise<unknown[]> {
    const rows = await this.#run('select key, value from {table} where key = any($1::text[])', [keys]);
    const values = new Map(rows.map(({key, value}) => [key, value]));
    return keys.map((key) => values.get(key) ?? undefined);
  }

  async insert(key: string, record: unknown): Promise<boolean> {
    const text = 'insert into {table} (key, value) values ($1, $2) on conflict (key) do nothing returning key';
    return (await this.#run(text, [...this.#keys([key]), record])).length > 0;
  }

  async replace(key: string, expected: unknown, record: unknown): Promise<boolean> {
    const text = 'update {table} set value = $3 where key = $1 and value = $2 returning key';
    return (await this.#run(text, [...this.#keys([key]), expected, record])).length > 0;
  }

  async remove(key: string): Promise<void> {
    await this.#run('delete from {table} where key = $1', this.#keys([key]));
  }

  async increment(key: string): Promise<number> {
    const rows = await this.#run(
      `insert into {table} as stored (key, value) values ($1, '1')
       on conflict (key) do update set value = (stored.value::bigint + 1)::text returning value`,
      this.#keys([key]),
    );
    return Number(rows[0]?.['value']);
  }

  async current(key: string): Promise<number> {
    return Number((await this.get(key)) ?? 0);
  }

  async addVisits({writer, number, additions}: VisitBatch): Promise<void> {
    const {place, start, end} = batchDay(additions);
    await this.#statements.runEach(additions, (some) =>
      this.#run(addVisits, [
        this.#keys(some.map(({key}) => key)),
        some.map(({visits}) => visits),
        some.map(({lastVisit}) => lastVisit),
        writer,
        number,
        place,
        start,
        end,
      ]),
    );
  }

  async getTallies(keys: readonly string[]): Promise<Tally[]> {
    const fitting = this.#keys(keys);
    const rows = await this.#run(
      `select key, value::jsonb -> 'visits' as visits, value::jsonb -> 'lastVisit' as last
       from {table} where key = any($1::text[])`,
      [fitting],
    );
    const tallies = new Map(
      rows.map(({key, visits, last}) => [key, {visits: Number(visits), lastVisit: Number(last)}]),
    );
    return fitting.map((key) => tallies.get(key) ?? {visits: 0, lastVisit: undefined});
  }

  async getDailyTally(key: string): Promise<DailyTally> {
    return readDailyTally((await this.get(key)) as string | undefined);
  }

  async ping(): Promise<void> {
    await this.#run('select 1 from {table} limit 1', []);
  }

  close(): Promise<void> {
    return this.#statements.close();
  }

  #run(text: string, values: readonly unknown[]): Promise<readonly PostgresRow[]> {
    return this.#statements.run(
      text.replace('{table}', () => this.#table.name),
      values,
    );
  }

  #keys(keys: readonly string[]): string[] {
    return keys.map((key) => fittingKey(key, this.#table.keySize));
  }
}

/**
 * $1 to $3: the keys, visits and last visits; $4: the writer, $5: the number of its batch; $6 to $8: the place, start
 * and end of its day. A tally is the JSON of `{visits, lastVisit, writers: {<writer>: [<batch>, <time of its last
 * visit>]}, days: {<place>: <day>}}`; old writers are taken out when another one comes. All processes take the rows in
 * one order, so that two of them seldom wait for each other.
 */
const addVisits = `
insert into {table} as stored (key, value)
select key, jsonb_build_object(
  'visits', visits, 'lastVisit', last, 'writers', jsonb_build_object($4::text, jsonb_build_array($5::bigint, last)),
  'days', jsonb_build_object($6::text, $7::bigint + visits))
from unnest($1::text[], $2::bigint[], $3::numeric[]) as added (key, visits, last)
order by key
on conflict (key) do update set value = (
  select jsonb_build_object('visits', (old ->> 'visits')::bigint + visits, 'lastVisit', last, 'writers', case
    when old -> 'writers' -> $4 is not null then writers
    else (
      select jsonb_object_agg(name, batch) from jsonb_each(writers) as each (name, batch)
      where name = $4 or (batch ->> 1)::numeric >= last - ${writerLife}
        or (select count(*) from jsonb_object_keys(writers)) <= ${writersKept}) end,
    'days', case
      when day >= $8::bigint then old -> 'days'
      else (old -> 'days') || jsonb_build_object($6::text, greatest(day, $7::bigint) + visits) end)
  from (select old, (new ->> 'visits')::bigint as visits,
    greatest((old ->> 'lastVisit')::numeric, (new ->> 'lastVisit')::numeric) as last,
    (old -> 'writers') || (new -> 'writers') as writers,
    (old -> 'days' ->> $6)::bigint as day
    from (select stored.value::jsonb as old, excluded.value::jsonb as new) as both_sides) as merged)
where coalesce((stored.value::jsonb -> 'writers' -> $4 ->> 0)::bigint < $5, true)`;

const errors: SqlErrors = {
  // A deadlock, a serialization failure, what those get that create a table which another creates at the same time, and
  // statements that a pooler took to another connection than the one that had prepared them.
  isConflict: (error) =>
    ['40P01', '40001', '23505', '42P07', '42P06', '42710'].includes(codeOf(error)) ||
    notPrepared.includes(codeOf(error)),
  isMissingTable: (error) => ['42P01', '3F000'].includes(codeOf(error)),
};

export function codeOf(error: unknown): string {
  return String((error as {code?: unknown}).code);
}
