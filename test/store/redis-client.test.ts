import {createServer} from 'node:net';
import {once} from 'node:events';
import test from 'ava';
import {redisAddress} from '../../src/store/redis-address.ts';
import {ask, clientOf, retryDelay} from '../../src/store/redis-client.ts';
import {freePort} from './redis-server.ts';
import {RespServer} from './resp-server.ts';

test.serial('the pauses between two tries to connect grow to a second, and differ between processes', (t) => {
  const {random} = Math;
  t.teardown(() => {
    Math.random = random;
  });
  const delays = (chance: number): number[] => {
    Math.random = () => chance;
    return [0, 1, 2, 3, 4, 5, 1000].map(retryDelay);
  };
  t.deepEqual(delays(0), [50, 100, 200, 400, 800, 1000, 1000]);
  t.deepEqual(delays(0.5), [100, 150, 250, 450, 850, 1050, 1050]);
});

test('a server is asked as the user of its address, in its database, on a connection that ends', async (t) => {
  const server = await RespServer.start(t, ([name]) => (name === 'GET' ? 'value' : 'OK'));
  for (const [access, expected] of [
    [
      'user:s3cret@',
      [
        ['AUTH', 'user', 's3cret'],
        ['SELECT', '2'],
      ],
    ],
    [
      ':s3cret@',
      [
        ['AUTH', 's3cret'],
        ['SELECT', '2'],
      ],
    ],
    [
      'user@',
      [
        ['AUTH', 'user', ''],
        ['SELECT', '2'],
      ],
    ],
    ['', [['SELECT', '2']]],
  ] as const) {
    server.asked.length = 0;
    t.is(await ask(redisAddress(`redis://${access}${server.address}/2`), ['GET', 'key'], 2000), 'value');
    t.deepEqual(
      server.asked.slice(0, -1).sort(),
      [...expected].map((command) => [...command]),
    );
    t.deepEqual(server.asked.at(-1), ['GET', 'key']);
    await server.when(() => server.open === 0);
  }
});

test('a server that is away is not asked a second time', async (t) => {
  const address = redisAddress(`redis://127.0.0.1:${await freePort()}`);
  await t.throwsAsync(ask(address, ['PING'], 2000), {message: /ECONNREFUSED/});
});

test('a server that ends the connection instead of an answer is not asked a second time', async (t) => {
  const server = await RespServer.start(t, () => {
    server.drop();
    return undefined;
  });
  await t.throwsAsync(ask(redisAddress(`redis://${server.address}`), ['PING'], 2000), {message: /closed/i});
  t.is(server.connections, 1);
});

test('a server that stays silent is left alone when the time is up', async (t) => {
  const server = await RespServer.start(t, () => undefined);
  await t.throwsAsync(ask(redisAddress(`redis://${server.address}`), ['PING'], 100), {
    message: 'No answer within 100 ms',
  });
  await server.when(() => server.open === 0);
});

test('a client that is to stay connects again when it loses its server', async (t) => {
  const server = await RespServer.start(t);
  const make = await clientOf(redisAddress(`redis://${server.address}`), 2000);
  const client = make(new AbortController().signal);
  t.teardown(() => {
    client.destroy();
  });
  client.on('error', () => undefined);
  await client.connect();
  server.drop();
  await server.when(() => server.connections === 2);
  t.true(client.isOpen);
});

test('an address with TLS is spoken to in TLS', async (t) => {
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
  await t.throwsAsync(ask(redisAddress(`rediss://127.0.0.1:${port}`), ['PING'], 2000));
  t.deepEqual(await greeting, [0x16], 'the record of a handshake');
});
