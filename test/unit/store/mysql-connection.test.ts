import {join} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {Deadline} from '../../../src/store/deadline.ts';
import {MysqlConnection} from '../../../src/store/mysql-connection.ts';
import {eventually} from '../../support/store/eventually.ts';
import {MysqlStub} from '../../support/store/mysql-stub.ts';
import {laterReply} from '../../support/store/sql-stub.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';

const directory = temporaryDirectory();

/** So that a machine with more to do than these tests does not fail them, in milliseconds. */
const timeout = 20_000;
const soon = (): Deadline => new Deadline(timeout);

/** Lets a deadline expire. */
async function expire(deadline: Deadline): Promise<void> {
  await deadline.bound(new Promise(() => undefined)).catch(() => undefined);
}

function connectionTo(t: ExecutionContext, options: object): MysqlConnection {
  const connection = new MysqlConnection(options, timeout);
  t.teardown(() => connection.close());
  return connection;
}

async function open(t: ExecutionContext): Promise<{stub: MysqlStub; connection: MysqlConnection}> {
  const stub = await MysqlStub.start(t);
  return {stub, connection: connectionTo(t, stub.address)};
}

test('a connection is used again, and each begins with what its statements need', async (t) => {
  const {stub, connection} = await open(t);
  const result = await connection.send([['update one set value = ?', ["it's"]]], soon());
  t.like(result, [{affectedRows: 1}]);
  await connection.send([['update two', []]], soon());
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

test('it goes through a socket of the file system where the address names one', async (t) => {
  const socketPath = join(directory, 'mysqld.sock');
  const stub = await MysqlStub.start(t, {path: socketPath});
  const connection = connectionTo(t, {host: 'localhost', port: 3306, socketPath, database: 'database'});
  await connection.send([['update one', []]], soon());
  t.deepEqual(stub.asked, [{connection: 1, text: 'update one'}]);
});

test('after an error, which may leave a transaction open, the next statement has a fresh connection', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = ({text}) => (text.includes('update one') ? {code: '23000', message: 'Refused'} : 'done');
  const statements = [
    ['update one', []],
    ['update two', []],
  ] as const;
  await t.throwsAsync(connection.send(statements, soon()), {message: 'Refused'});
  await connection.send([['update two', []]], soon());
  t.deepEqual(stub.asked, [
    {connection: 1, text: 'start transaction; update one; update two; commit'},
    {connection: 2, text: 'update two'},
  ]);
  await stub.until(() => stub.connections[0] === false);
});

test('a connection that is lost is replaced, whether it was in use or not', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = ({text}) => (text === 'update one' ? 'silence' : 'done');
  const sending = connection.send([['update one', []]], soon());
  await stub.until(() => stub.asked.length === 1);
  stub.endConnections();
  await t.throwsAsync(sending, {message: /Connection lost/});
  await connection.send([['update two', []]], soon());
  stub.endConnections();
  await stub.until(() => stub.connections[1] === false);
  // So that the pool has heard of it too.
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  await eventually(() => connection.send([['update three', []]], soon()));
  t.deepEqual(stub.asked.at(-1), {connection: 3, text: 'update three'});
});

test('a statement that nobody waits for any more takes its connection down', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = ({text}) => (text === 'update one' ? 'silence' : 'done');
  const late = new Deadline(1);
  connection.send([['update one', []]], late).catch(() => undefined);
  await stub.until(() => stub.asked.length === 1);
  await expire(late);
  await stub.until(() => stub.connections[0] === false);
  await connection.send([['update two', []]], soon());
  t.deepEqual(stub.asked[1], {connection: 2, text: 'update two'});
});

test('a statement that nobody waits for when it has its connection is not sent, and leaves the connection', async (t) => {
  const {stub, connection} = await open(t);
  await connection.send([['update one', []]], soon());
  const late = new Deadline(1);
  await expire(late);
  await t.throwsAsync(connection.send([['update two', []]], late), {message: 'No answer within 1 ms'});
  await connection.send([['update three', []]], soon());
  t.deepEqual(stub.asked, [
    {connection: 1, text: 'update one'},
    {connection: 1, text: 'update three'},
  ]);
});

test('time that is up after the answer leaves the connection to whoever has it then', async (t) => {
  const {stub, connection} = await open(t);
  const late = new Deadline(1);
  await connection.send([['update one', []]], late);
  const {reply, give} = laterReply();
  stub.reply = () => reply;
  const sending = connection.send([['update two', []]], soon());
  await stub.until(() => stub.asked.length === 2);
  await expire(late);
  give('done');
  t.like(await sending, [{affectedRows: 1}]);
  t.deepEqual(stub.connections, [true]);
});

test('nothing is asked on a connection whose session is not as it must be', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = () => ({code: '42000', message: 'Unknown system variable'});
  const late = new Deadline(1);
  connection.send([['update one', []]], late).catch(() => undefined);
  await stub.until(() => stub.connections[0] === false);
  t.deepEqual(stub.asked, []);
  await expire(late);
});

test('what is under way when it is closed is still answered, and nothing is sent afterwards', async (t) => {
  const {stub, connection} = await open(t);
  const {reply, give} = laterReply();
  stub.reply = ({text}) => (text === 'update one' ? reply : 'done');
  const sending = connection.send([['update one', []]], soon());
  await stub.until(() => stub.asked.length === 1);
  const closing = connection.close();
  await t.throwsAsync(connection.send([['update two', []]], soon()), {message: 'The connection to MySQL is closed'});
  await setImmediate();
  give('done');
  t.like(await sending, [{affectedRows: 1}]);
  await closing;
  await stub.until(() => stub.connections[0] === false);
  t.is(stub.asked.length, 1);
});

test('one that was never used is closed at once, and stays closed', async (t) => {
  const {stub, connection} = await open(t);
  await t.notThrowsAsync(connection.close());
  await t.throwsAsync(connection.send([['update one', []]], soon()), {message: 'The connection to MySQL is closed'});
  t.deepEqual(stub.connections, []);
});
