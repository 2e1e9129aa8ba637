import test from 'ava';
import {Deadline} from '../../../../../src/store/failing/deadline.ts';
import {
  SqlConnection,
  type SqlFailure,
  type SqlReply,
  type SqlRequest,
} from '../../../../../src/store/engines/sql/connection.ts';

const maxConnections = 5;

const full = new Error('The server accepts no more connections');

/** A server that accepts connections only when the test says so. */
class SlowServer extends SqlConnection<object, object> {
  readonly connecting: Array<(client: object | Promise<never>) => void> = [];
  hasEnded = false;

  constructor() {
    super('a slow server', 20_000, maxConnections);
  }

  protected failureOf(error: unknown): SqlFailure {
    return error === full ? 'full' : 'failure';
  }

  protected async open(): Promise<object> {
    return {};
  }

  protected connect(): Promise<object> {
    return new Promise((resolve) => this.connecting.push(resolve));
  }

  protected async query(_client: object, {statements: [[text] = ['']]}: SqlRequest): Promise<SqlReply[]> {
    return [{rows: [{text}], changed: 0}];
  }

  protected async clock(): Promise<number> {
    return 0;
  }

  protected release(): void {
    // Every connection is a new one.
  }

  protected async end(): Promise<void> {
    this.hasEnded = true;
  }
}

/** Sends as the store does, within a deadline. */
async function send(server: SlowServer, text: string, timeout: number): Promise<string> {
  const deadline = new Deadline(timeout);
  const [reply] = await deadline.bound(server.send({statements: [[text]]}, deadline));
  return String(reply?.rows[0]?.['text']);
}

test('a caller whose deadline has expired gets no connection, so later callers do not wait behind it', async (t) => {
  const server = new SlowServer();
  const first = Array.from({length: maxConnections}, (_, index) => send(server, `first ${index}`, 20_000));
  const expired = await Promise.allSettled(Array.from({length: 50}, () => send(server, 'expired', 1)));
  t.true(expired.every(({status}) => status === 'rejected'));
  t.is(server.connecting.length, maxConnections);

  const later = send(server, 'later', 20_000);
  for (const connect of server.connecting.splice(0, 1)) connect({});
  t.is(await first[0], 'first 0');
  while (server.connecting.length < maxConnections) await new Promise((resolve) => setImmediate(resolve));
  for (const connect of server.connecting) connect({});
  t.is(await later, 'later');
  await Promise.all(first);
});

test('a pool is closed when no caller waits for a connection, because it would not answer them any more', async (t) => {
  const server = new SlowServer();
  const callers = [send(server, 'first', 20_000), send(server, 'second', 20_000)];
  while (server.connecting.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const closed = server.close();
  for (const connect of server.connecting) {
    await new Promise((resolve) => setImmediate(resolve));
    t.false(server.hasEnded);
    connect({});
  }
  t.deepEqual(await Promise.all(callers), ['first', 'second']);
  await closed;
  t.true(server.hasEnded);
});

test('after connections have failed, one is tried at a time', async (t) => {
  const server = new SlowServer();
  const refused = new Error('The server does not accept connections');
  const refuse = (connect: (client: Promise<never>) => void): void => {
    connect(Promise.reject(refused));
  };
  const callers = Array.from({length: 20}, (_, index) => send(server, `caller ${index}`, 20_000));
  const answers = Promise.allSettled(callers);
  while (server.connecting.length < maxConnections) await new Promise((resolve) => setImmediate(resolve));
  for (const connect of server.connecting.splice(0)) refuse(connect);
  await Promise.allSettled(callers.slice(0, maxConnections));
  for (const caller of callers.slice(maxConnections, -1)) {
    t.is(server.connecting.length, 1);
    for (const connect of server.connecting.splice(0)) refuse(connect);
    await t.throwsAsync(caller, {message: refused.message});
    while (server.connecting.length === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  for (const connect of server.connecting.splice(0)) connect({});
  t.deepEqual((await answers).at(-1), {status: 'fulfilled', value: 'caller 19'});
});

for (const winner of [0, 1]) {
  test(`on a full server caller ${winner} of two answers both, because its connection is free again`, async (t) => {
    const server = new SlowServer();
    const connecting = async (count: number): Promise<typeof server.connecting> => {
      while (server.connecting.length < count) await new Promise((resolve) => setImmediate(resolve));
      return server.connecting.splice(0);
    };
    const callers = [send(server, 'first', 20_000), send(server, 'second', 20_000)];
    const attempts = await connecting(2);
    attempts[winner]?.({});
    await callers[winner];
    attempts[1 - winner]?.(Promise.reject(full));
    const again = await Promise.race([connecting(1), callers[1 - winner]]);
    if (Array.isArray(again)) again[0]?.({});
    t.deepEqual(await Promise.all(callers), ['first', 'second']);

    const alone = send(server, 'alone', 20_000);
    for (const connect of await connecting(1)) connect(Promise.reject(full));
    await t.throwsAsync(alone, {message: full.message});
  });
}
