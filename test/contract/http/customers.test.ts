import test, {type ExecutionContext} from 'ava';
import type {AttributionOptions} from '../../../src/index.ts';
import {accepted, refused} from '../../support/answers.ts';
import {noon, type Site, startSite} from '../../support/site.ts';
import {sold} from '../../support/sold.ts';
import {viaOf} from '../../support/visitor.ts';
import {asXmlReads} from '../../support/xml.ts';

const day = 24 * 60 * 60_000;

interface Named {
  readonly short_url: string;
}

const start = (t: ExecutionContext, attribution: AttributionOptions = {}): Promise<Site> =>
  startSite(t, {shortUrl: {attribution}});

/** Visits a link, and returns the token of the visitor. */
async function tokenOf(site: Site, {short_url: shortUrl}: Named): Promise<string> {
  const reply = await site.visit(shortUrl);
  return viaOf(reply.headers['set-cookie']) ?? '';
}

const conversionsOf = async ({shortener}: Site, {short_url: shortUrl}: Named) =>
  (await shortener.links.stats('user-42', shortUrl)).conversions;

test('a customer who was identified at sign-up counts for the first link, months later and without a cookie', async (t) => {
  const site = await start(t);
  const {conversions} = site.shortener;
  const [first, second] = [await site.create(), await site.create()];
  const via = await tokenOf(site, first);
  const identified = await conversions.identify({via}, 'user-7');
  t.like(identified, {account: 'user-42', link: {shortUrl: first.short_url}});
  t.deepEqual(await conversions.identify({via: await tokenOf(site, second)}, 'user-7'), identified);
  // A job that retries has no cookie.
  t.deepEqual(await conversions.identify({via: undefined}, 'user-7'), identified);
  t.is(await conversions.identify({via: undefined}, 'user-8'), undefined);
  site.clock.now = noon + 200 * day;
  const renewal = {name: 'renewal', id: 'invoice 2', value: 990};
  t.is((await conversions.record({customer: 'user-7'}, renewal))?.link.shortUrl, first.short_url);
  t.is(await conversions.record({customer: 'user-8'}, renewal), undefined);
  t.deepEqual(await conversionsOf(site, first), [sold({name: 'renewal', conversions: 1, value: 990})]);
  t.deepEqual(await conversionsOf(site, second), []);
});

test('of any number of calls that identify a customer at once, the link of one stays', async (t) => {
  const site = await start(t);
  const {conversions} = site.shortener;
  const tokens = await Promise.all(Array.from({length: 5}, async () => tokenOf(site, await site.create())));
  const found = await Promise.all(
    Array.from({length: 20}, (_, index) => conversions.identify({via: tokens[index % 5]}, 7)),
  );
  t.is(new Set(found.map((each) => each?.link.shortUrl)).size, 1);
  t.is((await conversions.find({customer: '7'}))?.link.shortUrl, found[0]?.link.shortUrl);
});

test('an order with a customer counts for the link of the cookie, and otherwise for that of the customer', async (t) => {
  const site = await start(t);
  const {conversions} = site.shortener;
  const [first, second] = [await site.create(), await site.create()];
  const record = (via: unknown, id: number) => conversions.record({via}, {name: 'order', id, customer: 'user-7'});
  t.is(await record(undefined, 1), undefined);
  t.is((await record(await tokenOf(site, first), 2))?.link.shortUrl, first.short_url);
  t.is((await record(undefined, 3))?.link.shortUrl, first.short_url);
  t.is((await record('forged', 4))?.link.shortUrl, first.short_url);
  t.is((await record(await tokenOf(site, second), 5))?.link.shortUrl, second.short_url);
  t.is((await conversions.find({customer: 'user-7'}))?.link.shortUrl, first.short_url);
  t.deepEqual(await conversionsOf(site, first), [sold({conversions: 3})]);
  await t.throwsAsync(conversions.record({customer: 'a'}, {name: 'order', id: 6, customer: 'b'}), {
    code: 'malformed_parameter',
  });
});

