import test, {type ExecutionContext} from 'ava';
import '../../support/quick-scrypt.ts';
import {accepted, redirects, refused} from '../../support/answers.ts';
import type {Reply} from '../../support/request.ts';
import {type Site, startSite} from '../../support/site.ts';
import {collect} from '../../support/collect.ts';

const url = 'https://destination.example/page';
const wrongKey = (index: number): string => `wrong-key-${index}`.padEnd(32, 'x');
const from = (address: string) => ({headers: {'X-Forwarded-For': address}});

function list(site: Site, key: string, address: string): Promise<Reply> {
  return site.api('list_active_urls', {}, {key, ...from(address)});
}

/** Checks that the call was refused with a Retry-After, and returns its seconds. */
function isLimited(t: ExecutionContext, reply: Reply): number {
  refused(t, reply, 'too_many_requests');
  const {'retry-after': seconds = ''} = reply.headers;
  t.regex(seconds, /^[1-9]\d*$/);
  return Number(seconds);
}

test('after keyAttempts wrong API keys a client has to wait, and other clients do not', async (t) => {
  const site = await startSite(t, {proxy: true, shortUrl: {keyAttempts: 3}});
  for (let index = 0; index < 3; index++) refused(t, await list(site, wrongKey(index), '192.0.2.1'), 'invalid_api_key');
  for (const suffix of ['.json', '.xml']) {
    const key = wrongKey(9);
    const reply = await site.api('list_active_urls', {}, {key, suffix, ...from('192.0.2.1')});
    t.true(isLimited(t, reply) <= 15 * 60);
    t.false(reply.text.includes(key));
  }
  isLimited(t, await list(site, 'not-even-in-the-form-of-a-key', '192.0.2.1'));
  refused(t, await list(site, wrongKey(9), '192.0.2.2'), 'invalid_api_key');
  accepted(t, await list(site, site.key, '192.0.2.2'));

  site.clock.now += 15 * 60_000;
  refused(t, await list(site, wrongKey(9), '192.0.2.1'), 'invalid_api_key');
});

test('wrong keys count in the path and in the header, and a call without a key is not counted', async (t) => {
  const site = await startSite(t, {shortUrl: {keyAttempts: 2}});
  const inHeader = {keyIn: 'header'} as const;
  const authorizations = ['', 'Bearer', 'Basic dXNlcjpwYXNz', 'Bearer a b'];
  for (const authorization of authorizations) {
    const headers = {Authorization: authorization};
    refused(t, await site.call('list_active_urls.json', {...inHeader, headers}), 'invalid_api_key');
  }
  refused(t, await site.call('list_active_urls.json', {...inHeader, key: wrongKey(1)}), 'invalid_api_key');
  refused(t, await site.call('list_active_urls.json', {key: wrongKey(2)}), 'invalid_api_key');
  for (const call of [inHeader, {}]) {
    const reply = await site.call('list_active_urls.json', {...call, key: wrongKey(3)});
    isLimited(t, reply);
    t.is(reply.headers['www-authenticate'], undefined);
  }
});

test('a right key works for a limited client too, also in a new process, and an old one never counts as wrong', async (t) => {
  const site = await startSite(t, {proxy: true, shortUrl: {keyAttempts: 2}});
  const {key} = site;
  for (let index = 0; index < 5; index++) await list(site, wrongKey(index), '192.0.2.1');
  isLimited(t, await list(site, wrongKey(9), '192.0.2.1'));
  accepted(t, await list(site, key, '192.0.2.1'));

  const {apiKey} = await site.shortener.accounts.rotate('user-42');
  // A program with a rotated key is misconfigured; it does not guess.
  for (let turn = 0; turn < 10; turn++) refused(t, await list(site, key, '192.0.2.3'), 'invalid_api_key');
  accepted(t, await list(site, apiKey, '192.0.2.3'));
});

test('with app.proxy a client is the address that the proxy sends', async (t) => {
  const site = await startSite(t, {proxy: true, shortUrl: {keyAttempts: 1, passwordAttempts: 1}});
  const link = await site.create({password: 's3cret'}, from('192.0.2.9'));
  for (const [client, another, again = client] of [
    ['192.0.2.1', '192.0.2.2'],
    // One IPv6 client has a whole /64 network, and some proxies append a port, which differs for each connection.
    ['[2001:db8:1:2::1]:51234', '[2001:db8:1:3::1]:51234', '2001:db8:1:2:ffff::2'],
  ] as const) {
    t.is((await site.submit(link.short_url, 'wrong', from(client))).status, 401);
    t.is((await site.submit(link.short_url, 's3cret', from(again))).status, 429);
    redirects(t, await site.submit(link.short_url, 's3cret', from(another)), link.original_url, 303);
    refused(t, await list(site, wrongKey(1), client), 'invalid_api_key');
    isLimited(t, await list(site, wrongKey(2), again));
    refused(t, await list(site, wrongKey(3), another), 'invalid_api_key');
  }
});

