import test, {type ExecutionContext} from 'ava';
import type {ConversionEvent} from '../../../src/index.ts';
import {accepted, refused} from '../../support/answers.ts';
import {listPages, partsOf} from '../../support/list-pages.ts';
import {noon, type Site, startSite} from '../../support/site.ts';
import {viaOf} from '../../support/visitor.ts';
import {asXmlReads} from '../../support/xml.ts';
import {sold} from '../../support/sold.ts';

const day = 24 * 60 * 60_000;

interface Named {
  readonly short_url: string;
}

const start = (t: ExecutionContext, maxAge?: number): Promise<Site> =>
  startSite(t, {shortUrl: {attribution: {maxAge}}});

/** Visits a link, and returns the token of the visitor. */
async function tokenOf(site: Site, {short_url: shortUrl}: Named): Promise<string> {
  const reply = await site.visit(shortUrl);
  return viaOf(reply.headers['set-cookie']) ?? '';
}

/** What a day was worth without a currency. */
const valued = (value: number) => [{currency: null, recordedBy: 'site', value, refunded: 0}];

const conversionsOf = async ({shortener}: Site, {short_url: shortUrl}: Named) =>
  (await shortener.links.stats('user-42', shortUrl)).conversions;

test('a conversion counts for the link that brought the customer, with its value, in the totals and on its day', async (t) => {
  const site = await start(t);
  const {conversions, links, accounts, admin} = site.shortener;
  const [link, other] = [await site.create(), await site.create()];
  const via = await tokenOf(site, link);
  const recorded = await conversions.record({via}, {name: 'order', id: 1001, value: 4900});
  t.is(recorded?.link.shortUrl, link.short_url);
  await conversions.record({via}, {name: 'order', id: '1002', value: 100});
  await conversions.record({via}, {name: 'registration', id: 'user-7'});
  const expected = [sold({conversions: 2, value: 5000}), sold({name: 'registration', conversions: 1})];
  const totals = {days: [{date: '2031-05-06', visits: 1, conversions: 3, values: valued(5000)}], conversions: expected};
  const stats = {totalVisits: 1, lastAccessed: '2031-05-06 12:00:00', ...totals};
  t.like(await links.stats('user-42', link.short_url), stats);
  t.like(await accounts.stats('user-42'), stats);
  t.like(await admin.stats(), {totalVisits: 1, ...totals});
  t.like(await admin.account('user-42'), totals);
  t.deepEqual(await conversionsOf(site, other), []);
  const {links: listed} = await links.page('user-42', {days: 7, order: 'oldest'});
  t.deepEqual(
    listed.map((each) => each.conversions),
    [expected, []],
  );
  t.deepEqual((await links.page('user-42')).links[0]?.conversions, []);
});

test('the request of a customer has the link of the last visit in its cookie', async (t) => {
  const recorded: unknown[] = [];
  const site = await startSite(t, {
    shortUrl: {attribution: {}},
    downstream: async (ctx, next) => {
      await next();
      const id = ctx.query['id'];
      if (id === undefined) return;
      const order = await site.shortener.conversions.record(ctx, {name: 'order', id: String(id)});
      recorded.push(order?.link.shortUrl);
    },
  });
  const link = await site.create();
  const via = await tokenOf(site, link);
  await site.request({path: '/about?id=1', headers: {Cookie: `a=b; short_url_via=${via}; c=d`}});
  await site.request({path: '/about?id=2'});
  await site.request({path: '/about?id=3', headers: {Cookie: 'short_url_via=forged'}});
  // A page of a subdomain can set one of the same name.
  await site.request({path: '/about?id=4', headers: {Cookie: `short_url_via=tossed; short_url_via="${via}"`}});
  t.deepEqual(recorded, [link.short_url, undefined, undefined, link.short_url]);
  t.deepEqual(await conversionsOf(site, link), [sold({conversions: 2})]);
});

