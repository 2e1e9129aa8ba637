import {join} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {Deadline} from '../../../../src/store/failing/deadline.ts';
import {MysqlConnection} from '../../../../src/store/mysql/connection.ts';
import {eventually} from '../../../support/store/eventually.ts';
import {MysqlStub} from '../../../support/store/mysql-stub.ts';
import {laterReply} from '../../../support/store/sql-stub.ts';
import {temporaryDirectory} from '../../../support/store/temporary.ts';

const directory = temporaryDirectory();

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;
const soon = (): Deadline => new Deadline(timeout);

/** Waits until the deadline has expired. */
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

test('a connection is reused, and its session is set up first', async (t) => {
  const {stub, connection} = await open(t);
  const result = await connection.send({statements: [['update one set value = ?', ["it's"]]]}, soon());
  t.like(result, [{affectedRows: 1}]);
  await connection.send({statements: [['update two', []]]}, soon());
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

test('a connection goes through a Unix socket if the address names one', async (t) => {
  const socketPath = join(directory, 'mysqld.sock');
  const stub = await MysqlStub.start(t, {path: socketPath});
  const connection = connectionTo(t, {host: 'localhost', port: 3306, socketPath, database: 'database'});
  await connection.send({statements: [['update one', []]]}, soon());
  t.deepEqual(stub.asked, [{connection: 1, text: 'update one'}]);
});

test('after an error, which may leave a transaction open, the next statement gets a new connection', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = ({text}) => (text.includes('update one') ? {code: '23000', message: 'Refused'} : 'done');
  const statements = [
    ['update one', []],
    ['update two', []],
  ] as const;
  await t.throwsAsync(connection.send({statements}, soon()), {message: 'Refused'});
  await connection.send({statements: [['update two', []]]}, soon());
  t.deepEqual(stub.asked, [
    {connection: 1, text: 'start transaction; update one; update two; commit'},
    {connection: 2, text: 'update two'},
  ]);
  await stub.until(() => stub.connections[0] === false);
});

test('a lost connection is replaced, whether it was in use or idle', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = ({text}) => (text === 'update one' ? 'silence' : 'done');
  const sending = connection.send({statements: [['update one', []]]}, soon());
  await stub.until(() => stub.asked.length === 1);
  stub.endConnections();
  await t.throwsAsync(sending, {message: /Connection lost/});
  await connection.send({statements: [['update two', []]]}, soon());
  stub.endConnections();
  await stub.until(() => stub.connections[1] === false);
  // Lets the pool notice it too.
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  await eventually(() => connection.send({statements: [['update three', []]]}, soon()));
  t.deepEqual(stub.asked.at(-1), {connection: 3, text: 'update three'});
});

test('the connection of a statement is closed when its deadline expires', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = ({text}) => (text === 'update one' ? 'silence' : 'done');
  const late = new Deadline(1);
  connection.send({statements: [['update one', []]]}, late).catch(() => undefined);
  await stub.until(() => stub.asked.length === 1);
  await expire(late);
  await stub.until(() => stub.connections[0] === false);
  await connection.send({statements: [['update two', []]]}, soon());
  t.deepEqual(stub.asked[1], {connection: 2, text: 'update two'});
});

test('a statement whose deadline has expired before it is sent is not sent, and its connection is reused', async (t) => {
  const {stub, connection} = await open(t);
  await connection.send({statements: [['update one', []]]}, soon());
  const late = new Deadline(1);
  await expire(late);
  await t.throwsAsync(connection.send({statements: [['update two', []]]}, late), {message: 'No answer within 1 ms'});
  await connection.send({statements: [['update three', []]]}, soon());
  t.deepEqual(stub.asked, [
    {connection: 1, text: 'update one'},
    {connection: 1, text: 'update three'},
  ]);
});

test('a deadline that expires after the answer does not affect the next statement on the connection', async (t) => {
  const {stub, connection} = await open(t);
  const late = new Deadline(1);
  await connection.send({statements: [['update one', []]]}, late);
  const {reply, give} = laterReply();
  stub.reply = () => reply;
  const sending = connection.send({statements: [['update two', []]]}, soon());
  await stub.until(() => stub.asked.length === 2);
  await expire(late);
  give('done');
  t.like(await sending, [{affectedRows: 1}]);
  t.deepEqual(stub.connections, [true]);
});

test('no statement is sent on a connection whose session could not be set up', async (t) => {
  const {stub, connection} = await open(t);
  stub.reply = () => ({code: '42000', message: 'Unknown system variable'});
  const late = new Deadline(1);
  connection.send({statements: [['update one', []]]}, late).catch(() => undefined);
  await stub.until(() => stub.connections[0] === false);
  t.deepEqual(stub.asked, []);
  await expire(late);
});

test('close() lets the statement under way finish, and nothing is sent afterwards', async (t) => {
  const {stub, connection} = await open(t);
  const {reply, give} = laterReply();
  stub.reply = ({text}) => (text === 'update one' ? reply : 'done');
  const sending = connection.send({statements: [['update one', []]]}, soon());
  await stub.until(() => stub.asked.length === 1);
  const closing = connection.close();
  await t.throwsAsync(connection.send({statements: [['update two', []]]}, soon()), {
    message: 'The connection to MySQL is closed',
  });
  await setImmediate();
  give('done');
  t.like(await sending, [{affectedRows: 1}]);
  await closing;
  await stub.until(() => stub.connections[0] === false);
  t.is(stub.asked.length, 1);
});

test('an unused connection closes at once, and stays closed', async (t) => {
  const {stub, connection} = await open(t);
  await t.notThrowsAsync(connection.close());
  await t.throwsAsync(connection.send({statements: [['update one', []]]}, soon()), {
    message: 'The connection to MySQL is closed',
  });
  t.deepEqual(stub.connections, []);
});
