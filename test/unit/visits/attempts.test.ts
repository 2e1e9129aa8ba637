import {setImmediate as nextTurn} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {PasswordAttempts} from '../../../src/visits/attempts.ts';
import {Seal} from '../../../src/accounts/seal.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import {intercepted, memoryStore, outage} from '../../support/store-stub.ts';

const minute = 60_000;
const seal = new Seal(['a secret of at least 32 characters']);
const digest = (text: string): Promise<string> => seal.digest(text);
// Derives the key, which takes longer than the turns that a test waits.
await digest('');

const right = async (): Promise<boolean> => {
  await nextTurn();
  return true;
};
const wrong = async (): Promise<boolean> => {
  await nextTurn();
  return false;
};

/** Several processes on one store, with one clock. */
function processes(count: number, limit: number) {
  const clock = {now: 0, wait: 0};
  const map = new Map<string, unknown>();
  const all = Array.from(
    {length: count},
    () =>
      new PasswordAttempts(
        openStore(map, {namespace: 'test', now: () => clock.now}),
        limit,
        digest,
        () => clock.now,
        () => clock.wait,
      ),
  );
  const [
    attempts = new PasswordAttempts(
      memoryStore(() => clock.now),
      limit,
      digest,
      () => clock.now,
    ),
  ] = all;
  return {all, attempts, clock, map};
}

async function isRefused(t: ExecutionContext, tried: Promise<boolean>, retryAfter: number): Promise<void> {
  t.like(await t.throwsAsync(tried, {code: 'too_many_requests', message: /wrong passwords/}), {retryAfter});
}

test('each client may use up the highest possible limit', async (t) => {
  const limit = 100;
  const {attempts, clock} = processes(1, limit);
  for (const client of ['first', 'second']) {
    for (let index = 0; index < limit; index++) t.false(await attempts.try('link', client, wrong));
    clock.now += 1000;
    await isRefused(t, attempts.try('link', client, right), 15 * 60 - 1);
  }
});

test('concurrent right passwords are all accepted, whatever their number, in one process and in several', async (t) => {
  for (const count of [1, 4]) {
    const {all} = processes(count, 5);
    const outcomes = await Promise.all(
      all.flatMap((one) => Array.from({length: 20}, () => one.try('link', 'client', right))),
    );
    t.deepEqual(new Set(outcomes), new Set([true]));
    t.is(outcomes.length, 20 * count);
  }
});

test('of concurrent wrong passwords only as many as the limit are compared, in all processes together', async (t) => {
  for (const count of [1, 4]) {
    const {all, attempts} = processes(count, 5);
    let tried = 0;
    const outcomes = await Promise.allSettled(
      all.flatMap((one) =>
        Array.from({length: 20}, () =>
          one.try('link', 'client', () => {
            tried++;
            return wrong();
          }),
        ),
      ),
    );
    t.is(tried, 5);
    t.is(outcomes.filter(({status}) => status === 'fulfilled').length, 5);
    await isRefused(t, attempts.try('link', 'client', right), 15 * 60);
    t.true(await attempts.try('link', 'another client', right));
    t.true(await attempts.try('another link', 'client', right));
  }
});

test('a right password gives its place back, and does not clear the wrong ones', async (t) => {
  const {all, attempts} = processes(2, 2);
  t.false(await attempts.try('link', 'client', wrong));
  for (let turn = 0; turn < 10; turn++) {
    for (const one of all) t.true(await one.try('link', 'client', right));
  }
  t.false(await attempts.try('link', 'client', wrong));
  for (const one of all) await isRefused(t, one.try('link', 'client', right), 15 * 60);
});

test('no more wrong passwords than the limit are compared within any 15 minutes', async (t) => {
  const {attempts, clock} = processes(1, 3);
  for (const at of [0, 10, 14]) {
    clock.now = at * minute;
    t.false(await attempts.try('link', 'client', wrong));
  }
  await isRefused(t, attempts.try('link', 'client', right), 60);
  clock.now = 15 * minute;
  t.false(await attempts.try('link', 'client', wrong));
  await isRefused(t, attempts.try('link', 'client', right), 10 * 60);
  clock.now = 25 * minute - 1;
  await isRefused(t, attempts.try('link', 'client', right), 1);
  clock.now = 25 * minute;
  t.true(await attempts.try('link', 'client', right));
});