test('an empty or overlong password is not counted as an attempt', async (t) => {
  const site = await startSite(t, {shortUrl: {passwordAttempts: 1}});
  const link = await site.create({password: 's3cret'});
  for (const password of ['', 'x'.repeat(129), 'x'.repeat(10_000)]) {
    t.is((await site.submit(link.short_url, password)).status, 401);
  }
  redirects(t, await site.submit(link.short_url, 's3cret'), link.original_url, 303);
});

test('an account creates at most createQuota links a day, through the API and the program together', async (t) => {
  const site = await startSite(t, {shortUrl: {createQuota: 3}});
  const {apiKey: key} = await site.shortener.accounts.create('user-43');
  await site.create();
  await site.shortener.links.create('user-42', {url});
  await site.create({custom_url: 'spring', password: 's3cret'});
  // The clock says noon.
  t.is(isLimited(t, await site.api('create', {url})), 12 * 60 * 60);
  await t.throwsAsync(site.shortener.links.create('user-42', {url}), {code: 'too_many_requests'});
  t.is((await site.list()).length, 3);
  accepted(t, await site.api('disable', {short_url: `${site.baseUrl}/spring`}));
  await site.create({}, {key});
  site.clock.set('2031-05-07T00:00:00Z');
  await site.create();
});

test('a function gives each account its own quota, and the create fails where it fails', async (t) => {
  const quotas: Record<string, unknown> = {'user-42': 1, 'user-43': Infinity, 'user-44': 0};
  const createQuota = (account: string) => Promise.resolve(quotas[account] as number);
  const {shortener} = await startSite(t, {shortUrl: {createQuota}});
  const {accounts, links, events} = shortener;
  const errors: string[] = [];
  events.on('error', ({code}) => errors.push(code));
  for (const account of ['user-43', 'user-44', 'user-45']) await accounts.create(account);
  await links.create('user-42', {url});
  for (const account of ['user-42', 'user-44']) {
    await t.throwsAsync(links.create(account, {url}), {code: 'too_many_requests'});
  }
  quotas['user-42'] = 2;
  await links.create('user-42', {url});
  for (let turn = 0; turn < 3; turn++) await links.create('user-43', {url});
  t.deepEqual(errors, []);
  for (const quota of [undefined, -1, 1.5, NaN, '5']) {
    quotas['user-45'] = quota;
    await t.throwsAsync(links.create('user-45', {url}), {code: 'internal_error'});
  }
  t.deepEqual(
    errors,
    Array.from({length: 5}, () => 'internal_error'),
  );
  t.deepEqual((await links.page('user-45')).links, []);
});

test('of concurrent creates exactly as many succeed as the quota allows, and the others leave no link', async (t) => {
  const site = await startSite(t, {shortUrl: {createQuota: 7}});
  const replies = await Promise.all(Array.from({length: 30}, () => site.api('create', {url})));
  t.is(replies.filter(({status}) => status === 200).length, 7);
  t.is(replies.filter(({status}) => status === 429).length, 23);
  t.is((await site.list()).length, 7);
});

test('an account that is removed and created again has no new quota on that day', async (t) => {
  const site = await startSite(t, {shortUrl: {createQuota: 2}});
  const {accounts, links} = site.shortener;
  await links.create('user-42', {url});
  await links.create('user-42', {url});
  await accounts.remove('user-42');
  await accounts.create('user-42');
  await t.throwsAsync(links.create('user-42', {url}), {code: 'too_many_requests'});
  site.clock.now += 24 * 60 * 60_000;
  await links.create('user-42', {url});
});

test('calls with an idempotency key that are refused leave nothing in the store, however many there are', async (t) => {
  const store = new Map<string, unknown>();
  const secret = 'a secret of good length, for tests';
  const site = await startSite(t, {shortUrl: {createQuota: 2, store, secret}});
  const {links} = site.shortener;
  const many = async (idempotencyKey: string): Promise<void> => {
    await collect(links.createMany('user-42', [{url}, {url: 'nonsense'}], {idempotencyKey}));
  };
  await links.create('user-42', {url});
  await many('first');
  const {size} = store;
  for (let count = 0; count < 20; count++) {
    const idempotencyKey = `key-${count}`;
    await t.throwsAsync(links.create('user-42', {url}, {idempotencyKey}), {code: 'too_many_requests'});
    await t.throwsAsync(links.create('user-42', {url, reuse: true}, {idempotencyKey}), {code: 'too_many_requests'});
    await many(idempotencyKey);
    await t.throwsAsync(links.create('user-42', {url: 'nonsense'}, {idempotencyKey}), {code: 'invalid_url'});
  }
  t.is(store.size, size);
});