test('a customer beside a token that is missing is used in every call', async (t) => {
  const site = await start(t);
  const {conversions} = site.shortener;
  const link = await site.create();
  await conversions.identify({via: await tokenOf(site, link)}, 'user-7');
  const both = {via: undefined, customer: 'user-7'};
  t.is((await conversions.find(both))?.link.shortUrl, link.short_url);
  t.is((await conversions.record(both, {name: 'order', id: 1}))?.link.shortUrl, link.short_url);
  t.is((await conversions.record({...both, via: 'forged'}, {name: 'order', id: 2}))?.link.shortUrl, link.short_url);
  t.is((await conversions.identify(both, 'user-8'))?.link.shortUrl, link.short_url);
  // A guest.
  const guest = {via: undefined, customer: undefined};
  t.is(await conversions.record(guest, {name: 'order', id: 3}), undefined);
  t.is(await conversions.find(guest), undefined);
  await t.throwsAsync(conversions.find({via: undefined, customer: ''}), {code: 'malformed_parameter'});
});

test('a call about nobody is a clear error', async (t) => {
  const {conversions} = (await start(t)).shortener;
  const order = {name: 'order', id: 1};
  for (const nobody of [undefined, null, 'token', 7, {}, {visitor: 1}] as never[]) {
    const wrong = {instanceOf: TypeError, message: /^Expected the first argument to be the request of the customer/};
    await t.throwsAsync(conversions.record(nobody, order), wrong);
    await t.throwsAsync(conversions.find(nobody), wrong);
    await t.throwsAsync(conversions.identify(nobody, 'user-7'), wrong);
  }
});

test('a repeat of an order does not bring back a customer who was forgotten meanwhile', async (t) => {
  const site = await start(t);
  const {conversions} = site.shortener;
  const via = await tokenOf(site, await site.create());
  const order = {name: 'order', id: 1, customer: 'user-7'};
  const call = {via, name: 'order', id: '1', customer: 'user-7'};
  await conversions.record({via}, order);
  accepted(t, await site.post('record_conversion', call));
  t.truthy(await conversions.find({customer: 'user-7'}));
  t.true(await conversions.forget('user-7'));
  t.like(accepted(t, await site.post('forget_customer', {customer: 'user-7'})), {was_known: true});
  t.truthy(await conversions.record({via}, order));
  accepted(t, await site.post('record_conversion', call));
  t.is(await conversions.find({customer: 'user-7'}), undefined);
  t.like(accepted(t, await site.post('forget_customer', {customer: 'user-7'})), {was_known: false});
  // What was forgotten is refunded all the same.
  t.truthy(await conversions.refund({name: 'order', id: 1, refund: 'a'}));
});

test('to identify a customer who is known keeps the customer for the whole time again', async (t) => {
  const site = await start(t, {customerAge: 10 * 24 * 60 * 60});
  const {conversions} = site.shortener;
  await conversions.identify({via: await tokenOf(site, await site.create())}, 'user-7');
  for (let visit = 1; visit <= 3; visit += 1) {
    site.clock.now += 9 * day;
    t.truthy(await conversions.identify({via: undefined}, 'user-7'));
  }
  site.clock.now += 9 * day;
  t.truthy(await conversions.find({customer: 'user-7'}));
});

test('find tells the link, its account and the time of the visit or the day of identify, and counts nothing', async (t) => {
  const site = await start(t, {customerAge: 10 * 24 * 60 * 60});
  const {conversions} = site.shortener;
  const link = await site.create();
  const via = await tokenOf(site, link);
  const found = await conversions.find({via});
  t.is(Math.floor(Number(found?.at) / 1000), Math.floor(noon / 1000));
  t.like(found, {account: 'user-42', link: {shortUrl: link.short_url}});
  t.deepEqual(await conversions.find({req: {headers: {cookie: `short_url_via=${via}`}}}), found);
  t.is(await conversions.find({req: {headers: {}}}), undefined);
  t.is(await conversions.find({via: 'forged'}), undefined);
  t.is(await conversions.find({customer: 'user-7'}), undefined);
  site.clock.now = noon + day;
  await conversions.identify({via}, 'user-7');
  site.clock.now = Date.UTC(2031, 4, 18) - 1;
  t.deepEqual(await conversions.find({customer: 'user-7'}), {...found, at: new Date('2031-05-07')});
  // A look is no use.
  site.clock.now += 1;
  t.is(await conversions.find({customer: 'user-7'}), undefined);
  t.deepEqual(await conversionsOf(site, link), []);
});

