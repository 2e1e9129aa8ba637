import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import type {Batch, Store} from '../../../src/store/port.ts';
import {eventually} from '../../support/store/eventually.ts';
import {missing} from '../../support/store/own.ts';
import {RedisServer} from '../../support/store/redis-server.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';

const skip = await missing('redis+cluster');
const check = skip === undefined ? test.serial : test.serial.skip;
const directory = temporaryDirectory();
const unavailable = {code: 'store_unavailable'};

/** A server, and a store whose user has all rights until one is denied. */
async function open(t: ExecutionContext, scheme: string, ...parameters: string[]) {
  const redis = await RedisServer.start(t, ...parameters);
  const user = (...rules: string[]): Promise<unknown> => redis.ask('ACL', 'SETUSER', 'app', ...rules);
  await user('on', '>password', '~*', '+@all');
  const store = openStore(`${scheme}://app:password@127.0.0.1:${redis.port}`, {namespace: 'n', timeout: 5000});
  t.teardown(() => store.close());
  return {redis, user, store};
}

const visits = (key: string, at: number) => ({keys: [key], adds: [{visits: 1, bots: 2}], at});
const batch = (number: number, ...additions: Batch['additions']): Batch => ({writer: 'w', number, additions});
const counted = async (store: Store, key: string): Promise<unknown> => {
  const [found] = await store.getCounters([key]);
  return found && {...Object.fromEntries(found.counts), at: found.at};
};

for (const right of ['hincrby', 'hget', 'hset', 'set']) {
  check(
    `a batch that is refused for want of the right to ${right} changes nothing, and later counts once`,
    async (t) => {
      const {redis, user, store} = await open(t, 'redis');
      await store.count(batch(1, visits('old', 1)));
      await user(`-${right}`);
      const next = batch(2, visits('old', 2), visits('new', 3));
      for (let attempt = 0; attempt < 3; attempt += 1) await t.throwsAsync(store.count(next), unavailable);
      t.deepEqual(await redis.ask('HGETALL', 'short_url::n:old'), ['visits', '1', 'bots', '2', 'at', '1']);
      t.is(await redis.ask('EXISTS', 'short_url::n:new'), 0);
      await user(`+${right}`);
      t.deepEqual(await store.count(next), [true, true]);
      t.deepEqual(await store.count(next), [true, true]);
      t.deepEqual(await counted(store, 'old'), {visits: 2, bots: 4, at: 2});
      t.deepEqual(await counted(store, 'new'), {visits: 1, bots: 2, at: 3});
    },
  );
}

check('a counter that is refused takes back the counters before it, and leaves the others alone', async (t) => {
  const {redis, store} = await open(t, 'redis');
  await store.count(batch(1, visits('first', 1), visits('broken', 1), visits('last', 1)));
  await redis.ask('HSET', 'short_url::n:broken', 'bots', 'many');
  const next = batch(2, visits('first', 2), visits('new', 2), visits('broken', 2), visits('last', 2));
  const error = await t.throwsAsync(store.count(next), unavailable);
  t.regex(String(error.cause), /^Error: ERR hash value is not an integer/, 'the error is that of the counter');
  for (const key of ['first', 'last']) t.deepEqual(await counted(store, key), {visits: 1, bots: 2, at: 1});
  t.is(await redis.ask('EXISTS', 'short_url::n:new'), 0);
  t.deepEqual(await redis.ask('HGETALL', 'short_url::n:broken'), ['visits', '1', 'bots', 'many', 'at', '1']);
});

check('on a cluster the totals of a changed link stay, and refused totals are added once later', async (t) => {
  const folder = join(directory, 'cluster');
  mkdirSync(folder);
  const {redis, user, store} = await open(t, 'redis+cluster', '--cluster-enabled', 'yes', '--dir', folder);
  await redis.ask('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await eventually(() => store.ping());
  await eventually(() => store.insert('{a}link', 1));
  const seen = {key: '{a}link', revision: (await store.get('{a}link'))?.revision};
  const visit = (link: typeof seen) => ({
    link,
    keys: ['{a}visits', '{b}totals'],
    adds: [{visits: 1}, {visits: 1}],
    at: 1,
  });
  await store.replace('{a}link', seen.revision, 2);
  t.deepEqual(await store.count(batch(1, visit(seen))), [false]);
  t.is(await redis.ask('EXISTS', 'short_url::n:{b}totals'), 0);

  const changed = {key: '{a}link', revision: (await store.get('{a}link'))?.revision};
  await user('resetkeys', '~*{a}*');
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await t.throwsAsync(store.count(batch(2, visit(changed))), unavailable);
  }
  await user('~*');
  for (let attempt = 0; attempt < 2; attempt += 1) t.deepEqual(await store.count(batch(2, visit(changed))), [true]);
  for (const key of ['{a}visits', '{b}totals']) t.deepEqual(await counted(store, key), {visits: 1, at: 1});
});
