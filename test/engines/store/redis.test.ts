import {createClient, createKeyv} from '@keyv/redis';
import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import {testStore} from '../../support/store/conformance.ts';
import {eventually} from '../../support/store/eventually.ts';
import {run} from '../../support/store/run.ts';
import {TcpProxy} from '../../support/store/tcp-proxy.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';
import {sharedRedis} from '../../support/engines/servers.ts';
import {cleanSharedRedis, missing} from '../../support/store/own.ts';
import {RedisServer} from '../../support/store/redis-server.ts';

const skip = await missing('redis');
const guarantee = 'store';
const directory = temporaryDirectory();

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;

cleanSharedRedis(skip);

testStore({
  title: 'redis:',
  guarantee,
  skip,
  open: (namespace, now) => openStore(sharedRedis, {namespace, now, timeout}),
});

const check = skip === undefined ? test.serial : test.serial.skip;

for (const [title, options, scheme] of [
  ['without a namespace', {}, 'redis:'],
  ['with the same namespace', {namespace: run}, 'valkey:'],
] as const) {
  check(`clear() of a neighbour's Keyv ${title} leaves the records`, async (t) => {
    // Another server, because without a namespace it clears all other keys.
    const server = await RedisServer.start(t);
    const keyv = createKeyv(server.url, options);
    const store = openStore(server.url.replace('redis:', scheme), {namespace: run, timeout});
    t.teardown(async () => {
      await store.close();
      await keyv.disconnect();
    });
    await keyv.set('cached', 1);
    t.true(await store.insert('record', 1));
    t.is(await store.increment('sequence'), 1);
    await keyv.clear();
    t.is(await keyv.get('cached'), undefined);
    t.is((await store.get('record'))?.value, 1);
    t.deepEqual(await store.current(['sequence']), [1]);
  });
}

check('every key has the life that it should have', async (t) => {
  const namespace = `${run}-lives`;
  const store = openStore(sharedRedis, {namespace, timeout});
  t.teardown(() => store.close());
  const [hour, day] = [3_600_000, 86_400_000];
  const later = Date.now() + hour;
  const change = async (key: string, expires?: number): Promise<unknown> =>
    store.replace(key, (await store.get(key))?.revision, 'changed', expires);
  await store.insert('kept', 1);
  await store.insert('short', 1, later);
  for (const key of ['kept and changed', 'kept at last']) await store.insert(key, 1, later);
  await change('kept at last');
  await store.insert('renewed', 1);
  await change('renewed', later);
  await change('kept and changed', later);
  await store.increment('sequence');
  await store.setCounters([['set', {counts: new Map([['v', 1]]), at: 1}]]);
  await store.count({writer: 'w', number: 1, additions: [{keys: ['counted'], adds: [{v: 1}], at: 1}]});
  await store.ping();
  const client = createClient({url: sharedRedis});
  await client.connect();
  t.teardown(() => {
    client.destroy();
  });
  const lives = new Map<string, number>();
  const prefix = `short_url::${namespace}:`;
  for await (const keys of client.scanIterator({MATCH: `${prefix}*`, COUNT: 1000})) {
    for (const key of keys) lives.set(key.slice(prefix.length), await client.pTTL(key));
  }
  const longest: Readonly<Record<string, number>> = {
    kept: -1,
    'kept at last': -1,
    short: hour,
    renewed: hour,
    'kept and changed': hour,
    sequence: -1,
    set: -1,
    counted: -1,
    'batch:w': day,
  };
  t.deepEqual(Array.from(lives.keys()).toSorted(), Object.keys(longest).toSorted());
  for (const [key, life] of lives) {
    const expected = longest[key] ?? 0;
    if (expected === -1) t.is(life, -1, key);
    // With a margin for clocks.
    else t.true(life > expected - 60_000 && life <= expected + day, `${key}: ${life}`);
  }
});

for (const [who, args, user] of [
  ['a user', [], 'links:secret@'],
  ['a server', ['--rename-command', 'EVALSHA', ''], ''],
] as const) {
  check(`${who} without scripts is not ready, and the error names the command that is missing`, async (t) => {
    const server = await RedisServer.start(t, ...args);
    if (user !== '') {
      await server.ask('ACL', 'SETUSER', 'links', 'on', '>secret', '~short_url::*', '+@all', '-@scripting');
    }
    const store = openStore(server.url.replace('redis://', `redis://${user}`), {namespace: 'n', timeout});
    t.teardown(() => store.close());
    await t.throwsAsync(store.ping(), {
      code: 'store_unavailable',
      message: /The command is EVALSHA\. .*docs\/stores\.md/,
    });
  });
}

check('a batch whose reply was lost with a master counts once on the replica that has it', async (t) => {
  const master = await RedisServer.start(t, '--repl-diskless-sync-delay', '0');
  // A replica first writes what it receives to disk.
  const replica = await RedisServer.start(t, '--dir', directory, '--replicaof', `127.0.0.1 ${master.port}`);
  const proxy = await TcpProxy.start(t, master.port);
  const store = openStore(proxy.through(master.url), {namespace: 'n', timeout: 1000});
  t.teardown(() => store.close());
  const send = (number: number): Promise<readonly boolean[]> =>
    store.count({writer: 'w', number, additions: [{keys: ['visits'], adds: [{visits: 1}], at: number}]});
  const isReplicated = (visits: number): Promise<void> =>
    eventually(async () => {
      const found = await replica.ask('HGET', 'short_url::n:visits', 'visits');
      if (found !== `${visits}`) throw new Error(`The replica has ${String(found)} visits`);
    });
  await send(1);
  await isReplicated(1);
  proxy.dropAnswers();
  await t.throwsAsync(send(2), {code: 'store_unavailable'});
  await isReplicated(2);
  await master.kill();
  await replica.ask('REPLICAOF', 'NO', 'ONE');
  proxy.target = replica.port;
  await proxy.mend();
  t.deepEqual(await eventually(() => send(2)), [true]);
  t.deepEqual(await store.getCounters(['visits']), [{counts: new Map([['visits', 2]]), at: 2}]);
});
