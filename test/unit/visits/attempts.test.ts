import {createHash} from 'node:crypto';
import {setImmediate as nextTurn} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {PasswordAttempts} from '../../../src/visits/attempts.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import {range} from '../../support/engines/crowd.ts';
import {intercepted, memoryStore} from '../../support/store-stub.ts';

const minute = 60_000;
const digest = (...parts: readonly string[]): Promise<string> =>
  Promise.resolve(createHash('sha256').update(JSON.stringify(parts)).digest('hex'));

const right = async (): Promise<boolean> => {
  await nextTurn();
  return true;
};
const wrong = async (): Promise<boolean> => {
  await nextTurn();
  return false;
};

const now = (): number => 0;
const account = 'user-42';
const visitor = {account, client: 'client'};

/** Several processes on one store, with one clock. */
function processes(count: number, limit: number) {
  const clock = {now: 0, wait: 0};
  const map = new Map<string, unknown>();
  const now = (): number => clock.now;
  const start = (): PasswordAttempts =>
    new PasswordAttempts(openStore(map, {namespace: 'test', now}), limit, digest, now, () => clock.wait);
  const attempts = start();
  return {all: [attempts, ...range(count - 1).map(start)], attempts, clock, map};
}

async function isRefused(t: ExecutionContext, tried: Promise<boolean>, retryAfter: number): Promise<void> {
  t.like(await t.throwsAsync(tried, {code: 'too_many_requests', message: /wrong passwords/}), {retryAfter});
}

test('of concurrent wrong passwords only as many as the limit are compared, in all processes together', async (t) => {
  for (const count of [1, 4]) {
    const {all, attempts} = processes(count, 5);
    let tried = 0;
    const compare = (): Promise<boolean> => {
      tried += 1;
      return wrong();
    };
    const outcomes = await Promise.allSettled(
      all.flatMap((one) => range(20).map(() => one.try('link', visitor, compare))),
    );
    t.is(tried, 5);
    t.is(outcomes.filter(({status}) => status === 'fulfilled').length, 5);
    await isRefused(t, attempts.try('link', visitor, right), 15 * 60);
    t.true(await attempts.try('link', {account, client: 'another client'}, right));
    t.true(await attempts.try('another link', visitor, right));
  }
});

test('of attempts that began at the same moment, one that ends gives back its own place only', async (t) => {
  const {attempts} = processes(1, 2);
  const waiting: Array<(isRight: boolean) => void> = [];
  let tried = 0;
  const held = (): Promise<boolean> => {
    tried += 1;
    return new Promise((resolve) => waiting.push(resolve));
  };
  const first = [attempts.try('link', visitor, held), attempts.try('link', visitor, held)];
  while (tried < 2) await nextTurn();
  waiting.shift()?.(true);
  await Promise.race(first);
  const others = Promise.allSettled(range(3).map(() => attempts.try('link', visitor, held)));
  for (let turn = 0; turn < 20 || tried < 3; turn += 1) await nextTurn();
  while ((await Promise.race([others, nextTurn()])) === undefined) waiting.shift()?.(false);
  t.is(tried, 3);
});

test('a right password gives its place back, and does not clear the wrong ones', async (t) => {
  const {all, attempts} = processes(2, 2);
  t.false(await attempts.try('link', visitor, wrong));
  for (let turn = 0; turn < 10; turn++) {
    for (const one of all) t.true(await one.try('link', visitor, right));
  }
  t.false(await attempts.try('link', visitor, wrong));
  for (const one of all) await isRefused(t, one.try('link', visitor, right), 15 * 60);
});

test('no more wrong passwords than the limit are compared within any 15 minutes', async (t) => {
  const {attempts, clock} = processes(1, 3);
  for (const at of [0, 10, 14]) {
    clock.now = at * minute;
    t.false(await attempts.try('link', visitor, wrong));
  }
  await isRefused(t, attempts.try('link', visitor, right), 60);
  clock.now = 15 * minute;
  t.false(await attempts.try('link', visitor, wrong));
  await isRefused(t, attempts.try('link', visitor, right), 10 * 60);
  clock.now = 25 * minute - 1;
  await isRefused(t, attempts.try('link', visitor, right), 1);
  clock.now = 25 * minute;
  t.true(await attempts.try('link', visitor, right));
});

