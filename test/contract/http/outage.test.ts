import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import Keyv from 'keyv';
import type {ShortUrlOptions} from '../../../src/index.ts';
import {isTheHosts, redirects, refused} from '../../support/answers.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import type {Reply} from '../../support/request.ts';
import {startSite, type Site} from '../../support/site.ts';
import {mounts, memory} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';
const secret = 'a-secret-of-good-length-0123456789';

const stores: Record<string, (adapter: FailingAdapter) => Keyv> = {
  'a Keyv instance': (adapter) => new Keyv({store: adapter}),
  'a Keyv instance that throws on errors': (adapter) => new Keyv({store: adapter, throwOnErrors: true}),
  'a storage adapter': (adapter) => adapter as never,
};

for (const [kind, make] of Object.entries(stores)) {
  test(`while ${kind} does not answer, every operation answers 503 with Retry-After`, async (t) => {
    const {site, adapter} = await start(t, make);
    const {short_url} = await site.create();
    adapter.isDown = true;
    for (const suffix of ['.json', '.xml']) {
      for (const [operation, parameters] of [
        ['create', {url: destination, custom_url: 'spring'}],
        ['disable', {short_url}],
        ['enable', {short_url}],
        ['info', {short_url}],
        ['info', {short_url: `${site.baseUrl}/none`}],
        ['list_active_urls', {limit: '5'}],
      ] as const) {
        const reply = await site.api(operation, parameters, {suffix});
        t.notRegex(refused(t, reply, 'store_unavailable'), /hunter2/);
      }
    }
    // A link that was not seen before is never unknown.
    for (const method of ['GET', 'HEAD']) {
      const reply = await site.visit(`${site.baseUrl}/unseen`, {method});
      t.is(reply.status, 503);
      t.notRegex(reply.text, /hunter2|ECONNREFUSED/);
    }
    adapter.isDown = false;
    t.deepEqual(await site.list(), [short_url]);
    redirects(t, await site.visit(short_url), destination);
    t.is((await site.create({custom_url: 'spring'})).short_url, `${site.baseUrl}/spring`);
  });

  test(`while ${kind} does not answer, the host’s pages and API are unchanged`, async (t) => {
    const {site, adapter} = await start(t, make);
    adapter.isDown = true;
    isTheHosts(t, await site.request({path: '/'}), 200, 'Home');
    isTheHosts(t, await site.request({path: '/about'}), 200, 'About this site');
    isTheHosts(t, await site.request({path: '/no/such/page'}), 404, 'No such page on this site.');
    isTheHosts(t, await site.request({path: '/api/v1/users'}), 200, 'The host’s GET /api/v1/users');
    isTheHosts(t, await site.request({path: '/unseen', host: 'foreign.example'}), 404, 'No such page on this site.');
  });

  test(`a link seen lately is redirected while ${kind} does not answer, and its visits are stored later`, async (t) => {
    const {site, adapter} = await start(t, make);
    const link = await site.create();
    redirects(t, await site.visit(link.short_url), destination);
    adapter.isDown = true;
    for (let visit = 0; visit < 3; visit++) redirects(t, await site.visit(link.short_url), destination);
    adapter.isDown = false;
    await site.shortener.close();

    const after = await startSite(t, {shortUrl: site.options});
    t.is((await after.info(link.short_url)).total_visits, 4);
  });
}

test('a link that has expired or was disabled is not redirected while the store does not answer', async (t) => {
  const {site, adapter} = await start(t);
  const [ending, disabled, uncertain] = [
    await site.create({expiry_date: '2031-05-06'}),
    await site.create(),
    await site.create(),
  ];
  for (const {short_url} of [ending, disabled, uncertain]) redirects(t, await site.visit(short_url), destination);
  t.is((await site.api('disable', {short_url: disabled.short_url})).status, 200);
  // The link is disabled, but the caller is told that the store did not answer.
  adapter.losesAnswers = true;
  refused(t, await site.api('disable', {short_url: uncertain.short_url}), 'store_unavailable');
  adapter.losesAnswers = false;
  adapter.isDown = true;
  for (const {short_url} of [disabled, uncertain]) t.is((await site.visit(short_url)).status, 503);
  redirects(t, await site.visit(ending.short_url), destination);
  site.clock.set('2031-05-07T00:00:00Z');
  t.is((await site.visit(ending.short_url)).status, 410);
});

test('close() waits some seconds for a store that does not answer, and reports how many visits it could not store', async (t) => {
  const {site, adapter} = await start(t);
  const link = await site.create();
  redirects(t, await site.visit(link.short_url), destination);
  adapter.isDown = true;
  for (let visit = 0; visit < 3; visit++) redirects(t, await site.visit(link.short_url), destination);
  const messages: string[] = [];
  site.shortener.events.on('error', ({message}) => messages.push(message));
  const began = performance.now();
  await site.shortener.close();
  const took = performance.now() - began;
  t.true(took > 4500 && took < 10_000, `${took} ms`);
  t.true(
    messages.includes('3 visits were lost, because the store did not accept them before it was closed.'),
    messages.join('\n'),
  );
});

