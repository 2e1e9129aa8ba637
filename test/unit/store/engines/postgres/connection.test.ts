import pg from 'pg';
import test, {type ExecutionContext} from 'ava';
import {PostgresConnection} from '../../../../../src/store/engines/postgres/connection.ts';
import {postgresOptions} from '../../../../../src/store/engines/postgres/open.ts';
import {PostgresStub} from '../../../../support/store/postgres-stub.ts';
import {testSqlConnection} from '../../../../support/store/sql-connection.ts';
import {soon} from '../../../../support/store/sql-engine.ts';

async function open(t: ExecutionContext, query = ''): Promise<{stub: PostgresStub; connection: PostgresConnection}> {
  const stub = await PostgresStub.start(t);
  const connection = new PostgresConnection(postgresOptions(stub.url + query), 20_000);
  t.teardown(() => connection.close());
  return {stub, connection};
}

testSqlConnection('Postgres', async (t, query) => {
  const {stub, connection} = await open(t, query);
  return {
    stub,
    send: (text, deadline = soon()) => connection.send({statements: [[text]]}, deadline),
    close: () => connection.close(),
  };
});

test('a connection string that pg cannot read completely is refused without repeating it', (t) => {
  const message =
    /^The Postgres connection string of the store is malformed: expected postgres:\/\/user:password@host:/;
  for (const text of [
    'postgres://host:port/s3cret',
    'postgres://us%er@host/s3cret',
    'postgres://user:s3cret%zz@host/db',
    'postgres://s3cret/%f',
    'postgres://host/db?options=s3cret%zz',
  ]) {
    const error = t.throws(() => postgresOptions(text), {instanceOf: TypeError, message}, text);
    t.notRegex(error.message, /s3cret/);
  }
  const socket = 'postgres://user:password@/db?host=/run/postgresql&application_name=shop';
  t.deepEqual(postgresOptions(socket), {connectionString: socket, max: 5});
});

test('pg gets the user, password and TLS that the string has', async (t) => {
  const read = (text: string): {user: string; password: string; host: string; ssl: unknown} => {
    const {user, password, host, ssl} = new pg.Client(postgresOptions(text));
    return {user: String(user), password: String(password), host, ssl};
  };
  const expected = {user: 'us er', password: 'p/w d%', host: 'host', ssl: false};
  for (const query of ['', '?application_name=my shop', '?application_name=my shop&pool=3&connect_timeout=9']) {
    t.deepEqual(read(`postgres://us er:p%2Fw d%25@host/db${query}`), expected, query);
    t.deepEqual(read(` postgres://us%20er:p%2Fw%20d%25@host/db${query}\n`), expected, query);
  }
  t.is(read('postgres://host/db?ssl=false').ssl, false);
  t.deepEqual(read('postgres://host/db?ssl=no-verify').ssl, {rejectUnauthorized: false});
  t.deepEqual(read('postgres://host/db?sslmode=no-verify').ssl, {rejectUnauthorized: false});
  t.deepEqual(read('postgres://host/db?sslrootcert=system').ssl, {});
  const bound = (mode: string): unknown => postgresOptions(`postgres://host/db?channel_binding=${mode}`);
  t.like(bound('require'), {connectionString: 'postgres://host/db', enableChannelBinding: true});
  t.deepEqual(bound('disable'), {connectionString: 'postgres://host/db', max: 5});
  t.is(postgresOptions('postgres://host/db?connection_limit=7&pgbouncer=true').max, 7);
});

test('a connection is reused, and parses each statement with values once', async (t) => {
  const {stub, connection} = await open(t);
  for (const text of ['select $1', 'select $1, 2', 'select $1'])
    await connection.send({statements: [[text, ['value']]]}, soon());
  await connection.send({statements: [['select 3']]}, soon());
  const [one, two, three, four] = stub.heard;
  t.is(one?.text, 'select $1');
  t.is(two?.text, 'select $1, 2');
  t.deepEqual(three, one);
  t.truthy(one?.name);
  t.truthy(two?.name);
  t.not(one?.name, two?.name);
  t.true(String(one?.name).length < 64, 'the server truncates longer names');
  const {stub: other, connection: another} = await open(t);
  await another.send({statements: [['select $1, 2', ['value']]]}, soon());
  t.is(other.heard[0]?.name, two?.name, 'every process has the same name for a statement');
  t.deepEqual(four, {connection: 1, text: 'select 3', name: undefined});
  t.deepEqual(stub.connections, [true]);
});

test('after an error the next statement gets a new connection', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = () => ({code: '25006', message: 'cannot execute UPDATE in a read-only transaction'});
  await t.throwsAsync(connection.send({statements: [['update $1', [1]]]}, soon()), {code: '25006'});
  stub.reply = () => 'done';
  await connection.send({statements: [['update $1', [1]]]}, soon());
  t.deepEqual(
    stub.heard.map(({connection: number}) => number),
    [1, 2],
  );
  t.truthy(stub.heard[1]?.name, 'it is prepared on the new connection too');
});

for (const code of ['26000', '42P05']) {
  test(`a pooler that loses prepared statements (${code}) gets statements without names`, async (t) => {
    const {stub, connection} = await open(t);
    stub.reply = () => ({code, message: 'prepared statement'});
    await t.throwsAsync(connection.send({statements: [['select $1', [1]]]}, soon()), {code});
    stub.reply = () => 'done';
    await connection.send({statements: [['select $1', [1]]]}, soon());
    t.deepEqual(stub.heard[1], {connection: 2, text: 'select $1', name: undefined});
  });
}

for (const [parameter, code, message] of [
  ['statement_timeout', '08P01', 'unsupported startup parameter: statement_timeout'],
  ['options', '0A000', 'RDS Proxy currently doesn’t support command-line options'],
] as const) {
  test(`a pooler that refuses ${parameter} gets connections without it, and still only a few`, async (t) => {
    const {stub, connection} = await open(t);
    stub.refuses = (startup) => (startup.includes(parameter) ? {code, message} : undefined);
    await Promise.all(
      Array.from({length: 20}, (_, index) => connection.send({statements: [[`select ${index}`]]}, soon())),
    );
    t.is(stub.heard.length, 20);
    t.true(new Set(stub.heard.map(({connection: number}) => number)).size <= 5);
  });
}
