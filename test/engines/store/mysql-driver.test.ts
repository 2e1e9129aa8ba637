import test from 'ava';
import type {KeyvStoreAdapter} from 'keyv';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import type {Driver} from '../../../src/store/driver.ts';
import {MysqlConnection} from '../../../src/store/mysql/connection.ts';
import {MysqlDriver} from '../../../src/store/mysql/driver.ts';
import {mysqlOptions, openMysqlAdapter} from '../../../src/store/mysql/open.ts';
import {mysqlStatements, mysqlTables, rowDigest} from '../../../src/store/mysql/statements.ts';
import {ask, connection, hostMysql, missingMysql, ownMysql} from '../../support/store/mysql-server.ts';
import {testSqlContract} from '../../support/store/sql-contract.ts';
import {keysOf, type SqlEngine} from '../../support/store/sql-engine.ts';
import {testSqlFaults} from '../../support/store/sql-faults.ts';
import {testSqlRaces} from '../../support/store/sql-races.ts';

const skip = await missingMysql();
const url = ownMysql('one', skip);
const check = skip === undefined ? test.serial : test.serial.skip;

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;
const soon = (): Deadline => new Deadline(timeout);

function driverOfAdapter(adapter: KeyvStoreAdapter): Driver {
  const {driver} = openMysqlAdapter(adapter, {timeout, onError: () => undefined}) ?? {};
  if (!driver) throw new Error('The adapter was not recognised');
  return driver;
}

const engine: SqlEngine = {
  title: 'MySQL',
  url,
  skip,
  keyColumn: 'id',
  open: (address, limit, table = 'keyv') =>
    new MysqlDriver(new MysqlConnection(mysqlOptions(address), limit), mysqlTables({table})),
  connect: () => connection(url),
  ask: (text) => ask(url, text),
  waiting: async () => {
    // The server refreshes this table at most every tenth of a second.
    const text =
      'select 1 from (select sleep(0.12)) as pause join information_schema.innodb_trx ' +
      "join information_schema.processlist on id = trx_mysql_thread_id where trx_state = 'LOCK WAIT' and db = database()";
    return (await ask(url, text)).length;
  },
};
testSqlContract(engine);
testSqlRaces(engine);
testSqlFaults(engine);

check('MariaDB cancels a write that waits for a lock longer than its caller, also within a second', async (t) => {
  const [{version = ''} = {}] = await ask(url, 'select version() as version');
  if (!String(version).includes('MariaDB')) return void t.pass('MySQL counts whole seconds');
  const [held = ''] = keysOf('held');
  const driver = engine.open(url, 200);
  const holder = await connection(url);
  t.teardown(() => Promise.all([driver.close(), holder.end()]));
  await driver.insert([[held, 'record']], soon());
  await holder.query('begin');
  await holder.query(`select id from keyv where id = '${held}' for update`);
  // ER_STATEMENT_TIMEOUT, whose name the client does not know.
  t.like(await t.throwsAsync(async () => driver.remove(held, soon())), {errno: 1969});
  await holder.query('commit');
  t.deepEqual(await driver.read([held], soon()), ['record']);
});

for (const collation of ['utf8mb4_general_ci', 'utf8mb4_unicode_ci', 'utf8mb4_bin', 'latin1_swedish_ci']) {
  check(`MySQL a table in ${collation} keeps keys and records apart that its collation treats as equal`, async (t) => {
    const table = `in_${collation}`;
    const charset = collation.split('_')[0];
    await ask(
      url,
      `create table ${table} (id varchar(255) primary key, value text) character set ${charset} collate ${collation}`,
    );
    const driver = driverOfAdapter(hostMysql(url, {table}));
    t.teardown(() => driver.close());
    const keys = ['n', 'N', 'ñ', 'n ', 'n^'].flatMap((name) =>
      ['abc', 'aBc', 'ABC', 'abc^', '^abc', 'abc_', 'ab%'].map((key) => `${name}:${key}`),
    );
    t.true((await driver.insert(keys.map((key) => [key, key]), soon())).every((isInserted) => isInserted === true)); // prettier-ignore
    t.deepEqual(await driver.read(keys, soon()), keys);
    t.false(await driver.replace('n:abc', 'N:ABC', 'other', soon()));
    const additions = keys.map((key) => ({
      link: {key, revision: 'n:abc'},
      counters: [{key: key, add: {visits: 1}}],
      at: 1,
    }));
    t.deepEqual(
      await driver.count({writer: 'w', number: 1, additions}, soon()),
      keys.map((key) => key === 'n:abc'),
    );
    const {unchanged} = mysqlStatements(mysqlTables({table}));
    for (const [query, values] of [
      [`select id, value from ${table} where id in ('n:abc')`, []],
      [unchanged, [1, 'n:abc', rowDigest('n:abc', 'n:abc')]],
    ] as const) {
      const plans = await ask(url, `explain ${query}`, [...values]);
      const plan = plans.find(({table: name}) => name === table);
      t.is(plan?.['key'], 'PRIMARY');
      t.is(Number(plan?.['rows']), 1);
    }
  });
}

check(
  "MySQL keeps links and counters beside a host's table, with the host's options except those for the form of results",
  async (t) => {
    const adapter = hostMysql(url, {
      ...{table: "Host's `own", keySize: 80, connectionLimit: 2, charset: 'latin1'},
      ...{rowsAsArray: true, supportBigNumbers: true, bigNumberStrings: true, flags: ['FOUND_ROWS']},
    });
    const driver = driverOfAdapter(adapter);
    const keys = ['a', 'b'].map((end) => `${'k'.repeat(150)}${end}`);
    const rows = keys.map((key) => [key, 'record ☃'] as const);
    t.deepEqual(await driver.insert(rows, soon()), [true, true]);
    t.deepEqual(await driver.insert(rows, soon()), [false, false]);
    const additions = keys.map((key) => ({
      link: {key, revision: 'record ☃'},
      counters: [{key, add: {visits: 1}}],
      at: 5,
    }));
    t.deepEqual(await driver.count({writer: 'w', number: 1, additions}, soon()), [true, true]);
    t.deepEqual((await driver.getCounters(keys, undefined, soon()))[1], {counts: new Map([['visits', 1]]), at: 5});
    t.deepEqual(await driver.increment([['sequence', 2]], soon()), [2]);
    await driver.close();
    t.false(await adapter.has?.('absent'), 'the adapter still works');
    const tables = await ask(url, "show tables like 'Host%'");
    t.is(tables.length, 3);
  },
);

check('MySQL an adapter whose connections cannot be opened again is refused without showing its options', (t) => {
  const adapter = hostMysql(url);
  for (const opts of [{uri: undefined}, {uri: 's3cret'}, {stream: {password: 's3cret'}}]) {
    const odd = Object.assign(Object.create(adapter) as typeof adapter, {opts: {...(adapter.opts as object), ...opts}});
    const error = t.throws(() => driverOfAdapter(odd), {instanceOf: TypeError, message: /^Expected the MySQL/});
    t.notRegex(error.message, /s3cret/);
  }
});

check('MySQL the table of an adapter is used unchanged, and a record too long for it is refused', async (t) => {
  const driver = driverOfAdapter(hostMysql(url, {table: 'texts'}));
  t.teardown(() => driver.close());
  await ask(url, 'create table if not exists texts (id varchar(255) primary key, value text)');
  const [kept, refused] = await driver.insert(
    [
      ['kept', 'x'],
      ['large', 'x'.repeat(70_000)],
    ],
    soon(),
  );
  t.true(kept);
  t.regex(String(refused), /too long/);
  t.deepEqual(await driver.read(['large'], soon()), [undefined]);
});
