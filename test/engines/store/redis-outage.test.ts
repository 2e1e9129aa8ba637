import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Socket} from 'node:net';
import test, {type ExecutionContext} from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import type {Store} from '../../../src/store/port.ts';
import {eventually} from '../../support/store/eventually.ts';
import {isUnavailable, nothingHappened} from '../../support/store/unavailable.ts';
import {missingRedis, RedisServer} from '../../support/store/redis-server.ts';

const skip = await missingRedis();
const check = skip === undefined ? test.serial : test.serial.skip;
const unavailable = {code: 'store_unavailable', name: 'ShortUrlError'};

/** Milliseconds; far more than a healthy server needs, and as long as the tests wait for another. */
const timeout = 800;

async function server(t: ExecutionContext, ...parameters: string[]): Promise<RedisServer> {
  const redis = await RedisServer.start(...parameters);
  t.teardown(async () => {
    redis.thaw();
    await redis.kill();
  });
  return redis;
}

function open(t: ExecutionContext, url: string, errors: Error[] = []): Store {
  const store = openStore(url, {namespace: 'n', timeout, onOutage: (error) => errors.push(error)});
  t.teardown(() => store.close());
  return store;
}

check('a killed server is an outage, and the store connects to the next one by itself', async (t) => {
  const redis = await server(t);
  const errors: Error[] = [];
  const store = open(t, redis.url, errors);
  t.true(await store.insert('before', 1));
  await redis.kill();
  await isUnavailable(t, store, timeout);
  await isUnavailable(t, store, timeout);
  t.is(errors.length, 1, 'one outage is reported once');
  await redis.restart();
  await eventually(() => store.ping());
  await nothingHappened(t, store);
  t.true(await store.insert('after', 1));
  const revision = (await store.get('after'))?.revision;
  t.true(await store.replace('after', revision, 2), 'scripts are sent again to a server that does not have them');
  await redis.kill();
  await isUnavailable(t, store, timeout);
});

check('a server that stops answering is an outage for as long as it lasts', async (t) => {
  const redis = await server(t);
  const store = open(t, redis.url);
  t.true(await store.insert('before', 1));
  redis.freeze();
  const start = performance.now();
  await t.throwsAsync(store.get('before'), unavailable);
  t.true(performance.now() - start < timeout + 1000);
  await t.throwsAsync(store.get('before'), unavailable);
  redis.thaw();
  await eventually(() => store.ping());
  t.is((await store.get('before'))?.value, 1);
});

check('a connection that died silently is replaced', async (t) => {
  const redis = await server(t);
  const store = open(t, redis.url);
  await store.ping();
  redis.freeze();
  await t.throwsAsync(store.ping(), unavailable);
  redis.thaw();
  await eventually(() => store.ping());
  t.is(await redis.connectionsAccepted(), 2 + 1, 'the silent connection, its replacement, and the one that asks');
});

check('a server that accepts a connection and stays silent is connected to again', async (t) => {
  const redis = await server(t);
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    socket.on('error', () => undefined);
    // The first connection gets no answer.
    if (sockets.push(socket) === 1) return;
    const onward = connect(redis.port, '127.0.0.1').on('error', () => undefined);
    sockets.push(onward);
    socket.pipe(onward).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const store = open(t, `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  await t.throwsAsync(store.ping(), unavailable);
  await eventually(() => store.ping());
});

check('a wrong password is an outage that says so, and no message has a password', async (t) => {
  const redis = await server(t, '--requirepass', 'right');
  const errors: Error[] = [];
  const store = open(t, `redis://:wr0ng%21@127.0.0.1:${redis.port}`, errors);
  const error = await t.throwsAsync(store.ping(), unavailable);
  t.regex(String(error.cause), /WRONGPASS/);
  t.notRegex(JSON.stringify([error.message, String(error.cause), error.stack, ...errors.map(String)]), /wr0ng/);
  const right = open(t, `redis://default:right@127.0.0.1:${redis.port}/3`);
  t.true(await right.insert('record', 1));
});