test('a customer is kept for `customerAge` after the last use, until it is forgotten, or until the account is removed', async (t) => {
  const site = await start(t, {customerAge: 10 * 24 * 60 * 60});
  const {conversions, accounts} = site.shortener;
  const via = await tokenOf(site, await site.create());
  for (const customer of ['used', 'unused', 'forgotten', 'late']) await conversions.identify({via}, customer);
  site.clock.now = noon + 10 * day;
  t.truthy(await conversions.record({customer: 'used'}, {name: 'order', id: 1}));
  site.clock.now = noon + 11 * day;
  t.truthy(await conversions.find({customer: 'used'}));
  t.is(await conversions.find({customer: 'unused'}), undefined);
  await conversions.identify({via}, 'forgotten');
  t.true(await conversions.forget('forgotten'));
  t.false(await conversions.forget('forgotten'));
  t.is(await conversions.find({customer: 'forgotten'}), undefined);
  t.truthy(await conversions.identify({via}, 'forgotten'));
  await accounts.remove('user-42');
  for (const customer of ['used', 'forgotten']) t.is(await conversions.find({customer}), undefined);
  t.is(await conversions.identify({via}, 'late'), undefined);
});

test('an id of a customer is 1 to 128 characters or an integer', async (t) => {
  const {conversions} = (await start(t)).shortener;
  for (const customer of ['', 'x'.repeat(129), 1.5, undefined, null, {}] as never[]) {
    const malformed = {code: 'malformed_parameter'};
    await t.throwsAsync(conversions.identify({via: undefined}, customer), malformed);
    await t.throwsAsync(conversions.find({customer}), malformed);
    await t.throwsAsync(conversions.record({customer}, {name: 'order', id: 1}), malformed);
    await t.throwsAsync(conversions.forget(customer), malformed);
  }
  await t.throwsAsync(conversions.find({visitor: 1} as never), {instanceOf: TypeError});
});

test('an API call identifies and forgets customers of its own links, apart from those of the site', async (t) => {
  const site = await start(t);
  const {accounts, conversions} = site.shortener;
  const {apiKey: key} = await accounts.create('user-43');
  const {url_id, short_url} = await site.create();
  const other = await site.create();
  const via = await tokenOf(site, {short_url});
  await conversions.identify({via: await tokenOf(site, other)}, 'user-7');
  const none = {link: null};
  const call = {via, customer: 'user-7'};
  t.like(accepted(t, await site.post('identify_customer', call, {key})), none);
  const reply = await site.post('identify_customer', call);
  t.deepEqual(accepted(t, reply).link, {url_id, short_url, status: 'active'});
  t.deepEqual((await site.post('identify_customer', call, {suffix: '.xml'})).xml(), asXmlReads(reply.json()));
  const order = {customer: 'user-7', name: 'order', id: '1001', value: 4900, currency: 'EUR'};
  t.like(accepted(t, await site.post('record_conversion', order)), {link: {short_url}});
  t.like(accepted(t, await site.post('record_conversion', order, {key})), none);
  refused(t, await site.post('record_conversion', {name: 'order', id: '1'}), 'missing_parameter');
  t.deepEqual(await conversionsOf(site, {short_url}), [
    sold({currency: 'EUR', recordedBy: 'account', conversions: 1, value: 4900}),
  ]);
  t.like(accepted(t, await site.post('forget_customer', {customer: 'user-7'}, {key})), {was_known: false});
  for (const was_known of [true, false]) {
    t.like(accepted(t, await site.post('forget_customer', {customer: 'user-7'})), {was_known});
  }
  t.like(accepted(t, await site.post('record_conversion', {...order, id: '1002'})), none);
  t.is((await conversions.find({customer: 'user-7'}))?.link.shortUrl, other.short_url);
});

test('values of two currencies are never added', async (t) => {
  const site = await start(t, {currency: 'EUR'});
  const {conversions, links, events} = site.shortener;
  const link = await site.create();
  const via = await tokenOf(site, link);
  const currencies: unknown[] = [];
  events.on('conversion', ({currency}) => currencies.push(currency));
  for (const [id, currency] of ['CHF', undefined, 'EUR', 'USD'].entries()) {
    await conversions.record({via}, {name: 'order', id, value: 100 + id, currency});
  }
  t.deepEqual(currencies, ['CHF', 'EUR', 'EUR', 'USD']);
  const entries = [
    sold({currency: 'EUR', conversions: 2, value: 203}),
    sold({currency: 'CHF', conversions: 1, value: 100}),
    sold({currency: 'USD', conversions: 1, value: 103}),
  ];
  t.deepEqual(await conversionsOf(site, link), entries);
  const stats = await links.stats('user-42', link.short_url, {from: '2031-05-06'});
  t.deepEqual(stats.conversions, entries);
  t.deepEqual(stats.days[0]?.values, [
    {currency: 'CHF', recordedBy: 'site', value: 100, refunded: 0},
    {currency: 'EUR', recordedBy: 'site', value: 203, refunded: 0},
    {currency: 'USD', recordedBy: 'site', value: 103, refunded: 0},
  ]);
  for (const currency of ['eur', 'EURO', '', 7]) {
    const conversion = {name: 'order', id: 'x', currency: currency as string};
    await t.throwsAsync(conversions.record({via}, conversion), {code: 'malformed_parameter'});
  }
  await t.throwsAsync(start(t, {currency: 'euro'}), {instanceOf: TypeError});
});

