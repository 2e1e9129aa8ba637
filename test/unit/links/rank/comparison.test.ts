import test from 'ava';
import {linkCounters, linkRecords} from '../../../../src/link/records.ts';
import {conversionNameRecords} from '../../../../src/links/stats/conversion-names.ts';
import type {LinkRecord} from '../../../../src/link/record.ts';
import type {Store} from '../../../../src/store/port.ts';
import {Bases} from '../../../../src/link/bases.ts';
import {Calendar} from '../../../../src/values/calendar.ts';
import {LinkRows} from '../../../../src/links/rank/link-rows.ts';
import type {CompareQuery} from '../../../../src/links/read/listed-links.ts';
import {openStore} from '../../../../src/store/opening/open.ts';
import {range} from '../../../support/engines/crowd.ts';
import {account, domain, noon, start, url} from '../../../support/links-world.ts';
import {counting, intercepted, memoryStore, outage} from '../../../support/store-stub.ts';

/** @param days what a link had on one day, which it also had in all time */
async function count(store: Store, slug: string, days: Record<string, number>): Promise<void> {
  const totals = Object.entries(days).map(([name, n]) => [
    name.replace(/^([a-z])[\da-z]+/, '$1').replace(/^d$/, 'v'),
    n,
  ]);
  const add = {...days, ...Object.fromEntries(totals)} as Record<string, number>;
  await store.count({writer: slug, number: 1, additions: [{keys: [await keyOf(store, slug)], adds: [add], at: 0}]});
}

/** The key of the counters of a link. */
async function keyOf(store: Store, slug: string): Promise<string> {
  const entry = await store.get<LinkRecord>(linkRecords.key({domain, slug}));
  if (entry === undefined) throw new Error(`There is no link ${slug}`);
  return linkCounters.key(entry.value);
}

test('more links or counters than can be compared are refused with too_many_links', async (t) => {
  const {links, store} = start();
  for (const customUrl of ['a', 'b', 'c']) {
    await links.create(account, {url, customUrl, tags: [customUrl]});
    await count(store, customUrl, Object.fromEntries(range(50).map((index) => [`d${index}`, 1])));
  }
  const compare = async (limits: {links: number; counters: number}, query: object = {}): Promise<number> => {
    const linkRows = new LinkRows(
      {store, bases: new Bases(`https://${domain}`, []), now: () => 500 * 86_400_000},
      limits,
    );
    const {links: reader} = start({store, linkRows});
    return (await reader.compareTags(account, query)).links;
  };
  const tooMany = {code: 'too_many_links'};
  t.is(await compare({links: 3, counters: 1000}), 3);
  await t.throwsAsync(compare({links: 2, counters: 1000}), tooMany);
  t.is(await compare({links: 2, counters: 1000}, {tag: 'b'}), 1);
  await t.throwsAsync(compare({links: 3, counters: 2}), tooMany);
});

test('what could not be read is not remembered, and is read again at once', async (t) => {
  let isAway = false;
  const store = intercepted(memoryStore(), (operation) => {
    if (isAway && operation === 'getCounters') throw outage();
  });
  const {links} = start({store});
  await links.create(account, {url, tags: ['mail']});
  const reads = {
    comparison: () => links.compare(account, {from: '2031-05-01', until: day}),
    'comparison of tags': () => links.compareTags(account, {from: '2031-05-02', until: day}),
    'page in the order of visits': () => links.page(account, {order: 'visits'}),
  };
  for (const [what, read] of Object.entries(reads)) {
    isAway = true;
    await t.throwsAsync(read(), {code: 'store_unavailable'}, what);
    isAway = false;
    await t.notThrowsAsync(read(), what);
  }
});

const day = '2031-05-06';
const span = {from: day, until: day};