test('a comparison that fails is not counted as a wrong password', async (t) => {
  const {attempts} = processes(1, 1);
  await t.throwsAsync(
    attempts.try('link', 'client', () => Promise.reject(new Error('no answer'))),
    {
      message: 'no answer',
    },
  );
  t.true(await attempts.try('link', 'client', right));
});

test('a place that a killed process holds counts as a wrong password after a minute, and others wait until then', async (t) => {
  const {all, clock} = processes(2, 1);
  const [gone, alive] = all as [PasswordAttempts, PasswordAttempts];
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  void gone.try('link', 'client', () => {
    begin();
    return new Promise(() => undefined);
  });
  await begun;
  const waiting = alive.try('link', 'client', right);
  clock.now = minute;
  await isRefused(t, waiting, 14 * 60);
  clock.now = 15 * minute;
  t.true(await alive.try('link', 'client', right));
});

test('a wrong password by a clock that is years ahead does not refuse the client until then', async (t) => {
  const {all, clock} = processes(2, 1);
  const [first, second] = all as [PasswordAttempts, PasswordAttempts];
  clock.now = 3 * 365 * 24 * 60 * minute;
  t.false(await first.try('link', 'client', wrong));
  await isRefused(t, second.try('link', 'client', right), 15 * 60);
  clock.now = 0;
  for (const one of all) t.true(await one.try('link', 'client', right));
});

test('while the store is away no password is compared, and none is called wrong', async (t) => {
  const unavailable = {code: 'store_unavailable'};
  for (const operation of ['get', 'insert'] as const) {
    const store = intercepted(
      memoryStore(() => 0),
      (name) => {
        if (name === operation) throw outage();
      },
    );
    const attempts = new PasswordAttempts(store, 5, digest, () => 0);
    await t.throwsAsync(
      attempts.try('link', 'client', () => {
        t.fail('It was compared');
        return right();
      }),
      unavailable,
    );
  }
  const store = intercepted(
    memoryStore(() => 0),
    (name) => {
      if (name === 'replace') throw outage();
    },
  );
  const attempts = new PasswordAttempts(store, 5, digest, () => 0);
  await t.throwsAsync(attempts.try('link', 'client', wrong), unavailable);
});

test('a refused client causes no further reads of the store', async (t) => {
  let asked = 0;
  const store = intercepted(
    memoryStore(() => 0),
    () => {
      asked++;
    },
  );
  const attempts = new PasswordAttempts(store, 1, digest, () => 0);
  t.false(await attempts.try('link', 'client', wrong));
  await isRefused(t, attempts.try('link', 'client', wrong), 15 * 60);
  asked = 0;
  for (let turn = 0; turn < 100; turn++) await isRefused(t, attempts.try('link', 'client', wrong), 15 * 60);
  t.is(asked, 0);
});

test('more than 100 comparisons at once, or 20 of a client, are refused before they reach the store', async (t) => {
  for (const [clients, allowed] of [
    [150, 100],
    [1, 20],
  ] as const) {
    let asked = 0;
    const store = intercepted(
      memoryStore(() => 0),
      () => {
        asked++;
      },
    );
    const attempts = new PasswordAttempts(store, 5, digest, () => 0);
    const outcomes = await Promise.allSettled(
      Array.from({length: 150}, (_, index) => attempts.try(`${index}`, String(index % clients), right)),
    );
    t.is(outcomes.filter(({status}) => status === 'fulfilled').length, allowed);
    // A comparison takes four operations, and more if it shares a record with others.
    t.true(asked < 8 * allowed, `${asked} operations`);
  }
});

