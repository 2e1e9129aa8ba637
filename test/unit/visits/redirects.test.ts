import {Calendar} from '../../../src/link/calendar.ts';
import {dayCounter, visitsCounter} from '../../../src/link/counters.ts';
import {countersKey, linkKey, totalsKey, totalsShards} from '../../../src/keys.ts';
import {mock} from 'node:test';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {ShortUrlError} from '../../../src/host/errors.ts';
import type {LinkName} from '../../../src/link/bases.ts';
import {DetailValues} from '../../../src/visits/detail-values.ts';
import {type LinkRecord} from '../../../src/link/record.ts';
import {type Found, type FoundLink, Redirects} from '../../../src/visits/redirects.ts';
import {VisitLog} from '../../../src/visits/visit-log.ts';
import type {Store} from '../../../src/store/port.ts';
import {update} from '../../../src/store/update.ts';
import {range} from '../../support/engines/crowd.ts';
import {countsOf, intercepted, memoryStore, outage, reportedAway} from '../../support/store-stub.ts';

const spring: LinkName = {domain: 'example.com', slug: 'spring'};
const minute = 60_000;

interface World {
  readonly store: Store;
  readonly redirects: Redirects;
  readonly log: VisitLog;
  /** Milliseconds: `now` since the epoch, `elapsed` monotonic. */
  readonly clock: {now: number; elapsed: number};
  /** The store operations so far. */
  readonly asked: Array<keyof Store>;
  /** Runs before each operation. */
  before: (operation: keyof Store) => void | Promise<void>;
  isAway: boolean;
}

/** Redirects on a store in memory, which can fail or be reported as away. */
function start(): World {
  const store = memoryStore();
  const watched = intercepted(store, (operation) => {
    world.asked.push(operation);
    return world.before(operation);
  });
  const failing = reportedAway(watched, () => world.isAway);
  const clock = {now: 0, elapsed: 1};
  const log = new VisitLog(failing, () => undefined);
  const redirects = new Redirects({
    store: failing,
    log,
    values: new DetailValues(failing),
    calendar: new Calendar(),
    now: () => clock.now,
    clock: () => clock.elapsed,
  });
  const world: World = {store, redirects, log, clock, asked: [], before: () => undefined, isAway: false};
  return world;
}

/** Stores a link. */
async function put({store}: World, name = spring, changes: Partial<LinkRecord> = {}): Promise<void> {
  const record = {...name, id: 1, url: 'https://destination.example/', counters: 'c', state: 'active', ...changes};
  await store.insert(linkKey(name), record);
}

/** Changes the link as another process does. */
async function change({store}: World, changes: Partial<LinkRecord>, name = spring): Promise<void> {
  await update<LinkRecord>(store, linkKey(name), (record) => ({...record, ...changes}));
}

/** Visits as a request does. */
async function visit({redirects}: World, name = spring): Promise<Found> {
  const found = redirects.seen(name) ?? (await redirects.find(name));
  return found.status === 'active' ? redirects.visit(found) : found;
}

async function visitsOf({store}: World, name = spring): Promise<number> {
  const [counters] = await store.getCounters([countersKey({...name, counters: 'c'})]);
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
    countersKey({...spring, counters: 'c'}),
    ...range(totalsShards).map((shard) => totalsKey('life', shard)),
  ]);
  for (const counters of [ofLink, ofAccount.find(({counts}) => counts.size > 0)]) {
    const counts = Object.fromEntries(counters?.counts ?? []);
    t.like(counts, {[visitsCounter]: 2, d0: 2, 'country:direct': 2, 'referrer:a.example': 2});
  }
});

test('in an outage a visit with a new value is redirected, and the value is counted', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  fail(world);
  const found = await world.redirects.find(spring);
  t.like(await world.redirects.visit(found, {details: {referrer: 'a.example'}}), {status: 'active', visitedAt: 0});
  world.isAway = false;
  world.before = () => undefined;
  t.is(await world.log.close(60_000), 0);
  t.deepEqual(await countsOf(world.store, [countersKey({...spring, counters: 'c'})], 'referrer:a.example'), [1]);
});

