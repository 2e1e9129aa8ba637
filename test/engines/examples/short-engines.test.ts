import test from 'ava';
import {buildApp as onPostgres} from '../../../examples/postgres.ts';
import {buildApp as onRedisCluster} from '../../../examples/redis-cluster.ts';
import {hasRedisServer, redisCluster} from '../../support/engines/cluster.ts';
import {type Engine, whyMissing} from '../../support/engines/engines.ts';
import {postgresDatabase} from '../../support/engines/servers.ts';
import {visitorOf} from '../../support/examples/visitor.ts';

const url = 'https://destination.example/page';
const secret = 'a secret for this test, and for nothing else';

const postgres: Engine = {name: 'postgres', isShared: true, fresh: postgresDatabase};
const cluster: Engine = {name: 'redis+cluster', isShared: true, fresh: redisCluster, probe: hasRedisServer};
const reasons = await Promise.all([postgres, cluster].map(whyMissing));
for (const reason of reasons) if (reason !== undefined) console.warn(`Skipped: ${reason}`);
const [checkPostgres, checkCluster] = reasons.map((reason) => (reason === undefined ? test : test.skip));

checkPostgres?.('on Postgres links outlast the site, and the health check reports the database', async (t) => {
  const {store: database} = await postgresDatabase(t);
  const first = onPostgres({database, secret});
  await first.shortener.accounts.create('ann');
  const {shortUrl} = await first.shortener.links.create('ann', {url});
  await first.shortener.close();

  const {app, shortener} = onPostgres({database, secret});
  t.teardown(() => shortener.close());
  const visit = await visitorOf(t, app);
  t.is((await visit(shortUrl)).headers.location, url);
  t.is((await shortener.links.info('ann', shortUrl)).totalVisits, 1);
  t.is((await visit('https://example.com/healthz')).status, 200);

  // No server listens on port 1.
  const away = onPostgres({database: 'postgres://postgres@127.0.0.1:1/site', secret});
  t.teardown(() => away.shortener.close());
  t.is((await (await visitorOf(t, away.app))('https://example.com/healthz')).status, 503);
});

checkCluster?.("on a Redis Cluster links are stored through the site's own client, which is closed last", async (t) => {
  const {store} = await redisCluster(t);
  const nodes = store.slice('redis+cluster://'.length).split(',');
  const first = onRedisCluster({nodes: nodes.slice(0, 1), secret});
  const visit = await visitorOf(t, first.app);
  await first.shortener.accounts.create('ann');
  // Enough links to have some on each master.
  const links = await Promise.all(Array.from({length: 30}, () => first.shortener.links.create('ann', {url})));
  const statuses = await Promise.all(links.map(async ({shortUrl}) => (await visit(shortUrl)).status));
  t.deepEqual(new Set(statuses), new Set([302]));
  t.is(new Set(links.map(({urlId}) => urlId)).size, 30);
  await first.close();

  const second = onRedisCluster({nodes: nodes.slice(1), secret});
  t.teardown(() => second.close());
  let found = 0;
  for await (const {totalVisits} of second.shortener.links.list('ann')) {
    t.is(totalVisits, 1);
    found++;
  }
  t.is(found, 30);
});