test('a name and an id count once, whatever is repeated, and for the link of the first call', async (t) => {
  const site = await start(t);
  const {conversions, accounts, links, events} = site.shortener;
  const [link, other] = [await site.create(), await site.create()];
  await accounts.create('user-43');
  const foreign = await links.create('user-43', {url: 'https://destination.example/foreign'});
  const via = await tokenOf(site, link);
  const told: ConversionEvent[] = [];
  events.on('conversion', (event) => told.push(event));
  const order = {name: 'order', id: '1001', value: 4900};
  const all = await Promise.all(Array.from({length: 20}, () => conversions.record({via}, order)));
  all.push(await conversions.record({via: await tokenOf(site, other)}, {...order, value: 1}));
  all.push(await conversions.record({via: await tokenOf(site, {short_url: foreign.shortUrl})}, order));
  t.deepEqual([...new Set(all.map((each) => each?.link.shortUrl))], [link.short_url]);
  t.deepEqual(await conversionsOf(site, link), [sold({conversions: 1, value: 4900})]);
  t.deepEqual(await conversionsOf(site, other), []);
  t.deepEqual((await accounts.stats('user-43')).conversions, []);
  t.is(told.length, 1);
  t.like(told[0], {account: 'user-42', ...order, at: new Date(noon), link: {shortUrl: link.short_url}});
});

test('for 400 days a name and an id count once, and after that again', async (t) => {
  const site = await start(t);
  const link = await site.create();
  for (const [after, count] of [
    [0, 1],
    [400 * day - 1, 1],
    [400 * day, 2],
  ] as const) {
    site.clock.now = noon + after;
    await site.shortener.conversions.record({via: await tokenOf(site, link)}, {name: 'order', id: '1001'});
    t.like(await conversionsOf(site, link), [{conversions: count}]);
  }
});

test('a blocked, disabled or expired link gets its conversions, and those of a removed one stay in the totals', async (t) => {
  const site = await start(t);
  const {conversions, links, admin, accounts} = site.shortener;
  const made = [
    await site.create(),
    await site.create(),
    await site.create({expiry_date: '2031-05-06'}),
    await site.create({custom_url: 'again'}),
  ] as const;
  const [blocked, disabled, , removed] = made;
  const tokens = await Promise.all(made.map((link) => tokenOf(site, link)));
  await admin.block(blocked.short_url);
  await links.disable('user-42', disabled.short_url);
  await links.remove('user-42', removed.short_url);
  site.clock.now = noon + day;
  const record = (index: number, id: number) => conversions.record({via: tokens[index]}, {name: 'order', id});
  for (const [index, status] of ['disabled', 'disabled', 'expired'].entries()) {
    const link = made[index] ?? removed;
    t.like((await record(index, index))?.link, {shortUrl: link.short_url, status});
    t.like(await conversionsOf(site, link), [{conversions: 1}]);
  }
  const gone = {urlId: removed.url_id, shortUrl: removed.short_url, status: 'removed'};
  t.deepEqual((await record(3, 3))?.link, gone);
  const again = await site.create({custom_url: 'again'});
  t.deepEqual((await record(3, 4))?.link, gone);
  t.deepEqual(await conversionsOf(site, again), []);
  t.like((await accounts.stats('user-42')).conversions, [{name: 'order', conversions: 5}]);
});

test('a forged or changed token, and one that is too old, is no customer of a link', async (t) => {
  const site = await start(t, 3600);
  const other = await start(t);
  const via = await tokenOf(site, await site.create());
  const foreign = await tokenOf(other, await other.create());
  const record = (each: unknown) => site.shortener.conversions.record({via: each}, {name: 'order', id: 1});
  for (const each of [`${via}A`, via.slice(1), foreign, 'x', '', undefined, ['x']]) t.is(await record(each), undefined);
  site.clock.now = noon + 3_601_000;
  t.is(await record(via), undefined);
  site.clock.now = noon + 3_599_000;
  t.truthy(await record(via));
});

test('what is no conversion is refused, also for those whom no link brought', async (t) => {
  const site = await start(t);
  const via = await tokenOf(site, await site.create());
  const {conversions} = site.shortener;
  for (const [conversion, code] of [
    [{name: 'order'}, 'missing_parameter'],
    [undefined, 'missing_parameter'],
    [{name: 'order', id: '1', price: 1}, 'unknown_parameter'],
    [{name: 'Order', id: '1'}, 'malformed_parameter'],
    [{name: 'order', id: ''}, 'malformed_parameter'],
    [{name: 'order', id: 'x'.repeat(129)}, 'malformed_parameter'],
    [{name: 'order', id: 1.5}, 'malformed_parameter'],
    [{name: 'order', id: '1', value: -1}, 'malformed_parameter'],
    [{name: 'order', id: '1', value: 1_000_000_000_001}, 'malformed_parameter'],
    [{name: 'order', id: '1', value: '4900'}, 'malformed_parameter'],
  ] as const) {
    await t.throwsAsync(conversions.record({via}, conversion as never), {code});
    await t.throwsAsync(conversions.record({via: undefined}, conversion as never), {code});
  }
});

