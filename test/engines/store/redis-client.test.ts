import {once} from 'node:events';
import {createServer} from 'node:net';
import test from 'ava';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import {openServer} from '../../../src/store/redis/client.ts';
import type {RedisClient} from '../../../src/store/redis/connection.ts';
import {redisAddress} from '../../../src/store/redis/open.ts';
import {RespServer} from '../../support/store/resp-server.ts';

/** Opens a client, and ends it with the test. */
async function open(url: string, onLost: (error: unknown) => void = () => undefined) {
  const ending = new AbortController();
  return {ending, client: await openServer(redisAddress(url))(ending.signal, onLost)};
}

function get(client: RedisClient): Promise<unknown> {
  return client.send('key', ['GET', 'key'], new Deadline(2000));
}

test('a client uses the user and the database of its address, on a connection that ends with its signal', async (t) => {
  const server = await RespServer.start(t, ([name]) => (name === 'GET' ? 'value' : 'OK'));
  const select = ['SELECT', '2'];
  for (const [access, expected] of [
    ['user:s3cret@', [['AUTH', 'user', 's3cret'], select]],
    [':s3cret@', [['AUTH', 's3cret'], select]],
    ['user@', [['AUTH', 'user', ''], select]],
    ['', [select]],
  ] as const) {
    server.asked.length = 0;
    const {client, ending} = await open(`redis://${access}${server.address}/2`);
    t.is(await get(client), 'value');
    t.deepEqual(
      server.asked.slice(0, -1),
      expected.map((command) => [...command]),
    );
    t.deepEqual(server.asked.at(-1), ['GET', 'key']);
    ending.abort();
    await server.when(() => server.open === 0);
    t.false(client.isReady);
  }
});

test('a connection that ends instead of an answer is reported, and the command is not sent again', async (t) => {
  const server = await RespServer.start(t, () => {
    server.drop();
    return undefined;
  });
  let isLost: (error: unknown) => void = () => undefined;
  const lost = new Promise((resolve) => (isLost = resolve));
  const {client} = await open(`redis://${server.address}`, isLost);
  await t.throwsAsync(get(client), {message: /closed/i});
  t.regex(String(await lost), /closed/i);
  await t.throwsAsync(get(client), {message: /closed/i});
  t.is(server.connections, 1);
});

test('an address with TLS is connected to over TLS', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (greeting) => {
      server.emit('greeting', greeting[0]);
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const {port} = server.address() as {port: number};
  const greeting = once(server, 'greeting');
  await t.throwsAsync(open(`rediss://127.0.0.1:${port}`));
  t.deepEqual(await greeting, [0x16], 'a handshake record of TLS');
});
