import {createRequire} from 'node:module';
import KeyvRedis, {createSentinel} from '@keyv/redis';
import KeyvValkey from '@keyv/valkey';
import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import {type StoreOption} from '../../../src/store/opening/option.ts';
import {testStore} from '../../support/store/conformance.ts';
import {testFailover} from '../../support/store/failover.ts';
import {masterName, RedisSentinels} from '../../support/store/redis-sentinel-servers.ts';
import {missingRedis} from '../../support/store/redis-server.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';

const skip = await missingRedis();
const check = skip === undefined ? test.serial : test.serial.skip;
const guarantee = 'store';
const timeout = 20_000;
const password = 's3cret';
const directory = temporaryDirectory();
const {Redis} = createRequire(import.meta.resolve('@keyv/valkey'))('iovalkey') as {
  Redis: new (options: object) => object;
};
let servers: RedisSentinels;

if (skip === undefined) {
  test.before(async () => {
    servers = await RedisSentinels.start(directory, password);
  });
  test.after.always(() => servers.kill());
}

const options: Record<string, () => StoreOption> = {
  'redis+sentinel:': () => `redis+sentinel://:${password}@${servers.hosts}/${masterName}/3`,
  'the Valkey adapter over a sentinel client': () => {
    const sentinels = servers.sentinels.map(({port}) => ({host: '127.0.0.1', port}));
    const access = {name: masterName, password, sentinelPassword: password, db: 2};
    return new KeyvValkey(new Redis({sentinels, ...access, lazyConnect: true})) as never;
  },
};

for (const [title, option] of Object.entries(options)) {
  testStore({title, guarantee, skip, open: (namespace) => openStore(option(), {namespace, timeout})});
}

for (const [title, option] of Object.entries(options)) {
  testFailover({
    title,
    skip,
    open: (settings) => openStore(option(), settings),
    begin: async () => {
      await servers.isWhole();
      const master = await servers.master();
      return {master, mend: () => servers.revive(master)};
    },
  });
}

check('redis+sentinel: an unknown master name, and Sentinels that are away, are outages that say so', async (t) => {
  const unknown = openStore(`redis+sentinel://:${password}@${servers.hosts}/other`, {namespace: 'n', timeout: 500});
  t.teardown(() => unknown.close());
  const error = await t.throwsAsync(unknown.ping(), {code: 'store_unavailable'});
  t.regex(String(error.cause), /no master by the name other/);
  const away = openStore('redis+sentinel://:s3cret@127.0.0.1:1/links', {namespace: 'n', timeout: 500});
  t.teardown(() => away.close());
  const refused = await t.throwsAsync(away.ping(), {code: 'store_unavailable'});
  t.regex(String(refused.cause), /ECONNREFUSED/);
  t.notRegex(JSON.stringify([error, refused, String(error.cause), String(refused.cause)]), /s3cret/);
});

test('a Sentinel client of node-redis, which cannot be duplicated, is refused with an alternative', (t) => {
  const client = createSentinel({
    name: masterName,
    sentinelRootNodes: [{host: '127.0.0.1', port: 1}],
    nodeClientOptions: {password},
  });
  const error = t.throws(() => openStore(new KeyvRedis(client), {namespace: 'n'}), {instanceOf: TypeError});
  t.regex(error.message, /pass redis\+sentinel:/);
  t.notRegex(error.message, /s3cret/);
});
