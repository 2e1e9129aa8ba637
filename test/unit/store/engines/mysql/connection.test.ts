import test, {type ExecutionContext} from 'ava';
import {MysqlConnection} from '../../../../../src/store/engines/mysql/connection.ts';
import {mysqlOptions} from '../../../../../src/store/engines/mysql/open.ts';
import {MysqlStub} from '../../../../support/store/mysql-stub.ts';
import {testSqlConnection} from '../../../../support/store/sql-connection.ts';
import {soon} from '../../../../support/store/sql-engine.ts';

function connectionTo(t: ExecutionContext, url: string): MysqlConnection {
  const connection = new MysqlConnection(mysqlOptions(url), 20_000);
  t.teardown(() => connection.close());
  return connection;
}

async function open(t: ExecutionContext, query = ''): Promise<{stub: MysqlStub; connection: MysqlConnection}> {
  const stub = await MysqlStub.start(t);
  return {stub, connection: connectionTo(t, stub.url + query)};
}

testSqlConnection('MySQL', async (t, query) => {
  const {stub, connection} = await open(t, query);
  return {
    stub,
    send: (text, deadline = soon()) => connection.send({statements: [[text]]}, deadline),
    close: () => connection.close(),
  };
});

test('a connection is reused, and its session is set up first', async (t) => {
  const {stub, connection} = await open(t);
  const result = await connection.send({statements: [['update one set value = ?', ["it's"]]]}, soon());
  t.deepEqual(result, [{rows: [], changed: 1}]);
  await connection.send({statements: [['update two']]}, soon());
  const [session, ...statements] = stub.heard;
  t.regex(
    session?.text ?? '',
    /^set session transaction isolation level read committed; .*'STRICT_ALL_TABLES,.*innodb_lock_wait_timeout = 20,/,
  );
  t.deepEqual(
    statements.map(({text}) => text),
    ["update one set value = 'it\\'s'", 'update two'],
  );
  t.deepEqual(stub.connections, [true]);
});

test('after an error, which may leave a transaction open, the next statement gets a new connection', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = ({text}) => (text.includes('update one') ? {code: '23000', message: 'Refused'} : 'done');
  const statements = [['update one'], ['update two']] as const;
  await t.throwsAsync(connection.send({statements}, soon()), {message: 'Refused'});
  await connection.send({statements: [['update two']]}, soon());
  t.deepEqual(stub.asked, [
    {connection: 1, text: 'start transaction; update one; update two; commit'},
    {connection: 2, text: 'update two'},
  ]);
  await stub.until(() => stub.connections[0] === false);
});
