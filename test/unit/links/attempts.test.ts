import {setImmediate as nextTurn} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {PasswordAttempts} from '../../../src/links/attempts.ts';
import {openStore} from '../../../src/store/open.ts';
import {intercepted, memoryStore, outage} from '../../support/store-stub.ts';

const minute = 60_000;

const right = async (): Promise<boolean> => {
  await nextTurn();
  return true;
};
const wrong = async (): Promise<boolean> => {
  await nextTurn();
  return false;
};

/** As many processes on one store, with one clock and a count of the passwords that were compared. */
function processes(count: number, limit: number) {
  const clock = {now: 0, wait: 0};
  const map = new Map<string, unknown>();
  const all = Array.from(
    {length: count},
    () =>
      new PasswordAttempts(
        openStore(map, {namespace: 'test'}),
        limit,
        () => clock.now,
        () => clock.wait,
      ),
  );
  const [attempts = new PasswordAttempts(memoryStore(), limit, () => clock.now)] = all;
  return {all, attempts, clock, map};
}

async function isRefused(t: ExecutionContext, tried: Promise<boolean>, retryAfter: number): Promise<void> {
  t.like(await t.throwsAsync(tried, {code: 'too_many_requests', message: /wrong passwords/}), {retryAfter});
}

test('a client may use up the greatest limit there is, and so may the next', async (t) => {
  const limit = 100;
  const {attempts, clock} = processes(1, limit);
  for (const client of ['first', 'second']) {
    for (let index = 0; index < limit; index++) t.false(await attempts.try('link', client, wrong));
    clock.now += 1000;
    await isRefused(t, attempts.try('link', client, right), 15 * 60 - 1);
  }
});

test('right passwords that come at once are all right, however many, in one process and in several', async (t) => {
  for (const count of [1, 4]) {
    const {all} = processes(count, 5);
    const outcomes = await Promise.all(
      all.flatMap((one) => Array.from({length: 20}, () => one.try('link', 'client', right))),
    );
    t.deepEqual(new Set(outcomes), new Set([true]));
    t.is(outcomes.length, 20 * count);
  }
});

