import KeyvRedis, {createSentinel} from '@keyv/redis';
import test from 'ava';
import {Keyv} from 'keyv';
import {openStore} from '../../src/store/open.ts';
import {type StoreOption} from '../../src/store/option.ts';
import {testStore} from './conformance.ts';
import {testFailover} from './failover.ts';
import {masterName, RedisSentinels} from './redis-sentinel-servers.ts';
import {missingRedis} from './redis-server.ts';
import {temporaryDirectory} from './temporary.ts';

const skip = await missingRedis();
const check = skip === undefined ? test.serial : test.serial.skip;
const guarantee = 'store';
const timeout = 20_000;
const password = 's3cret';
const directory = temporaryDirectory();
let servers: RedisSentinels;
let keyv: Keyv | undefined;

if (skip === undefined) {
  test.before(async () => {
    servers = await RedisSentinels.start(directory, password);
  });
  test.after.always(async () => {
    await (keyv?.store as KeyvRedis<unknown> | undefined)?.disconnect(true);
    await servers.kill();
  });
}

/** As a host makes it, once. */
function host(): Keyv {
  if (keyv) return keyv;
  const client = createSentinel({
    name: masterName,
    sentinelRootNodes: servers.sentinels.map(({port}) => ({host: '127.0.0.1', port})),
    nodeClientOptions: {password},
    sentinelClientOptions: {password},
  });
  keyv = new Keyv(new KeyvRedis(client), {namespace: 'host'});
  keyv.on('error', () => undefined);
  return keyv;
}

const options: Record<string, () => StoreOption> = {
  'redis+sentinel:': () => `redis+sentinel://:${password}@${servers.hosts}/${masterName}/3`,
  "a host's Keyv over a sentinel client": host,
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

check(
  'redis+sentinel: a name that no sentinel knows, and sentinels that are away, are outages that say so',
  async (t) => {
    const unknown = openStore(`redis+sentinel://:${password}@${servers.hosts}/other`, {namespace: 'n', timeout: 500});
    t.teardown(() => unknown.close());
    const error = await t.throwsAsync(unknown.ping(), {code: 'store_unavailable'});
    t.regex(String(error.cause), /no master by the name other/);
    const away = openStore('redis+sentinel://:s3cret@127.0.0.1:1/links', {namespace: 'n', timeout: 500});
    t.teardown(() => away.close());
    const refused = await t.throwsAsync(away.ping(), {code: 'store_unavailable'});
    t.regex(String(refused.cause), /ECONNREFUSED/);
    t.notRegex(JSON.stringify([error, refused, String(error.cause), String(refused.cause)]), /s3cret/);
  },
);

test('a sentinel client that tries again after a lost connection finds the command taken back', async (t) => {
  const wasTakenBack: boolean[] = [];
  const client = {
    isOpen: true,
    getSentinelNode: () => undefined,
    connect: () => Promise.resolve(),
    sendCommand: (_isReadonly: boolean, _command: string[], settings: {abortSignal: AbortSignal}) => {
      for (let tries = 0; tries < 3; tries += 1) wasTakenBack.push(settings.abortSignal.aborted);
      return Promise.reject(new TypeError("Cannot read properties of undefined (reading 'isReady')"));
    },
  };
  const adapter = {client, createKeyPrefix: (key: string) => key};
  for (const method of ['get', 'set', 'delete', 'clear']) Object.assign(adapter, {[method]: () => undefined});
  const store = openStore(adapter as never, {namespace: 'n'});
  await t.throwsAsync(store.increment('sequence'), {code: 'store_unavailable'});
  t.deepEqual(wasTakenBack, [false, true, true]);
});
