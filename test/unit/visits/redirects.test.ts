import {Calendar} from '../../../src/values/calendar.ts';
import {visitsCounter} from '../../../src/link/counters.ts';
import {linkCounters, linkRecords} from '../../../src/link/records.ts';
import {accountTotals, totalsShards} from '../../../src/links/stats/totals.ts';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {Bases, type LinkName} from '../../../src/link/bases.ts';
import {SitePages} from '../../../src/site/site-pages.ts';
import {DetailValues} from '../../../src/visits/detail-values.ts';
import {type LinkRecord} from '../../../src/link/record.ts';
import {type Found, Redirects} from '../../../src/visits/redirects.ts';
import {VisitLog} from '../../../src/visits/visit-log.ts';
import type {Store} from '../../../src/store/port.ts';
import {recordsIn} from '../../../src/store/records.ts';
import {range} from '../../support/engines/crowd.ts';
import {stopTimeouts} from '../../support/stopped-timeouts.ts';
import {intercepted, memoryStore, outage, reportedAway} from '../../support/store-stub.ts';

const spring: LinkName = {domain: 'example.com', slug: 'spring'};
const minute = 60_000;

type World = ReturnType<typeof start>;

/** Redirects on a store in memory, which can fail or be reported as away. */
function start() {
  const store = memoryStore();
  const world = {
    store,
    /** Milliseconds: `now` since the epoch, `elapsed` monotonic. */
    clock: {now: 0, elapsed: 1},
    /** The store operations so far. */
    asked: [] as Array<keyof Store>,
    /** Runs before each operation. */
    before: (() => undefined) as (operation: keyof Store) => void | Promise<void>,
    isAway: false,
  };
  const watched = intercepted(store, (operation) => {
    world.asked.push(operation);
    return world.before(operation);
  });
  const failing = reportedAway(watched, () => world.isAway);
  const redirects = new Redirects({
    store: failing,
    fieldDefaults: {forwardQuery: false, confirm: 'never'},
    bases: new Bases('https://example.com', []),
    sitePages: new SitePages(true),
    log: new VisitLog(failing, () => undefined),
    values: new DetailValues(failing),
    calendar: new Calendar(),
    now: () => world.clock.now,
    clock: () => world.clock.elapsed,
  });
  return Object.assign(world, {redirects});
}

/** Stores a link. */
async function put({store}: World, name = spring, changes: Partial<LinkRecord> = {}): Promise<void> {
  const record = {...name, id: 1, url: 'https://destination.example/', counters: 'c', state: 'active', ...changes};
  await store.insert(linkRecords.key(name), record);
}

/** Changes the link as another process does. */
async function change({store}: World, changes: Partial<LinkRecord>, name = spring): Promise<void> {
  await recordsIn<LinkRecord>(store).update(linkRecords.key(name), (record) => ({...record, ...changes}));
}

/** Visits as a request does. */
async function visit({redirects}: World, name = spring): Promise<Found> {
  const found = redirects.seen(name) ?? (await redirects.find(name));
  return found.status === 'active' ? redirects.visit(found) : found;
}

async function visitsOf({store}: World, name = spring): Promise<number> {
  const [counters] = await store.getCounters([linkCounters.key({...name, counters: 'c'})]);
  return counters?.counts.get(visitsCounter) ?? 0;
}

/** Makes every operation fail and reports the store as away. */
function fail(world: World): void {
  world.isAway = true;
  world.before = (operation) => {
    if (operation !== 'whenBack') throw outage();
    return new Promise(() => undefined);
  };
}

test('a visit counts its details for the link and for the account', async (t) => {
  const world = start();
  await put(world, spring, {generation: 'life'});
  const details = {referrer: 'a.example', country: 'direct'};
  for (let visits = 0; visits < 2; visits += 1) {
    const found = world.redirects.seen(spring) ?? (await world.redirects.find(spring));
    t.like(await world.redirects.visit(found, {details}), {status: 'active', details});
  }
  t.deepEqual(world.asked.slice(-2), ['count', 'count'], 'the second visit only counts');
  const [ofLink, ...ofAccount] = await world.store.getCounters([
    linkCounters.key({...spring, counters: 'c'}),
    ...range(totalsShards).map((shard) => accountTotals.key({generation: 'life', shard: shard})),
  ]);
  for (const counters of [ofLink, ofAccount.find(({counts}) => counts.size > 0)]) {
    const counts = Object.fromEntries(counters?.counts ?? []);
    t.like(counts, {[visitsCounter]: 2, d0: 2, '0.country:direct': 2, '0.referrer:a.example': 2});
  }
});

