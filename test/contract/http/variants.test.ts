import test, {type ExecutionContext} from 'ava';
import '../../support/quick-scrypt.ts';
import type {ConversionStats, Rule, ShortUrlOptions, VariantStats} from '../../../src/index.ts';
import {accepted, refused} from '../../support/answers.ts';
import {range} from '../../support/engines/crowd.ts';
import {noon, type Site, startSite} from '../../support/site.ts';
import {viaOf} from '../../support/visitor.ts';
import {asXmlReads} from '../../support/xml.ts';

const url = 'https://a.example/';
const other = (name: string): string => `https://${name}.example/`;
const secret = 'a secret of good length, for tests';
const thirds: readonly Rule[] = [
  {share: 33, url: other('b')},
  {share: 33, url: other('c')},
];

const agentOf = (visitor: number): string => `Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.${visitor}`;

/** Opens a link as one of many visitors. Returns the name of the page that this visitor saw, and the cookie. */
async function open(site: Site, shortUrl: string, visitor: number, headers: Readonly<Record<string, string>> = {}) {
  const reply = await site.visit(shortUrl, {headers: {'User-Agent': agentOf(visitor), ...headers}});
  const {location = ''} = reply.headers;
  return {
    page: /\/\/(.*)\.example/.exec(location)?.[1] ?? '',
    via: viaOf(reply.headers['set-cookie']) ?? '',
    reply,
  };
}

const start = (t: ExecutionContext, options: Partial<ShortUrlOptions> = {}): Promise<Site> =>
  startSite(t, {shortUrl: {attribution: {currency: 'EUR'}, store: new Map(), secret, ...options}});

const create = async (site: Site, rules: readonly Rule[]): Promise<string> =>
  (await site.shortener.links.create('user-42', {url, rules})).shortUrl;

async function variantsOf({shortener}: Site, shortUrl: string, span: object = {}): Promise<readonly VariantStats[]> {
  return (await shortener.links.stats('user-42', shortUrl, span)).variants ?? [];
}

const visitsOf = (variants: readonly VariantStats[]) =>
  Object.fromEntries(variants.map(({name, visits}) => [name, visits]));

/** The sums of conversions over the variants. */
function summed(variants: readonly VariantStats[]): Array<Pick<ConversionStats, 'conversions' | 'value' | 'refunded'>> {
  const parts = variants.flatMap(({conversions}) => conversions);
  const sum = (count: (part: ConversionStats) => number): number => parts.reduce((all, part) => all + count(part), 0);
  return [
    {
      conversions: sum((part) => part.conversions),
      value: sum((part) => part.value),
      refunded: sum((part) => part.refunded),
    },
  ];
}

test('a visitor sees the same page each time, in every process and after a restart, and is counted for it', async (t) => {
  const site = await start(t);
  const again = await startSite(t, {shortUrl: {...site.options, now: () => site.clock.now}});
  const shortUrl = await create(site, thirds);
  const seen: Record<string, number> = {a: 0, b: 0, c: 0};
  for (const visitor of range(60)) {
    const {page, reply} = await open(site, shortUrl, visitor);
    seen[page] = (seen[page] ?? 0) + 2;
    t.is((await open(again, shortUrl, visitor)).page, page);
    t.regex(String(reply.headers['cache-control']), /private, no-store/);
    t.regex(String(reply.headers.vary), /User-Agent/);
  }
  await again.shortener.close();
  t.true(Object.values(seen).every((visits) => visits > 0));
  const variants = await variantsOf(site, shortUrl);
  t.deepEqual(visitsOf(variants), {A: seen['a'], B: seen['b'], C: seen['c']});
  const {details} = await site.shortener.links.stats('user-42', shortUrl);
  t.deepEqual(Object.keys(details), ['device', 'referrer']);
  t.deepEqual(Object.keys((await site.shortener.accounts.stats('user-42')).details), ['device', 'referrer']);
});

test('HEAD, bots and previews see a page and are not counted', async (t) => {
  const site = await start(t);
  const shortUrl = await create(site, thirds);
  const {page} = await open(site, shortUrl, 1);
  for (const headers of [{}, {'User-Agent': 'Googlebot/2.1'}]) {
    const reply = await site.visit(shortUrl, {method: 'HEAD', headers: {'User-Agent': agentOf(1), ...headers}});
    t.is(reply.status, 302);
  }
  const head = await site.visit(shortUrl, {method: 'HEAD', headers: {'User-Agent': agentOf(1)}});
  t.is(head.headers.location, other(page));
  const shown = await site.visit(`${shortUrl}+`, {headers: {'User-Agent': agentOf(1)}});
  t.regex(shown.text, new RegExp(`${page}\\.example`));
  t.is(
    (await variantsOf(site, shortUrl)).reduce((sum, {visits}) => sum + visits, 0),
    1,
  );
});