test('the links with the most conversions of a name have them in all currencies', async (t) => {
  const site = await start(t);
  const {conversions, links} = site.shortener;
  const made = [await site.create(), await site.create(), await site.create()];
  for (const [index, currency] of [
    [0, 'EUR'],
    [1, 'EUR'],
    [1, 'CHF'],
    [2, undefined],
  ] as const) {
    const via = await tokenOf(site, made[index] ?? {short_url: ''});
    await conversions.record({via}, {name: 'order', id: `${index} ${currency}`, currency});
  }
  const {links: listed} = await links.page('user-42', {order: 'conversions'});
  t.deepEqual(
    listed.map(({shortUrl}) => shortUrl),
    [1, 2, 0].map((index) => made[index]?.short_url),
  );
});

test('an account has at most twenty currencies', async (t) => {
  const site = await start(t);
  const via = await tokenOf(site, await site.create());
  const record = (currency: string) =>
    site.shortener.conversions.record({via}, {name: 'order', id: currency, currency});
  for (let index = 0; index < 20; index += 1) t.truthy(await record(`AA${String.fromCodePoint(65 + index)}`));
  await t.throwsAsync(record('ZZZ'), {code: 'malformed_parameter', message: /20 currencies/});
  t.truthy(await record('AAA'));
});

test('a refund counts once, for at most what is left, and the gross stays', async (t) => {
  const site = await start(t);
  const {conversions, links} = site.shortener;
  const link = await site.create();
  const via = await tokenOf(site, link);
  const order = {name: 'order', id: 1001};
  await conversions.record({via}, {...order, value: 4900, currency: 'EUR'});
  site.clock.now = noon + day;
  for (let repeat = 0; repeat < 3; repeat += 1) {
    const refund = await conversions.refund({...order, refund: 'a', value: 900});
    t.like(refund, {value: 900, link: {shortUrl: link.short_url}});
  }
  await t.throwsAsync(conversions.refund({...order, refund: 'b', value: 4001}), {code: 'refund_too_large'});
  t.like(await conversions.refund({...order, refund: 'b'}), {value: 4000});
  await t.throwsAsync(conversions.refund({...order, refund: 'c'}), {code: 'refund_too_large'});
  t.like(await conversions.refund({...order, refund: 'b', value: 4900}), {value: 4000});
  const entry = sold({currency: 'EUR', conversions: 1, value: 4900, refunds: 2, refunded: 4900});
  t.deepEqual(await conversionsOf(site, link), [entry]);
  const euros = {currency: 'EUR', recordedBy: 'site'} as const;
  t.deepEqual((await links.stats('user-42', link.short_url)).days, [
    {date: '2031-05-06', visits: 1, conversions: 1, values: [{...euros, value: 4900, refunded: 0}]},
    {date: '2031-05-07', visits: 0, conversions: 0, values: [{...euros, value: 0, refunded: 4900}]},
  ]);
  t.like(await site.shortener.accounts.stats('user-42'), {conversions: [entry]});
  t.is(await conversions.refund({name: 'order', id: 7, refund: 'a'}), undefined);
  for (const wrong of [{name: 'order', id: 1}, {refund: 'a', id: 1}, {}] as never[]) {
    await t.throwsAsync(conversions.refund(wrong), {code: 'missing_parameter'});
  }
  await t.throwsAsync(conversions.refund({...order, refund: ''}), {code: 'malformed_parameter'});
});

test('a refund has the currency of its order, also where that had none', async (t) => {
  const store = new Map<string, unknown>();
  const options = {store, secret: 'a secret of good length, for tests'};
  const before = await startSite(t, {shortUrl: {attribution: {}, ...options}});
  const link = await before.create();
  const via = await tokenOf(before, link);
  await before.shortener.conversions.record({via}, {name: 'order', id: 1, value: 100});
  // The site gets the option later.
  const {shortener} = await startSite(t, {shortUrl: {attribution: {currency: 'EUR'}, ...options}});
  await shortener.conversions.record({via}, {name: 'order', id: 2, value: 100});
  for (const id of [1, 2]) await shortener.conversions.refund({name: 'order', id, refund: 'a', value: 30});
  const each = {conversions: 1, value: 100, refunds: 1, refunded: 30};
  const {conversions: counted} = await shortener.links.stats('user-42', link.short_url);
  t.deepEqual(counted, [sold(each), sold({currency: 'EUR', ...each})]);
});