test('an absent or pending link is unknown', async (t) => {
  const world = start();
  t.deepEqual(await visit(world), {status: 'unknown'});
  await put(world, spring, {state: 'pending'});
  t.deepEqual(await visit(world), {status: 'unknown'});
  t.deepEqual(await visit(world), {status: 'unknown'});
  t.is(await visitsOf(world), 0);
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

test('a link that another process disabled is gone, and the visit is not counted', async (t) => {
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

test('a link that another process removed from the store is unknown', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  await world.store.remove(linkKey(spring));
  t.deepEqual(await visit(world), {status: 'unknown'});
  t.is(world.redirects.seen(spring), undefined);
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

test('a remembered link expires at its end', async (t) => {
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

test('a link with a password is visited only with its current hash', async (t) => {
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

test('a link that another process gave a password is not visited without it, and one that lost its password is', async (t) => {
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

test('a visit is given up after ten tries if the link changes each time', async (t) => {
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

test('in an outage a remembered link is redirected, and its visits are counted when the store is back', async (t) => {
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

test('in an outage a link that was disabled or expires is gone', async (t) => {
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

test('in an outage a link that was pending when it was read is unavailable, not unknown', async (t) => {
  const world = start();
  await put(world, spring, {state: 'pending'});
  t.deepEqual(await visit(world), {status: 'unknown'});
  fail(world);
  t.like(await visit(world), {status: 'unavailable', error: {code: 'store_unavailable'}});
});

test('a read that succeeds while the store is away decides', async (t) => {
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

test('while a batch cannot be stored, each link is read before it is redirected', async (t) => {
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

test('a visit whose batch fails once is checked against the link at the second try', async (t) => {
  const world = start();
  await put(world);
  const found = await world.redirects.find(spring);
  await change(world, {state: 'disabled'});
  let failures = 0;
  world.before = (operation) => {
    if (operation === 'count' && (failures += 1) === 1) throw outage();
  };
  t.like(await world.redirects.visit(found), {status: 'gone'});
  t.is(failures, 2);
  t.is(await world.log.close(5000), 0);
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

test('a failed read is tried again before the remembered link is used', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  await change(world, {state: 'disabled'});
  let failures = 1;
  world.before = (operation) => {
    if (operation === 'get' && (failures -= 1) >= 0) throw outage();
  };
  t.like(await world.redirects.find(spring), {status: 'gone'});
  failures = 2;
  t.like(await world.redirects.find({...spring, slug: 'other'}), {status: 'unavailable'});
});

test.serial('a visitor waits a tenth of a second for a store that is away', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  world.isAway = true;
  world.before = () => new Promise(() => undefined);
  mock.timers.enable({apis: ['setTimeout']});
  t.teardown(() => {
    mock.timers.reset();
  });
  const answered: Found[] = [];
  for (const slug of ['spring', 'unseen']) {
    void world.redirects.find({...spring, slug}).then((found) => answered.push(found));
  }
  await setImmediate();
  mock.timers.tick(99);
  await setImmediate();
  t.deepEqual(answered, []);
  mock.timers.tick(1);
  await setImmediate();
  t.is(answered.length, 2);
  t.like(answered[0], {status: 'active'});
  t.like(answered[1], {status: 'unavailable', error: {message: 'The store does not answer.', retryAfter: 1}});
});

test('in an outage a link is redirected up to five minutes after the store last confirmed it', async (t) => {
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

test('a redirect that the store has not confirmed does not extend the five minutes', async (t) => {
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

test('an outage that begins with a visit does not redirect by a record from before the five minutes', async (t) => {
  const world = start();
  await put(world);
  await visit(world);
  world.clock.elapsed = 5 * minute + 2;
  fail(world);
  world.isAway = false;
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

test('a visit under way while this process changes the link does not make it remembered', async (t) => {
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

test('a fault in the program is not an outage, so no remembered link is used', async (t) => {
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

test('remembered links take at most 64 MB, and the least recently used are evicted', async (t) => {
  const world = start();
  const names = Array.from({length: 9}, (_, index) => ({...spring, slug: `link-${index}`}));
  // About 8 MB each: the record and the URL in it, with two bytes for each character.
  for (const name of names) await put(world, name, {url: 'x'.repeat(2 * 1024 * 1024)});
  for (const name of names) await world.redirects.find(name);
  const seen = names.filter((name) => world.redirects.seen(name) !== undefined).map(({slug}) => slug);
  t.deepEqual(
    seen,
    names.slice(2).map(({slug}) => slug),
  );
});

test('a remembered link that is visited all the time is not evicted', async (t) => {
  const world = start();
  const names = Array.from({length: 9}, (_, index) => ({...spring, slug: `link-${index}`}));
  for (const name of names) await put(world, name, {url: 'x'.repeat(2 * 1024 * 1024)});
  const [busy = spring] = names;
  for (const name of names.slice(0, 7)) await visit(world, name);
  for (let visits = 0; visits < 300; visits += 1) {
    world.clock.elapsed += 500;
    await visit(world, busy);
  }
  for (const name of names.slice(7)) await world.redirects.find(name);
  t.not(world.redirects.seen(busy), undefined);
});

test('when the memory for kept visits is full, the details of visits that are still kept count as `other`', async (t) => {
  const world = start();
  await put(world);
  const visitFrom = async (referrer: string): Promise<Found> =>
    world.redirects.visit(await world.redirects.find(spring), {details: {referrer}});
  await visitFrom('one.example');
  await visitFrom('another.example');
  let end = (): void => undefined;
  world.isAway = true;
  world.before = (operation) => {
    if (operation !== 'whenBack') throw outage();
    return new Promise((resolve) => (end = resolve));
  };
  await visitFrom('one.example');
  // The batch with the first visit is under way, so the next one is kept.
  await setImmediate();
  await visitFrom('one.example');
  // Each key has 2 MB, so the limit of 32 MB is passed.
  for (const index of range(16)) await world.log.add({keys: [`${index}-`.padEnd(2 ** 20, 'x')], adds: [{}], at: 1});
  t.like(await visitFrom('another.example'), {status: 'active', details: {referrer: 'another.example'}});
  world.isAway = false;
  world.before = () => undefined;
  end();
  t.is(await world.log.close(1000), 0);
  const counters = countersKey({...spring, counters: 'c'});
  t.deepEqual(await countsOf(world.store, [counters], visitsCounter), [5]);
  t.deepEqual(await countsOf(world.store, [counters], 'referrer:other'), [1]);
});
