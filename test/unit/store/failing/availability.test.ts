import test from 'ava';
import {ShortUrlError} from '../../../../src/errors.ts';
import {Availability} from '../../../../src/store/failing/availability.ts';

interface Ping {
  readonly answer: () => void;
  readonly fail: () => void;
}

/** A store whose pings the test answers, and a clock that the test sets. */
function start() {
  const clock = {now: 0};
  const pings: Ping[] = [];
  const watchers: Array<() => void> = [];
  const told: Error[] = [];
  const availability = new Availability(
    () =>
      new Promise<void>((answer, reject) => {
        pings.push({
          answer,
          fail: () => {
            reject(new Error('still away'));
          },
        });
        for (const watcher of watchers.splice(0)) watcher();
      }),
    (error) => told.push(error),
    () => clock.now,
  );
  /** Waits until that ping is sent. */
  const ping = async (index: number): Promise<Ping> => {
    // The timers between pings do not keep the process alive.
    const alive = setInterval(() => undefined, 1000);
    let sent: Ping | undefined;
    while ((sent = pings[index]) === undefined) await new Promise<void>((resolve) => watchers.push(resolve));
    clearInterval(alive);
    return sent;
  };
  return {availability, clock, pings, told, ping};
}

test('an outage begins with a failure, is reported once, and ends with an answered ping', async (t) => {
  const {availability, pings, told, ping} = start();
  const first = new ShortUrlError('store_unavailable', 'connection lost');
  availability.failed(first);
  availability.failed(new ShortUrlError('store_unavailable', 'connection lost again'));
  t.true(availability.isAway);
  t.is(pings.length, 1);
  (await ping(0)).fail();
  const next = await ping(1);
  t.true(availability.isAway);
  let isBack = false;
  const back = availability.whenBack().then(() => (isBack = true));
  t.false(isBack);
  next.answer();
  await back;
  t.false(availability.isAway);
  t.is(pings.length, 2);
  t.deepEqual(told, [first]);
});

test('failures less than a second apart are one outage, also if a ping was answered in between', async (t) => {
  const {availability, clock, told, ping} = start();
  availability.failed(new ShortUrlError('store_unavailable', 'first'));
  (await ping(0)).answer();
  await availability.whenBack();
  clock.now = 1000;
  availability.failed(new ShortUrlError('store_unavailable', 'second'));
  t.true(availability.isAway);
  t.is(told.length, 1);
  (await ping(1)).answer();
  await availability.whenBack();
  availability.succeeded(false);
  clock.now = 2001;
  availability.failed(new ShortUrlError('store_unavailable', 'third'));
  const messages = told.map(({message}) => message);
  t.deepEqual(messages, ['first', 'third']);
  availability.close();
});

test('a store that refuses writes but answers reads has one outage', async (t) => {
  const {availability, clock, told, ping} = start();
  const fail = async (index: number, isWrite: boolean): Promise<void> => {
    availability.failed(new ShortUrlError('store_unavailable', 'OOM command not allowed'), isWrite);
    (await ping(index)).answer();
    await availability.whenBack();
  };
  for (let tries = 0; tries < 20; tries += 1) {
    clock.now = tries * 6000;
    await fail(tries, true);
    availability.succeeded(false);
  }
  t.is(told.length, 1);
  availability.succeeded(true);
  clock.now += 6000;
  await fail(20, false);
  t.is(told.length, 2);
  availability.succeeded(false);
  clock.now += 6000;
  await fail(21, false);
  t.is(told.length, 3, 'no write had failed since');
  availability.close();
});

test('the failure of a write is known until a write succeeds, or for a minute', async (t) => {
  const {availability, clock, ping} = start();
  const failure = new ShortUrlError('store_unavailable', 'disk I/O error');
  t.is(availability.writeFailure, undefined);
  availability.failed(failure, true);
  availability.succeeded(false);
  t.is(availability.writeFailure, failure);
  t.true(availability.isAway);
  availability.succeeded(true);
  t.is(availability.writeFailure, undefined, 'also before a ping was answered');
  (await ping(0)).answer();
  await availability.whenBack();
  availability.failed(failure, true);
  (await ping(1)).answer();
  await availability.whenBack();
  clock.now = 60_000;
  t.is(availability.writeFailure, failure);
  clock.now = 60_001;
  t.is(availability.writeFailure, undefined);
  availability.close();
});

test('close() ends the pings and the waiting, and nothing is reported afterwards', async (t) => {
  const {availability, pings, told, ping} = start();
  availability.failed(new ShortUrlError('store_unavailable', 'connection lost'));
  const first = await ping(0);
  const back = availability.whenBack();
  availability.close();
  first.fail();
  await back;
  availability.failed(new ShortUrlError('store_unavailable', 'connection lost'));
  t.false(availability.isAway);
  t.is(pings.length, 1);
  t.is(told.length, 1);
});
