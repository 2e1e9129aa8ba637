import test from 'ava';
import {startSite} from '../support/site.ts';
import {missingRedis, RedisServer} from '../support/store/redis-server.ts';
import {eventually} from '../support/store/eventually.ts';

const skip = await missingRedis();
const check = skip === undefined ? test : test.skip;

check('a Redis that comes back empty is reported once after the outage, and the site goes on', async (t) => {
  const redis = await RedisServer.start();
  t.teardown(() => redis.kill());
  const site = await startSite(t, {shortUrl: {store: redis.url, secret: 'a-secret-of-good-length-0123456789'}});
  const messages: string[] = [];
  site.shortener.events.on('error', ({code, message}) => messages.push(`${code} ${message}`));
  const link = await site.create();
  await redis.kill();
  await redis.restart();
  await eventually(async () => {
    const {isReady, failure} = await site.shortener.health();
    if (!isReady) throw new Error(String(failure));
    t.regex(String(failure), /^The store has lost the data of the site/);
  });
  const {apiKey} = await site.shortener.accounts.create('user-42');
  t.is(await site.shortener.accounts.apiKey('user-42'), apiKey);
  await site.shortener.ready();
  t.is((await site.visit(link.short_url)).status, 404);
  t.is(messages.filter((message) => message.startsWith('internal_error The store has lost')).length, 1);
  t.true(
    messages.every((message) => /lost the data|did not answer/.test(message)),
    messages.join('\n'),
  );
});