test('stats have the variants of a link in JSON and XML, and no other link has them', async (t) => {
  const site = await start(t);
  const rules = JSON.stringify([{share: 50, name: 'blau & grün', url: other('b')}]);
  const {short_url} = await site.create({rules});
  for (const visitor of range(10)) await open(site, short_url, visitor);
  const json = await site.api('stats', {short_url});
  const {variants} = accepted(t, json) as unknown as {variants: readonly VariantStats[]};
  t.deepEqual(
    variants.map(({name}) => name),
    ['A', 'blau & grün'],
  );
  t.is(
    variants.reduce((sum, {visits}) => sum + visits, 0),
    10,
  );
  t.deepEqual((await site.api('stats', {short_url}, {suffix: '.xml'})).xml(), asXmlReads(json.json()));
  const plain = await site.create();
  t.false('variants' in accepted(t, await site.api('stats', {short_url: plain.short_url})));
  const wrong = [
    [{share: 0, url}],
    [{share: '30', url}],
    [
      {share: 60, url},
      {share: 60, url},
    ],
  ];
  for (const each of wrong) {
    refused(t, await site.post('update', {short_url, rules: each}), 'malformed_parameter');
  }
});

test('conversions and refunds count for the variant that their visitor saw', async (t) => {
  const site = await start(t);
  const {conversions, links} = site.shortener;
  const shortUrl = await create(site, thirds);
  const book = new Map<string, {conversions: number; value: number; refunded: number}>();
  for (const visitor of range(30)) {
    const {page, via} = await open(site, shortUrl, visitor);
    const value = 100 + visitor;
    const refunded = visitor % 3 === 0 ? visitor : 0;
    await conversions.record({via}, {name: 'order', id: visitor, value});
    await conversions.record({via}, {name: 'order', id: visitor, value});
    if (refunded > 0) await conversions.refund({name: 'order', id: visitor, refund: 'r', value: refunded});
    const found = book.get(page) ?? {conversions: 0, value: 0, refunded: 0};
    const {conversions: n} = found;
    book.set(page, {conversions: n + 1, value: found.value + value, refunded: found.refunded + refunded});
  }
  const variants = await variantsOf(site, shortUrl);
  for (const {name, conversions: sold} of variants)
    t.like(sold, [{name: 'order', currency: 'EUR', ...book.get(name.toLowerCase())}]);
  const stats = await links.stats('user-42', shortUrl);
  t.like(stats.conversions, summed(variants));
  t.like((await site.shortener.accounts.stats('user-42')).conversions, summed(variants));
});

test('a customer keeps the variant, also when the rules have changed since', async (t) => {
  const site = await start(t);
  const {conversions, links} = site.shortener;
  const shortUrl = await create(site, [{share: 99, name: 'old', url: other('b')}]);
  const {via, page} = await open(site, shortUrl, 1);
  const name = page === 'b' ? 'old' : 'A';
  await conversions.identify({via}, 'ann');
  await links.update('user-42', shortUrl, {rules: [{share: 99, name: 'new', url: other('b')}]});
  await conversions.record({customer: 'ann'}, {name: 'order', id: 1, value: 5});
  await conversions.record({via}, {name: 'order', id: 2, value: 6});
  const variants = await variantsOf(site, shortUrl);
  t.like(variants.find((each) => each.name === name)?.conversions, [{conversions: 2, value: 11}]);
});

test('what was counted keeps its name when a rule is renamed or removed, and visits go on adding up', async (t) => {
  const site = await start(t);
  const {links} = site.shortener;
  const shortUrl = await create(site, [{share: 50, name: 'blue', url: other('b')}]);
  const visit = async (): Promise<void> => {
    for (const visitor of range(20)) await open(site, shortUrl, visitor);
  };
  await visit();
  const first = visitsOf(await variantsOf(site, shortUrl));
  await links.update('user-42', shortUrl, {rules: [{share: 50, name: 'red', url: other('b')}]});
  await visit();
  t.deepEqual(visitsOf(await variantsOf(site, shortUrl)), {
    A: 2 * (first['A'] ?? 0),
    red: first['blue'],
    blue: first['blue'],
  });
  await links.update('user-42', shortUrl, {rules: []});
  await visit();
  const last = await variantsOf(site, shortUrl);
  t.deepEqual(visitsOf(last), {A: 2 * (first['A'] ?? 0) + 20, red: first['blue'], blue: first['blue']});
  t.is((await links.info('user-42', shortUrl)).totalVisits, 60);
});

