import {setImmediate as nextTurn} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import type {ShortUrlError} from '../../src/errors.ts';
import {VisitLog} from '../../src/links/visit-log.ts';
import type {Store, VisitBatch} from '../../src/store/port.ts';
import {memoryStore, outage} from '../support/store-stub.ts';

const day = 86_400_000;

/** A log on a store that takes batches as the test says, and everything that came to it. */
function start() {
  const inner = memoryStore();
  const batches: VisitBatch[] = [];
  const times: number[] = [];
  const errors: ShortUrlError[] = [];
  const waiting: Array<{isEnough: () => boolean; resolve: () => void}> = [];
  const world = {
    /** Why it refuses a batch. */
    refuse: (() => undefined) as (batch: VisitBatch) => Error | undefined,
    answers: (): boolean => true,
  };
  const addVisits = async (batch: VisitBatch): Promise<void> => {
    batches.push(batch);
    times.push(performance.now());
    for (const {isEnough, resolve} of waiting) if (isEnough()) resolve();
    const failure = world.refuse(batch);
    if (failure) throw failure;
    await inner.addVisits(batch);
  };
  const store: Store = new Proxy(inner, {
    get(target, name: keyof Store) {
      if (name === 'addVisits') return addVisits;
      if (name === 'ping') return () => (world.answers() ? Promise.resolve() : Promise.reject(outage()));
      return (Reflect.get(target, name) as () => unknown).bind(target);
    },
  });
  const log = new VisitLog(store, (error) => errors.push(error));
  /** Resolves once so many batches have come. */
  const come = async (count: number): Promise<void> => {
    const isEnough = (): boolean => batches.length >= count;
    if (!isEnough()) await new Promise<void>((resolve) => waiting.push({isEnough, resolve}));
    await nextTurn();
  };
  const visitsOf = async (...keys: string[]): Promise<number[]> =>
    (await inner.getTallies(keys)).map(({visits}) => visits);
  return Object.assign(world, {log, batches, times, errors, come, visitsOf});
}

const keysOf = ({additions}: VisitBatch): string[] => additions.map(({key}) => key);
const holds = (batch: VisitBatch, key: string): boolean => keysOf(batch).includes(key);
const isOver = async (t: ExecutionContext, {log}: ReturnType<typeof start>): Promise<void> => {
  t.is(await log.close(5000), 0);
};

test('a batch that failed once is sent again as a whole, and link by link only when the store refuses it twice', async (t) => {
  const world = start();
  let tries = 0;
  world.refuse = () => (++tries <= 2 ? outage() : undefined);
  await Promise.all(['a', 'b'].map((key) => world.log.add(key, 1)));
  await world.come(4);
  t.deepEqual(world.batches.map(keysOf), [['a', 'b'], ['a', 'b'], ['a'], ['b']]);
  t.is(new Set(world.batches.map(({writer, number}) => `${writer} ${number}`)).size, 1);
  // It took all of them in the end, so the writer goes on.
  await world.log.add('a', 2);
  t.like(world.batches[4], {writer: world.batches[0]?.writer, number: 2});
  t.is(world.errors.length, 1);
  await isOver(t, world);
  t.deepEqual(await world.visitsOf('a', 'b'), [2, 1]);
});

test('a store that was away in between is not taken for one that refuses', async (t) => {
  const world = start();
  let tries = 0;
  let pings = 0;
  world.refuse = () => (++tries <= 3 ? outage() : undefined);
  world.answers = () => ++pings !== 2;
  await Promise.all(['a', 'b'].map((key) => world.log.add(key, 1)));
  await world.come(4);
  t.deepEqual(
    world.batches.map(keysOf),
    Array.from({length: 4}, () => ['a', 'b']),
  );
  await isOver(t, world);
});

test('a store that is away is asked again after pauses that become longer', async (t) => {
  const world = start();
  world.refuse = outage;
  world.answers = () => false;
  await world.log.add('a', 1);
  await world.come(4);
  const pauses = world.times.slice(1).map((time, index) => time - (world.times[index] ?? 0));
  // A timer may be a millisecond early.
  for (const [index, least] of [49, 99, 199].entries()) t.true((pauses[index] ?? 0) >= least, pauses.join());
  world.refuse = () => undefined;
  await isOver(t, world);
});

test('each outage is told once, also one after another and after visits that were given up', async (t) => {
  const world = start();
  world.answers = () => false;
  const told: string[][] = [];
  for (const [failures, batches] of [
    [[outage()], 2],
    [[outage(), outage()], 3],
    [[outage(), new TypeError('a fault')], 2],
    [[outage()], 2],
  ] as const) {
    const left: Error[] = [...failures];
    world.refuse = () => left.shift();
    const before = world.batches.length;
    await world.log.add('a', 1);
    await world.come(before + batches);
    told.push(world.errors.splice(0).map(({code}) => code));
  }
  const outageAlone = ['store_unavailable'];
  t.deepEqual(told, [outageAlone, outageAlone, ['store_unavailable', 'internal_error'], outageAlone]);
  await isOver(t, world);
  t.deepEqual(await world.visitsOf('a'), [3]);
});