test('a site has at most eight names of conversions', async (t) => {
  const site = await start(t);
  const link = await site.create();
  const via = await tokenOf(site, link);
  const {conversions} = site.shortener;
  const names = Array.from({length: 8}, (_, index) => `name_${index}`);
  for (const name of names) t.truthy(await conversions.record({via}, {name, id: 1}));
  await t.throwsAsync(conversions.record({via}, {name: 'ninth', id: 1}), {code: 'malformed_parameter'});
  t.truthy(await conversions.record({via}, {name: 'name_0', id: 2}));
  t.deepEqual(
    (await conversionsOf(site, link)).map(({name}) => name),
    names,
  );
});

test('a name of conversions is given up for another one, and what was counted stays', async (t) => {
  const site = await start(t);
  const {conversions, links} = site.shortener;
  const link = await site.create();
  const via = await tokenOf(site, link);
  const names = ['oder', ...Array.from({length: 7}, (_, index) => `name_${index}`)];
  for (const name of names)
    await conversions.record({via}, {name, id: 1, currency: name === 'oder' ? 'EUR' : undefined});
  await conversions.record({via}, {name: 'oder', id: 2});
  const order = {name: 'order', id: 1};
  await t.throwsAsync(conversions.record({via}, order), {code: 'malformed_parameter', message: /oder, name_0/});
  t.true(await conversions.forgetName('oder'));
  t.false(await conversions.forgetName('oder'));
  t.truthy(await conversions.record({via}, order));
  await t.throwsAsync(conversions.record({via}, {...order, name: 'oder'}), {code: 'malformed_parameter'});
  t.is((await conversionsOf(site, link)).filter(({name}) => name === 'oder').length, 2);
  const listed = (await links.page('user-42', {days: 7})).links[0]?.conversions ?? [];
  t.deepEqual(listed.map(({name}) => name).toSorted(), [...names.slice(1), 'order']);
  await t.throwsAsync(conversions.forgetName('Order'), {code: 'malformed_parameter'});
  // Those of API calls are apart.
  accepted(t, await site.post('record_conversion', {via, name: 'order', id: '1'}));
  for (const was_known of [true, false]) {
    t.like(accepted(t, await site.post('forget_conversion_name', {name: 'order'})), {was_known});
  }
  t.true(await conversions.forgetName('order'));
});

test('record_conversion records for other servers, in JSON and XML, with a key of the account of the link', async (t) => {
  const site = await start(t);
  const {url_id, short_url} = await site.create();
  const order = {via: await tokenOf(site, {short_url}), name: 'order', id: '1001', value: 4900};
  const reply = await site.post('record_conversion', order);
  t.deepEqual(accepted(t, reply).link, {url_id, short_url, status: 'active'});
  t.deepEqual((await site.post('record_conversion', order, {suffix: '.xml'})).xml(), asXmlReads(reply.json()));
  const stats = accepted(t, await site.api('stats', {short_url}));
  const own = {currency: null, recorded_by: 'account', value: 4900};
  t.deepEqual<unknown, unknown>(stats.conversions, [{name: 'order', ...own, conversions: 1, refunds: 0, refunded: 0}]);
  // The number of a day is that of the site.
  t.deepEqual<unknown, unknown>(stats.days, [
    {date: '2031-05-06', visits: 1, conversions: 0, values: [{...own, refunded: 0}]},
  ]);
  refused(t, await site.post('record_conversion', {name: 'order', id: '1'}), 'missing_parameter');
  refused(t, await site.post('record_conversion', {...order, id: 7}), 'malformed_parameter');
});

test('an API call records nothing for links of other accounts, and cannot use up the names and ids of others', async (t) => {
  const site = await start(t);
  const {accounts, conversions, keys} = site.shortener;
  const {apiKey: key} = await accounts.create('user-43');
  const [link, own] = [await site.create(), await site.create({}, {key})];
  const [via, ownVia] = [await tokenOf(site, link), await tokenOf(site, own)];
  const none = {link: null};
  for (const each of [via, 'forged'])
    t.like(accepted(t, await site.post('record_conversion', {via: each, name: 'order', id: '1'}, {key})), none);
  for (let index = 1; index <= 8; index += 1)
    accepted(t, await site.post('record_conversion', {via: ownVia, name: `name_${index}`, id: '1'}, {key}));
  refused(t, await site.post('record_conversion', {via: ownVia, name: 'ninth', id: '1'}, {key}), 'malformed_parameter');
  accepted(t, await site.post('record_conversion', {via, name: 'name_1', id: '1'}));
  t.is((await conversions.record({via}, {name: 'order', id: '1'}))?.link.shortUrl, link.short_url);
  accepted(t, await site.post('record_conversion', {via, name: 'order', id: '1'}));
  const byAccount = {recordedBy: 'account', conversions: 1} as const;
  t.deepEqual(await conversionsOf(site, link), [
    sold({name: 'name_1', ...byAccount}),
    sold({conversions: 1}),
    sold(byAccount),
  ]);
  const {apiKey: reader} = await keys.create('user-42', {label: 'x', scope: 'create'});
  refused(t, await site.post('record_conversion', {via, name: 'order', id: '2'}, {key: reader}), 'insufficient_scope');
});

