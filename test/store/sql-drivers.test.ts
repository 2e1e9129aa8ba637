import test from 'ava';
import {BorrowedMysqlConnection, type MysqlAdapter} from '../../src/store/mysql-adapter.ts';
import {MysqlDriver, type MysqlResult} from '../../src/store/mysql.ts';
import {PostgresDriver, type PostgresRow} from '../../src/store/postgres.ts';
import {StandInConnection} from './sql-stand-in.ts';

const settings = {timeout: 20_000, onError: () => undefined};
const table = {name: 'public.keyv', create: 'create it', keySize: 255};
const done: MysqlResult = {rows: [], affectedRows: 1, insertId: 0, isDuplicate: false};

/** A connection that refuses each text the first time. */
function refusingOnce<Result>(error: object, result: Result): StandInConnection<Result> {
  const seen = new Set<string>();
  return new StandInConnection(({text}) => {
    if (text.startsWith('create') || seen.has(text)) return result;
    seen.add(text);
    throw Object.assign(new Error('Refused'), error);
  });
}

test('both drivers keep records as text', (t) => {
  t.false(new PostgresDriver(new StandInConnection<readonly PostgresRow[]>(() => []), table, settings).keepsObjects);
  t.false(new MysqlDriver(new StandInConnection(() => done), table, settings).keepsObjects);
});

for (const code of ['40P01', '40001', '23505', '42P07', '42P06', '42710', '26000', '42P05']) {
  test(`what Postgres gave up for another's sake (${code}) is asked again`, async (t) => {
    const connection = refusingOnce<readonly PostgresRow[]>({code}, []);
    const driver = new PostgresDriver(connection, table, settings);
    await driver.remove('key');
    t.is(connection.texts.filter((text) => text.startsWith('delete')).length, 2);
    t.false(connection.texts.includes('create it'));
  });
}

for (const code of ['42P01', '3F000']) {
  test(`where Postgres misses the table or its schema (${code}), they are created`, async (t) => {
    const connection = refusingOnce<readonly PostgresRow[]>({code}, []);
    const driver = new PostgresDriver(connection, table, settings);
    await driver.remove('key');
    t.true(connection.texts.includes('create it'));
  });
}

test('a table of MySQL is created under its whole name, to compare bytes', async (t) => {
  const connection = refusingOnce({errno: 1146}, done);
  const driver = new MysqlDriver(connection, {name: 'shop.li`nks', keySize: 80}, settings);
  await driver.remove('key');
  t.true(
    connection.texts.includes(
      'create table if not exists `shop`.`li``nks` (id varchar(80) primary key, value longtext) ' +
        'character set utf8mb4 collate utf8mb4_bin',
    ),
  );
});

test('visits are written to MySQL in the order of the keys', async (t) => {
  const connection = new StandInConnection(() => done);
  const driver = new MysqlDriver(connection, table, settings);
  const additions = ['b', 'a', 'c', 'd'].map((key) => ({key, visits: 1, lastVisit: 1}));
  await driver.addVisits({writer: 'w', number: 1, additions});
  const [rows] = connection.sent.find(({text}) => text.startsWith('insert'))?.values as [Array<[string, string]>];
  t.deepEqual(
    rows.map(([key]) => key),
    ['a', 'b', 'c', 'd'],
  );
});

/** An adapter of which each failure is as `nextFailure` says, and each copy is known. */
function failingAdapter(nextFailure: () => unknown): {adapter: MysqlAdapter; copies: object[]; asked: unknown[]} {
  const copies: object[] = [];
  const asked: unknown[] = [];
  class Adapter implements MysqlAdapter {
    readonly opts: MysqlAdapter['opts'];
    constructor(opts: MysqlAdapter['opts']) {
      this.opts = opts;
      copies.push(opts);
    }
    query(statement: unknown): Promise<never> {
      asked.push(typeof statement === 'string' ? statement : (statement as {sql: string}).sql);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a host's adapter may do that
      return Promise.reject(nextFailure());
    }
  }
  return {adapter: new Adapter({table: 'keyv'}), copies, asked};
}

async function failTwice(adapter: MysqlAdapter): Promise<void> {
  const connection = new BorrowedMysqlConnection(adapter, settings.timeout);
  for (let time = 0; time < 2; time += 1) {
    await connection.send('select 2', [], new AbortController().signal).catch(() => undefined);
  }
}

test('an adapter of MySQL that gives the very same error again is started anew, with its options', async (t) => {
  const error = new Error('It could not connect then');
  const {adapter, copies, asked} = failingAdapter(() => error);
  await failTwice(adapter);
  t.deepEqual(copies, [{table: 'keyv'}, {table: 'keyv'}]);
  t.is(asked.at(-1), 'select 1', 'nobody else may hear that it fails');
});

test('an adapter of MySQL whose failures are no more than alike goes on as it is', async (t) => {
  for (const nextFailure of [() => new Error('It cannot connect'), () => 'It cannot connect']) {
    const {adapter, copies, asked} = failingAdapter(nextFailure);
    await failTwice(adapter);
    t.is(copies.length, 1);
    t.is(asked.length, 2);
  }
});
