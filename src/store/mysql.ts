import type {Driver, DriverSettings} from './driver.ts';
import {GatheredReads} from './gathered-reads.ts';
import type {DailyTally, Tally, VisitBatch} from './port.ts';
import {caselessKey, fittingKey} from './sql-key.ts';
import {type SqlConnection, type SqlErrors, SqlStatements} from './sql-statements.ts';
import {batchDay, readDailyTally, readTally, writerLife, writersKept} from './tally.ts';

/** What MySQL answers a statement. */
export interface MysqlResult {
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly affectedRows: number;
  readonly insertId: number;
  /** A row with that key was there; everything is as it was. */
  readonly isDuplicate: boolean;
}

/** The table of an `@keyv/mysql` adapter. */
export interface MysqlTable {
  readonly name: string;
  /** How many characters a key may have. */
  readonly keySize: number;
}

/**
 * Uses the table of `@keyv/mysql`, on MySQL or MariaDB. Each operation is one statement, because each runs on any
 * connection of a pool. Keys are written so that the table may have any collation; records are compared as bytes.
 */
export class MysqlDriver implements Driver {
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly #statements: SqlStatements<MysqlResult>;
  readonly #table: string;
  readonly #keySize: number;
  readonly #reads = new GatheredReads((keys) => this.#read(keys));

  constructor(connection: SqlConnection<MysqlResult>, {name, keySize}: MysqlTable, settings: DriverSettings) {
    this.#table = name.split('.').map(quoted).join('.');
    this.#keySize = keySize;
    // Wider than the adapter's TEXT, which holds 64 kB, and with a collation that compares bytes.
    const createTable =
      `create table if not exists ${this.#table} (id varchar(${keySize}) primary key, value longtext) ` +
      'character set utf8mb4 collate utf8mb4_bin';
    this.#statements = new SqlStatements(connection, createTable, errors, settings);
    this.ping().catch(() => undefined);
  }

  async get(key: string): Promise<unknown> {
    return this.#reads.get(this.#key(key));
  }

  async getMany(keys: readonly string[]): Promise<unknown[]> {
    return this.#read(keys.map((key) => this.#key(key)));
  }

  async #read(keys: readonly string[]): Promise<unknown[]> {
    const {rows} = await this.#run('select id, value from {table} where id in (?)', [keys]);
    const values = new Map(rows.map(({id, value}) => [id, value]));
    return keys.map((key) => values.get(key) ?? undefined);
  }

  async insert(key: string, record: unknown): Promise<boolean> {
    const row = [this.#key(key), record];
    return !(await this.#run('insert into {table} (id, value) values (?, ?)', row)).isDuplicate;
  }

  async replace(key: string, expected: unknown, record: unknown): Promise<boolean> {
    const text =
      'update {table} set value = ? where id = ? ' +
      'and cast(convert(value using utf8mb4) as binary) = cast(convert(? using utf8mb4) as binary)';
    return (await this.#run(text, [record, this.#key(key), expected])).affectedRows > 0;
  }

  async remove(key: string): Promise<void> {
    await this.#run('delete from {table} where id = ?', [this.#key(key)]);
  }

  async increment(key: string): Promise<number> {
    const {affectedRows, insertId} = await this.#run(
      "insert into {table} (id, value) values (?, '1') " +
        'on duplicate key update value = last_insert_id(cast(value as unsigned) + 1)',
      [this.#key(key)],
    );
    // One row where it was inserted, two where it was there.
    return affectedRows === 1 ? 1 : insertId;
  }

  async current(key: string): Promise<number> {
    return Number((await this.get(key)) ?? 0);
  }

  async addVisits({writer, number, additions}: VisitBatch): Promise<void> {
    // MariaDB refuses a path with a name in it that begins with a hyphen, quoted or not.
    const name = `w${writer}`;
    const path = JSON.stringify(name);
    const {place, start, end} = batchDay(additions);
    const day = `$.days."${place}"`;
    const update = {writer: `$.writers.${path}`, former: `$.former.${path}`, number, day, start, end};
    const rows = additions.map(({key, visits, lastVisit}) => {
      const days = {[place]: start + visits};
      const tally = {visits, lastVisit, since: lastVisit, writers: {[name]: number}, former: {}, days};
      return [this.#key(key), JSON.stringify(tally)] as const;
    });
    // All processes take the rows in one order, so that two of them seldom wait for each other.
    rows.sort(([one], [other]) => (one < other ? -1 : 1));
    await this.#statements.runEach(rows, (some) =>
      this.#run(`insert into {table} (id, value) values ? on duplicate key update value = ${merged}`, [
        some,
        ...mergedNames.map((name) => update[name]),
      ]),
    );
  }

  async getTallies(keys: readonly string[]): Promise<Tally[]> {
    return (await this.getMany(keys)).map((text) => readTally(text as string | undefined));
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

  #run(text: string, values: readonly unknown[]): Promise<MysqlResult> {
    return this.#statements.run(
      text.replace('{table}', () => this.#table),
      values,
    );
  }

  #key(key: string): string {
    return fittingKey(caselessKey(key), this.#keySize);
  }
}

