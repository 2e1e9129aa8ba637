import test from 'ava';
import {BorrowedSentinelConnection, type RedisSentinelClient} from '../../src/store/redis-borrowed.ts';
import {Told} from './told.ts';

/** A host's client, as far as it is used. */
class FakeSentinel implements RedisSentinelClient {
  isOpen = true;
  connects = 0;
  readonly sent: Array<{isReadonly: boolean; command: readonly string[]; options: object}> = [];
  answer: () => Promise<unknown> = () => Promise.resolve('reply');

  async connect(): Promise<void> {
    this.connects += 1;
    this.isOpen = true;
  }

  sendCommand(isReadonly: boolean, command: readonly string[], options: object): Promise<unknown> {
    this.sent.push({isReadonly, command, options});
    return this.answer();
  }
}

function over(client: FakeSentinel, told = new Told(), timeout = 2000): BorrowedSentinelConnection {
  return new BorrowedSentinelConnection(client, {timeout, onError: told.onError});
}

const lost = (): Promise<never> => Promise.reject(new Error('Socket closed unexpectedly'));

test('a command goes to the master, and its reply is text', async (t) => {
  const client = new FakeSentinel();
  t.is(await over(client).send('key', ['GET', 'key']), 'reply');
  await over(client).ping();
  t.is(client.connects, 0);
  t.deepEqual(
    client.sent.map(({isReadonly, command}) => ({isReadonly, command})),
    [
      {isReadonly: false, command: ['GET', 'key']},
      {isReadonly: false, command: ['PING']},
    ],
  );
  t.like(client.sent[0]?.options, {typeMapping: {}});
});

test('a client that the host has not opened is opened when it is needed', async (t) => {
  const client = new FakeSentinel();
  client.isOpen = false;
  const connection = over(client);
  t.is(await connection.send('key', ['GET', 'key']), 'reply');
  t.is(await connection.send('key', ['GET', 'key']), 'reply');
  t.is(client.connects, 1);
});

test('a command is taken back when its time is up, and whenever the client tries it a second time', async (t) => {
  const client = new FakeSentinel();
  client.answer = () => new Promise(() => undefined);
  const answer = over(client, undefined, 50).send('key', ['GET', 'key']);
  const options = client.sent[0]?.options as {abortSignal: AbortSignal};
  const signal = options.abortSignal;
  t.false(signal.aborted);
  t.true(options.abortSignal.aborted);
  t.true(options.abortSignal.aborted);
  t.false(signal.aborted);
  await t.throwsAsync(answer, {message: 'No answer within 50 ms'});
  t.true(signal.aborted);
});

test('a lost connection is an outage that is told of once, and ends with the next answer', async (t) => {
  const client = new FakeSentinel();
  const told = new Told();
  const connection = over(client, told);
  for (let outage = 1; outage <= 2; outage += 1) {
    client.answer = lost;
    await t.throwsAsync(connection.send('key', ['GET', 'key']), {message: 'Socket closed unexpectedly'});
    await t.throwsAsync(connection.ping(), {message: 'Socket closed unexpectedly'});
    t.is(told.errors.length, outage);
    client.answer = () => Promise.resolve('reply');
    await connection.ping();
  }
});

test('an answer of the master is no outage, also where it is an error', async (t) => {
  const client = new FakeSentinel();
  const told = new Told();
  client.answer = () => Promise.reject(new Error('WRONGTYPE Operation against a key of another kind'));
  await t.throwsAsync(over(client, told).send('key', ['GET', 'key']), {message: /^WRONGTYPE/});
  t.deepEqual(told.errors, []);
});

test('closing leaves the client to the host', async (t) => {
  const client = new FakeSentinel();
  const connection = over(client);
  await connection.close();
  t.true(client.isOpen);
  t.is(await connection.send('key', ['GET', 'key']), 'reply');
});