test('the day of a conversion and of its refund is that of the time zone, as the day of a visit is', async (t) => {
  const site = await startSite(t, {shortUrl: {attribution: {}, timeZone: 'Asia/Tokyo'}});
  const {conversions, links, accounts} = site.shortener;
  const link = await site.create();
  // In Tokyo the next day has begun.
  site.clock.set('2031-05-06T16:30:00Z');
  const via = await tokenOf(site, link);
  await conversions.record({via}, {name: 'order', id: 1, value: 100});
  await conversions.refund({name: 'order', id: 1, refund: 'a', value: 30});
  const values = [{currency: null, recordedBy: 'site', value: 100, refunded: 30}] as const;
  const days = [{date: '2031-05-07', visits: 1, conversions: 1, values}];
  t.deepEqual<unknown, unknown>((await links.stats('user-42', link.short_url)).days, days);
  t.deepEqual<unknown, unknown>((await accounts.stats('user-42')).days, days);
});

test('of refunds at once, those that fit count', async (t) => {
  const site = await start(t);
  const {conversions} = site.shortener;
  const link = await site.create();
  const via = await tokenOf(site, link);
  await conversions.record({via}, {name: 'order', id: 1, value: 100});
  const refunds = await Promise.allSettled(
    Array.from({length: 20}, (_, index) =>
      conversions.refund({name: 'order', id: 1, refund: Math.floor(index / 2), value: 30}),
    ),
  );
  t.is(refunds.filter(({status}) => status === 'fulfilled').length, 6);
  t.deepEqual(await conversionsOf(site, link), [sold({conversions: 1, value: 100, refunds: 3, refunded: 90})]);
});

test('a conversion without a value is refunded once', async (t) => {
  const site = await start(t);
  const {conversions} = site.shortener;
  const link = await site.create();
  await conversions.record({via: await tokenOf(site, link)}, {name: 'order', id: 1});
  t.like(await conversions.refund({name: 'order', id: 1, refund: 1}), {value: 0});
  await t.throwsAsync(conversions.refund({name: 'order', id: 1, refund: 2}), {code: 'refund_too_large'});
  t.deepEqual(await conversionsOf(site, link), [sold({conversions: 1, refunds: 1})]);
});

test('a conversion is refunded as long as it is remembered', async (t) => {
  const site = await start(t);
  const {conversions} = site.shortener;
  await conversions.record({via: await tokenOf(site, await site.create())}, {name: 'order', id: 1, value: 100});
  site.clock.now = noon + 400 * day - 1;
  t.truthy(await conversions.refund({name: 'order', id: 1, refund: 1, value: 10}));
  site.clock.now += 1;
  t.is(await conversions.refund({name: 'order', id: 1, refund: 2, value: 10}), undefined);
});

test('an API call refunds what the account has recorded, and nothing of the site or of others', async (t) => {
  const site = await start(t);
  const {accounts, conversions} = site.shortener;
  const {apiKey: key} = await accounts.create('user-43');
  const link = await site.create();
  const via = await tokenOf(site, link);
  const order = {name: 'order', id: '1'};
  await conversions.record({via}, {...order, value: 7});
  const refund = {...order, refund: 'a'};
  t.like(accepted(t, await site.post('refund_conversion', refund)), {link: null, value: null});
  accepted(t, await site.post('record_conversion', {via, ...order, value: 100}));
  t.like(accepted(t, await site.post('refund_conversion', refund, {key})), {link: null, value: null});
  refused(t, await site.post('refund_conversion', {...refund, value: 101}), 'refund_too_large');
  const reply = await site.post('refund_conversion', {...refund, value: 30});
  t.like(accepted(t, reply), {link: {short_url: link.short_url}, value: 30});
  t.deepEqual((await site.post('refund_conversion', refund, {suffix: '.xml'})).xml(), asXmlReads(reply.json()));
  t.deepEqual(await conversionsOf(site, link), [
    sold({conversions: 1, value: 7}),
    sold({recordedBy: 'account', conversions: 1, value: 100, refunds: 1, refunded: 30}),
  ]);
  t.like(await conversions.refund(refund), {value: 7});
});