test('a visitor with the cookie of the link keeps the variant when the shares change', async (t) => {
  const site = await start(t);
  const {links} = site.shortener;
  const shortUrl = await create(site, [{share: 50, name: 'blue', url: other('b')}]);
  const visitors = await Promise.all(range(20).map(async (visitor) => open(site, shortUrl, visitor)));
  t.deepEqual([...new Set(visitors.map(({page}) => page))].toSorted(), ['a', 'b']);
  for (const share of [1, 99]) {
    await links.update('user-42', shortUrl, {rules: [{share, name: 'blue', url: other('b')}]});
    for (const [visitor, {page, via}] of visitors.entries()) {
      const headers = {Cookie: `short_url_via=x; short_url_via=${via}`};
      t.is((await open(site, shortUrl, visitor, headers)).page, page);
    }
  }
  const elsewhere = await create(site, [{share: 99, name: 'blue', url: other('b')}]);
  const pages = await Promise.all(
    visitors.map(
      async ({via}, visitor) => (await open(site, elsewhere, visitor, {Cookie: `short_url_via=${via}`})).page,
    ),
  );
  t.true(pages.filter((page) => page === 'b').length > 15);
});

test('visitors whom the site sends elsewhere are counted as other', async (t) => {
  const site = await start(t, {destination: (ctx) => (ctx.get('X-Group') === 'x' ? other('x') : undefined)});
  const shortUrl = await create(site, [{share: 50, url: other('b')}]);
  const {via} = await open(site, shortUrl, 1, {'X-Group': 'x'});
  await open(site, shortUrl, 1);
  await site.shortener.conversions.record({via}, {name: 'order', id: 1});
  const variants = await variantsOf(site, shortUrl);
  t.like(
    variants.find(({name}) => name === 'other'),
    {visits: 1, conversions: [{conversions: 1}]},
  );
  t.is(
    variants.reduce((sum, {visits}) => sum + visits, 0),
    2,
  );
});

test('a link with a password, a limit or a button counts variants too', async (t) => {
  const site = await start(t);
  const rules = [{share: 50, url: other('b')}];
  const {links} = site.shortener;
  const locked = await links.create('user-42', {url, rules, password: 'secret'});
  t.is((await site.submit(locked.shortUrl, 'secret')).status, 303);
  const asking = await links.create('user-42', {url, rules, confirm: true});
  await site.press(await site.visit(asking.shortUrl));
  const limited = await links.create('user-42', {url, rules, maxVisits: 1});
  await open(site, limited.shortUrl, 1);
  t.is((await open(site, limited.shortUrl, 2)).reply.status, 410);
  for (const {shortUrl} of [locked, asking, limited]) {
    t.is(
      (await variantsOf(site, shortUrl)).reduce((sum, {visits}) => sum + visits, 0),
      1,
    );
  }
});

test('variants of a span are those of its months, and old months stay in the sum', async (t) => {
  const site = await start(t);
  const shortUrl = await create(site, [{share: 50, url: other('b')}]);
  const month = 31 * 24 * 60 * 60_000;
  const sum = (variants: readonly VariantStats[]): number => variants.reduce((all, {visits}) => all + visits, 0);
  for (const index of range(20)) {
    site.clock.now = noon + index * month;
    const {via} = await open(site, shortUrl, index);
    await site.shortener.conversions.record({via}, {name: 'order', id: index, value: 10});
    await variantsOf(site, shortUrl);
  }
  const all = await variantsOf(site, shortUrl);
  t.is(sum(all), 20);
  t.like(summed(all), [{conversions: 20, value: 200}]);
  const last = new Date(site.clock.now).toISOString().slice(0, 10);
  const ofMonth = await variantsOf(site, shortUrl, {from: last});
  t.is(sum(ofMonth), 1);
  t.like(summed(ofMonth), [{conversions: 1, value: 10}]);
  t.deepEqual(await variantsOf(site, shortUrl, {include: ['days']}), []);
});

test('a link that gets its first share keeps its other visits', async (t) => {
  const site = await start(t);
  const shortUrl = await create(site, []);
  await open(site, shortUrl, 1);
  await site.shortener.links.update('user-42', shortUrl, {rules: [{share: 50, url: other('b')}]});
  await open(site, shortUrl, 1);
  const {totalVisits, variants = []} = await site.shortener.links.stats('user-42', shortUrl);
  t.is(totalVisits, 2);
  t.is(
    variants.reduce((sum, {visits}) => sum + visits, 0),
    1,
  );
});
