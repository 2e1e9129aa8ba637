import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {ShortUrlError} from '../../../src/errors.ts';
import type {LinkName} from '../../../src/links/bases.ts';
import {DetailValues} from '../../../src/links/detail-values.ts';
import {
  countersKey,
  dayCounter,
  linkKey,
  type LinkRecord,
  totalsKey,
  totalsShards,
  visitsCounter,
} from '../../../src/links/record.ts';
import {type Found, type FoundLink, Redirects} from '../../../src/links/redirects.ts';
import {VisitLog} from '../../../src/links/visit-log.ts';
import type {Store} from '../../../src/store/port.ts';
import {update} from '../../../src/store/update.ts';
import {range} from '../../support/engines/crowd.ts';
import {countsOf, intercepted, memoryStore, outage} from '../../support/store-stub.ts';

const spring: LinkName = {domain: 'example.com', slug: 'spring'};
const minute = 60_000;

interface World {
  readonly store: Store;
  readonly redirects: Redirects;
  readonly log: VisitLog;
  /** `now` is the time of day, `elapsed` never goes back. */
  readonly clock: {now: number; elapsed: number};
  /** The operations that the store was asked for. */
  readonly asked: Array<keyof Store>;
  /** Happens before each of them. */
  before: (operation: keyof Store) => void | Promise<void>;
  isAway: boolean;
}

/** Redirects on a store in memory that can be made to fail, or to be known as away. */
function start(): World {
  const store = memoryStore();
  const watched = intercepted(store, (operation) => {
    world.asked.push(operation);
    return world.before(operation);
  });
  const failing = new Proxy(watched, {
    get: (target, name: keyof Store) => (name === 'isAway' ? world.isAway : (Reflect.get(target, name) as unknown)),
  });
  const clock = {now: 0, elapsed: 1};
  const log = new VisitLog(failing, () => undefined);
  const redirects = new Redirects(
    failing,
    log,
    new DetailValues(failing, 1000, () => undefined),
    () => clock.now,
    () => clock.elapsed,
  );
  const world: World = {store, redirects, log, clock, asked: [], before: () => undefined, isAway: false};
  return world;
}

/** Puts a link on the store. */
async function put({store}: World, name = spring, changes: Partial<LinkRecord> = {}): Promise<void> {
  const record = {...name, id: 1, url: 'https://destination.example/', counters: 'c', state: 'active', ...changes};
  await store.insert(linkKey(name), record);
}

/** Changes it, as another process does. */
async function change({store}: World, changes: Partial<LinkRecord>, name = spring): Promise<void> {
  await update<LinkRecord>(store, linkKey(name), (record) => ({...record, ...changes}));
}

/** A visit as a request makes it. */
async function visit({redirects}: World, name = spring): Promise<Found> {
  const found = redirects.seen(name) ?? (await redirects.find(name));
  return found.status === 'active' ? redirects.visit(found) : found;
}

async function visitsOf({store}: World, name = spring): Promise<number> {
  const [counters] = await store.getCounters([countersKey({...name, counters: 'c'})]);
  return counters?.counts.get(visitsCounter) ?? 0;
}

/** From now on the store fails, and is known to be away. */
function fail(world: World): void {
  world.isAway = true;
  world.before = (operation) => {
    if (operation !== 'whenBack') throw outage();
    return new Promise(() => undefined);
  };
}

function asActive(found: Found | undefined): FoundLink {
  if (found?.status !== 'active') throw new Error(`Expected an active link, got ${found?.status}`);
  return found;
}