const storeTimeout = 20_000;
for (const mount of ['at the root on Koa 3', 'with defer: false'] as const) {
  test(`${mount}: once a store is known to be away, no request waits for its timeout`, async (t) => {
    const adapter = new FailingAdapter();
    const site = await startSite(t, {
      world: {mount: mounts[mount], backend: memory},
      shortUrl: {store: adapter as never, secret, storeTimeout},
    });
    t.teardown(() => (adapter.isSilent = false));
    const link = await site.create({custom_url: 'seen'});
    await site.create({custom_url: 'unseen'});
    redirects(t, await site.visit(link.short_url), destination);
    adapter.isDown = true;
    t.is((await site.visit(`${site.baseUrl}/unseen`)).status, 503);
    adapter.isSilent = true;

    const start = performance.now();
    await Promise.all(
      Array.from({length: 10}, async () => {
        isTheHosts(t, await site.request({path: '/about'}), 200, 'About this site');
        redirects(t, await site.visit(link.short_url), destination);
        t.is((await site.visit(`${site.baseUrl}/unseen`)).status, 503);
      }),
    );
    t.true(performance.now() - start < storeTimeout);

    adapter.isDown = false;
    adapter.isSilent = false;
    redirects(t, await site.visit(`${site.baseUrl}/unseen`), destination);
  });
}

test('a list is complete, a 503 or a cut connection, wherever the store fails', async (t) => {
  const {site, adapter} = await start(t);
  for (let batch = 0; batch < 5; batch++) {
    await Promise.all(
      Array.from({length: 100}, async () => site.shortener.links.create('user-42', {url: destination})),
    );
  }
  const seen = new Set<string>();
  for (const suffix of ['.json', '.xml']) {
    for (let calls = 0; calls < 2000; calls = calls < 20 ? calls + 1 : Math.ceil(calls * 1.3)) {
      adapter.callsLeft = calls;
      const outcome = await listing(site, suffix);
      adapter.callsLeft = Infinity;
      t.regex(outcome, /^(503|broken off|whole)$/, `after ${calls} calls`);
      seen.add(outcome);
    }
  }
  t.true(seen.has('503'));
  t.true(seen.has('whole'));
});

async function listing(site: Site, suffix: string): Promise<string> {
  let reply: Reply;
  try {
    reply = await site.api('list_active_urls', {}, {suffix});
  } catch {
    return 'broken off';
  }
  if (reply.status !== 200) return String(reply.status);
  const {urls} = reply.envelope.data as {urls: unknown[]};
  return urls.length === 500 ? 'whole' : `${urls.length} of 500 links`;
}

async function start(
  t: ExecutionContext,
  make: (adapter: FailingAdapter) => Keyv = (bare) => bare as never,
  options: Partial<ShortUrlOptions> = {},
) {
  const adapter = new FailingAdapter();
  const site = await startSite(t, {shortUrl: {store: make(adapter), secret, ...options}});
  t.teardown(() => {
    adapter.isDown = false;
  });
  return {site, adapter};
}

/** A link with a password that was visited lately. */
async function startProtected(t: ExecutionContext, passwordAttempts: number) {
  const {site, adapter} = await start(t, undefined, {
    passwordAttempts,
    pages: {unavailable: ({reason, retryAfter}) => `${reason} ${retryAfter}`},
  });
  const {short_url} = await site.create({password: 's3cret'});
  t.is((await site.visit(short_url)).status, 200);
  return {site, adapter, submit: (password: string): Promise<Reply> => site.submit(short_url, password)};
}

test('while the store does not answer no password is checked: right and wrong ones get 503', async (t) => {
  const {adapter, submit, site} = await startProtected(t, 2);
  const denied: string[] = [];
  site.shortener.events.on('denied', ({reason}) => denied.push(reason));
  adapter.isDown = true;
  for (const password of ['s3cret', 'wrong', 'wrong', 's3cret', 'wrong', 's3cret']) {
    const {status, headers, text} = await submit(password);
    t.deepEqual([status, headers.location, text], [503, undefined, 'store_unavailable 1']);
    t.regex(headers['retry-after'] ?? '', /^[1-9]\d*$/);
  }
  t.deepEqual(denied, []);
  adapter.isDown = false;
  for (const [password, status] of [
    ['s3cret', 303],
    ['wrong', 401],
    ['wrong', 401],
  ] as const) {
    t.is((await submit(password)).status, status);
  }
  const waiting = await submit('s3cret');
  t.deepEqual([waiting.status, waiting.text], [429, `too_many_requests ${waiting.headers['retry-after']}`]);
  t.deepEqual(denied, ['invalid_password', 'invalid_password', 'too_many_requests']);
});

test('a failure of the store never gives a client more attempts at a password', async (t) => {
  const seen = new Set<string>();
  for (let calls = 0; calls < 9; calls++) {
    const {adapter, submit, site} = await startProtected(t, 1);
    adapter.callsLeft = calls;
    const first = await submit('wrong');
    adapter.callsLeft = Infinity;
    // An interrupted attempt counts as a wrong password from now on.
    site.clock.now += 60_000;
    const second = await submit('wrong');
    seen.add(`${first.status} ${second.status}`);
    if (second.status === 401) t.is(first.status, 503, 'the one attempt is still available');
    t.is((await submit('s3cret')).status, 429);
  }
  // The store failed before the attempt was counted, after it, or not at all.
  t.deepEqual([...seen].sort(), ['401 429', '503 401', '503 429']);
});
