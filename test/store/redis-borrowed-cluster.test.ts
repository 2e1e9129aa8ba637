import {EventEmitter} from 'node:events';
import test from 'ava';
import {BorrowedClusterConnection, type RedisClusterClient} from '../../src/store/redis-borrowed.ts';
import {heldClock} from './clock.ts';
import {Told} from './told.ts';

// Each test holds the clock, which is everybody's.
const check = test.serial;

/** Longer than the pause between two questions to any node, in milliseconds. */
const aWhile = 200;

interface Sent {
  readonly firstKey: string | undefined;
  readonly isReadonly: boolean;
  readonly command: readonly string[];
  readonly options: {readonly typeMapping: object; readonly abortSignal: AbortSignal};
}

/** A host's client, as far as it is used. */
class FakeCluster extends EventEmitter implements RedisClusterClient {
  isOpen = true;
  masters: unknown[] = [1, 2, 3];
  slots: Array<{master?: {address: string}} | undefined> = [{master: {address: 'a:1'}}];
  connects = 0;
  readonly sent: Sent[] = [];
  answer: (sent: Sent) => Promise<unknown> = () => Promise.resolve('reply');

  async connect(): Promise<void> {
    this.connects += 1;
    this.isOpen = true;
    this.masters = [1, 2, 3];
  }

  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean,
    command: readonly string[],
    options: object,
  ): Promise<unknown> {
    const sent = {firstKey, isReadonly, command, options: options as Sent['options']};
    this.sent.push(sent);
    return this.answer(sent);
  }

  /** What was sent to whichever node had its turn. */
  get anywhere(): ReadonlyArray<readonly string[]> {
    return this.sent.filter(({firstKey}) => firstKey === undefined).map(({command}) => command);
  }
}

function over(client: FakeCluster, told = new Told(), timeout = 2000): BorrowedClusterConnection {
  return new BorrowedClusterConnection(client, {timeout, onError: told.onError});
}

