import {createRequire} from 'node:module';
import {join} from 'node:path';
import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import type {StoreOption} from '../../../src/store/opening/option.ts';
import {install} from '../../contract/package/installation.ts';
import {engineNamed} from '../../support/engines/engines.ts';
import {
  redisClient,
  redisClusterClient,
  type RedisPackage,
  redisSentinelClient,
} from '../../support/engines/host-clients.ts';
import {noPackages} from '../../support/on-demand.ts';
import {testStore} from '../../support/store/conformance.ts';
import {cleanSharedRedis, missing} from '../../support/store/own.ts';
import {thisFile} from '../../support/this-file.ts';

// What `npm install redis` gives. The client that the package itself uses is that of `redis` 5.
const skip = noPackages ?? (await missing('redis'));
const file = thisFile();
cleanSharedRedis(skip);

const clients = {
  'a client of redis': redisClient,
  'a cluster of redis': redisClusterClient,
  'a sentinel of redis': redisSentinelClient,
};

let installed: Promise<RedisPackage> | undefined;

async function redis6(): Promise<RedisPackage> {
  const folder = await install(file, {packages: {redis: '6'}});
  return createRequire(join(folder, 'package.json'))('redis') as RedisPackage;
}

for (const [name, open] of Object.entries(clients)) {
  let client: StoreOption | undefined;
  if (skip === undefined) {
    test.before(`${name} 6 is opened`, async (t) => {
      t.timeout(600_000);
      const {store} = await engineNamed(name).fresh(file);
      client = open(store, file, await (installed ??= redis6()));
    });
  }
  testStore({
    title: `${name} 6`,
    guarantee: 'store',
    skip,
    open: (namespace, now) => openStore(client, {namespace, now, timeout: 20_000}),
  });
}
