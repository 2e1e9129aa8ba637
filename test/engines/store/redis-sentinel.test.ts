import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import {testStore} from '../../support/store/conformance.ts';
import {testFailover} from '../../support/store/failover.ts';
import {masterName, RedisSentinels} from '../../support/store/redis-sentinel-servers.ts';
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

if (skip === undefined) {
  test.before(async () => {
    servers = await RedisSentinels.start(owner, directory, password);
  });
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
