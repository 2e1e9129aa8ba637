import test, {type ExecutionContext} from 'ava';
import type {ConversionEvent} from '../../../src/index.ts';
import {accepted, refused} from '../../support/answers.ts';
import type {Data} from '../../support/request.ts';
import {noon, type Site, startSite} from '../../support/site.ts';
import {viaOf} from '../../support/visitor.ts';

const day = 24 * 60 * 60_000;

const start = (t: ExecutionContext, maxAge?: number): Promise<Site> =>
  startSite(t, {shortUrl: {attribution: {maxAge}}});

/** Visits a link, and returns the token of the visitor. */
async function tokenOf(site: Site, {short_url: shortUrl}: Data): Promise<string> {
  const reply = await site.visit(shortUrl);
  return viaOf(reply.headers['set-cookie']) ?? '';
}

const conversionsOf = async ({shortener}: Site, {short_url: shortUrl}: Data) =>
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
  const expected = [
    {name: 'order', conversions: 2, value: 5000},
    {name: 'registration', conversions: 1, value: 0},
  ];
  const days = [{date: '2031-05-06', visits: 1, conversions: 3}];
  const stats = await links.stats('user-42', link.short_url);
  t.like(stats, {totalVisits: 1, lastAccessed: '2031-05-06 12:00:00', days, conversions: expected});
  t.like(await accounts.stats('user-42'), {
    totalVisits: 1,
    lastAccessed: '2031-05-06 12:00:00',
    days,
    conversions: expected,
  });
  t.like(await admin.stats(), {totalVisits: 1, days, conversions: expected});
  t.like(await admin.account('user-42'), {days, conversions: expected});
  t.deepEqual(await conversionsOf(site, other), []);
  const {links: listed} = await links.page('user-42', {days: 7, order: 'oldest'});
  t.deepEqual(
    listed.map((each) => each.conversions),
    [expected, []],
  );
  t.is((await links.page('user-42')).links[0]?.conversions, undefined);
});

test('the request of a customer has the link of the last visit in its cookie', async (t) => {
  const recorded: unknown[] = [];
  const site = await startSite(t, {
    shortUrl: {attribution: {}},
    downstream: async (ctx, next) => {
      if (ctx.path !== '/buy') {
        await next();
        return;
      }
      const order = await site.shortener.conversions.record(ctx, {name: 'order', id: String(ctx.query['id'])});
      recorded.push(order?.link.shortUrl);
      ctx.body = 'Thank you';
    },
  });
  const link = await site.create();
  const via = await tokenOf(site, link);
  await site.request({path: '/buy?id=1', headers: {Cookie: `a=b; short_url_via=${via}; c=d`}});
  await site.request({path: '/buy?id=2'});
  await site.request({path: '/buy?id=3', headers: {Cookie: 'short_url_via=forged'}});
  t.deepEqual(recorded, [link.short_url, undefined, undefined]);
  t.deepEqual(await conversionsOf(site, link), [{name: 'order', conversions: 1, value: 0}]);
});

test('a name and an id count once, whatever is repeated, and for the link of the first call', async (t) => {
  const site = await start(t);
  const {conversions} = site.shortener;
  const [link, other] = [await site.create(), await site.create()];
  await site.shortener.accounts.create('user-43');
  const foreign = await site.shortener.links.create('user-43', {url: 'https://destination.example/foreign'});
  const via = await tokenOf(site, link);
  const events: ConversionEvent[] = [];
  site.shortener.events.on('conversion', (event) => events.push(event));
  const order = {name: 'order', id: '1001', value: 4900};
  const all = await Promise.all(Array.from({length: 20}, () => conversions.record({via}, order)));
  all.push(await conversions.record({via: await tokenOf(site, other)}, {...order, value: 1}));
  all.push(await conversions.record({via: await tokenOf(site, {short_url: foreign.shortUrl} as Data)}, order));
  t.deepEqual([...new Set(all.map((each) => each?.link.shortUrl))], [link.short_url]);
  t.deepEqual(await conversionsOf(site, link), [{name: 'order', conversions: 1, value: 4900}]);
  t.deepEqual(await conversionsOf(site, other), []);
  t.deepEqual((await site.shortener.accounts.stats('user-43')).conversions, []);
  t.is(events.length, 1);
  t.like(events[0], {account: 'user-42', name: 'order', id: '1001', value: 4900, at: new Date(noon)});
  t.is(events[0]?.link.shortUrl, link.short_url);
});

