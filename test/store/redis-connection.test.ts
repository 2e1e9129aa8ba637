import {EventEmitter} from 'node:events';
import test from 'ava';
import {OwnRedisConnection} from '../../src/store/redis-connection.ts';
import {isReadOnly, isReply, NotSentError, type LinkSettings, RedisLink} from '../../src/store/redis-link.ts';
import {heldClock} from './clock.ts';
import {Told} from './told.ts';

/** A client as far as it is used, which does what the test says. */
class FakeClient extends EventEmitter {
  isOpen = true;
  isReady = true;
  options: {disableOfflineQueue?: boolean} = {disableOfflineQueue: true};
  readonly sent: Array<{command: readonly string[]; options: {typeMapping?: object; abortSignal?: AbortSignal}}> = [];
  connected: () => Promise<unknown> = () => Promise.resolve();
  answer: () => Promise<unknown> = () => Promise.resolve('reply');

  connect(): Promise<unknown> {
    return this.connected();
  }

  destroy(): void {
    this.isOpen = false;
    this.isReady = false;
  }

  sendCommand(command: readonly string[], options: object): Promise<unknown> {
    this.sent.push({command, options});
    return this.answer();
  }
}

const never = (): Promise<never> => new Promise(() => undefined);
const refusal = new Error("READONLY You can't write against a read only replica.");
const refuse = (): Promise<never> => Promise.reject(refusal);

/** A connection whose clients a test watches. */
function own(told = new Told(), timeout = 2000) {
  const made: FakeClient[] = [];
  const connection = new OwnRedisConnection(
    async () => () => {
      const client = new FakeClient();
      made.push(client);
      return client;
    },
    {timeout, onError: told.onError},
  );
  return {made, connection, last: () => made.at(-1) ?? new FakeClient()};
}

function link(client: FakeClient, settings: Partial<LinkSettings> = {}): RedisLink {
  return new RedisLink(client, {timeout: 2000, onError: () => undefined, ...settings});
}

const check = test.serial;

check('a reply that is an error begins with a word of capitals, and that of a replica with READONLY', (t) => {
  for (const message of ['ERR no', 'NOSCRIPT No matching script', 'READONLY no']) t.true(isReply(new Error(message)));
  for (const message of ['A b', 'Socket ERR closed', 'connect ECONNREFUSED 127.0.0.1:1', 'ERR', 'lost it']) {
    t.false(isReply(new Error(message)), message);
  }
  t.true(isReadOnly(refusal));
  t.false(isReadOnly(new Error('ERR no')));
  t.false(isReadOnly('READONLY no'));
  t.false(isReadOnly(undefined));
});

check('a reply is text, and a command waits in the queue of a client only until it is taken back', async (t) => {
  const client = new FakeClient();
  t.is(await link(client).send(['GET', 'key']), 'reply');
  client.options = {};
  client.answer = never;
  await t.throwsAsync(link(client).send(['GET', 'key'], 20), {message: 'No answer within 2000 ms'});
  const [first, second] = client.sent.map(({options}) => options);
  t.deepEqual(first, {typeMapping: {}});
  t.deepEqual(second?.typeMapping, {});
  t.true(second?.abortSignal?.aborted);
});

check('a command for a client that cannot be opened has not been sent, and that says why', async (t) => {
  const client = new FakeClient();
  const told = new Told();
  const useless = new Told();
  Object.assign(client, {isOpen: false, isReady: false});
  client.connected = () => Promise.reject(new Error('refused'));
  const error = await t.throwsAsync(
    link(client, {onError: told.onError, onUseless: useless.onError}).send(['GET', 'key']),
    {message: 'refused', instanceOf: NotSentError},
  );
  t.is((error.cause as Error).message, 'refused');
  t.is(told.errors.length, 1);
  t.is(useless.errors.length, 0, 'it is known what is wrong with the connection');
});

