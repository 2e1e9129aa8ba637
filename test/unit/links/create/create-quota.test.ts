import {Calendar} from '../../../../src/link/calendar.ts';
import {storeKey} from '../../../../src/keys.ts';
import test from 'ava';
import {ShortUrlError} from '../../../../src/host/errors.ts';
import {CreateQuota} from '../../../../src/links/create/create-quota.ts';
import {intercepted, memoryStore, outage} from '../../../support/store-stub.ts';

const noon = Date.UTC(2031, 4, 6, 12);
const hour = 3_600_000;
const usedUp = {code: 'too_many_requests'};

function start(quota: number | undefined) {
  const clock = {now: noon};
  let asked = 0;
  const store = intercepted(memoryStore(), () => {
    asked++;
  });
  const spend = (create: () => Promise<unknown> = () => Promise.resolve()): Promise<unknown> =>
    new CreateQuota({calendar: new Calendar(), store, quota, now: () => clock.now}).spend(
      {id: 'account', generation: 'life'},
      create,
    );
  return {spend, clock, asked: () => asked};
}

const refuse = (code: 'custom_url_taken' | 'store_unavailable') => () =>
  Promise.reject(new ShortUrlError(code, 'It is refused.'));

test('without a quota the store is not used', async (t) => {
  const {spend, asked} = start(undefined);
  await spend();
  t.is(asked(), 0);
});

test('a refused create gives its unit back, and a create of unknown outcome does not', async (t) => {
  const {spend} = start(2);
  await spend();
  await t.throwsAsync(spend(refuse('custom_url_taken')), {code: 'custom_url_taken'});
  await spend();
  await t.throwsAsync(spend(), {...usedUp, message: /2 short URLs per day \(UTC\)/});

  const other = start(1);
  await t.throwsAsync(other.spend(refuse('store_unavailable')), {code: 'store_unavailable'});
  await t.throwsAsync(other.spend(), usedUp);
});

test('a refused create is refused with its own error while its unit cannot be given back', async (t) => {
  let isAway = false;
  const store = intercepted(memoryStore(), () => {
    if (isAway) throw outage();
  });
  const quota = new CreateQuota({calendar: new Calendar(), store, quota: 1, now: () => noon});
  const refused = quota.spend({id: 'account', generation: 'life'}, () => {
    isAway = true;
    return refuse('custom_url_taken')();
  });
  await t.throwsAsync(refused, {code: 'custom_url_taken'});
});

test('the quota starts again at midnight, and a unit of the day before is not given back to the new day', async (t) => {
  const {spend, clock} = start(2);
  await spend();
  const late = spend(async () => {
    clock.now += 12 * hour;
    await spend();
    await spend();
    return refuse('custom_url_taken')();
  });
  await t.throwsAsync(late, {code: 'custom_url_taken'});
  t.like(await t.throwsAsync(spend(), usedUp), {retryAfter: 24 * 3600});
});

test('a process whose clock is behind does not restart the day', async (t) => {
  const {spend, clock} = start(1);
  clock.now = noon + 12 * hour;
  await spend();
  clock.now -= 1;
  await t.throwsAsync(spend(), usedUp);
  clock.now += 1;
  await t.throwsAsync(spend(), usedUp);
});

test('a create by a clock that is years ahead does not use up the days until then', async (t) => {
  const {spend, clock} = start(1);
  clock.now += 3 * 365 * 24 * hour;
  await spend();
  clock.now = noon;
  await spend();
  t.like(await t.throwsAsync(spend(), usedUp), {retryAfter: 12 * 3600});
});

test('nothing is created while the quota cannot be read', async (t) => {
  const store = intercepted(memoryStore(), () => {
    throw outage();
  });
  const create = (): Promise<void> => {
    t.fail('It was created');
    return Promise.resolve();
  };
  const quota = new CreateQuota({calendar: new Calendar(), store, quota: 1, now: () => noon});
  await t.throwsAsync(quota.spend({id: 'account', generation: 'life'}, create), {code: 'store_unavailable'});
});

test('a unit is given back only if the record still holds it', async (t) => {
  const store = memoryStore();
  const quota = new CreateQuota({calendar: new Calendar(), store, quota: 1, now: () => noon});
  const refused = quota.spend({id: 'account', generation: 'life'}, async () => {
    t.deepEqual((await store.get('quota:account'))?.value, {until: noon + 12 * hour, links: 1, generation: 'life'});
    await store.remove(storeKey('quota', 'account'));
    return refuse('custom_url_taken')();
  });
  await t.throwsAsync(refused, {code: 'custom_url_taken'});
  t.is(await store.get('quota:account'), undefined);
});

test('of concurrent creates exactly as many pass as the quota allows, and they share writes', async (t) => {
  let asked = 0;
  const store = intercepted(memoryStore(), () => {
    asked += 1;
  });
  const quota = new CreateQuota({calendar: new Calendar(), store, quota: 5, now: () => noon});
  const spend = (): Promise<void> => quota.spend({id: 'account', generation: 'life'}, () => Promise.resolve());
  const outcomes = await Promise.allSettled(Array.from({length: 40}, spend));
  t.deepEqual(
    outcomes.map(({status}) => status),
    [...Array.from({length: 5}, () => 'fulfilled'), ...Array.from({length: 35}, () => 'rejected')],
  );
  for (const outcome of outcomes.slice(5)) t.like(outcome, {reason: usedUp});
  t.true(asked <= 4, `${asked} operations`);
});

test('units that are given back concurrently can all be taken again', async (t) => {
  const quota = new CreateQuota({calendar: new Calendar(), store: memoryStore(), quota: 3, now: () => noon});
  const spend = (create: () => Promise<void>): Promise<void> =>
    quota.spend({id: 'account', generation: 'life'}, create);
  const refused = await Promise.allSettled(Array.from({length: 3}, () => spend(refuse('custom_url_taken'))));
  for (const outcome of refused) t.like(outcome, {reason: {code: 'custom_url_taken'}});
  await Promise.all(Array.from({length: 3}, () => spend(() => Promise.resolve())));
  await t.throwsAsync(
    spend(() => Promise.resolve()),
    usedUp,
  );
});

test('waiting creates go on after the write of the first one has failed', async (t) => {
  let fail = (): void => undefined;
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  let asked = 0;
  const store = intercepted(memoryStore(), async () => {
    if (++asked > 1) return;
    begin();
    await new Promise<void>((resolve) => (fail = resolve));
    throw outage();
  });
  const quota = new CreateQuota({calendar: new Calendar(), store, quota: 5, now: () => noon});
  const spend = (): Promise<void> => quota.spend({id: 'account', generation: 'life'}, () => Promise.resolve());
  const first = spend();
  await begun;
  const waiting = [spend(), spend()];
  fail();
  const outcomes = await Promise.allSettled([first, ...waiting]);
  t.deepEqual(
    outcomes.map(({status}) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  );
});