test('links are compared by visits, conversions or value without refunds, of a name and a currency', async (t) => {
  const {links, store} = start();
  const today = Math.floor(Date.parse(day) / 86_400_000).toString(36);
  const had = {
    busy: {[`d${today}`]: 9},
    sells: {[`d${today}`]: 2, [`c${today}.order.EUR`]: 2, [`w${today}.order.EUR`]: 5000, [`s${today}.order.EUR`]: 4000},
    earns: {[`d${today}`]: 1, [`c${today}.order.EUR`]: 1, [`w${today}.order.EUR`]: 3000},
    abroad: {[`d${today}`]: 3, [`c${today}.order.USD`]: 1, [`w${today}.order.USD`]: 9000, [`c${today}.visit`]: 7},
    idle: {},
  };
  const names = ['order EUR', 'order USD', 'visit'];
  await store.insert(conversionNameRecords.key('site'), names);
  for (const [slug, add] of Object.entries(had)) {
    await links.create(account, {url, customUrl: slug});
    if (slug === 'idle') continue;
    await count(store, slug, add);
  }
  const read = async (query: object): Promise<string[]> => {
    const {most} = await links.compare(account, {...span, ...query});
    return most.map(({link}) => link.shortUrlPart);
  };
  t.deepEqual(await read({}), ['busy', 'abroad', 'sells', 'earns', 'idle']);
  t.deepEqual(await read({order: 'conversions'}), ['abroad', 'sells', 'earns', 'busy', 'idle']);
  t.deepEqual((await read({order: 'conversions', name: 'order'}))[0], 'sells');
  t.deepEqual((await read({order: 'value'})).slice(0, 2), ['earns', 'sells']);
  t.deepEqual((await read({order: 'value', currency: 'USD'}))[0], 'abroad');
  t.like(await links.compare(account, {...span, order: 'value'}), {
    links: 5,
    currency: 'EUR',
    visits: 15,
    conversions: [
      {name: 'visit', conversions: 7},
      {name: 'order', currency: 'EUR', conversions: 3, value: 8000, refunded: 4000},
      {name: 'order', currency: 'USD'},
    ],
  });
  // Yesterday there was nothing.
  t.like(await links.compare(account, {from: '2031-05-05', until: '2031-05-05'}), {visits: 0, conversions: []});
});

test('links are grouped by a part of their campaigns, whatever its case, and by nothing else', async (t) => {
  const {links, store} = start();
  for (const [customUrl, utm] of [
    ['a', {source: 'mail', campaign: 'Spring'}],
    ['b', {source: 'poster', medium: 'print', campaign: 'spring'}],
    ['c', {source: 'mail'}],
    ['d', undefined],
  ] as const) {
    await links.create(account, {url, customUrl, utm, tags: ['x']});
    await count(store, customUrl, {v: 2});
  }
  const by = async (name?: 'tag' | 'source' | 'medium' | 'campaign') => {
    const {tags, visits} = await links.compareTags(account, {by: name});
    t.is(visits, 8);
    return tags.map(({tag, links: number, visits: sum}) => [tag, number, sum]);
  };
  t.deepEqual(await by('source'), [
    ['mail', 2, 4],
    ['poster', 1, 2],
  ]);
  t.deepEqual(await by('campaign'), [['spring', 2, 4]]);
  t.deepEqual(await by('medium'), [['print', 1, 2]]);
  t.deepEqual(await by('tag'), [['x', 4, 8]]);
  t.deepEqual(await by(), await by('tag'));
  const {nextCursor: cursor} = await links.compareTags(account, {by: 'source', limit: 1});
  t.is((await links.compareTags(account, {by: 'source', cursor})).tags.length, 1);
  const malformed = {code: 'malformed_parameter'};
  await t.throwsAsync(links.compareTags(account, {by: 'medium', cursor}), malformed);
  for (const wrong of ['term', 'link', 5, null]) {
    await t.throwsAsync(links.compareTags(account, {by: wrong as 'tag'}), malformed);
  }
});