const integer = (json: string): string => `cast(json_extract(${json}) as signed)`;
const oldVisits = integer("value, '$.visits'");
const newVisits = integer("values(value), '$.visits'");
const oldLast = integer("value, '$.lastVisit'");
const newLast = integer("values(value), '$.lastVisit'");
const oldDay = `coalesce(${integer('value, :day')}, 0)`;

/**
 * The tally after a batch. It is the JSON of `{visits, lastVisit, since, writers, former, days}`: no expression of both
 * MySQL and MariaDB takes old writers out of a list, so there are two, each of `{<writer>: <batch>}`. Writers are noted
 * in `writers`; when it is more than a day old (`since`), and more are known than are kept, it takes the place of
 * `former`, where those remain that were silent since. `days` is `{<place>: <day>}`.
 */
const template = `if(
  greatest(coalesce(${integer('value, :writer')}, -1), coalesce(${integer('value, :former')}, -1)) >= :number,
  value,
  json_set(
    json_remove(
      case
        when json_length(value, '$.writers') + json_length(value, '$.former')
          + (json_extract(value, :writer) is null and json_extract(value, :former) is null) <= ${writersKept}
          then value
        when ${newLast} > ${oldLast} + ${writerLife}
          then json_set(value, '$.since', ${newLast}, '$.former', json_object(), '$.writers', json_object())
        when ${newLast} > ${integer("value, '$.since'")} + ${writerLife}
          then json_set(
            value, '$.since', ${newLast}, '$.former', json_extract(value, '$.writers'), '$.writers', json_object())
        else value
      end,
      :former),
    '$.visits', ${oldVisits} + ${newVisits},
    '$.lastVisit', greatest(${oldLast}, ${newLast}),
    :writer, :number,
    :day, if(${oldDay} >= :end, ${oldDay}, greatest(${oldDay}, :start) + ${newVisits})))`;

type Name = 'writer' | 'former' | 'number' | 'day' | 'start' | 'end';
const names = /:(writer|former|number|day|start|end)/g;
const merged = template.replace(names, '?');
const mergedNames = Array.from(template.matchAll(names), ([, name]) => name as Name);

/** As the adapter quotes the parts of its table's name. */
function quoted(identifier: string): string {
  return `\`${identifier.replaceAll('`', '``')}\``;
}

const errors: SqlErrors = {
  // A deadlock, a lock not given in time, a row changed since the snapshot, and a commit that the group refused.
  isConflict: (error) => [1213, 1205, 1020, 3101].includes(numberOf(error)),
  isMissingTable: (error) => numberOf(error) === 1146,
};

function numberOf(error: unknown): number {
  return Number((error as {errno?: unknown}).errno);
}
