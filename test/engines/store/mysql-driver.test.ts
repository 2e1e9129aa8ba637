import test from 'ava';
import {MysqlConnection} from '../../../src/store/mysql/connection.ts';
import {MysqlDriver} from '../../../src/store/mysql/driver.ts';
import {mysqlOptions} from '../../../src/store/mysql/open.ts';
import {mysqlTables} from '../../../src/store/mysql/statements.ts';
import {ask, connection, missingMysql, ownMysql} from '../../support/store/mysql-server.ts';
import {testSqlContract} from '../../support/store/sql-contract.ts';
import {keysOf, soon, type SqlEngine, visit} from '../../support/store/sql-engine.ts';
import {testSqlFaults} from '../../support/store/sql-faults.ts';
import {testSqlRaces} from '../../support/store/sql-races.ts';

const skip = await missingMysql();
const url = ownMysql('one', skip);
const check = skip === undefined ? test.serial : test.serial.skip;

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;

const engine: SqlEngine = {
  title: 'MySQL',
  url,
  skip,
  keyColumn: 'id',
  momentType: 'bigint',
  open: (address, limit, table) =>
    new MysqlDriver(new MysqlConnection(mysqlOptions(address), limit), mysqlTables(table)),
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
  await holder.query(`select id from short_url where id = '${held}' for update`);
  // ER_STATEMENT_TIMEOUT, whose name the client does not know.
  t.like(await t.throwsAsync(async () => driver.remove(held, soon())), {errno: 1969});
  await holder.query('commit');
  t.deepEqual(await driver.read([held], soon()), ['record']);
});

check('MySQL keeps a connection on which a batch was undone because a link has changed', async (t) => {
  const client = new MysqlConnection(mysqlOptions(url), timeout);
  const driver = new MysqlDriver(client, mysqlTables());
  t.teardown(() => driver.close());
  const [link = '', counters = ''] = keysOf('link', 'counters');
  await driver.insert([[link, 'record']], soon());
  const connectionId = (): Promise<unknown> => client.send({statements: [['select connection_id() as id']]}, soon());
  const before = await connectionId();
  const additions = [visit(link, 'changed', counters)];
  t.deepEqual(await driver.count({writer: `${link}:w`, number: 1, additions}, soon()), [false]);
  t.deepEqual(await connectionId(), before);
  t.true(await driver.replace([link, 'record 2'], 'record', soon()), 'the link is not locked any more');
});
