import '../support/quick-scrypt.ts';
import {stat} from 'node:fs/promises';
import {mock} from 'node:test';
import test, {type ExecutionContext} from 'ava';
import {shortUrl} from '../../src/index.ts';

const then = Date.parse('2040-01-01T00:00:00Z');

/** Ways in which the tests of hosts stop time. Each returns what undoes it. */
const ways: Record<string, () => () => void> = {
  'the timers of node:test': () => {
    mock.timers.enable({apis: ['setInterval', 'setTimeout', 'setImmediate', 'Date'], now: then});
    return () => {
      mock.timers.reset();
    };
  },
  // As sinon, Jest and Vitest do.
  'other global functions': () => {
    const names = ['setTimeout', 'setImmediate', 'setInterval', 'performance', 'Date'] as const;
    const own = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
    const never = (): object => ({unref: () => undefined, ref: () => undefined});
    class Stopped extends Date {
      static override now(): number {
        return then;
      }
    }
    Object.assign(globalThis, {
      setTimeout: never,
      setImmediate: never,
      setInterval: never,
      performance: {now: () => 0},
      Date: Stopped,
    });
    return () => {
      Object.assign(globalThis, own);
    };
  },
};

/** Waits without a timer. */
async function settled<Value>(promise: Promise<Value>): Promise<Value | 'pending'> {
  let outcome: Promise<Value> | undefined;
  const settle = (): void => {
    outcome = promise;
  };
  promise.then(settle, settle);
  for (let turns = 0; turns < 2000 && outcome === undefined; turns++) await stat('.');
  return outcome ?? 'pending';
}

async function createdBy(t: ExecutionContext, stop: () => () => void): Promise<string> {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  t.teardown(() => shortener.close());
  const resume = stop();
  try {
    const account = await settled(shortener.accounts.create('ann'));
    if (account === 'pending') return account;
    const link = await settled(shortener.links.create('ann', {url: 'https://destination.example/'}));
    return link === 'pending' ? link : link.dateCreated;
  } finally {
    resume();
  }
}

for (const [name, stop] of Object.entries(ways)) {
  test.serial(`a host's test with ${name} gets an answer, with the date that it has set`, async (t) => {
    t.is(await createdBy(t, stop), '2040-01-01 00:00:00');
  });
}
