import {createRequire} from 'node:module';
import KeyvRedis, {createCluster} from '@keyv/redis';
import KeyvValkey from '@keyv/valkey';
import test from 'ava';
import {Keyv} from 'keyv';
import {openStore} from '../../../src/store/opening/open.ts';
import {type StoreOption} from '../../../src/store/opening/option.ts';
import {run, testStore} from '../../support/store/conformance.ts';
import {testFailover} from '../../support/store/failover.ts';
import {RedisCluster} from '../../support/store/redis-cluster-servers.ts';
import {missingRedis} from '../../support/store/redis-server.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';

const skip = await missingRedis();
const check = skip === undefined ? test.serial : test.serial.skip;
const guarantee = 'store';
const timeout = 20_000;
const directory = temporaryDirectory();
const {Cluster} = createRequire(import.meta.resolve('@keyv/valkey'))('iovalkey') as {
  Cluster: new (nodes: object[], options: object) => {disconnect(): void};
};
let cluster: RedisCluster;
const disconnections: Array<() => unknown> = [];

if (skip === undefined) {
  test.before(async () => {
    cluster = await RedisCluster.start(directory);
  });
  test.after.always(async () => {
    for (const disconnect of disconnections) await disconnect();
    await cluster.kill();
  });
}

/** Created when first used, because the ports of the cluster are not known before. */
function once(make: () => StoreOption): () => StoreOption {
  let option: StoreOption | undefined;
  return () => (option ??= make());
}

function redisAdapter(): KeyvRedis<unknown> {
  const client = createCluster({rootNodes: cluster.hosts.map((host) => ({url: `redis://${host}`}))});
  const adapter = new KeyvRedis(client);
  disconnections.push(() => adapter.disconnect(true));
  return adapter;
}

const options = {
  'redis+cluster:': once(() => `redis+cluster://${cluster.hosts.slice(0, 2).join(',')}`),
  "a host's Keyv over a cluster client": once(() => new Keyv(redisAdapter(), {namespace: 'host'})),
  'the Valkey adapter over a cluster client': once(() => {
    const nodes = cluster.hosts.map((host) => ({host: '127.0.0.1', port: Number(host.split(':')[1])}));
    const adapter = new KeyvValkey(new Cluster(nodes, {lazyConnect: true}) as never, {useRedisSets: false});
    disconnections.push(() => adapter.disconnect());
    return adapter as never;
  }),
};

for (const [title, option] of Object.entries(options)) {
  testStore({title, guarantee, skip, open: (namespace) => openStore(option(), {namespace, timeout})});
}

for (const [title, option] of Object.entries(options)) {
  check(`${title} keys are found while their slot moves to another master, and afterwards`, async (t) => {
    await cluster.isWhole();
    const store = openStore(option(), {namespace: `${run}-moved`, timeout});
    t.teardown(() => store.close());
    const tag = `{${title}}`;
    t.true(await store.insert(`${tag}-before`, 1));
    t.is(await store.increment(`${tag}-sequence`), 1);
    const move = await cluster.move(await cluster.slotOf(title));
    t.true(await store.insert(`${tag}-during`, 1));
    t.false(await store.insert(`${tag}-during`, 2));
    for (const key of [`${tag}-before`, `${tag}-during`]) {
      t.true(await store.replace(key, (await store.get(key))?.revision, 2));
    }
    const counters = [`${tag}-counters`, `{another ${title}}-counters`];
    const addition = {counters: counters.map((key) => ({key, add: {visits: 2}})), at: 1};
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
}

for (const [title, option] of Object.entries(options)) {
  testFailover({
    title,
    skip,
    open: (settings) => openStore(option(), settings),
    begin: async () => {
      await cluster.isWhole();
      const [master] = await cluster.masters();
      if (!master) throw new Error('The cluster has no master');
      return {master, mend: () => cluster.revive(master)};
    },
  });
}