check('a server that never greets makes its connection useless', async (t) => {
  const client = new FakeClient();
  client.isReady = false;
  const useless = new Told();
  const greeting = {message: 'No answer within 20 ms', instanceOf: NotSentError};
  await t.throwsAsync(link(client, {onUseless: useless.onError}).send(['GET', 'key'], 20), greeting);
  t.is(useless.errors[0]?.message, 'No answer within 20 ms');
  await t.throwsAsync(link(client).send(['GET', 'key'], 20), greeting);
});

check('a server that refuses writes makes its connection useless', async (t) => {
  const client = new FakeClient();
  client.answer = refuse;
  const useless = new Told();
  await t.throwsAsync(link(client, {onUseless: useless.onError}).send(['GET', 'key']), {is: refusal});
  await t.throwsAsync(link(client).send(['GET', 'key']), {is: refusal});
  t.deepEqual(useless.errors, [refusal]);
});

check('a server that was heard since a command left is slow with that one, and its connection of use', async (t) => {
  heldClock(t);
  const client = new FakeClient();
  const useless = new Told();
  const slow = link(client, {onUseless: useless.onError});
  client.answer = never;
  const unanswered = slow.send(['GET', 'slow'], 20);
  client.answer = () => Promise.resolve('reply');
  await slow.send(['GET', 'quick']);
  await t.throwsAsync(unanswered);
  t.is(useless.errors.length, 0);
});

check('whoever waits for a link that is released is told', async (t) => {
  const client = new FakeClient();
  client.isReady = false;
  const released = link(client);
  const waits = t.throwsAsync(released.send(['GET', 'key']), {message: 'The connection to Redis was given up'});
  released.release();
  await waits;
  t.deepEqual([client.listenerCount('ready'), client.listenerCount('error')], [0, 0]);
});

check('a connection that is closed before it has a client makes none', async (t) => {
  const told = new Told();
  const {made, connection} = own(told);
  const waits = t.throwsAsync(connection.send('key', ['GET', 'key']), {message: 'The connection to Redis is closed'});
  await Promise.all([connection.close(), waits]);
  t.is(made.length, 0);
});

check('a client that has been connected eight times is replaced by a new one', async (t) => {
  const {made, connection, last} = own();
  await connection.ping();
  const first = last();
  for (let turn = 1; turn < 8; turn += 1) first.emit('reconnecting');
  t.is(made.length, 1);
  first.emit('reconnecting');
  t.is(made.length, 2);
  t.false(first.isOpen);
  first.emit('reconnecting');
  t.is(made.length, 2, 'the old one has been replaced');
});

check('a server that refuses writes is connected to again once in a second, and is no outage by itself', async (t) => {
  const clock = heldClock(t);
  const told = new Told();
  const {made, connection, last} = own(told);
  await connection.ping();
  for (const [wait, clients] of [
    [0, 2],
    [0, 2],
    [999, 2],
    [1, 3],
  ] as const) {
    clock.now += wait;
    last().answer = refuse;
    await t.throwsAsync(connection.send('key', ['SET', 'key', '1']), {is: refusal});
    t.is(made.length, clients);
  }
  t.is(told.errors.length, 0);
});

check('several commands that fall silent on one connection are one outage, and replace it once', async (t) => {
  const told = new Told();
  const {made, connection, last} = own(told);
  await connection.ping();
  last().answer = never;
  const [sooner, later] = [connection.send('a', ['GET', 'a'], 20), connection.send('b', ['GET', 'b'], 60)];
  const rejects = t.throwsAsync(later);
  await t.throwsAsync(sooner);
  t.is(told.errors.length, 1);
  t.is(made.length, 2);
  last().emit('ready');
  await rejects;
  await connection.ping();
  t.is(made.length, 2);
  t.is(told.errors.length, 1);
});

check('a silent command leads to no new connection when all is closed', async (t) => {
  const told = new Told();
  const {made, connection, last} = own(told);
  await connection.ping();
  last().answer = never;
  const rejects = t.throwsAsync(connection.send('key', ['GET', 'key'], 20));
  await connection.close();
  await rejects;
  t.is(made.length, 1);
});