test('a disabled or removed link is gone, and is read again at each visit', async (t) => {
  for (const state of ['disabled', 'removed'] as const) {
    const world = start();
    await put(world, spring, {state});
    t.like(await visit(world), {status: 'gone'});
    t.is(world.redirects.seen(spring), undefined);
    t.like(await visit(world), {status: 'gone'});
    t.deepEqual(world.asked, ['get', 'get']);
  }
});

test('a link that another process changed is read again, and the visit is counted once', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  await change(world, {state: 'disabled'});
  await change(world, {state: 'active', url: 'https://other.example/'});
  world.asked.length = 0;
  t.like(await visit(world), {status: 'active', value: {url: 'https://other.example/'}, visitedAt: 0});
  t.deepEqual(world.asked, ['count', 'get', 'count']);
  t.is(await visitsOf(world), 2);
});

/** A link of each name, which leads to the next ones. */
async function putChain(world: World, targets: Readonly<Record<string, readonly string[]>>): Promise<void> {
  for (const [slug, leadsTo] of Object.entries(targets)) {
    const [url = 'https://destination.example/', ...others] = leadsTo.map((next) => `https://example.com/${next}`);
    const rules = others.map((each) => ({device: 'ios' as const, url: each}));
    await put(world, {...spring, slug}, {url, ...(rules.length > 0 && {rules})});
  }
}

/** A chain of so many links behind `spring`. */
function chainOf(length: number): Record<string, string[]> {
  const names = ['spring', ...range(length).map((each) => `link-${each}`)];
  return Object.fromEntries(names.map((slug, index) => [slug, names.slice(index + 1, index + 2)]));
}

const chains: ReadonlyArray<readonly [what: string, status: 'active' | 'loop', chain: Record<string, string[]>]> = [
  ['leads to itself', 'loop', {spring: ['spring']}],
  ['leads to a link that leads back', 'loop', {spring: ['other'], other: ['spring']}],
  ['leads to links that lead back at last', 'loop', {spring: ['a'], a: ['b'], b: ['c'], c: ['spring']}],
  ['leads back by a rule', 'loop', {spring: ['none', 'a'], a: ['none', 'b'], b: ['spring']}],
  ['leads to a link that leads elsewhere', 'active', {spring: ['other'], other: []}],
  ['leads to links that lead to each other', 'active', {spring: ['a'], a: ['b'], b: ['a']}],
  ['leads to one link on two ways', 'active', {spring: ['a', 'b'], a: ['c'], b: ['c'], c: []}],
  ['leads to 20 links in a row', 'active', chainOf(20)],
  ['leads to 21 links in a row', 'loop', chainOf(21)],
];

for (const [what, status, chain] of chains) {
  test(`where pages answer first, a link that ${what} is ${status === 'loop' ? 'a loop' : 'none'}`, async (t) => {
    const world = start();
    await putChain(world, chain);
    for (let times = 0; times < 2; times += 1) t.is((await visit(world)).status, status);
    t.is(await visitsOf(world), status === 'loop' ? 0 : 2);
  });
}

test('in an outage the store is asked first, then a remembered link is redirected and an unseen one unavailable', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  fail(world);
  t.is(world.redirects.seen(spring), undefined, 'the store is asked first');
  world.asked.length = 0;
  t.like(await visit(world), {status: 'active', visitedAt: 0});
  t.true(world.asked.includes('get'));
  const unavailable = {status: 'unavailable', error: {code: 'store_unavailable'}};
  t.like(await world.redirects.find({...spring, slug: 'unseen'}), unavailable);
});