test('of many links that are in a batch with one that is refused each is tried once by itself', async (t) => {
  const world = start();
  world.refuse = (batch) => (holds(batch, 'bad') ? outage() : undefined);
  const keys = Array.from({length: 249}, (_, index) => `link ${index}`);
  await Promise.all([...keys.slice(0, 120), 'bad', ...keys.slice(120)].map((key) => world.log.add(key, 1)));
  await world.come(252);
  const probes = world.batches.slice(2);
  t.deepEqual(
    probes.map(keysOf),
    [...keys.slice(0, 120), 'bad', ...keys.slice(120)].map((key) => [key]),
  );
  // Nothing but the refused link is asked for again, and what comes for it waits with it.
  await Promise.all([world.log.add('bad', 2), world.log.add('link 0', 2)]);
  const later = world.batches.slice(252);
  t.deepEqual(later.map(keysOf), [['link 0']]);
  t.not(later[0]?.writer, probes[0]?.writer);
  t.is(later[0]?.number, 1);
  world.refuse = () => undefined;
  await isOver(t, world);
  t.deepEqual(world.batches.slice(253).map(keysOf), [['bad'], ['bad']]);
  t.like(world.batches[253], {writer: probes[0]?.writer, number: probes[0]?.number});
  t.deepEqual(await world.visitsOf('bad', 'link 0', 'link 248'), [2, 2, 1]);
});

test('while a link is refused, visits of others are answered when they are stored', async (t) => {
  const world = start();
  world.refuse = (batch) => (holds(batch, 'bad') ? outage() : undefined);
  await world.log.add('bad', 1);
  await world.come(3);
  await world.log.add('good', 1);
  t.deepEqual(await world.visitsOf('good'), [1]);
  // An outage that comes now is another one.
  world.answers = () => false;
  let tries = 0;
  world.refuse = () => (++tries <= 1 ? outage() : undefined);
  await world.log.add('good', 2);
  t.is(world.errors.length, 2);
  await isOver(t, world);
  t.deepEqual(await world.visitsOf('bad', 'good'), [1, 2]);
});

test('a link that is refused on both sides of midnight waits until both are stored', async (t) => {
  const world = start();
  const isFirstDay = ({additions}: VisitBatch): boolean => (additions[0]?.lastVisit ?? 0) < day;
  world.refuse = (batch) => (holds(batch, 'bad') ? outage() : undefined);
  await Promise.all([day - 1, day].map((at) => world.log.add('bad', at)));
  // Two tries as a batch and one by itself, on each day.
  await world.come(6);
  world.refuse = (batch) => (holds(batch, 'bad') && !isFirstDay(batch) ? outage() : undefined);
  await world.come(8);
  t.deepEqual(await world.visitsOf('bad'), [1]);
  await world.log.add('bad', day + 1);
  await nextTurn();
  await nextTurn();
  t.is(world.batches.length, 8, 'it went past what waits');
  world.refuse = () => undefined;
  await isOver(t, world);
  t.deepEqual(await world.visitsOf('bad'), [3]);
});

test('a link that is refused for seconds loses nothing', async (t) => {
  const world = start();
  world.refuse = (batch) => (holds(batch, 'bad') ? outage() : undefined);
  await world.log.add('bad', 1);
  await world.come(5);
  t.is(new Set(world.batches.map(({writer, number}) => `${writer} ${number}`)).size, 1);
  world.refuse = () => undefined;
  await isOver(t, world);
  t.deepEqual(await world.visitsOf('bad'), [1]);
});

test('what a refused link fails with at last is told, and nothing waits for it any more', async (t) => {
  const world = start();
  world.refuse = (batch) => (holds(batch, 'bad') ? outage() : undefined);
  await world.log.add('bad', 1);
  await world.come(3);
  await world.log.add('bad', 2);
  world.refuse = ({number}) => (number === 1 && world.batches.length === 4 ? new TypeError('a fault') : undefined);
  await isOver(t, world);
  t.deepEqual(
    world.errors.map(({code}) => code),
    ['store_unavailable', 'internal_error'],
  );
  t.deepEqual(await world.visitsOf('bad'), [1]);
});

test('once the log is closed nothing is tried again', async (t) => {
  const world = start();
  world.refuse = (batch) => (holds(batch, 'bad') ? outage() : undefined);
  await world.log.add('bad', 1);
  await world.come(3);
  t.is(await world.log.close(0), 1);
  await nextTurn();
  await nextTurn();
  t.is(world.batches.length, 3);
});

test('a busy store has room for any number of links, and one that refuses some has not', async (t) => {
  const isFull = {code: 'store_unavailable', retryAfter: 1};
  const world = start();
  const first = Array.from({length: 10_050}, (_, index) => world.log.add(`link ${index}`, 1));
  await Promise.all(first);
  t.is(world.batches.length, 1);
  world.refuse = (batch) => (holds(batch, 'bad') ? outage() : undefined);
  await world.log.add('bad', 1);
  await world.come(4);
  const kept = Array.from({length: 9_999}, (_, index) => world.log.add(`link ${index}`, 2));
  t.like(
    t.throws(() => world.log.add('one too many', 2), {message: /no more visits can be kept/}),
    isFull,
  );
  await Promise.all([world.log.add('link 1', 3), world.log.add('bad', 3), ...kept]);
  world.refuse = () => undefined;
  await isOver(t, world);
  t.deepEqual(await world.visitsOf('link 1', 'bad', 'one too many'), [3, 2, 0]);
});
