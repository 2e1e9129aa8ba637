import {setImmediate} from 'node:timers/promises';
import {createSentinel} from '@keyv/redis';
import test from 'ava';
import {Redis} from 'ioredis';
import {openStore, type StoreSettings} from '../../../src/store/opening/open.ts';
import type {StoreOption} from '../../../src/store/opening/option.ts';
import type {ToolStore} from '../../../src/store/port.ts';
import {testStore} from '../../support/store/conformance.ts';
import {testFailover} from '../../support/store/failover.ts';
import {masterName, RedisSentinels} from '../../support/store/redis-sentinel-servers.ts';
import {isNight} from '../../support/night.ts';
import {missing} from '../../support/store/own.ts';
import {thisFile} from '../../support/this-file.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';

const skip = await missing('redis+cluster');
const guarantee = 'store';
const timeout = 20_000;
const password = 's3cret';
const directory = temporaryDirectory();
const owner = thisFile();
let servers: RedisSentinels;

const url = (): string => `redis+sentinel://:${password}@${servers.hosts}/${masterName}/3`;
const sentinels = (): Array<{host: string; port: number}> =>
  servers.sentinels.map(({port}) => ({host: '127.0.0.1', port}));

/** A sentinel client of the site. */
function ofRedis(): ReturnType<typeof createSentinel> {
  return createSentinel({
    name: masterName,
    sentinelRootNodes: sentinels(),
    sentinelClientOptions: {password},
    nodeClientOptions: {password, database: 3},
    RESP: 3,
  });
}

function ofIoredis(): Redis {
  const client = new Redis({sentinels: sentinels(), sentinelPassword: password, name: masterName, password, db: 3});
  client.on('error', () => undefined);
  owner.teardown(() => {
    client.disconnect();
  });
  return client;
}

async function connected(): Promise<StoreOption> {
  const client = ofRedis();
  client.on('error', () => undefined);
  await client.connect();
  owner.teardown(() => client.destroy());
  return client;
}

const ways: ReadonlyArray<readonly [title: string, open: () => StoreOption | Promise<StoreOption>]> = [
  ['redis+sentinel:', url],
  ['a sentinel of redis', connected],
  ['sentinels of ioredis', ofIoredis],
];
let options: readonly StoreOption[];

if (skip === undefined) {
  test.before(async () => {
    servers = await RedisSentinels.start(owner, directory, password);
    options = await Promise.all(ways.map(async ([, open]) => open()));
  });
}

for (const [index, [title]] of ways.entries()) {
  const open = (settings: StoreSettings): ToolStore => openStore(options[index], settings);

  testStore({title, guarantee, skip, open: (namespace, now) => open({namespace, now, timeout})});

  // What a site has open has its turn at night.
  if (isNight || index === 0)
    testFailover({
      title,
      skip,
      open: (settings) => open({...settings, namespace: `${settings.namespace}-${title}`}),
      begin: async () => {
        await servers.isWhole();
        const master = await servers.master();
        return {master, mend: () => servers.revive(master)};
      },
    });
}

const check = skip === undefined ? test : test.skip;

check('a sentinel of redis that is never connected is an outage that says so', async (t) => {
  const store = openStore(ofRedis(), {namespace: 'links', timeout: 1000});
  t.teardown(() => store.close());
  const message = /^The store got no connection, because the sentinel client of the site is not connected\./;
  await t.throwsAsync(store.get('link'), {code: 'store_unavailable', message});
});

check('a sentinel of redis that the site connects after it has passed it is no outage', async (t) => {
  const client = ofRedis();
  client.on('error', () => undefined);
  const outages: Error[] = [];
  const store = openStore(client, {namespace: 'links', timeout, onOutage: (error) => outages.push(error)});
  t.teardown(() => store.close());
  const read = store.get('link');
  await setImmediate();
  await client.connect();
  t.teardown(() => client.destroy());
  t.is(await read, undefined);
  t.deepEqual(outages, []);
});
