import test from 'ava';
import {conversionNamesKey, countersKey, linkKey} from '../../../../src/records.ts';
import type {LinkRecord} from '../../../../src/link/record.ts';
import type {Store} from '../../../../src/store/port.ts';
import {Comparisons} from '../../../../src/links/stats/comparison.ts';
import type {ComparedPart} from '../../../../src/links/stats/stats-query.ts';
import {openStore} from '../../../../src/store/opening/open.ts';
import {range} from '../../../support/engines/crowd.ts';
import {account, domain, noon, start, url} from '../../../support/links-world.ts';
import {counting} from '../../../support/store-stub.ts';

const part: ComparedPart = {order: 'visits', name: undefined, currency: undefined, limit: 100, after: 0};
const all = {generation: account.generation, matches: () => true, word: undefined, today: 500, id: ''};

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
  const entry = await store.get<LinkRecord>(linkKey({domain, slug}));
  if (entry === undefined) throw new Error(`There is no link ${slug}`);
  return countersKey(entry.value);
}

test('of more links or counters than can be compared the newest are, and their number is told', async (t) => {
  const {links, store} = start();
  for (const customUrl of ['a', 'b', 'c']) await links.create(account, {url, customUrl, tags: [customUrl]});
  for (const slug of ['a', 'b', 'c']) {
    const add = Object.fromEntries(Array.from({length: 50}, (_, index) => [`d${index}`, 1]));
    await count(store, slug, add);
  }
  const compare = async (limits: {links: number; counters: number}, span?: {from: number; until: number}) => {
    const {comparison, items} = await new Comparisons({store, now: () => 0}, limits).tags({...all, span}, part);
    return {...comparison, tags: items.map(({tag}) => tag)};
  };
  t.like(await compare({links: 2, counters: 1000}), {links: 2, isComplete: false, tags: ['b', 'c']});
  t.like(await compare({links: 3, counters: 1000}), {links: 3, isComplete: true, tags: ['a', 'b', 'c']});
  const year = {from: 100, until: 500};
  t.like(await compare({links: 3, counters: 150}, year), {links: 3, isComplete: true});
  t.like(await compare({links: 3, counters: 10}, year), {links: 3, isComplete: true});
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
  await store.insert(conversionNamesKey(), names);
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
    isComplete: true,
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

test('a comparison has every link once over its pages, and one that was removed meanwhile is left out', async (t) => {
  const {links, clock} = start();
  for (let index = 0; index < 7; index++) await links.create(account, {url, customUrl: `n${index}`});
  const slugs: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await links.compare(account, {limit: 3, cursor});
    slugs.push(...page.most.map(({link}) => link.shortUrlPart));
    if (cursor === undefined) await links.remove(account, `https://${domain}/n0`);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  t.deepEqual(slugs, ['n6', 'n5', 'n4', 'n3', 'n2', 'n1']);
  clock.now += 61_000;
  t.is((await links.compare(account)).links, 6);
  await t.throwsAsync(links.compare(account, {cursor: 'x'}), {code: 'malformed_parameter'});
  await t.throwsAsync(links.compare(account, {order: 'newest' as 'value'}), {code: 'malformed_parameter'});
  for (const wrong of [{name: 'Order'}, {name: 'a\u0000'}, {currency: 'eur'}, {currency: '\u0000'}]) {
    await t.throwsAsync(links.compare(account, wrong), {code: 'malformed_parameter'});
    await t.throwsAsync(links.compareTags(account, wrong), {code: 'malformed_parameter'});
  }
  t.is((await links.compare(account, {search: 'n3'})).links, 1);
});

test('a comparison of a month reads the counters of its days, however long links have lived and however much is counted', async (t) => {
  const store = openStore(new Map(), {namespace: 'test', now: () => noon});
  const {links} = start({store});
  await store.insert(conversionNamesKey(), ['order EUR', 'order USD', 'sign_up', 'trial']);
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