test('the first visit of a link reads and counts, and the next ones only count', async (t) => {
  const world = start();
  await put(world);
  t.is(world.redirects.seen(spring), undefined);
  world.clock.now = 5 * 86_400_000;
  t.like(await visit(world), {
    status: 'active',
    value: {url: 'https://destination.example/'},
    visitedAt: world.clock.now,
  });
  t.deepEqual(world.asked, ['get', 'count']);
  world.clock.now += 1;
  t.like(await visit(world), {status: 'active', visitedAt: world.clock.now});
  t.deepEqual(world.asked, ['get', 'count', 'count']);
  const [counters] = await world.store.getCounters([countersKey({...spring, counters: 'c'})]);
  t.deepEqual(counters, {
    counts: new Map([
      [visitsCounter, 2],
      [dayCounter(5), 2],
    ]),
    at: world.clock.now,
  });
});

test('a visit counts with its details, for its link and for its account', async (t) => {
  const world = start();
  await put(world, spring, {owner: 'life'});
  const details = {referrer: 'a.example', country: 'direct'};
  for (let visits = 0; visits < 2; visits += 1) {
    const found = world.redirects.seen(spring) ?? (await world.redirects.find(spring));
    t.like(await world.redirects.visit(found, {details}), {status: 'active', details});
  }
  t.deepEqual(world.asked.slice(-2), ['count', 'count'], 'the second visit only counts');
  const [ofLink, ...ofAccount] = await world.store.getCounters([
    countersKey({...spring, counters: 'c'}),
    ...range(totalsShards).map((shard) => totalsKey('life', shard)),
  ]);
  for (const counters of [ofLink, ofAccount.find(({counts}) => counts.size > 0)]) {
    const counts = Object.fromEntries(counters?.counts ?? []);
    t.like(counts, {[visitsCounter]: 2, d0: 2, 'country:': 2});
    t.deepEqual(
      Object.entries(counts).flatMap(([name, n]) => (/^referrer:[\w-]{4}$/.test(name) ? [n] : [])),
      [2],
    );
  }
});

test('in an outage a visit with a new value is redirected, and counts as `other`', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  fail(world);
  const found = await world.redirects.find(spring);
  t.like(await world.redirects.visit(found, {details: {referrer: 'a.example'}}), {status: 'active', visitedAt: 0});
  world.isAway = false;
  world.before = () => undefined;
  t.is(await world.log.close(60_000), 0);
  t.deepEqual(await countsOf(world.store, [countersKey({...spring, counters: 'c'})], 'referrer:other'), [1]);
});

test('a link that is not there, or is not confirmed yet, is unknown', async (t) => {
  const world = start();
  t.deepEqual(await visit(world), {status: 'unknown'});
  await put(world, spring, {state: 'pending'});
  t.deepEqual(await visit(world), {status: 'unknown'});
  t.deepEqual(await visit(world), {status: 'unknown'});
  t.is(await visitsOf(world), 0);
});

test('a link that was disabled or removed is gone, and read again each time', async (t) => {
  for (const state of ['disabled', 'removed'] as const) {
    const world = start();
    await put(world, spring, {state});
    t.like(await visit(world), {status: 'gone'});
    t.is(world.redirects.seen(spring), undefined);
    t.like(await visit(world), {status: 'gone'});
    t.deepEqual(world.asked, ['get', 'get']);
  }
});

test('a link that another process has disabled since it was seen is gone, and the visit does not count', async (t) => {
  for (const state of ['disabled', 'removed'] as const) {
    const world = start();
    await put(world);
    await visit(world);
    await change(world, {state});
    t.like(await visit(world), {status: 'gone'});
    t.is(await visitsOf(world), 1);
    t.is(world.redirects.seen(spring), undefined);
  }
});

test('a link that another process has taken away since it was seen is unknown', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  await world.store.remove(linkKey(spring));
  t.deepEqual(await visit(world), {status: 'unknown'});
  t.is(world.redirects.seen(spring), undefined);
});

