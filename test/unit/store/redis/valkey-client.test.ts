import {createRequire} from 'node:module';
import test, {type ExecutionContext} from 'ava';
import {RedisConnection} from '../../../../src/store/redis/connection.ts';
import {openValkey, type ValkeyClient} from '../../../../src/store/redis/valkey-client.ts';
import {low, startNodes} from '../../../support/store/redis-cluster-fakes.ts';
import {TimedConnection} from '../../../support/store/timed-connection.ts';
import {Told} from '../../../support/store/told.ts';

const {Cluster} = createRequire(import.meta.resolve('@keyv/valkey'))('iovalkey') as {
  Cluster: new (nodes: object[], options: object) => ValkeyClient;
};

function connectTo(t: ExecutionContext, port: number): TimedConnection {
  const timeout = 20_000;
  const host = new Cluster([{host: '127.0.0.1', port}], {lazyConnect: true, redisOptions: {enableReadyCheck: false}});
  const settings = {isCluster: true, timeout, onError: new Told().onError};
  const connection = new TimedConnection(new RedisConnection(openValkey(host), settings), timeout);
  t.teardown(() => connection.close());
  return connection;
}

test('a command to a slot that is moving is sent again until it is accepted', async (t) => {
  const {first, says} = await startNodes(t);
  const connection = connectTo(t, first.port);
  const refusal = new Error('TRYAGAIN Multiple keys request during rehashing of slot');
  // The client itself gives up after fewer refusals.
  says.first = ([name]) => (name === 'GET' && first.count('GET') <= 40 ? refusal : 'first');
  says.second = () => new Error(`MOVED 3300 ${first.address}`);
  t.is(await connection.send(low, ['GET', low]), 'first');
  t.is(first.count('GET'), 41);
});