test('of wrong passwords that come at once only as many are tried as there may be, in all processes together', async (t) => {
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

test('a right password gives its place back, and leaves the wrong ones where they are', async (t) => {
  const {all, attempts} = processes(2, 2);
  t.false(await attempts.try('link', 'client', wrong));
  for (let turn = 0; turn < 10; turn++) {
    for (const one of all) t.true(await one.try('link', 'client', right));
  }
  t.false(await attempts.try('link', 'client', wrong));
  for (const one of all) await isRefused(t, one.try('link', 'client', right), 15 * 60);
});

test('in any quarter of an hour there are only as many wrong ones as there may be', async (t) => {
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

test('a try that fails without an answer is not a wrong one', async (t) => {
  const {attempts} = processes(1, 1);
  await t.throwsAsync(
    attempts.try('link', 'client', () => Promise.reject(new Error('no answer'))),
    {
      message: 'no answer',
    },
  );
  t.true(await attempts.try('link', 'client', right));
});

test('the place of a try whose process is gone is waited for, and counts as wrong after a minute', async (t) => {
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

test('while the store is away nothing is compared, and nobody is told that a password was wrong', async (t) => {
  const unavailable = {code: 'store_unavailable'};
  for (const operation of ['get', 'insert'] as const) {
    const store = intercepted(memoryStore(), (name) => {
      if (name === operation) throw outage();
    });
    const attempts = new PasswordAttempts(store, 5, () => 0);
    await t.throwsAsync(
      attempts.try('link', 'client', () => {
        t.fail('It was compared');
        return right();
      }),
      unavailable,
    );
  }
  const store = intercepted(memoryStore(), (name) => {
    if (name === 'replace') throw outage();
  });
  const attempts = new PasswordAttempts(store, 5, () => 0);
  await t.throwsAsync(attempts.try('link', 'client', wrong), unavailable);
});

test('who is refused costs the store one look, and then nothing more', async (t) => {
  let asked = 0;
  const store = intercepted(memoryStore(), () => {
    asked++;
  });
  const attempts = new PasswordAttempts(store, 1, () => 0);
  t.false(await attempts.try('link', 'client', wrong));
  await isRefused(t, attempts.try('link', 'client', wrong), 15 * 60);
  asked = 0;
  for (let turn = 0; turn < 100; turn++) await isRefused(t, attempts.try('link', 'client', wrong), 15 * 60);
  t.is(asked, 0);
});

test('more than twenty tries at once are refused before they reach the store', async (t) => {
  let asked = 0;
  const store = intercepted(memoryStore(), () => {
    asked++;
  });
  const attempts = new PasswordAttempts(store, 5, () => 0);
  const outcomes = await Promise.allSettled(
    Array.from({length: 100}, (_, client) => attempts.try('link', String(client), right)),
  );
  t.is(outcomes.filter(({status}) => status === 'fulfilled').length, 20);
  // To look and to take a place, and to look and to give it back; a few meet in a record.
  t.true(asked >= 4 * 20 && asked < 8 * 20);
});

test('the records are few, are rid of what is over, and name no client', async (t) => {
  const {attempts, clock, map} = processes(1, 5);
  const size = (): number => JSON.stringify(Array.from(map.values())).length;
  const tryAll = async (): Promise<void> => {
    for (let client = 0; client < 10_000; client++) {
      t.false(await attempts.try('link', `192.0.2.${client}`, () => Promise.resolve(false)));
    }
  };
  await tryAll();
  t.true(map.size <= 4096);
  const full = size();
  t.notRegex(JSON.stringify(Array.from(map)), /192\.0\.2/);
  for (let turn = 0; turn < 2; turn++) {
    clock.now += 15 * minute;
    await tryAll();
    t.true(size() <= full + 10_000 * 10, 'times are longer than zeros, and nothing else has come');
  }
});

test('whoever tries from a whole network cannot make a record grow for ever', async (t) => {
  const {attempts, map} = processes(1, 1_000_000);
  let tried = 0;
  for (; tried < 2000; tried++) {
    try {
      await attempts.try('link', 'client', () => Promise.resolve(false));
    } catch (error) {
      t.like(error, {code: 'too_many_requests', retryAfter: 5});
      break;
    }
  }
  t.is(tried, 800);
  t.true(JSON.stringify(Array.from(map.values())).length < 60_000);
});

test('a wrong one keeps its place from when it began, whichever of them is found wrong first', async (t) => {
  const {attempts, clock} = processes(1, 2);
  let find = (): void => undefined;
  const found = new Promise<void>((resolve) => (find = resolve));
  const slow = attempts.try('link', 'client', async () => found.then(() => false));
  // The clock goes on once the slow one has its place.
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  clock.now = 30_000;
  t.false(await attempts.try('link', 'client', wrong));
  find();
  t.false(await slow);
  clock.now = 40_000;
  await isRefused(t, attempts.try('link', 'client', right), 15 * 60 - 40);
});

test('a right password leaves nothing in the store but the record it was in', async (t) => {
  const {attempts, map} = processes(1, 5);
  t.true(await attempts.try('link', 'client', right));
  t.is(map.size, 1);
  t.false(JSON.stringify([...map.values()]).includes('open'));
});

test('whoever writes to a record rids it of all that is over', async (t) => {
  const {attempts, clock, map} = processes(1, 5);
  t.false(await attempts.try('link', 'client', wrong));
  const store = openStore(map, {namespace: 'test'});
  const key = [...map.keys()].join().replace('test:', '');
  const entry = await store.get<object>(key);
  const others = {another: {wrong: [0], open: []}, waiting: {wrong: [], open: [15 * minute - 1]}};
  t.true(await store.replace(key, entry?.revision, {...entry?.value, ...others}));
  clock.now = 15 * minute;
  t.true(await attempts.try('link', 'client', right));
  t.deepEqual((await store.get(key))?.value, {waiting: others.waiting});
});

test('of tries that began at once each gives back its own place alone', async (t) => {
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
  t.deepEqual(tried, ['first', 'second', 'third'], 'the second one has its place still');
  while (ends.length > 0 || tried.length < 4) {
    ends.shift()?.();
    await nextTurn();
  }
  t.deepEqual(await Promise.all(all), [true, true, true, true]);
});

test('an attempt that waits for others for more than ten seconds is refused', async (t) => {
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
