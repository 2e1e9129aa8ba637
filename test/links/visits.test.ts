import test, {type ExecutionContext} from 'ava';
import {ShortUrlError} from '../../src/errors.ts';
import type {LinkName} from '../../src/links/bases.ts';
import {linkKey, type LinkRecord} from '../../src/links/record.ts';
import {VisitLog} from '../../src/links/visit-log.ts';
import {Visits} from '../../src/links/visits.ts';
import {intercepted, memoryStore, outage} from '../support/store-stub.ts';

const domain = 'example.com';

/** Visits of links that are on a store, which can be made to fail. */
async function visitsOf(names: readonly LinkName[]): Promise<{visits: Visits; fail: () => void}> {
  const inner = memoryStore();
  for (const [id, name] of names.entries()) {
    await inner.insert(linkKey(name), {...name, id, target: 'https://destination.example/', state: 'active'});
  }
  let isDown = false;
  const store = intercepted(inner, () => {
    if (isDown) throw outage();
  });
  const visits = new Visits({store, log: new VisitLog(store, () => undefined), now: () => 0});
  return {
    visits,
    fail: () => {
      isDown = true;
    },
  };
}

test('no more than ten thousand links are remembered for an outage, those that were seen last', async (t) => {
  const names = Array.from({length: 10_001}, (_, index) => ({domain, slug: `link-${index}`}));
  const {visits, fail} = await visitsOf(names);
  for (const name of names) await visits.find(name);
  fail();
  await t.throwsAsync(visits.find({domain, slug: 'link-0'}), {code: 'store_unavailable'});
  for (const slug of ['link-1', 'link-10000']) {
    t.like(await visits.find({domain, slug}), {status: 'active', isRemembered: true});
  }
});

test.serial('a link that was seen more than five minutes ago is not remembered', async (t) => {
  const [early, late] = [
    {domain, slug: 'early'},
    {domain, slug: 'late'},
  ];
  const {visits, fail} = await visitsOf([early, late]);
  const now = performance.now.bind(performance);
  t.teardown(() => {
    performance.now = now;
  });
  let passed = 0;
  performance.now = () => now() + passed;
  await visits.find(early);
  passed = 60_000;
  await visits.find(late);
  fail();
  passed = 5 * 60_000 + 1000;
  await t.throwsAsync(visits.find(early), {code: 'store_unavailable'});
  t.like(await visits.find(late), {status: 'active', isRemembered: true});
});

/** A store whose looks are answered when they are told to, and the visits of one link that was seen on it. */
async function heldUp() {
  const name = {domain, slug: 'link'};
  const inner = memoryStore();
  await inner.insert(linkKey(name), {...name, id: 1, target: 'https://destination.example/', state: 'active'});
  let isHeld = false;
  const looks: Array<{readonly answer: () => void; readonly fail: (error: Error) => void}> = [];
  const store = intercepted(inner, (operation) => {
    if (operation !== 'get' || !isHeld) return undefined;
    return new Promise<void>((answer, fail) => void looks.push({answer, fail}));
  });
  const log = new VisitLog(store, () => undefined);
  const open = () => new Visits({store, log, now: () => 0});
  const visits = open();
  await visits.find(name);
  isHeld = true;
  return {name, inner, log, visits, open, looks, store};
}

/** Lets so many milliseconds pass for those who look at the clock that never goes back. */
function later(t: ExecutionContext, milliseconds: number): void {
  const now = performance.now.bind(performance);
  t.teardown(() => {
    performance.now = now;
  });
  performance.now = () => now() + milliseconds;
}

test('what was found on the store was not remembered, and what is not there is unknown', async (t) => {
  const {visits, name, looks} = await heldUp();
  const found = visits.find(name);
  looks[0]?.answer();
  t.like(await found, {status: 'active', isRemembered: false});
  const unknown = visits.find({domain, slug: 'another'});
  looks[1]?.answer();
  t.deepEqual(await unknown, {status: 'unknown'});
});

test('a link that is out of service is gone', async (t) => {
  const name = {domain, slug: 'link'};
  const store = memoryStore();
  await store.insert(linkKey(name), {...name, id: 1, state: 'disabled'});
  const visits = new Visits({store, log: new VisitLog(store, () => undefined), now: () => 0});
  t.like(await visits.find(name), {status: 'gone', isRemembered: false});
});

test('a fault is no outage, so nothing is remembered because of it', async (t) => {
  const {visits, name, looks} = await heldUp();
  for (const [index, error] of [
    new TypeError('a fault'),
    new ShortUrlError('internal_error', 'A fault.'),
    new Error('a fault'),
  ].entries()) {
    const found = visits.find(name);
    looks[index]?.fail(error);
    t.is(await t.throwsAsync<Error>(found), error);
  }
});

test('what was read while the link changed is not remembered', async (t) => {
  const {visits, name, looks} = await heldUp();
  const found = visits.find(name);
  visits.forget(name);
  looks[0]?.answer();
  t.like(await found, {status: 'active'});
  const next = visits.find(name);
  looks[1]?.fail(outage());
  await t.throwsAsync(next, {code: 'store_unavailable'});
});

test('a visit that was found on the store waits until it is stored, and one that was remembered does not', async (t) => {
  const inner = memoryStore();
  let store = (): void => undefined;
  const stored = new Promise<void>((resolve) => (store = resolve));
  const slow = intercepted(inner, (operation) => (operation === 'addVisits' ? stored : undefined));
  const visits = new Visits({store: slow, log: new VisitLog(slow, () => undefined), now: () => 5});
  const record = {domain, slug: 'link', id: 1, state: 'active'} as LinkRecord;
  let isCounted = false;
  const waiting = visits.count({status: 'active', record, isRemembered: false}).then((at) => {
    isCounted = true;
    return at;
  });
  t.is(await visits.count({status: 'active', record, isRemembered: true}), 5);
  t.false(isCounted);
  store();
  t.is(await waiting, 5);
  t.is((await inner.getTallies(['visits:1']))[0]?.visits, 2);
});

test.serial('behind one who waited in vain nobody waits long, until the store has answered somebody', async (t) => {
  const {open, name, looks} = await heldUp();
  /** Asks, and makes sure that it is known which look is whose. */
  const ask = (visits: Visits) => {
    const found = visits.find(name);
    return {found, look: looks.at(-1)};
  };
  /** Visits that have waited in vain. */
  const disappointed = async (passed: number): Promise<Visits> => {
    const visits = open();
    const {found, look} = ask(visits);
    later(t, passed);
    look?.fail(outage());
    await t.throwsAsync(found, {code: 'store_unavailable'});
    return visits;
  };
  const [patient, silent, another] = [await disappointed(99), await disappointed(101), await disappointed(101)];

  // Whoever is patient would be done before those who ask after him.
  let isWaiting = true;
  const first = ask(patient);
  const waited = first.found.then(() => (isWaiting = false));
  const late = ask(silent);
  const refused = await t.throwsAsync(late.found, {code: 'store_unavailable', message: 'The store does not answer.'});
  t.like(refused, {retryAfter: 1});
  t.true(isWaiting);
  first.look?.answer();
  await waited;

  // An answer that comes late is one.
  late.look?.answer();
  await new Promise((resolve) => setImmediate(resolve));
  isWaiting = true;
  const again = ask(silent);
  const answered = again.found.then(() => (isWaiting = false));
  await t.throwsAsync(ask(another).found, {code: 'store_unavailable'});
  t.true(isWaiting);
  again.look?.answer();
  await answered;
});