test('the site and an API call count an order with the same name and id apart, and an event says whose it is', async (t) => {
  const site = await start(t);
  const {conversions, events} = site.shortener;
  const link = await site.create();
  const via = await tokenOf(site, link);
  const told: unknown[] = [];
  events.on('conversion', ({recordedBy, name, id, value}) => told.push({recordedBy, name, id, value}));
  const order = {name: 'order', id: '1', value: 7};
  for (let repeat = 0; repeat < 2; repeat += 1) {
    accepted(t, await site.post('record_conversion', {via, ...order}));
    await conversions.record({via}, order);
  }
  t.deepEqual(told, [
    {recordedBy: 'account', ...order},
    {recordedBy: 'site', ...order},
  ]);
  const once = {conversions: 1, value: 7};
  t.deepEqual(await conversionsOf(site, link), [sold(once), sold({recordedBy: 'account', ...once})]);
});

test('what API calls of an account record is in no figure of the site, and beside it in those of the account', async (t) => {
  const site = await start(t);
  const {accounts, admin, conversions, links} = site.shortener;
  const {short_url: shortUrl} = await site.create({tags: 'sale'});
  const via = await tokenOf(site, {short_url: shortUrl});
  const order = {name: 'order', value: 500, currency: 'EUR'};
  await conversions.record({via}, {...order, id: 1});
  for (let id = 2; id < 22; id += 1) {
    accepted(t, await site.post('record_conversion', {via, ...order, id: String(id), value: 99_900}));
  }
  accepted(t, await site.post('refund_conversion', {name: 'order', id: '2', refund: 'a'}));
  const ofSite = sold({currency: 'EUR', conversions: 1, value: 500});
  const byAccount = {recordedBy: 'account', currency: 'EUR', value: 1_998_000, refunded: 99_900} as const;
  const own = sold({...byAccount, conversions: 20, refunds: 1});
  const siteValue = {currency: 'EUR', recordedBy: 'site', value: 500, refunded: 0};
  for (const span of [undefined, {from: '2031-05-06'}]) {
    const {days, conversions: told} = await admin.stats(span);
    t.deepEqual(told, [ofSite]);
    t.like(days[0], {conversions: 1, values: [siteValue]});
    for (const each of [await accounts.stats('user-42', span), await links.stats('user-42', shortUrl, span)]) {
      t.deepEqual(each.conversions, [own, ofSite]);
      t.deepEqual<unknown, unknown>(each.days, [
        {date: '2031-05-06', visits: 1, conversions: 1, values: [siteValue, byAccount]},
      ]);
    }
    const compared = await links.compare('user-42', {...span, order: 'value'});
    t.deepEqual(compared.conversions, [own, ofSite]);
    t.like(compared.most[0], {conversions: 1, values: [siteValue, byAccount]});
    const {tags} = await links.compareTags('user-42', span);
    t.like(tags[0], {tag: 'sale', conversions: 1, values: [siteValue, byAccount]});
  }
  t.deepEqual((await links.page('user-42', {days: 7})).links[0]?.conversions, [own, ofSite]);
  const [row] = accepted(t, await site.post('compare', {})).urls as unknown as Array<Record<string, unknown>>;
  t.is(row?.['conversion_count'], 1);
});

test('without the option `attribution` a conversion is refused, because nothing would ever count', async (t) => {
  const site = await startSite(t, {});
  await t.throwsAsync(site.shortener.conversions.record({via: 'x'}, {name: 'order', id: 1}), {
    instanceOf: TypeError,
    message: /`attribution`/,
  });
});