test('a comparison has every link once over its pages, while links are made and removed', async (t) => {
  for (const wait of [0, 61_000]) {
    const {links, clock, store} = start();
    for (const index of range(7)) await links.create(account, {url, customUrl: `n${index}`, tags: [`t${index % 3}`]});
    await count(store, 'n5', {d1: 2});
    await count(store, 'n2', {d1: 9});
    let made = 0;
    const change = async (): Promise<void> => {
      for (const end = made + 10; made < end; made++) await links.create(account, {url, customUrl: `new${made}`});
      clock.now += wait;
    };
    const slugs: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await links.compare(account, {limit: 2, cursor});
      slugs.push(...page.most.map(({link}) => link.shortUrlPart));
      if (cursor === undefined) await links.remove(account, `https://${domain}/n0`);
      await change();
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    t.is(new Set(slugs).size, slugs.length);
    // A link that was made meanwhile may come too, in its place.
    t.deepEqual(
      slugs.filter((slug) => !slug.startsWith('new')),
      ['n2', 'n5', 'n6', 'n4', 'n3', 'n1'],
    );
    const tags: string[] = [];
    do {
      const page = await links.compareTags(account, {limit: 1, cursor});
      tags.push(...page.tags.map(({tag}) => tag));
      await links.create(account, {url, customUrl: `tagged${made++}`, tags: ['a new tag', 't2']});
      clock.now += wait;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    t.is(new Set(tags).size, tags.length);
    t.deepEqual(
      tags.filter((tag) => tag !== 'a new tag'),
      ['t2', 't0', 't1'],
    );
  }
});

test('a comparison refuses a cursor of another order, and values that are none', async (t) => {
  const {links} = start();
  for (const customUrl of ['a', 'b', 'c']) await links.create(account, {url, customUrl, tags: [customUrl]});
  const malformed = {code: 'malformed_parameter'};
  const {nextCursor: cursor} = await links.compare(account, {limit: 1});
  const ofPage = await links.page(account, {order: 'visits', limit: 1});
  const ofTags = await links.compareTags(account, {limit: 1});
  t.is((await links.compare(account, {cursor})).most.length, 2);
  for (const query of [{order: 'value', cursor}, {name: 'order', cursor}, {cursor: 'x'}, {order: 'newest'}] as const) {
    await t.throwsAsync(links.compare(account, query as object), malformed);
  }
  for (const other of [ofPage, ofTags]) {
    await t.throwsAsync(links.compare(account, {cursor: other.nextCursor}), malformed);
  }
  await t.throwsAsync(links.compareTags(account, {cursor}), malformed);
  await t.throwsAsync(links.page(account, {order: 'visits', cursor}), malformed);
  for (const wrong of [{name: 'Order'}, {name: 'a\u0000'}, {currency: 'eur'}, {currency: '\u0000'}]) {
    await t.throwsAsync(links.compare(account, wrong), malformed);
    await t.throwsAsync(links.compareTags(account, wrong), malformed);
  }
});

test('the pages of a comparison by value stay in one currency, also when another one has more conversions since', async (t) => {
  const {links, store, clock} = start();
  await store.insert(conversionNameRecords.key('site'), ['order EUR', 'order USD']);
  const had = {a: {'c1.order.EUR': 1, 'w1.order.EUR': 5}, b: {'c1.order.EUR': 1, 'w1.order.EUR': 3}, c: {d1: 1}};
  for (const [customUrl, add] of Object.entries(had)) {
    await links.create(account, {url, customUrl});
    await count(store, customUrl, add);
  }
  const first = await links.compare(account, {order: 'value', limit: 1});
  t.like(first, {currency: 'EUR', most: [{link: {shortUrlPart: 'a'}}]});
  clock.now += 61_000;
  await links.create(account, {url, customUrl: 'd'});
  await count(store, 'd', {'c1.order.USD': 9, 'w1.order.USD': 9});
  t.is((await links.compare(account, {order: 'value'})).currency, 'USD');
  const next = await links.compare(account, {order: 'value', limit: 1, cursor: first.nextCursor});
  t.like(next, {currency: 'EUR', most: [{link: {shortUrlPart: 'b'}}]});
});

test('a parameter that changes alone changes the result, also within the minute of the one before', async (t) => {
  const {links, store} = start();
  await store.insert(conversionNameRecords.key('site'), ['order EUR', 'order USD', 'visit']);
  const today = Math.floor(noon / 86_400_000);
  const [now, before] = [today.toString(36), (today - 1).toString(36)];
  const had = {
    a: {[`d${now}`]: 3, [`c${now}.order.EUR`]: 1, [`w${now}.order.EUR`]: 5},
    b: {[`d${before}`]: 4, [`c${before}.order.USD`]: 2, [`w${before}.order.USD`]: 7},
    c: {[`d${now}`]: 1, [`c${now}.visit`]: 3},
  };
  for (const [customUrl, add] of Object.entries(had)) {
    const expiryDate = customUrl === 'a' ? '2031-05-07' : undefined;
    await links.create(account, {url, customUrl, tags: [customUrl], expiryDate});
    await count(store, customUrl, add);
  }
  await links.create(account, {url, customUrl: 'd', baseDomain: 'sho.rt'});
  await links.disable(account, `https://${domain}/a`);
  const {nextCursor: cursor} = await links.compare(account, {limit: 1});
  // The compiler asks for a new parameter.
  const changes: Required<CompareQuery> = {
    from: '2031-05-06',
    until: '2031-05-05',
    status: 'active',
    tag: 'b',
    search: 'c',
    broken: true,
    expiresWithin: 7,
    baseDomain: 'sho.rt',
    order: 'conversions',
    name: 'visit',
    currency: 'USD',
    limit: 1,
    cursor: cursor ?? '',
  };
  const seen = new Set([JSON.stringify(await links.compare(account, {}))]);
  for (const [name, value] of Object.entries(changes)) {
    const query = {...(name === 'currency' && {order: 'value' as const}), [name]: value};
    const known = await links.compare(account, query);
    t.deepEqual(known, await start({store}).links.compare(account, query), name);
    t.false(seen.has(JSON.stringify(known)), name);
    seen.add(JSON.stringify(known));
  }
});

test("the days of a comparison are those of the site's time zone", async (t) => {
  const zone = new Calendar('Pacific/Auckland');
  const {links, store} = start({calendar: zone});
  const today = zone.dayOf(noon + 60_000);
  await links.create(account, {url, customUrl: 'a'});
  await count(store, 'a', {[`d${today.toString(36)}`]: 2, [`d${(today - 400).toString(36)}`]: 5});
  const {links: reader} = start({store, calendar: zone, now: () => noon + 60_000});
  t.is((await reader.compare(account, {from: '2031-05-07'})).visits, 2);
  t.is((await reader.compare(account, {from: '2030-01-01'})).visits, 2);
});

test('a comparison of a month reads the counters of its days, however long links have lived and however much is counted', async (t) => {
  const store = openStore(new Map(), {namespace: 'test', now: () => noon});
  const {links} = start({store});
  await store.insert(conversionNameRecords.key('site'), ['order EUR', 'order USD', 'sign_up', 'trial']);
  const today = Math.floor(noon / 86_400_000);
  const days = range(400).map((age) => (today - age).toString(36));
  const kinds = ['order.EUR', 'order.USD', 'sign_up', 'trial'].flatMap((name) => [`c.${name}`, `w.${name}`]);
  const counts = new Map([
    ['v', 400],
    ...days.map((day) => [`d${day}`, 1] as const),
    ...kinds.flatMap(
      (kind) => [[kind, 400], ...days.map((day) => [kind.replace('.', `${day}.`), 1] as const)] as const,
    ),
    ...range(10).flatMap((value) => range(14).map((month) => [`${month}.referrer:${value}`, 1] as const)),
  ] as ReadonlyArray<readonly [string, number]>);
  for (const index of range(20)) {
    await links.create(account, {url, customUrl: `n${index}`});
    await store.setCounters([[await keyOf(store, `n${index}`), {counts, at: noon}]]);
  }
  const {store: watched, read} = counting(store);
  const {links: reader} = start({store: watched});
  const {visits, conversions} = await reader.compare(account, {from: '2031-04-07', until: '2031-05-06'});
  t.is(visits, 20 * 30);
  t.is(conversions.length, 4);
  t.true(conversions.every(({conversions: count, value}) => count === 600 && value === 600));
  // Of each link nine kinds: their totals and thirty days. The visits are read once more for the page.
  t.is(read.counters, 20 * (9 * (1 + 30) + 1));
});
