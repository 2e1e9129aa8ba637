import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
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
let servers: RedisSentinels;

if (skip === undefined) {
  test.before(async () => {
    servers = await RedisSentinels.start(directory, password);
  });
  test.after.always(() => servers.kill());
}

const title = 'redis+sentinel:';
const url = (): string => `redis+sentinel://:${password}@${servers.hosts}/${masterName}/3`;

testStore({title, guarantee, skip, open: (namespace, now) => openStore(url(), {namespace, now, timeout})});

testFailover({
  title,
  skip,
  open: (settings) => openStore(url(), settings),
  begin: async () => {
    await servers.isWhole();
    const master = await servers.master();
    return {master, mend: () => servers.revive(master)};
  },
});

check('redis+sentinel: an unknown master name is an outage that says so', async (t) => {
  const unknown = openStore(`redis+sentinel://:${password}@${servers.hosts}/other`, {namespace: 'n', timeout: 500});
  t.teardown(() => unknown.close());
  const error = await t.throwsAsync(unknown.ping(), {code: 'store_unavailable'});
  t.regex(String(error.cause), /does not know the master other/);
  t.notRegex(JSON.stringify([error, String(error.cause)]), /s3cret/);
});
