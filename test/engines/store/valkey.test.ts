import {openStore} from '../../../src/store/opening/open.ts';
import {testStore} from '../../support/store/conformance.ts';
import {cleanSharedRedis, missingRedis, sharedRedis} from '../../support/store/redis-server.ts';

// Valkey speaks the protocol of Redis, so these tests use a Redis server.
const skip = await missingRedis();
const timeout = 20_000;
const url = sharedRedis.replace('redis:', 'valkey:');

cleanSharedRedis();

testStore({
  title: 'valkey:',
  guarantee: 'store',
  skip,
  open: (namespace, now) => openStore(url, {namespace, now, timeout}),
});
