import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {VisitLog} from '../../../src/visits/visit-log.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import type {Addition, Store} from '../../../src/store/port.ts';
import {eventually} from '../../support/store/eventually.ts';
import {freePort, missingRedis, RedisServer} from '../../support/store/redis-server.ts';
import {TcpProxy} from '../../support/store/tcp-proxy.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';

const skip = await missingRedis();
const check = skip === undefined ? test.serial : test.serial.skip;
const directory = temporaryDirectory();
const unavailable = {code: 'store_unavailable', name: 'ShortUrlError'};

function open(t: ExecutionContext, url: string): Store {
  const store = openStore(url, {namespace: 'n', timeout: 1000});
  t.teardown(() => store.close());
  return store;
}

async function server(t: ExecutionContext, ...parameters: string[]): Promise<RedisServer> {
  const redis = await RedisServer.start(...parameters);
  t.teardown(() => redis.kill());
  return redis;
}

check('a master that was demoted to a replica is an outage for writes until it is a master again', async (t) => {
  const redis = await server(t);
  const store = open(t, redis.url);
  t.true(await store.insert('before', 1));
  await redis.ask('REPLICAOF', '127.0.0.1', `${await freePort()}`);
  const error = await t.throwsAsync(store.insert('during', 1), unavailable);
  t.regex(String(error.cause), /READONLY/);
  await t.throwsAsync(store.increment('sequence'), unavailable);
  const batch = {writer: 'w', number: 1, additions: [{keys: ['counters'], adds: [{visits: 1}], at: 1}]};
  await t.throwsAsync(store.count(batch), unavailable);
  t.is((await store.get('before'))?.value, 1, 'it can still be read');
  await redis.ask('REPLICAOF', 'NO', 'ONE');
  await eventually(() => store.insert('after', 1));
  t.is(await store.get('during'), undefined);
  t.is(await store.increment('sequence'), 1);
});

check('visits whose reply was lost with a master count once on the replica that has them', async (t) => {
  // A replica first writes what it receives to disk.
  const folder = join(directory, 'replica');
  mkdirSync(folder);
  const master = await server(t, '--repl-diskless-sync-delay', '0');
  const replica = await server(t, '--dir', folder, '--replicaof', `127.0.0.1 ${master.port}`);
  const proxy = await TcpProxy.start(t, master.port);
  const store = open(t, `redis://127.0.0.1:${proxy.port}`);
  const log = new VisitLog(store, () => undefined);
  t.teardown(() => log.close(0));
  const areReplicated = (visits: number): Promise<void> =>
    eventually(async () => {
      if ((await replica.ask('HGET', 'short_url::n:visits', 'visits')) !== `${visits}`)
        throw new Error('Not there yet');
    });
  await store.insert('link', {url: 'https://example.com/'});
  const link = {key: 'link', revision: (await store.get('link'))?.revision};
  const visit = (at: number): Addition => ({link, keys: ['visits'], adds: [{visits: 1}], at});
  t.true(await log.add(visit(1)));
  await areReplicated(1);
  proxy.dropAnswers();
  t.true(await log.add(visit(2)));
  await areReplicated(2);
  await master.kill();
  await replica.ask('REPLICAOF', 'NO', 'ONE');
  proxy.target = replica.port;
  await proxy.mend();
  t.true(await log.add(visit(3)));
  t.is(await log.close(20_000), 0);
  t.deepEqual(await store.getCounters(['visits']), [{counts: new Map([['visits', 3]]), at: 3}]);
});

check('a server that is still loading its data is an outage, and not an empty store', async (t) => {
  const folder = join(directory, 'loading');
  mkdirSync(folder);
  const redis = await server(t, '--dir', folder);
  const filled = openStore(redis.url, {namespace: 'n', timeout: 20_000});
  await Promise.all(Array.from({length: 2000}, (_, index) => filled.insert(`record-${index}`, index)));
  await filled.close();
  await redis.ask('SAVE');
  await redis.kill();
  const store = open(t, redis.url);
  // A millisecond for each key.
  const ready = redis.restart(
    '--dir',
    folder,
    '--key-load-delay',
    '1000',
    '--loading-process-events-interval-bytes',
    '1024',
  );
  const replies = new Set<string>();
  const entry = await eventually(async () => {
    try {
      return await store.get('record-1999');
    } catch (error) {
      t.like(error, unavailable);
      replies.add(String((error as Error).cause).slice(0, 14));
      throw error;
    }
  });
  t.is(entry?.value, 1999);
  t.true(replies.has('Error: LOADING') || replies.has('SimpleError: L'), [...replies].join());
  await ready;
});