test('for 400 days a name and an id count once, and after that again', async (t) => {
  const site = await start(t);
  const link = await site.create();
  const order = {name: 'order', id: '1001'};
  await site.shortener.conversions.record({via: await tokenOf(site, link)}, order);
  site.clock.now = noon + 400 * day - 1;
  await site.shortener.conversions.record({via: await tokenOf(site, link)}, order);
  t.like(await conversionsOf(site, link), [{conversions: 1}]);
  site.clock.now = noon + 400 * day;
  await site.shortener.conversions.record({via: await tokenOf(site, link)}, order);
  t.like(await conversionsOf(site, link), [{conversions: 2}]);
});

test('a blocked, disabled or expired link gets its conversions, and those of a removed one stay in the totals', async (t) => {
  const site = await start(t);
  const {conversions, links, admin, accounts} = site.shortener;
  const [blocked, disabled, expired, removed] = [
    await site.create(),
    await site.create(),
    await site.create({expiry_date: '2031-05-06'}),
    await site.create({custom_url: 'again'}),
  ];
  const tokens = await Promise.all([blocked, disabled, expired, removed].map((link) => tokenOf(site, link)));
  await admin.block(blocked.short_url);
  await links.disable('user-42', disabled.short_url);
  await links.remove('user-42', removed.short_url);
  site.clock.now = noon + day;
  const record = (index: number) => conversions.record({via: tokens[index]}, {name: 'order', id: index});
  t.like((await record(0))?.link, {shortUrl: blocked.short_url, status: 'disabled'});
  t.like((await record(1))?.link, {shortUrl: disabled.short_url, status: 'disabled'});
  t.like((await record(2))?.link, {shortUrl: expired.short_url, status: 'expired'});
  for (const link of [blocked, disabled, expired]) t.like(await conversionsOf(site, link), [{conversions: 1}]);
  const gone = {urlId: removed.url_id, shortUrl: removed.short_url, status: 'removed'};
  t.deepEqual((await record(3))?.link, gone);
  const again = await site.create({custom_url: 'again'});
  const later = await conversions.record({via: tokens[3]}, {name: 'order', id: 'later'});
  t.deepEqual(later?.link, gone);
  t.deepEqual(await conversionsOf(site, again), []);
  t.like((await accounts.stats('user-42')).conversions, [{name: 'order', conversions: 5}]);
});

test('a forged or changed token, and one that is too old, is no customer of a link', async (t) => {
  const site = await start(t, 3600);
  const other = await start(t);
  const link = await site.create();
  const via = await tokenOf(site, link);
  const foreign = await tokenOf(other, await other.create());
  const record = (each: unknown) => site.shortener.conversions.record({via: each}, {name: 'order', id: 1});
  for (const each of [`${via}A`, via.slice(1), via.slice(0, -1), foreign, 'x', '', undefined, null, ['x']]) {
    t.is(await record(each), undefined);
  }
  site.clock.now = noon + 3_601_000;
  t.is(await record(via), undefined);
  site.clock.now = noon + 3_599_000;
  t.is((await record(via))?.link.shortUrl, link.short_url);
});