test('a client with as many comparisons as it may have does not keep another one from its own', async (t) => {
  const {attempts} = processes(1, 5);
  let end = (): void => undefined;
  const ended = new Promise<boolean>((resolve) => {
    end = () => {
      resolve(true);
    };
  });
  const flood = Array.from({length: 40}, (_, index) => attempts.try(`${index}`, 'client', () => ended));
  const refused = Promise.allSettled(flood);
  t.true(await attempts.try('link', 'another client', right));
  end();
  t.is((await refused).filter(({status}) => status === 'fulfilled').length, 20);
});

test('the records of a pair depend on the secret', async (t) => {
  const keysWith = async (secret: string): Promise<string[]> => {
    const map = new Map<string, unknown>();
    const other = new Seal([secret]);
    const store = openStore(map, {namespace: 'test', now: () => 0});
    const attempts = new PasswordAttempts(
      store,
      5,
      (text) => other.digest(text),
      () => 0,
    );
    for (let client = 0; client < 5; client += 1) await attempts.try('link', String(client), wrong);
    return Array.from(map.keys()).sort();
  };
  t.deepEqual(await keysWith('one secret'), await keysWith('one secret'));
  t.notDeepEqual(await keysWith('one secret'), await keysWith('another secret'));
});

test('a record holds neither the address nor the short URL, and expires 15 minutes after the last attempt', async (t) => {
  const {attempts, clock, map} = processes(1, 5);
  const store = openStore(map, {namespace: 'test', now: () => clock.now});
  t.false(await attempts.try('example.com/spring', '192.0.2.1', wrong));
  clock.now = minute;
  t.false(await attempts.try('example.com/spring', '192.0.2.1', wrong));
  t.notRegex(JSON.stringify(Array.from(map)), /192\.0\.2|spring/);
  t.is(map.size, 1);
  const key = Array.from(map.keys()).join().replace('test:', '');
  t.like(await store.get(key), {value: {wrong: [0, minute], open: []}, expires: 16 * minute});
});

test('a wrong password counts from the time when its comparison began', async (t) => {
  const {attempts, clock} = processes(1, 2);
  let find = (): void => undefined;
  const found = new Promise<void>((resolve) => (find = resolve));
  const slow = attempts.try('link', 'client', async () => found.then(() => false));
  // The clock moves on once the slow comparison has its place.
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  clock.now = 30_000;
  t.false(await attempts.try('link', 'client', wrong));
  find();
  t.false(await slow);
  clock.now = 40_000;
  await isRefused(t, attempts.try('link', 'client', right), 15 * 60 - 40);
});

test('a right password leaves no record', async (t) => {
  const {attempts, map} = processes(1, 5);
  t.true(await attempts.try('link', 'client', right));
  t.is(map.size, 0);
});

test('concurrent comparisons each give back their own place', async (t) => {
  const {attempts} = processes(1, 2);
  const tried: string[] = [];
  const ends: Array<() => void> = [];
  const open = (name: string): Promise<boolean> =>
    attempts.try('link', 'client', async () => {
      tried.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return true;
    });
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 100; turn++) await nextTurn();
  };
  const all = [open('first'), open('second'), open('third')];
  await turns();
  t.deepEqual(tried, ['first', 'second']);
  ends.shift()?.();
  t.true(await all[0]);
  while (tried.length < 3) await nextTurn();
  all.push(open('fourth'));
  await turns();
  t.deepEqual(tried, ['first', 'second', 'third'], 'the second comparison still holds its place');
  while (ends.length > 0 || tried.length < 4) {
    ends.shift()?.();
    await nextTurn();
  }
  t.deepEqual(await Promise.all(all), [true, true, true, true]);
});

test('a client that has waited ten seconds for the comparisons of others gets 429', async (t) => {
  const {all, clock} = processes(2, 1);
  const [busy, waiting] = all as [PasswordAttempts, PasswordAttempts];
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const first = busy.try('link', 'client', async () => {
    begin();
    await ended;
    return true;
  });
  await begun;
  const second = waiting.try('link', 'client', right);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  clock.wait = 10_001;
  t.like(await t.throwsAsync(second, {message: /^Too many passwords are being checked/}), {
    code: 'too_many_requests',
    retryAfter: 5,
  });
  end();
  t.true(await first);
});
