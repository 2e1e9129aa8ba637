import {join} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import type {MysqlAddress} from '../../src/store/mysql-address.ts';
import {OwnMysqlConnection} from '../../src/store/mysql-connection.ts';
import {eventually} from './eventually.ts';
import {MysqlStub} from './mysql-stub.ts';
import {laterReply} from './sql-stub.ts';
import {temporaryDirectory} from './temporary.ts';

const directory = temporaryDirectory();

/** So that a machine with more to do than these tests does not fail them, in milliseconds. */
const timeout = 20_000;
const never = new AbortController().signal;

function connectionTo(t: ExecutionContext, address: MysqlAddress): OwnMysqlConnection {
  const connection = new OwnMysqlConnection(address, {timeout, onError: () => undefined});
  t.teardown(() => connection.close());
  return connection;
}

async function open(t: ExecutionContext): Promise<{stub: MysqlStub; connection: OwnMysqlConnection}> {
  const stub = await MysqlStub.start(t);
  return {stub, connection: connectionTo(t, stub.address)};
}

test('a connection is used again, and each begins with what its statements need', async (t) => {
  const {stub, connection} = await open(t);
  const result = await connection.send('update one set value = ?', ["it's"], never);
  t.like(result, {rows: [], affectedRows: 1, isDuplicate: false});
  await connection.send('update two', [], never);
  const [session, ...statements] = stub.heard;
  t.regex(session?.text ?? '', /^set session sql_mode = 'STRICT_ALL_TABLES,.*innodb_lock_wait_timeout = 20,/);
  t.deepEqual(
    statements.map(({text}) => text),
    ["update one set value = 'it\\'s'", 'update two'],
  );
  t.deepEqual(stub.connections, [true]);
});

test('it goes through a socket of the file system where the address names one', async (t) => {
  const socketPath = join(directory, 'mysqld.sock');
  const stub = await MysqlStub.start(t, {path: socketPath});
  const connection = connectionTo(t, {host: 'localhost', port: 3306, socketPath, database: 'database'});
  await connection.send('update one', [], never);
  t.deepEqual(stub.asked, [{connection: 1, text: 'update one'}]);
});

for (const [code, next] of [
  ['23000', 1],
  ['40001', 1],
  ['HY000', 2],
  ['HY040', 2],
  ['08S01', 2],
] as const) {
  test(`after an error of state ${code} the next statement has ${next === 1 ? 'the same' : 'another'} connection`, async (t) => {
    const {stub, connection} = await open(t);
    stub.reply = ({text}) => (text === 'update one' ? {code, message: 'Refused'} : 'done');
    await t.throwsAsync(connection.send('update one', [], never), {message: 'Refused'});
    await connection.send('update two', [], never);
    t.deepEqual(stub.asked, [
      {connection: 1, text: 'update one'},
      {connection: next, text: 'update two'},
    ]);
    if (next === 2) await stub.until(() => stub.connections[0] === false);
    t.is(stub.connections.length, next);
  });
}

test('a connection that is lost is replaced, whether it was in use or not', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = ({text}) => (text === 'update one' ? 'silence' : 'done');
  const sending = connection.send('update one', [], never);
  await stub.until(() => stub.asked.length === 1);
  stub.endConnections();
  await t.throwsAsync(sending, {message: /Connection lost/});
  await connection.send('update two', [], never);
  stub.endConnections();
  await stub.until(() => stub.connections[1] === false);
  // So that the pool has heard of it too.
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  await eventually(() => connection.send('update three', [], never));
  t.deepEqual(stub.asked.at(-1), {connection: 3, text: 'update three'});
});

test('a statement that nobody waits for any more takes its connection down', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = ({text}) => (text === 'update one' ? 'silence' : 'done');
  const late = new AbortController();
  connection.send('update one', [], late.signal).catch(() => undefined);
  await stub.until(() => stub.asked.length === 1);
  late.abort();
  await stub.until(() => stub.connections[0] === false);
  await connection.send('update two', [], never);
  t.deepEqual(stub.asked[1], {connection: 2, text: 'update two'});
});

test('a statement that nobody waits for when it has its connection is not sent, and leaves the connection', async (t) => {
  const {stub, connection} = await open(t);
  await connection.send('update one', [], never);
  await t.throwsAsync(connection.send('update two', [], AbortSignal.abort()), {message: 'No answer within 20000 ms'});
  await connection.send('update three', [], never);
  t.deepEqual(stub.asked, [
    {connection: 1, text: 'update one'},
    {connection: 1, text: 'update three'},
  ]);
});

test('time that is up after the answer leaves the connection to whoever has it then', async (t) => {
  const {stub, connection} = await open(t);
  const late = new AbortController();
  await connection.send('update one', [], late.signal);
  const {reply, give} = laterReply();
  stub.reply = () => reply;
  const sending = connection.send('update two', [], never);
  await stub.until(() => stub.asked.length === 2);
  late.abort();
  give('done');
  t.like(await sending, {affectedRows: 1});
  t.deepEqual(stub.connections, [true]);
});

test('nothing is asked on a connection whose session is not as it must be', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = () => ({code: '42000', message: 'Unknown system variable'});
  const late = new AbortController();
  connection.send('update one', [], late.signal).catch(() => undefined);
  await stub.until(() => stub.connections[0] === false);
  t.deepEqual(stub.asked, []);
  late.abort();
});

test('what is under way when it is closed is still answered, and nothing is sent afterwards', async (t) => {
  const {stub, connection} = await open(t);
  const {reply, give} = laterReply();
  stub.reply = ({text}) => (text === 'update one' ? reply : 'done');
  const sending = connection.send('update one', [], never);
  await stub.until(() => stub.asked.length === 1);
  const closing = connection.close();
  await t.throwsAsync(connection.send('update two', [], never), {message: 'The connection to MySQL is closed'});
  await setImmediate();
  give('done');
  t.like(await sending, {affectedRows: 1});
  await closing;
  await stub.until(() => stub.connections[0] === false);
  t.is(stub.asked.length, 1);
});

test('one that was never used is closed at once, and stays closed', async (t) => {
  const {stub, connection} = await open(t);
  await t.notThrowsAsync(connection.close());
  await t.throwsAsync(connection.send('update one', [], never), {message: 'The connection to MySQL is closed'});
  t.deepEqual(stub.connections, []);
});