test('a link that has changed and is active is read again and counted once', async (t) => {
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

test('a link expires at its end, whatever was seen', async (t) => {
  const world = start();
  await put(world, spring, {end: 10});
  world.clock.now = 9;
  t.like(await visit(world), {status: 'active'});
  t.like(world.redirects.seen(spring), {status: 'active'});
  world.clock.now = 10;
  t.is(world.redirects.seen(spring), undefined);
  t.like(await visit(world), {status: 'gone'});
  t.is(await visitsOf(world), 1);
});

test('a link with a password is visited only with the hash that it has', async (t) => {
  const world = start();
  await put(world, spring, {password: 'hash'});
  const found = asActive(await world.redirects.find(spring));
  t.is(world.redirects.seen(spring), undefined);
  for (const password of [undefined, 'another']) {
    t.is(asActive(await world.redirects.visit(found, {password})).visitedAt, undefined);
  }
  t.is(await visitsOf(world), 0);
  t.is(asActive(await world.redirects.visit(found, {password: 'hash'})).visitedAt, 0);
  await change(world, {password: 'new hash'});
  const changed = asActive(await world.redirects.visit(found, {password: 'hash'}));
  t.like(changed, {value: {password: 'new hash'}, visitedAt: undefined});
  await change(world, {state: 'disabled'});
  t.like(await world.redirects.visit(changed, {password: 'new hash'}), {status: 'gone'});
  t.is(await visitsOf(world), 1);
});

test('a link that got a password since it was seen is not visited without it, and one that lost it is', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  await change(world, {password: 'hash'});
  const found = asActive(await visit(world));
  t.like(found, {value: {password: 'hash'}, visitedAt: undefined});
  t.is(await visitsOf(world), 1);
  await world.store.replace(linkKey(spring), found.seen.revision, {...found.value, password: undefined});
  t.is(asActive(await world.redirects.visit(found, {password: 'hash'})).visitedAt, 0);
  t.is(await visitsOf(world), 2);
});

test('a visit of a link that keeps changing is given up after ten tries', async (t) => {
  const world = start();
  await put(world);
  let tries = 0;
  world.before = async (operation) => {
    if (operation === 'count') await change(world, {id: 100 + ++tries});
  };
  const found = await visit(world);
  t.like(found, {status: 'unavailable', error: {code: 'store_unavailable', retryAfter: 1}});
  t.is(tries, 10);
  t.is(await visitsOf(world), 0);
  world.before = () => undefined;
  t.like(await visit(world), {status: 'active'});
});

test('in an outage a link seen lately is redirected, and its visits count when the store is back', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  fail(world);
  t.is(world.redirects.seen(spring), undefined, 'the store is asked first');
  world.asked.length = 0;
  t.like(await visit(world), {status: 'active', visitedAt: 0});
  t.true(world.asked.includes('get'));
  t.like(await world.redirects.find({...spring, slug: 'unseen'}), {
    status: 'unavailable',
    error: {code: 'store_unavailable'},
  });
});

test('in an outage a link that was seen gone, or expires, stays gone', async (t) => {
  const world = start();
  const ending = {...spring, slug: 'ending'};
  await put(world, spring, {state: 'disabled'});
  await put(world, ending, {end: 10});
  for (const name of [spring, ending]) await visit(world, name);
  fail(world);
  t.like(await visit(world), {status: 'gone'});
  t.like(await visit(world, ending), {status: 'active'});
  world.clock.now = 10;
  t.like(await visit(world, ending), {status: 'gone'});
});

test('where a store that is away still answers reads, what it says counts', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  world.isAway = true;
  world.before = (operation) => {
    if (operation === 'count') throw outage();
    return operation === 'whenBack' ? new Promise(() => undefined) : undefined;
  };
  t.like(await visit(world), {status: 'active', visitedAt: 0});
  await change(world, {state: 'disabled'});
  t.like(await visit(world), {status: 'gone'});
  await world.store.remove(linkKey(spring));
  t.deepEqual(await visit(world), {status: 'unknown'});
});