test('from and until restrict the days and the totals, in code and in the API', async (t) => {
  const site = await start(t);
  const {links, accounts, admin, conversions} = site.shortener;
  const {short_url} = await site.create();
  for (let index = 0; index < 4; index += 1) {
    site.clock.now = noon + index * day;
    const via = await tokenOf(site, {short_url});
    await conversions.record({via}, {name: 'order', id: index, value: 10 ** index});
  }
  const stats = (span?: Parameters<typeof links.stats>[2]) => links.stats('user-42', short_url, span);
  const span = {from: '2031-05-07', until: '2031-05-08'};
  const days = [
    {date: '2031-05-07', visits: 1, conversions: 1, values: valued(10)},
    {date: '2031-05-08', visits: 1, conversions: 1, values: valued(100)},
  ];
  const totals = {totalVisits: 2, days, conversions: [sold({conversions: 2, value: 110})]};
  for (const each of [await stats(span), await accounts.stats('user-42', span), await admin.stats(span)]) {
    t.like(each, totals);
  }
  t.like(await stats(), {totalVisits: 4});
  t.like(await stats({from: '2031-05-09'}), {totalVisits: 1});
  t.like(await stats({until: '2031-05-06'}), {totalVisits: 1});
  t.like(await stats({from: '2032-01-01'}), {totalVisits: 0, days: [], conversions: []});
  const data = accepted(t, await site.api('stats', {short_url, ...span}));
  const inApi = JSON.stringify({days, conversions: totals.conversions}).replaceAll('recordedBy', 'recorded_by');
  t.like(data, {total_visits: 2, ...(JSON.parse(inApi) as object)});
  for (const wrong of [{from: '2031-02-30'}, {until: 'today'}, {from: '2031-05-08', until: '2031-05-07'}]) {
    await t.throwsAsync(stats(wrong), {code: 'malformed_parameter'});
    await t.throwsAsync(admin.stats(wrong), {code: 'malformed_parameter'});
    refused(t, await site.api('stats', {short_url, ...wrong}), 'malformed_parameter');
  }
  await t.throwsAsync(accounts.stats('user-42', {since: '2031-01-01'} as never), {code: 'unknown_parameter'});
});

test('links are listed by the conversions of the first name, the most first and then the newest', async (t) => {
  const site = await start(t);
  const {conversions, admin, accounts} = site.shortener;
  const {apiKey: key} = await accounts.create('user-43');
  const made = new Map<string, string>();
  for (const custom of ['none', 'two', 'other', 'three', 'last']) {
    made.set(custom, await tokenOf(site, await site.create({custom_url: custom})));
  }
  const foreign = await tokenOf(site, await site.create({custom_url: 'foreign'}, {key}));
  for (const [part, name, ids] of [
    ['two', 'order', ['a', 'b']],
    ['other', 'order', ['c', 'd']],
    ['three', 'order', ['e']],
    ['three', 'registration', ['a', 'b', 'c']],
  ] as const) {
    for (const id of ids) await conversions.record({via: made.get(part)}, {name, id});
  }
  // Names that only the accounts have.
  for (const id of ['1', '2', '3', '4']) {
    accepted(t, await site.post('record_conversion', {via: made.get('three'), name: 'rated', id}));
    accepted(t, await site.post('record_conversion', {via: foreign, name: 'own_name', id}, {key}));
  }
  for (const suffix of ['.json', '.xml']) {
    const found: string[] = [];
    const pages = listPages(site, 'list_urls', {order: 'conversions', limit: '2'}, suffix);
    for await (const page of pages) found.push(...partsOf(page));
    t.deepEqual(found, ['other', 'two', 'three', 'last', 'none']);
  }
  const ofSite = await admin.pageLinks({order: 'conversions'});
  t.deepEqual(
    ofSite.links.map(({link}) => link.shortUrlPart),
    ['other', 'two', 'three', 'foreign', 'last', 'none'],
  );
});

test("the operator's order by conversions leaves out those of API calls", async (t) => {
  const site = await start(t);
  const {admin} = site.shortener;
  const shown = async (): Promise<string[]> =>
    (await admin.pageLinks({order: 'conversions'})).links.map(({link}) => link.shortUrlPart);
  const tokens: string[] = [];
  for (const custom of ['a', 'b', 'c']) tokens.push(await tokenOf(site, await site.create({custom_url: custom})));
  t.deepEqual(await shown(), ['c', 'b', 'a']);
  for (const [link, name, id] of [
    [1, 'rated', '1'],
    [0, 'shared', '1'],
    [0, 'shared', '2'],
  ] as const) {
    accepted(t, await site.post('record_conversion', {via: tokens[link], name, id}));
  }
  // The order is remembered for a minute.
  site.clock.now += 61_000;
  t.deepEqual(await shown(), ['c', 'b', 'a']);
});
