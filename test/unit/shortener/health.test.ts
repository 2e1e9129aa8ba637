import assert from 'node:assert/strict';
import test from 'ava';
import {Keyv} from 'keyv';
import {shortUrl} from '../../../src/index.ts';
import {version} from '../../../src/version.ts';
import {eventually} from '../../support/store/eventually.ts';
import {redirects} from '../../support/answers.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import {startSite} from '../../support/site.ts';

const secret = 'a-secret-of-good-length-0123456789';
const destination = 'https://destination.example/page';

test('while the store answers, health() gives its engine, its guarantee and the latency of a ping', async (t) => {
  const site = await startSite(t);
  const {latency, ...health} = await site.shortener.health();
  t.deepEqual(health, {
    isReady: true,
    engine: 'memory',
    guarantee: 'process',
    awaySince: null,
    failure: null,
    unstoredVisits: 0,
    version,
  });
  t.true(typeof latency === 'number' && latency >= 0);
});

test('in an outage, health() gives its start, its cause and the number of unstored visits, until the store is back', async (t) => {
  const adapter = new FailingAdapter();
  const site = await startSite(t, {shortUrl: {store: new Keyv({store: adapter}), secret}});
  const link = await site.create();
  redirects(t, await site.visit(link.short_url), destination);
  const before = Date.now();
  adapter.isDown = true;
  for (let visit = 0; visit < 3; visit += 1) redirects(t, await site.visit(link.short_url), destination);
  const health = await site.shortener.health();
  t.like(health, {isReady: false, engine: 'keyv', latency: null, unstoredVisits: 3});
  const since = health.awaySince?.getTime() ?? 0;
  t.true(since >= before && since <= Date.now());
  t.regex(String(health.failure), /^The store did not answer\. Cause: .*ECONNREFUSED/);
  t.notRegex(JSON.stringify(health), /hunter2/);

  adapter.isDown = false;
  await eventually(async () => {
    assert.equal((await site.shortener.health()).unstoredVisits, 0);
  });
  t.is((await site.info(link.short_url)).total_visits, 4);
  t.like(await site.shortener.health(), {isReady: true, awaySince: null, failure: null, unstoredVisits: 0});
});

test('while the store answers but has no room for visits, health() says why they are not stored', async (t) => {
  const adapter = new FailingAdapter();
  const site = await startSite(t, {shortUrl: {store: new Keyv({store: adapter}), secret}});
  const link = await site.create();
  redirects(t, await site.visit(link.short_url), destination);
  adapter.isFull = true;
  redirects(t, await site.visit(link.short_url), destination);
  const full = await site.shortener.health();
  t.like(full, {isReady: true, awaySince: null, unstoredVisits: 1});
  t.regex(String(full.failure), /^The store refused to write: it has no room\. .* Cause: .*ENOSPC/);

  adapter.isFull = false;
  await eventually(async () => {
    assert.equal((await site.shortener.health()).failure, null);
  });
  t.is((await site.info(link.short_url)).total_visits, 2);
});

test('while the store answers but refuses creates, health() says why until a write is stored', async (t) => {
  const adapter = new FailingAdapter();
  const site = await startSite(t, {shortUrl: {store: new Keyv({store: adapter}), secret}});
  await site.shortener.accounts.create('ann');
  adapter.isFull = true;
  await t.throwsAsync(site.shortener.links.create('ann', {url: destination}), {code: 'store_unavailable'});
  await eventually(async () => {
    assert.ok((await site.shortener.health()).isReady);
  });
  const {failure} = await site.shortener.health();
  t.regex(String(failure), /^The store refused to write: it has no room\. .* Cause: .*ENOSPC/);

  adapter.isFull = false;
  await site.shortener.links.create('ann', {url: destination});
  t.is((await site.shortener.health()).failure, null);
});

test('health() of a closed shortener says that it is closed', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  shortener.events.on('error', () => undefined);
  await shortener.close();
  t.like(await shortener.health(), {isReady: false, failure: 'The store is closed.', awaySince: null});
});
