import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import type {StoreOption} from '../../../src/store/opening/option.ts';
import {ioredisCluster, redisClusterClient} from '../../support/engines/host-clients.ts';
import {testStore} from '../../support/store/conformance.ts';
import {run} from '../../support/store/run.ts';
import {testFailover} from '../../support/store/failover.ts';
import {RedisCluster} from '../../support/store/redis-cluster-servers.ts';
import {missing} from '../../support/store/own.ts';
import {thisFile} from '../../support/this-file.ts';
import type {RedisServer} from '../../support/store/redis-server.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';

const skip = await missing('redis+cluster');
const check = skip === undefined ? test.serial : test.serial.skip;
const guarantee = 'store';
const timeout = 20_000;
const directory = temporaryDirectory();
const owner = thisFile();
let cluster: RedisCluster;

if (skip === undefined) {
  test.before(async () => {
    cluster = await RedisCluster.start(owner, directory);
  });
}

const title = 'redis+cluster:';
/** The ports of the cluster are not known before it runs. */
const url = (): string => `redis+cluster://${cluster.hosts.slice(0, 2).join(',')}`;

testStore({title, guarantee, skip, open: (namespace, now) => openStore(url(), {namespace, now, timeout})});

check(`${title} keys are found while their slot moves to another master, and afterwards`, async (t) => {
  await cluster.isWhole();
  const store = openStore(url(), {namespace: `${run}-moved`, timeout});
  t.teardown(() => store.close());
  const tag = `{${title}}`;
  t.true(await store.insert(`${tag}-before`, 1));
  t.is(await store.increment(`${tag}-sequence`), 1);
  const move = await cluster.move(await cluster.slotOf(title));
  t.true(await store.insert(`${tag}-during`, 1));
  t.false(await store.insert(`${tag}-during`, 2));
  for (const key of [`${tag}-before`, `${tag}-during`]) {
    t.truthy(await store.replace(key, (await store.get(key))?.revision, 2));
  }
  const counters = [`${tag}-counters`, `{another ${title}}-counters`];
  const addition = {keys: counters, adds: counters.map(() => ({visits: 2})), at: 1};
  // Redis refuses a command on several keys of the slot until the move has ended.
  const counted = store.count({writer: `w-${title}`, number: 1, additions: [addition]});
  t.is(await store.increment(`${tag}-sequence`), 2);
  await move.keys();
  t.is(await store.increment(`${tag}-sequence`), 3);
  await move.end();
  t.deepEqual(await counted, [true]);
  t.is(await store.increment(`${tag}-sequence`), 4);
  const entries = await store.getMany([`${tag}-before`, `${tag}-during`]);
  t.deepEqual(
    entries.map((entry) => entry?.value),
    [2, 2],
  );
  t.deepEqual(
    (await store.getCounters(counters)).map(({counts}) => counts.get('visits')),
    [2, 2],
  );
});

check(`${title} every key is listed, whatever slots move meanwhile`, async (t) => {
  await cluster.isWhole();
  const store = openStore(url(), {namespace: `${run}-listed`, timeout});
  t.teardown(() => store.close());
  const keys = Array.from({length: 40}, (_, index) => `{tag ${index}}`);
  for (const key of keys) await store.insert(key, 1);
  // The masters are scanned in this order, and each has few enough keys for one part of the listing.
  const masters = (await cluster.masters()).sort((one, other) => (`${one.port}` < `${other.port}` ? -1 : 1));
  const [first, , last] = masters;
  const slotsOf = async (server: RedisServer | undefined, count: number): Promise<number[]> => {
    const own = (await server?.ask('KEYS', `*${run}-listed*`)) as string[];
    return Promise.all(own.slice(0, count).map((key) => cluster.slotOf(key)));
  };

  const moved = await slotsOf(last, 3);
  const moves: Array<Awaited<ReturnType<RedisCluster['move']>>> = [];
  const steps: Array<() => Promise<void>> = [
    // After the first master was scanned, it gets keys of the last one, and the moves do not end.
    async () => {
      for (const slot of moved) moves.push(await cluster.move(slot, first));
      for (const move of moves) await move.keys();
    },
    async () => undefined,
    async () => undefined,
    async () => undefined,
    async () => {
      for (const move of moves) await move.end();
    },
    // Keys move to the first master and come back before the listing ends.
    async () => undefined,
    async () => {
      for (const slot of await slotsOf(last, 1)) {
        for (const target of [first, last]) {
          const move = await cluster.move(slot, target);
          await move.keys();
          await move.end();
        }
      }
    },
  ];
  const seen = new Set<string>();
  for await (const part of store.keys('records')) {
    for (const key of part) seen.add(key);
    await steps.shift()?.();
  }
  t.is(moved.length, 3);
  t.is(steps.length, 0, 'the listing began again');
  t.deepEqual([...seen].sort(), keys.toSorted());
});

const ways: ReadonlyArray<readonly [title: string, open: () => StoreOption]> = [
  [title, url],
  ['a cluster of redis', () => redisClusterClient(url())],
  ['a cluster of ioredis', () => ioredisCluster(url(), owner)],
];

for (const [way, option] of ways) {
  testFailover({
    title: way,
    skip,
    open: (settings) => openStore(option(), {...settings, namespace: `${settings.namespace}-${way}`}),
    begin: async () => {
      await cluster.isWhole();
      const [master] = await cluster.masters();
      if (!master) throw new Error('The cluster has no master');
      return {master, mend: () => cluster.revive(master)};
    },
  });
}
