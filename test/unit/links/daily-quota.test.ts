import {Calendar} from '../../../src/values/calendar.ts';
import test from 'ava';
import {ShortUrlError} from '../../../src/errors.ts';
import {DailyQuota} from '../../../src/links/daily-quota.ts';
import {intercepted, memoryStore, outage} from '../../support/store-stub.ts';
import type {ToolStore} from '../../../src/store/port.ts';
import {listedKeys} from '../../support/store/conformance-keys.ts';

const noon = Date.UTC(2031, 4, 6, 12);
const hour = 3_600_000;
const usedUp = {code: 'too_many_requests'};

function start(quota: number | undefined) {
  const clock = {now: noon};
  const store = memoryStore();
  const spend = (create: () => Promise<unknown> = () => Promise.resolve()): Promise<unknown> =>
    new DailyQuota({
      idOf: async (account) => account,
      what: 'short URLs',
      calendar: new Calendar(),
      store,
      quota,
      now: () => clock.now,
    }).spend({id: 'account', generation: 'life'}, create);
  return {spend, clock, store};
}

const refuse = (code: 'custom_url_taken' | 'store_unavailable' | 'invalid_api_key') => () =>
  Promise.reject(new ShortUrlError(code, 'It is refused.'));

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

test('a create that is refused, as when its account is removed, leaves no record of the quota', async (t) => {
  const {spend, store} = start(2);
  const listed = async (): Promise<readonly string[]> => listedKeys(store as ToolStore, 'records', 'quota:');
  await t.throwsAsync(spend(refuse('invalid_api_key')), {code: 'invalid_api_key'});
  t.deepEqual(await listed(), []);
  await spend();
  t.deepEqual(await listed(), ['quota:account']);
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

test('a create by a clock that is ahead does not use up the days until then', async (t) => {
  for (const ahead of [24 * hour, 3 * 365 * 24 * hour]) {
    const {spend, clock} = start(1);
    clock.now += ahead;
    await spend();
    clock.now = noon;
    await spend();
    t.like(await t.throwsAsync(spend(), usedUp), {retryAfter: 12 * 3600});
  }
});

test('processes whose clocks differ by minutes at midnight share one quota', async (t) => {
  const {spend, clock} = start(1);
  clock.now += 12 * hour;
  await spend();
  clock.now -= 1;
  await t.throwsAsync(spend(), usedUp);
});

test('nothing is created while the quota cannot be read', async (t) => {
  const store = intercepted(memoryStore(), () => {
    throw outage();
  });
  const create = (): Promise<void> => {
    t.fail('It was created');
    return Promise.resolve();
  };
  const quota = new DailyQuota({
    idOf: async (account) => account,
    what: 'short URLs',
    calendar: new Calendar(),
    store,
    quota: 1,
    now: () => noon,
  });
  await t.throwsAsync(quota.spend({id: 'account', generation: 'life'}, create), {code: 'store_unavailable'});
});

test('of concurrent creates exactly as many pass as the quota allows, and they share writes', async (t) => {
  let asked = 0;
  const store = intercepted(memoryStore(), () => void (asked += 1));
  const quota = new DailyQuota({
    idOf: async (account) => account,
    what: 'short URLs',
    calendar: new Calendar(),
    store,
    quota: 5,
    now: () => noon,
  });
  const spend = (): Promise<void> => quota.spend({id: 'account', generation: 'life'}, () => Promise.resolve());
  const outcomes = await Promise.allSettled(Array.from({length: 40}, spend));
  t.true(outcomes.slice(0, 5).every(({status}) => status === 'fulfilled'));
  for (const outcome of outcomes.slice(5)) t.like(outcome, {reason: usedUp});
  t.true(asked <= 4, `${asked} operations`);
});