test('a new limit that earlier visits use up ends a link before its first day, whoever copies their number', async (t) => {
  for (const [maxVisits, status] of [
    [1, 'gone'],
    [2, 'unknown'],
  ] as const) {
    const world = start();
    await put(world);
    await world.redirects.visit(await world.redirects.find(spring));
    // As the first of the two writes of a change leaves it.
    await change(world, {maxVisits, start: minute, changes: 1});
    t.is((await world.redirects.find(spring)).status, status);
  }
});

test('while other links are changed, a link that is read is cached, and its visits keep it in the cache', async (t) => {
  const world = start();
  const other = {...spring, slug: 'summer'};
  await put(world);
  const whileOtherChanges = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    world.before = () => {
      world.redirects.forget(other);
    };
    return work().finally(() => {
      world.before = () => undefined;
    });
  };
  await whileOtherChanges(() => world.redirects.find(spring));
  t.like(world.redirects.seen(spring), {status: 'active'});
  world.clock.elapsed += 50_000;
  await whileOtherChanges(() => visit(world));
  world.clock.elapsed += 50_000;
  t.like(world.redirects.seen(spring), {status: 'active'});
});

test('a link that is changed while it is read is not cached', async (t) => {
  const world = start();
  await put(world);
  world.before = (operation) => {
    if (operation === 'get') world.redirects.forget(spring);
  };
  const [found] = await Promise.all([world.redirects.find(spring), world.redirects.find(spring)]);
  t.like(found, {status: 'active'});
  t.is(world.redirects.seen(spring), undefined);
});

test.serial('a visitor waits a tenth of a second for a store that is away', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  world.isAway = true;
  world.before = () => new Promise(() => undefined);
  const timers = stopTimeouts(t);
  const answered: Found[] = [];
  for (const slug of ['spring', 'unseen']) {
    void world.redirects.find({...spring, slug}).then((found) => answered.push(found));
  }
  await setImmediate();
  timers.tick(99);
  await setImmediate();
  t.deepEqual(answered, []);
  timers.tick(1);
  await setImmediate();
  t.is(answered.length, 2);
  t.like(answered[0], {status: 'active'});
  t.like(answered[1], {status: 'unavailable', error: {message: 'The store does not answer.', retryAfter: 1}});
});

test('in an outage a link is redirected for five minutes, if the store confirmed it in the minute before', async (t) => {
  for (const [unchecked, age, status] of [
    [minute, 5 * minute, 'active'],
    [minute + 1, minute + 1, 'unavailable'],
    [minute, 5 * minute + 1, 'unavailable'],
  ] as const) {
    const world = start();
    await put(world);
    const found = await world.redirects.find(spring);
    world.clock.elapsed = minute / 2;
    await world.redirects.visit(found);
    world.clock.elapsed += unchecked;
    fail(world);
    // The visits of an outage confirm nothing.
    await visit(world);
    world.clock.elapsed += age - unchecked;
    t.is((await world.redirects.find(spring)).status, status, `${unchecked} ms and ${age} ms`);
  }
});

test('a link that another process disabled a minute before an outage, or before this process went on, redirects no more', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  await change(world, {state: 'disabled'});
  world.clock.elapsed += minute + 1;
  t.is(world.redirects.seen(spring), undefined);
  fail(world);
  t.like(await visit(world), {status: 'unavailable'});
});

test('a link that this process changed is forgotten, also if it is being read at that moment', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  world.redirects.forget(spring);
  t.is(world.redirects.seen(spring), undefined);
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  world.before = () => held;
  const found = world.redirects.find(spring);
  world.redirects.forget(spring);
  answer();
  t.like(await found, {status: 'active'});
  t.is(world.redirects.seen(spring), undefined);
  fail(world);
  t.like(await world.redirects.find(spring), {status: 'unavailable'});
});

test('remembered links take at most 64 MB, and the least recently used are evicted', async (t) => {
  const world = start();
  const names = Array.from({length: 9}, (_, index) => ({...spring, slug: `link-${index}`}));
  // About 8 MB each: the record and the URL in it, with two bytes for each character.
  for (const name of names) await put(world, name, {url: 'x'.repeat(2 * 1024 * 1024)});
  for (const name of names) await world.redirects.find(name);
  const seen = names.filter((name) => world.redirects.seen(name) !== undefined);
  t.deepEqual(seen, names.slice(2));
});