test('a comparison that fails is not counted as a wrong password', async (t) => {
  const {attempts} = processes(1, 1);
  const failed = attempts.try('link', visitor, () => Promise.reject(new Error('no answer')));
  await t.throwsAsync(failed, {message: 'no answer'});
  t.true(await attempts.try('link', visitor, right));
});

test('a place that a killed process holds counts as a wrong password after a minute, and others wait until then', async (t) => {
  const {all, clock} = processes(2, 1);
  const [gone, alive] = all as [PasswordAttempts, PasswordAttempts];
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  void gone.try('link', visitor, () => {
    begin();
    return new Promise(() => undefined);
  });
  await begun;
  const waiting = alive.try('link', visitor, right);
  clock.now = minute;
  await isRefused(t, waiting, 14 * 60);
  clock.now = 15 * minute;
  t.true(await alive.try('link', visitor, right));
});

test('more than 20 comparisons of a client at once are refused before they reach the store', async (t) => {
  let asked = 0;
  const store = intercepted(memoryStore(now), () => void (asked += 1));
  const attempts = new PasswordAttempts(store, 5, digest, now);
  const outcomes = await Promise.allSettled(range(150).map((index) => attempts.try(`${index}`, visitor, right)));
  t.is(outcomes.filter(({status}) => status === 'fulfilled').length, 20);
  // A comparison takes four operations, and more if it shares a record with others.
  t.true(asked < 8 * 20, `${asked} operations`);
});

test('attempts at the links of one account, from however many addresses, refuse no other visitor', async (t) => {
  for (const [addresses, links] of [
    [5, 20],
    [600, 1],
  ] as const) {
    const attempts = new PasswordAttempts(memoryStore(now), 5, digest, now);
    let end: (isRight: boolean) => void = () => undefined;
    const ended = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    const flood = Promise.allSettled(
      range(addresses).flatMap((client) =>
        range(links).map((link) => attempts.try(`${link}`, {account: 'flood', client: `flood ${client}`}, () => ended)),
      ),
    );
    await nextTurn();
    for (const visitors of [1, 10]) {
      const tries = range(visitors).map((client) => attempts.try('link', {account, client: `${client}`}, right));
      t.deepEqual(
        await Promise.all(tries),
        range(visitors).map(() => true),
      );
    }
    if (addresses === 5) t.true(await attempts.try('1', {account: 'flood', client: 'visitor of that link'}, right));
    end(false);
    await flood;
  }
});

test('at most 1,000 comparisons run at once', async (t) => {
  const attempts = new PasswordAttempts(memoryStore(now), 5, digest, now);
  const tries = range(1500).map((index) => attempts.try('link', {account: `${index}`, client: `${index}`}, right));
  const outcomes = await Promise.allSettled(tries);
  t.is(outcomes.filter(({status}) => status === 'fulfilled').length, 1000);
});

test('attempts by a clock that was ahead do not lock out a client once it is right', async (t) => {
  for (const ahead of [16 * minute, 23 * 60 * minute, 1000 * 24 * 60 * minute]) {
    const {all, clock} = processes(2, 1);
    const start = 2000 * 24 * 60 * minute;
    clock.now = start + ahead;
    const [one, other] = all as [PasswordAttempts, PasswordAttempts];
    t.false(await one.try('link', visitor, wrong));
    await isRefused(t, one.try('link', visitor, right), 15 * 60);
    clock.now = start;
    for (const each of [one, other]) t.true(await each.try('link', visitor, right), `${ahead} ms`);
  }
});

test('a record holds neither the address nor the short URL, and expires 15 minutes after the last attempt', async (t) => {
  const {attempts, clock, map} = processes(1, 5);
  const store = openStore(map, {namespace: 'test', now: () => clock.now});
  t.false(await attempts.try('example.com/spring', {account, client: '192.0.2.1'}, wrong));
  clock.now = minute;
  t.false(await attempts.try('example.com/spring', {account, client: '192.0.2.1'}, wrong));
  t.notRegex(JSON.stringify(Array.from(map)), /192\.0\.2|spring/);
  t.is(map.size, 1);
  const key = Array.from(map.keys()).join().replace('test:', '');
  t.like(await store.get(key), {value: {wrong: [0, minute], open: []}, expires: 16 * minute});
});
