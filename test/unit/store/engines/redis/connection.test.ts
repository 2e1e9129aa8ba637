import test, {type ExecutionContext} from 'ava';
import {type RedisClient, RedisConnection, retryDelay} from '../../../../../src/store/engines/redis/connection.ts';
import type {RedisMaster} from '../../../../../src/store/engines/redis/masters.ts';
import {eventually} from '../../../../support/store/eventually.ts';
import {timed} from '../../../../support/store/timed-connection.ts';

/** A client with scripted answers. */
class FakeClient implements RedisClient {
  isReady = true;
  readonly isWhole = true;
  readonly sent: Array<readonly string[]> = [];
  readonly onLost: (error: unknown) => void;
  answer: () => Promise<unknown> = () => Promise.resolve('reply');

  constructor(onLost: (error: unknown) => void) {
    this.onLost = onLost;
  }

  send(_key: string, command: readonly string[]): Promise<unknown> {
    this.sent.push(command);
    return this.answer();
  }

  async masters(): Promise<RedisMaster[]> {
    const send = (command: readonly string[]): Promise<unknown> =>
      command[0] === 'PING' ? Promise.resolve('PONG') : this.send('', command);
    return [{name: '', send}];
  }

  lose(): void {
    this.isReady = false;
    this.onLost(new Error('Socket closed unexpectedly'));
  }
}

const never = (): Promise<never> => new Promise(() => undefined);

/** A connection that records the clients it opens, and the errors that it reports. */
function own(t: ExecutionContext, timeout = 20_000) {
  const made: FakeClient[] = [];
  const told: Error[] = [];
  const open = async (_signal: AbortSignal, onLost: (error: unknown) => void): Promise<FakeClient> => {
    const client = new FakeClient(onLost);
    made.push(client);
    return client;
  };
  const settings = {timeout, onError: (error: Error) => told.push(error)};
  const connection = timed(new RedisConnection(open, settings), timeout);
  t.teardown(() => connection.close());
  const isMade = (count: number): Promise<void> =>
    eventually(async () => {
      if (made.length < count) throw new Error(`There are ${made.length} clients`);
    });
  return {made, told, connection, isMade, get: () => connection.send('key', ['GET', 'key'])};
}

test('the pauses between retries double up to a second, with up to 100 ms of jitter', (t) => {
  for (const [retries, pause] of [50, 100, 200, 400, 800, 1000, 1000, 1000].entries()) {
    const delays = Array.from({length: 20}, () => retryDelay(retries));
    t.true(
      delays.every((delay) => delay >= pause && delay <= pause + 100),
      delays.join(),
    );
    t.true(new Set(delays).size > 1);
  }
  t.true(retryDelay(1000) <= 1100);
});

test('a client is opened at once, and a command waits for it', async (t) => {
  const {made, get} = own(t);
  t.is(made.length, 1);
  t.is(await get(), 'reply');
  t.deepEqual(made[0]?.sent, [['GET', 'key']]);
  t.is(made.length, 1);
});

test('a client that lost its connection is replaced without a report, and a command waits for the new one', async (t) => {
  const {made, told, connection, get} = own(t);
  await connection.ping();
  made[0]?.lose();
  t.is(await eventually(get), 'reply');
  const sent = made.map(({sent}) => sent.length);
  t.deepEqual(sent, [0, 1]);
  t.deepEqual(told, []);
});

test('a command without an answer in time is not sent again, and its client is replaced once', async (t) => {
  const {made, told, connection, isMade} = own(t, 200);
  await connection.ping();
  const [old] = made;
  if (!old) return t.fail();
  old.answer = never;
  const answers = ['a', 'b'].map((key) => connection.send(key, ['GET', key]));
  await Promise.all(answers.map((answer) => t.throwsAsync(answer, {message: 'No answer within 200 ms'})));
  await isMade(2);
  t.is(await eventually(() => connection.send('c', ['GET', 'c'])), 'reply');
  t.deepEqual([made.length, old.sent.length, made[1]?.sent.length], [2, 2, 1]);
  t.deepEqual(told, []);
});

for (const message of [
  "READONLY You can't write against a read only replica.",
  'CLUSTERDOWN Hash slot not served',
  'Socket ERR closed',
  'connect ECONNREFUSED 127.0.0.1:1',
  'ERR',
  'lost READONLY it',
  'A b',
]) {
  test(`after a refusal of the server or a failure its client is replaced, without an outage: ${message}`, async (t) => {
    const {made, told, connection, get, isMade} = own(t);
    await connection.ping();
    for (const client of made) client.answer = () => Promise.reject(new Error(message));
    await t.throwsAsync(get(), {message});
    await isMade(2);
    t.is(await eventually(get), 'reply');
    t.deepEqual(told, []);
  });
}

test('a write that came too late while its caller still waits is sent again, by the clock of the server then', async (t) => {
  const {made, connection, get} = own(t);
  await get();
  const [client] = made;
  if (!client) return t.fail();
  const clocks = [100, 5000];
  client.answer = async () => {
    const [name, expiry] = client.sent.at(-1) ?? [];
    if (name === 'TIME') return [String(clocks.shift()), '0'];
    if (Number(expiry) < 5_000_000) throw new Error('EXPIRED The command arrived after its deadline');
    return 'stored';
  };
  t.is(await connection.write('key', (expiry) => ['WRITE', expiry]), 'stored');
  t.deepEqual(
    client.sent.map(([name]) => name),
    ['GET', 'TIME', 'WRITE', 'TIME', 'WRITE'],
  );
  t.is(made.length, 1);
});

test('an error reply leaves the client in use', async (t) => {
  const {made, told, connection, get} = own(t);
  await connection.ping();
  for (const message of ['WRONGTYPE Operation against another kind', 'ERR READONLY no', 'LOADING no']) {
    for (const client of made) client.answer = () => Promise.reject(new Error(message));
    await t.throwsAsync(get(), {message});
    await connection.ping();
  }
  t.is(made.length, 1);
  t.deepEqual(told, []);
});