test('while visits are kept because the store refuses a batch, each link is read before it is redirected', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  world.before = (operation) => {
    if (operation === 'count') throw outage();
  };
  t.like(await visit(world), {status: 'active', visitedAt: 0});
  t.false(world.isAway);
  await change(world, {state: 'disabled'});
  t.is(world.redirects.seen(spring), undefined);
  t.like(await visit(world), {status: 'gone'});
  world.before = () => undefined;
  t.is(await world.log.close(5000), 0);
  t.is(await visitsOf(world), 2);
});

test('a store that is away is waited for no longer than a moment', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  world.isAway = true;
  world.before = () => new Promise(() => undefined);
  const began = performance.now();
  t.like(await world.redirects.find(spring), {status: 'active'});
  t.like(await world.redirects.find({...spring, slug: 'unseen'}), {
    status: 'unavailable',
    error: {message: 'The store does not answer.', retryAfter: 1},
  });
  t.true(performance.now() - began < 1500, 'far less than the deadline of the store, twice');
});

test('a link is redirected in an outage up to five minutes after it was seen last', async (t) => {
  for (const [age, status] of [
    [5 * minute - 1, 'active'],
    [5 * minute + 1, 'unavailable'],
  ] as const) {
    const world = start();
    await put(world);
    const found = asActive(await world.redirects.find(spring));
    world.clock.elapsed = minute / 2;
    await world.redirects.visit(found);
    world.clock.elapsed += age;
    fail(world);
    t.is((await world.redirects.find(spring)).status, status, `${age} ms`);
  }
});

test('a redirect that the store has not confirmed does not make a link seen anew', async (t) => {
  for (const isKnown of [true, false]) {
    const world = start();
    await put(world);
    const found = asActive(await world.redirects.find(spring));
    fail(world);
    world.isAway = isKnown;
    world.clock.elapsed = 4 * minute;
    t.like(await world.redirects.visit(found), {status: 'active', visitedAt: 0});
    world.clock.elapsed = 5 * minute + 2;
    t.like(await world.redirects.find(spring), {status: 'unavailable'});
  }
});

test('what this process has changed is forgotten, also if it is being read meanwhile', async (t) => {
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

test('a visit that is being counted while this process changes the link does not make it seen', async (t) => {
  const world = start();
  await put(world);
  const found = asActive(await world.redirects.find(spring));
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  world.before = (operation) => (operation === 'count' ? held : undefined);
  const visiting = world.redirects.visit(found);
  await setImmediate();
  world.redirects.forget(spring);
  answer();
  await visiting;
  t.is(world.redirects.seen(spring), undefined);
});

test('a fault is no outage, so nothing that was seen is found because of it', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  for (const error of [new TypeError('a fault'), new ShortUrlError('internal_error', 'A fault.')]) {
    world.before = () => {
      throw error;
    };
    t.is(await t.throwsAsync<Error>(world.redirects.find(spring)), error);
    const seen = world.redirects.seen(spring);
    await t.throwsAsync(world.redirects.visit(asActive(seen)), {instanceOf: ShortUrlError, code: 'internal_error'});
  }
});

test('a visit that can be neither counted nor kept is unavailable', async (t) => {
  const world = start();
  await put(world);
  const found = asActive(await world.redirects.find(spring));
  await world.log.close(0);
  t.like(await world.redirects.visit(found), {status: 'unavailable', error: {message: 'The store is closed.'}});
});

test('links that were seen take 64 megabytes at most, and those seen last stay', async (t) => {
  const world = start();
  const names = Array.from({length: 9}, (_, index) => ({...spring, slug: `link-${index}`}));
  // Each takes about eight megabytes, in characters of two bytes.
  for (const name of names) await put(world, name, {url: 'x'.repeat(4 * 1024 * 1024)});
  for (const name of names) await world.redirects.find(name);
  const seen = names.filter((name) => world.redirects.seen(name) !== undefined).map(({slug}) => slug);
  t.deepEqual(
    seen,
    names.slice(2).map(({slug}) => slug),
  );
});
