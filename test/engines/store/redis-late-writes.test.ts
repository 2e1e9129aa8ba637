import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import {eventually} from '../../support/store/eventually.ts';
import {missingRedis, RedisServer} from '../../support/store/redis-server.ts';
import {TcpProxy} from '../../support/store/tcp-proxy.ts';

const skip = await missingRedis();
const check = skip === undefined ? test : test.skip;

check('a write that reaches the server after its caller got an error changes nothing', async (t) => {
  const redis = await RedisServer.start();
  t.teardown(() => redis.kill());
  const proxy = await TcpProxy.start(t, redis.port);
  const other = openStore(`redis://127.0.0.1:${redis.port}`, {namespace: 'n', timeout: 20_000});
  const store = openStore(`redis://127.0.0.1:${proxy.port}`, {namespace: 'n', timeout: 1000});
  t.teardown(async () => {
    await Promise.all([store.close(), other.close()]);
  });
  await store.insert('link', 'active');
  await other.setCounters([['counters', {counts: new Map([['visits', 5]]), at: 5}]]);
  const entry = await store.get<string>('link');
  const revision = entry?.revision;

  proxy.silence();
  const writes = [
    store.insert('new', 1),
    store.replace('link', revision, 'disabled'),
    store.remove('link'),
    store.increment('sequence'),
    store.setCounters([['counters', {counts: new Map([['visits', 1]]), at: 1}]]),
    store.removeCounters('counters', ['visits']),
    store.count({writer: 'w', number: 1, additions: [{keys: ['counters'], adds: [{visits: 1}], at: 9}]}),
  ];
  await Promise.all(writes.map((write) => t.throwsAsync(write, {code: 'store_unavailable'})));
  // Another process gets an answer to a write of its own, which the late ones would undo.
  t.true(await other.replace('link', revision, 'enabled'));
  t.true(await other.replace('link', (await other.get('link'))?.revision, 'active'));
  // A server refuses a script that it does not know before it looks at the deadline.
  await other.count({writer: 'other', number: 1, additions: []});

  await proxy.mend();
  await eventually(async () => {
    const found = /errorstat_EXPIRED:count=(\d+)/.exec(String(await redis.ask('INFO', 'errorstats')));
    if (Number(found?.[1]) < writes.length) throw new Error(`${found?.[1]} writes were refused`);
  });
  t.is((await other.get('link'))?.value, 'active');
  t.is(await other.get('new'), undefined);
  t.is(await other.current('sequence'), 0);
  const [counters] = await other.getCounters(['counters']);
  t.deepEqual(counters, {counts: new Map([['visits', 5]]), at: 5});
  // The client measures the clock again and works.
  t.true(await eventually(() => store.insert('new', 1)));
});

check('a user without the right to TIME may write', async (t) => {
  const redis = await RedisServer.start();
  t.teardown(() => redis.kill());
  await redis.ask('ACL', 'SETUSER', 'app', 'on', '>password', '~*', '+@all', '-time');
  const store = openStore(`redis://app:password@127.0.0.1:${redis.port}`, {namespace: 'n', timeout: 20_000});
  t.teardown(() => store.close());
  t.true(await store.insert('link', 1));
});
