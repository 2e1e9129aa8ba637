import '../support/quick-scrypt.ts';
import {AsyncLocalStorage} from 'node:async_hooks';
import {subscribe, tracingChannel, unsubscribe} from 'node:diagnostics_channel';
import {inspect} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {Keyv} from 'keyv';
import type {RedirectTrace} from '../../src/index.ts';
import {redirects, refused} from '../support/answers.ts';
import {FailingAdapter} from '../support/failing-adapter.ts';
import {secretsIn} from '../support/secrets.ts';
import {startSite} from '../support/site.ts';
import {mounts, memory} from '../support/worlds.ts';

const names = ['redirect', 'api', 'store'] as const;
const secret = 'a-secret-of-good-length-0123456789';
const destination = 'https://destination.example/page';

/** The events of a channel while the test runs, in order, with a copy of the context at that moment. */
function listen(t: ExecutionContext, name: (typeof names)[number]): Array<[event: string, context: object]> {
  const heard: Array<[string, object]> = [];
  const note = (event: string) => (context: object) => void heard.push([event, {...context}]);
  const subscribers = {
    start: note('start'),
    end: note('end'),
    asyncStart: note('asyncStart'),
    asyncEnd: note('asyncEnd'),
    error: note('error'),
  };
  const channel = tracingChannel(`koa-short-url:${name}`);
  channel.subscribe(subscribers);
  t.teardown(() => {
    channel.unsubscribe(subscribers);
  });
  return heard;
}

const ends = (heard: Array<[event: string, context: object]>): object[] =>
  heard.filter(([event]) => event === 'asyncEnd').map(([, context]) => context);

test.serial('a redirect is published with its short URL, and at its end with its status', async (t) => {
  const site = await startSite(t);
  const link = await site.create({custom_url: 'spring'});
  const heard = listen(t, 'redirect');
  redirects(t, await site.visit(link.short_url), destination);
  const begun = {shortUrl: link.short_url, method: 'GET', status: undefined};
  const ended = {...begun, status: 302, result: undefined};
  t.deepEqual(heard, [
    ['start', begun],
    ['end', begun],
    ['asyncStart', ended],
    ['asyncEnd', ended],
  ]);
});

for (const [when, mount] of [
  ['where pages answer first', mounts['at the root on Koa 3']],
  ['where links answer first', mounts['with defer: false']],
] as const) {
  test.serial(
    `${when}, each visit is published once with its status, and an outage as an error without its cause`,
    async (t) => {
      const adapter = new FailingAdapter();
      const site = await startSite(t, {
        world: {mount, backend: memory},
        shortUrl: {store: new Keyv({store: adapter}), secret, passwordAttempts: 1},
      });
      const locked = await site.create({password: 's3cret'});
      const other = await site.create({password: 's3cret'});
      const gone = await site.create();
      await site.api('disable', {short_url: gone.short_url});
      const heard = listen(t, 'redirect');
      await site.visit(locked.short_url);
      for (const password of ['s3cret', 'wrong', 's3cret']) await site.submit(locked.short_url, password);
      await site.visit(gone.short_url, {method: 'HEAD'});
      for (const path of ['/unknown', '/']) await site.request({path});
      const statuses = ends(heard).map((context) => (context as RedirectTrace).status);
      t.deepEqual(statuses, [200, 303, 401, 429, 410, undefined]);
      t.false(heard.some(([event, context]) => event === 'error' || 'error' in context));
      heard.length = 0;
      adapter.isDown = true;
      t.is((await site.request({path: '/unseen'})).status, 503);
      t.is((await site.submit(other.short_url, 's3cret')).status, 503);
      const failed = ['start', 'end', 'error', 'asyncStart', 'asyncEnd'];
      const events = heard.map(([event]) => event);
      t.deepEqual(events, [...failed, ...failed]);
      for (const context of ends(heard) as RedirectTrace[]) {
        t.like(context, {status: 503, error: {code: 'store_unavailable'}});
        t.is(context.error?.cause, undefined);
      }
    },
  );
}

test.serial('an API call is published with its operation, and at its end with its status and code', async (t) => {
  const site = await startSite(t);
  const heard = listen(t, 'api');
  await site.create();
  refused(t, await site.api('info', {short_url: `${site.baseUrl}/none`}, {suffix: '.xml'}), 'unknown_short_url');
  refused(t, await site.call(`${site.key}/x`), 'unknown_operation');
  t.deepEqual(ends(heard), [
    {operation: 'create', format: 'json', method: 'GET', status: 200, code: undefined, result: undefined},
    {operation: 'info', format: 'xml', method: 'GET', status: 404, code: 'unknown_short_url', result: undefined},
    {operation: undefined, format: 'json', method: 'GET', status: 404, code: 'unknown_operation', result: undefined},
  ]);
});

test.serial('a store operation is published with its engine, and a failure without its cause', async (t) => {
  const adapter = new FailingAdapter();
  const site = await startSite(t, {shortUrl: {store: new Keyv({store: adapter}), secret}});
  const heard = listen(t, 'store');
  await site.shortener.ready();
  adapter.isDown = true;
  await t.throwsAsync(site.shortener.accounts.apiKey('user-42'), {code: 'store_unavailable'});
  const [, failure] = heard.find(([event]) => event === 'error') ?? [];
  t.like(failure, {engine: 'keyv', operation: 'get', error: {code: 'store_unavailable'}});
  t.is((failure as {error: Error}).error.cause, undefined);
  t.deepEqual(heard[0], ['start', {engine: 'keyv', operation: 'ping'}]);
});

test.serial('a store operation runs in the context of the API call that needs it', async (t) => {
  const site = await startSite(t);
  // Otherwise the first request would also check the secret, beside the call.
  await site.shortener.ready();
  const calls = new AsyncLocalStorage<{readonly operation?: string}>();
  const {start} = tracingChannel('koa-short-url:api');
  start.bindStore(calls);
  t.teardown(() => {
    start.unbindStore(calls);
  });
  const seen: unknown[] = [];
  const note = (): void => void seen.push(calls.getStore()?.operation);
  const starts = 'tracing:koa-short-url:store:start';
  subscribe(starts, note);
  t.teardown(() => unsubscribe(starts, note));
  await site.api('info', {short_url: `${site.baseUrl}/none`});
  t.true(seen.length > 0);
  t.deepEqual([...new Set(seen)], ['info']);
});

test.serial('no channel publishes a key, a password, its hash, the secret or an address', async (t) => {
  const adapter = new FailingAdapter();
  const site = await startSite(t, {shortUrl: {store: new Keyv({store: adapter}), secret}});
  const heard = names.map((name) => listen(t, name));
  const {key} = site;
  const password = 'Mussels? 100% #fresh';
  const link = await site.create({password});
  await site.submit(link.short_url, 'Winkles/with;salt');
  await site.submit(link.short_url, password);
  await site.api('info', {short_url: link.short_url});
  await site.api('list_active_urls');
  await site.call(`${key}/password/${encodeURIComponent(password)}`);
  const {apiKey} = await site.shortener.accounts.rotate('user-42');
  adapter.isDown = true;
  await site.visit(link.short_url);
  await site.api('info', {short_url: link.short_url}, {key: apiKey});
  const all = inspect(heard, {depth: Infinity, showHidden: true, maxArrayLength: null, maxStringLength: null});
  t.true(heard.every((events) => events.length > 0));
  t.deepEqual(secretsIn(all, {key, apiKey, secret, password, wrong: 'Winkles/with;salt', login: 'hunter2'}), []);
  t.notRegex(all, /scrypt|127\.0\.0\.1|::1/);
});