test('what is no conversion is refused, also for those whom no link brought', async (t) => {
  const site = await start(t);
  const via = await tokenOf(site, await site.create());
  const {conversions} = site.shortener;
  for (const [conversion, code] of [
    [{name: 'order'}, 'missing_parameter'],
    [{id: '1'}, 'missing_parameter'],
    [undefined, 'missing_parameter'],
    [{name: 'order', id: '1', price: 1}, 'unknown_parameter'],
    [{name: 'Order', id: '1'}, 'malformed_parameter'],
    [{name: 'a'.repeat(33), id: '1'}, 'malformed_parameter'],
    [{name: 'order', id: ''}, 'malformed_parameter'],
    [{name: 'order', id: 'x'.repeat(129)}, 'malformed_parameter'],
    [{name: 'order', id: 1.5}, 'malformed_parameter'],
    [{name: 'order', id: '1', value: -1}, 'malformed_parameter'],
    [{name: 'order', id: '1', value: 1.5}, 'malformed_parameter'],
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

test('record_conversion records for other servers, in JSON and XML, with a key of the account of the link', async (t) => {
  const site = await start(t);
  const link = await site.create();
  const via = await tokenOf(site, link);
  const order = {via, name: 'order', id: '1001', value: 4900};
  const data = accepted(t, await site.post('record_conversion', order));
  t.deepEqual(data.link, {url_id: link.url_id, short_url: link.short_url, status: 'active'});
  const xml = await site.post('record_conversion', order, {suffix: '.xml'});
  t.true(xml.text.includes(`<short_url>${link.short_url}</short_url><status>active</status></link>`), xml.text);
  t.deepEqual(await conversionsOf(site, link), [{name: 'order', conversions: 1, value: 4900}]);
  const stats = accepted(t, await site.api('stats', {short_url: link.short_url}));
  t.deepEqual(stats.conversions, [{name: 'order', conversions: 1, value: 4900}]);
  t.deepEqual(stats.days, [{date: '2031-05-06', visits: 1, conversions: 1}]);
  t.is((await site.call('record_conversion/via/x/name/order/id/1', {keyIn: 'header'})).status, 405);
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
  t.deepEqual(await conversionsOf(site, link), [
    {name: 'name_1', conversions: 1, value: 0},
    {name: 'order', conversions: 1, value: 0},
  ]);
  const {apiKey: reader} = await keys.create('user-42', {label: 'x', scope: 'create'});
  refused(t, await site.post('record_conversion', {via, name: 'order', id: '2'}, {key: reader}), 'insufficient_scope');
});

test('from and until restrict the days and the totals, in code and in the API', async (t) => {
  const site = await start(t);
  const {links, accounts, admin, conversions} = site.shortener;
  const link = await site.create();
  for (let index = 0; index < 4; index += 1) {
    site.clock.now = noon + index * day;
    const via = await tokenOf(site, link);
    await conversions.record({via}, {name: 'order', id: index, value: 10 ** index});
  }
  const span = {from: '2031-05-07', until: '2031-05-08'};
  const days = [
    {date: '2031-05-07', visits: 1, conversions: 1},
    {date: '2031-05-08', visits: 1, conversions: 1},
  ];
  const totals = {totalVisits: 2, days, conversions: [{name: 'order', conversions: 2, value: 110}]};
  t.like(await links.stats('user-42', link.short_url, span), totals);
  t.like(await accounts.stats('user-42', span), totals);
  t.like(await admin.stats(span), totals);
  t.like(await links.stats('user-42', link.short_url), {totalVisits: 4});
  t.like(await links.stats('user-42', link.short_url, {from: '2031-05-09'}), {totalVisits: 1});
  t.like(await links.stats('user-42', link.short_url, {until: '2031-05-06'}), {totalVisits: 1});
  t.like(await links.stats('user-42', link.short_url, {from: '2032-01-01'}), {
    totalVisits: 0,
    days: [],
    conversions: [],
  });
  const data = accepted(t, await site.api('stats', {short_url: link.short_url, ...span}));
  t.like(data, {total_visits: 2, days});
  t.deepEqual(data.conversions, totals.conversions);
  for (const wrong of [{from: '2031-02-30'}, {until: 'today'}, {from: '2031-05-08', until: '2031-05-07'}]) {
    await t.throwsAsync(links.stats('user-42', link.short_url, wrong), {code: 'malformed_parameter'});
    await t.throwsAsync(admin.stats(wrong), {code: 'malformed_parameter'});
    refused(t, await site.api('stats', {short_url: link.short_url, ...wrong}), 'malformed_parameter');
  }
  await t.throwsAsync(accounts.stats('user-42', {since: '2031-01-01'} as never), {code: 'unknown_parameter'});
});

test('links are listed by the conversions of the first name, the most first and then the newest, in code and in the API', async (t) => {
  const site = await start(t);
  const {conversions, links, admin, accounts} = site.shortener;
  const {apiKey: key} = await accounts.create('user-43');
  const made = new Map<string, string>();
  for (const custom of ['none', 'two', 'other', 'three', 'last']) {
    made.set(custom, await tokenOf(site, await site.create({custom_url: custom})));
  }
  const foreign = await tokenOf(site, await site.create({custom_url: 'foreign'}, {key}));
  const record = (via: string | undefined, name: string, id: string) => conversions.record({via}, {name, id});
  for (const id of ['a', 'b']) await record(made.get('two'), 'order', id);
  for (const id of ['c', 'd']) await record(made.get('other'), 'order', id);
  await record(made.get('three'), 'order', 'e');
  await record(made.get('three'), 'registration', 'e');
  // A name that only the account has.
  accepted(t, await site.post('record_conversion', {via: made.get('three'), name: 'rated', id: '1'}));
  for (const id of ['1', '2', '3', '4']) {
    accepted(t, await site.post('record_conversion', {via: foreign, name: 'own_name', id}, {key}));
  }

  const expected = ['other', 'two', 'three', 'last', 'none'];
  const page = await links.page('user-42', {order: 'conversions', days: 1});
  t.deepEqual(
    page.links.map(({shortUrlPart}) => shortUrlPart),
    expected,
  );
  t.deepEqual(
    page.links.map(({conversions: [first] = []}) => first?.conversions),
    [2, 2, 1, undefined, undefined],
  );
  const ofSite = await admin.pageLinks({order: 'conversions'});
  t.deepEqual(
    ofSite.links.map(({link}) => link.shortUrlPart),
    ['other', 'two', 'three', 'foreign', 'last', 'none'],
  );

  for (const limit of ['1', '2', '5']) {
    const [json, xml]: [string[], string[]] = [[], []];
    let cursor: Record<string, string> = {};
    do {
      const asked = {order: 'conversions', limit, ...cursor};
      const data = accepted(t, await site.api('list_urls', asked));
      json.push(...data.urls.map((url) => url.short_url));
      const {text} = await site.api('list_urls', asked, {suffix: '.xml'});
      xml.push(...Array.from(text.matchAll(/<short_url>([^<]*)</g), ([, url = '']) => url));
      cursor = 'next_cursor' in data ? {cursor: data.next_cursor} : {};
      // More conversions do not move a link to another page while somebody reads.
      await record(made.get('none'), 'order', `later-${json.length}-${limit}`);
    } while ('cursor' in cursor && json.length < 20);
    const urls = expected.map((part) => `https://example.com/${part}`);
    t.deepEqual(json, urls, limit);
    t.deepEqual(xml, urls, limit);
  }
  const posted = accepted(t, await site.post('list_urls', {order: 'conversions', limit: 1}));
  t.is(posted.urls[0]?.short_url, 'https://example.com/other');
  refused(
    t,
    await site.api('list_urls', {order: 'visits', cursor: (posted as {next_cursor?: string}).next_cursor ?? ''}),
    'malformed_parameter',
  );
});

test('on a site that records no conversions the order is by the first name of the API calls of each account', async (t) => {
  const site = await start(t);
  const tokens: string[] = [];
  for (const custom of ['a', 'b', 'c']) tokens.push(await tokenOf(site, await site.create({custom_url: custom})));
  for (const [link, name, id] of [
    [1, 'rated', '1'],
    [0, 'shared', '1'],
    [0, 'shared', '2'],
  ] as const) {
    accepted(t, await site.post('record_conversion', {via: tokens[link], name, id}));
  }
  const page = await site.shortener.admin.pageLinks({order: 'conversions'});
  t.deepEqual(
    page.links.map(({link}) => link.shortUrlPart),
    ['b', 'c', 'a'],
  );
});

test('on a site without conversions the order by them is that of the newest', async (t) => {
  const site = await startSite(t);
  for (const custom of ['a', 'b', 'c']) await site.create({custom_url: custom});
  const {urls} = accepted(t, await site.api('list_urls', {order: 'conversions'}));
  t.deepEqual(
    urls.map((url) => url.short_url),
    ['c', 'b', 'a'].map((part) => `https://example.com/${part}`),
  );
});