/** Until all that is known already has been dealt with. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const lost = (): Promise<never> => Promise.reject(new Error('Socket closed unexpectedly'));

check('a command goes to the master of its key, and its reply is text', async (t) => {
  const client = new FakeCluster();
  t.is(await over(client).send('', ['GET', '']), 'reply');
  t.is(client.connects, 0);
  const [{options, ...rest} = {options: undefined}] = client.sent;
  t.deepEqual(rest, {firstKey: '', isReadonly: false, command: ['GET', '']});
  t.deepEqual(options?.typeMapping, {});
  t.false(options?.abortSignal.aborted);
});

check('a client that the host has not opened is opened when it is needed', async (t) => {
  const [sends, pings] = [new FakeCluster(), new FakeCluster()];
  for (const client of [sends, pings]) Object.assign(client, {isOpen: false, masters: []});
  t.is(await over(sends).send('', ['GET', '']), 'reply');
  await over(pings).ping();
  t.deepEqual([sends.connects, pings.connects], [1, 1]);
  t.is(pings.sent.length, 3);
});

check('a client that the host is opening is waited for', async (t) => {
  const client = new FakeCluster();
  client.masters = [];
  const answers = Promise.all([over(client).send('', ['GET', '']), over(client).ping()]);
  await settled();
  t.is(client.sent.length, 0);
  client.masters = [1];
  client.emit('connect');
  await answers;
  t.is(client.connects, 0);
  t.is(client.sent.length, 2);
});

check('a client that the host never opens to the end is waited for no longer than allowed', async (t) => {
  const client = new FakeCluster();
  client.masters = [];
  await t.throwsAsync(over(client, undefined, 50).send('', ['GET', '']), {message: 'No answer within 50 ms'});
  t.is(client.listenerCount('connect'), 0, 'nobody listens any more');
});

check('a command that is not answered in time is taken back', async (t) => {
  const client = new FakeCluster();
  client.answer = () => new Promise(() => undefined);
  await t.throwsAsync(over(client, undefined, 50).send('', ['GET', '']), {message: 'No answer within 50 ms'});
  t.true(client.sent[0]?.options.abortSignal.aborted);
});

check('a fault of the client while its servers change is an outage, and keeps its cause', async (t) => {
  const client = new FakeCluster();
  const fault = new TypeError("Cannot read properties of undefined (reading 'isReady')");
  client.answer = () => Promise.reject(fault);
  const error = await t.throwsAsync(over(client).send('', ['GET', '']));
  t.false(error instanceof TypeError);
  t.is(error.message, fault.message);
  t.is(error.cause, fault);
});

check('after a failure any node is asked for the key, one after the other, until one answers', async (t) => {
  heldClock(t);
  const client = new FakeCluster();
  const connection = over(client);
  let refusals = 2;
  client.answer = ({firstKey}) => (firstKey !== undefined || refusals-- > 0 ? lost() : Promise.resolve(0));
  await t.throwsAsync(connection.send('key', ['GET', 'key']), {message: 'Socket closed unexpectedly'});
  await settled();
  t.deepEqual(
    client.anywhere,
    Array.from({length: 3}, () => ['EXISTS', 'key']),
  );
  const question = client.sent[1];
  t.true(question?.isReadonly);
  t.deepEqual(question?.options.typeMapping, {});
  t.true(question?.options.abortSignal.aborted, 'what was refused is not sent any more');
});

check('a node that answers is the last that is asked for the key', async (t) => {
  heldClock(t);
  const client = new FakeCluster();
  client.answer = ({firstKey}) => (firstKey === undefined ? Promise.resolve(0) : lost());
  await t.throwsAsync(over(client).send('key', ['GET', 'key']));
  await settled();
  t.is(client.anywhere.length, 1);
});

check('no more nodes are asked for the key than there are', async (t) => {
  const clock = heldClock(t);
  const client = new FakeCluster();
  const connection = over(client);
  client.answer = lost;
  await t.throwsAsync(connection.send('key', ['GET', 'key']));
  await settled();
  t.is(client.anywhere.length, 3);
  await t.throwsAsync(connection.send('key', ['GET', 'key']));
  await settled();
  t.is(client.anywhere.length, 3, 'they have only just been asked');
  clock.now += aWhile;
  await t.throwsAsync(connection.send('other', ['GET', 'other']));
  await settled();
  t.deepEqual(
    client.anywhere.slice(3),
    Array.from({length: 3}, () => ['EXISTS', 'other']),
  );
});

check('an answer of a node is no outage, also where it is an error', async (t) => {
  const client = new FakeCluster();
  const told = new Told();
  client.answer = () => Promise.reject(new Error('WRONGTYPE Operation against a key of another kind'));
  await t.throwsAsync(over(client, told).send('key', ['GET', 'key']), {message: /^WRONGTYPE/});
  await settled();
  t.deepEqual(client.anywhere, []);
  t.deepEqual(told.errors, []);
});

check('an outage lasts until each master that was lost is back', async (t) => {
  const client = new FakeCluster();
  const told = new Told();
  const connection = over(client, told);
  const [low, high] = ['', '123456789'];
  client.slots[12_739] = {master: {address: 'b:2'}};
  client.answer = lost;
  for (const key of [low, low, high]) await t.throwsAsync(connection.send(key, ['GET', key]));
  t.is(told.errors.length, 1);
  client.answer = () => Promise.resolve('reply');
  await connection.send(low, ['GET', low]);
  client.answer = lost;
  await t.throwsAsync(connection.send(low, ['GET', low]));
  t.is(told.errors.length, 1, 'the other one is still away');
  client.answer = () => Promise.resolve('reply');
  for (const key of [low, high]) await connection.send(key, ['GET', key]);
  client.answer = lost;
  await t.throwsAsync(connection.send(low, ['GET', low]));
  t.is(told.errors.length, 2);
});

check('a slot without a master is an outage that ends with the first answer', async (t) => {
  const client = new FakeCluster();
  const told = new Told();
  const connection = over(client, told);
  for (const slot of [undefined, {}]) {
    told.errors.length = 0;
    client.slots = [slot];
    client.answer = lost;
    await t.throwsAsync(connection.send('', ['GET', '']), {message: 'Socket closed unexpectedly'});
    t.is(told.errors.length, 1);
    client.slots = [{master: {address: 'a:1'}}];
    client.answer = () => Promise.resolve('reply');
    await connection.send('', ['GET', '']);
  }
});

check('a ping asks as many nodes as there are masters, and has any asked again if one is away', async (t) => {
  const client = new FakeCluster();
  const connection = over(client);
  await connection.ping();
  t.deepEqual(client.anywhere, [['PING'], ['PING'], ['PING']]);
  t.is(client.connects, 0);
  let pings = 0;
  client.answer = () => (pings++ === 0 ? lost() : Promise.resolve('PONG'));
  await t.throwsAsync(connection.ping(), {message: 'Socket closed unexpectedly'});
  await settled();
  t.deepEqual(client.anywhere.at(-1), ['EXISTS', '']);
  t.is(client.anywhere.length, 7);
});

check('closing leaves the client to the host', async (t) => {
  const client = new FakeCluster();
  const connection = over(client);
  await connection.close();
  t.true(client.isOpen);
  t.is(await connection.send('', ['GET', '']), 'reply');
});
