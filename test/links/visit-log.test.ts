import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {ShortUrlError} from '../../src/errors.ts';
import {VisitLog} from '../../src/links/visit-log.ts';
import type {Store, VisitBatch} from '../../src/store/port.ts';
import {memoryStore, outage} from '../support/store-stub.ts';

interface Gate {
  readonly batch: VisitBatch;
  /** Lets the batch through, or fails it, before or after the store has taken it. */
  readonly release: (end?: {readonly fail: Error; readonly stored?: boolean}) => void;
}

/** A store whose batches wait to be let through. */
function gatedStore(): {store: Store; gates: Gate[]; next: () => Promise<Gate>} {
  const inner = memoryStore();
  const gates: Gate[] = [];
  const waiting: Array<(gate: Gate) => void> = [];
  let isDown = false;
  const store: Store = new Proxy(inner, {
    get(target, name: keyof Store) {
      if (name === 'ping') return () => (isDown ? Promise.reject(outage()) : Promise.resolve());
      if (name !== 'addVisits') return (Reflect.get(target, name) as () => unknown).bind(target);
      return (batch: VisitBatch) =>
        new Promise<void>((resolve, reject) => {
          const gate: Gate = {
            batch,
            release: (end) => {
              isDown = end !== undefined;
              if (end === undefined || end.stored)
                target.addVisits(batch).then(
                  end
                    ? () => {
                        reject(end.fail);
                      }
                    : resolve,
                  reject,
                );
              else reject(end.fail);
            },
          };
          const waiter = waiting.shift();
          if (waiter) waiter(gate);
          else gates.push(gate);
        });
    },
  });
  const next = async (): Promise<Gate> => gates.shift() ?? new Promise((resolve) => waiting.push(resolve));
  return {store, gates, next};
}

const silent = (): void => undefined;

test('visits that come together are one batch, and are answered when it is stored', async (t) => {
  const {store, next} = gatedStore();
  const log = new VisitLog(store, silent);
  let answered = 0;
  const visits = ['a', 'b', 'a'].map((key, index) => log.add(key, index).then(() => answered++));
  const gate = await next();
  t.deepEqual(gate.batch.additions, [
    {key: 'a', visits: 2, lastVisit: 2},
    {key: 'b', visits: 1, lastVisit: 1},
  ]);
  t.is(answered, 0);
  gate.release();
  await Promise.all(visits);
  t.deepEqual(await store.getTallies(['a', 'b']), [
    {visits: 2, lastVisit: 2},
    {visits: 1, lastVisit: 1},
  ]);
});

test('while a batch is written the next one gathers, under the next number', async (t) => {
  const {store, gates, next} = gatedStore();
  const log = new VisitLog(store, silent);
  const first = log.add('a', 1);
  const firstGate = await next();
  const later = [log.add('a', 2), log.add('a', 3)];
  t.is(gates.length, 0);
  firstGate.release();
  await first;
  const secondGate = await next();
  t.is(secondGate.batch.number, firstGate.batch.number + 1);
  t.is(secondGate.batch.writer, firstGate.batch.writer);
  t.deepEqual(secondGate.batch.additions, [{key: 'a', visits: 2, lastVisit: 3}]);
  secondGate.release();
  await Promise.all(later);
});

test('visits on both sides of midnight are two batches, and all are answered when both are stored', async (t) => {
  const {store, next} = gatedStore();
  const log = new VisitLog(store, silent);
  let answered = 0;
  const midnight = 20_000 * 86_400_000;
  const visits = [midnight - 1, midnight, midnight + 1].map((at) => log.add('a', at).then(() => answered++));
  const first = await next();
  t.deepEqual(first.batch.additions, [{key: 'a', visits: 1, lastVisit: midnight - 1}]);
  first.release();
  const second = await next();
  t.is(second.batch.number, first.batch.number + 1);
  t.deepEqual(second.batch.additions, [{key: 'a', visits: 2, lastVisit: midnight + 1}]);
  t.is(answered, 0);
  second.release();
  await Promise.all(visits);
  t.deepEqual((await store.getDailyTally('a')).days, [
    [19_999, 1],
    [20_000, 2],
  ]);
});

test('an outage that lasts over midnight leaves each visit on its day', async (t) => {
  const {store, next} = gatedStore();
  const log = new VisitLog(store, silent);
  const midnight = 20_000 * 86_400_000;
  const visit = log.add('a', midnight - 2);
  (await next()).release({fail: outage()});
  await visit;
  await Promise.all([log.add('a', midnight - 1), log.add('a', midnight)]);
  for (let batch = 0; batch < 3; batch += 1) (await next()).release();
  t.is(await log.close(1000), 0);
  t.deepEqual((await store.getDailyTally('a')).days, [
    [19_999, 2],
    [20_000, 1],
  ]);
});

test('a batch whose answer was lost is sent again under its number, and counts once', async (t) => {
  const {store, next} = gatedStore();
  const errors: ShortUrlError[] = [];
  const log = new VisitLog(store, (error) => errors.push(error));
  const visit = log.add('a', 1);
  const first = await next();
  first.release({fail: outage(), stored: true});
  await visit;
  const again = await next();
  t.is(again.batch.number, first.batch.number);
  again.release();
  t.is(await log.close(1000), 0);
  t.deepEqual(await store.getTallies(['a']), [{visits: 1, lastVisit: 1}]);
  t.deepEqual(
    errors.map(({code}) => code),
    ['store_unavailable'],
  );
});

test('during an outage visits are answered at once, kept, and stored when it is over', async (t) => {
  const {store, next} = gatedStore();
  const errors: ShortUrlError[] = [];
  const log = new VisitLog(store, (error) => errors.push(error));
  const visit = log.add('a', 1);
  (await next()).release({fail: outage()});
  await visit;
  await Promise.all([log.add('a', 2), log.add('b', 3)]);
  (await next()).release({fail: outage()});
  t.is(errors.length, 1, 'an outage is reported once');
  (await next()).release();
  (await next()).release();
  t.is(await log.close(1000), 0);
  t.deepEqual(await store.getTallies(['a', 'b']), [
    {visits: 2, lastVisit: 2},
    {visits: 1, lastVisit: 3},
  ]);
});

test('visits that waited for the batch behind a failing one do not wait for the outage to end', async (t) => {
  const {store, next} = gatedStore();
  const log = new VisitLog(store, silent);
  const first = log.add('a', 1);
  const gate = await next();
  const second = log.add('b', 2);
  gate.release({fail: outage()});
  await Promise.all([first, second]);
  (await next()).release();
  (await next()).release();
  t.is(await log.close(1000), 0);
});

test('what is kept is bounded in links, not in visits', async (t) => {
  const {store, next} = gatedStore();
  const log = new VisitLog(store, silent);
  const visit = log.add('a', 1);
  (await next()).release({fail: outage()});
  await visit;
  await Promise.all(Array.from({length: 10_000}, (_, index) => log.add(`link ${index}`, 2)));
  t.throws(() => log.add('one too many', 3), {instanceOf: ShortUrlError, code: 'store_unavailable'});
  await log.add('link 1', 4);
  (await next()).release();
  (await next()).release();
  t.is(await log.close(1000), 0);
});

test('close gives up after its bound and says how many visits are lost', async (t) => {
  const {store, next} = gatedStore();
  const log = new VisitLog(store, silent);
  const visit = log.add('a', 1);
  (await next()).release({fail: outage()});
  await visit;
  await log.add('a', 2);
  t.is(await log.close(0), 2);
});

test('visitors who still wait when close gives up are refused', async (t) => {
  const {store, next} = gatedStore();
  const log = new VisitLog(store, silent);
  const first = log.add('a', 1);
  const gate = await next();
  const second = log.add('b', 2);
  t.is(await log.close(0), 2);
  await t.throwsAsync(second, {instanceOf: ShortUrlError, message: 'The store is closed.'});
  gate.release();
  await first;
  t.deepEqual(await store.getTallies(['a', 'b']), [
    {visits: 1, lastVisit: 1},
    {visits: 0, lastVisit: undefined},
  ]);
});

test('a fault that is no outage fails its visits, and the next ones are stored', async (t) => {
  const {store, next} = gatedStore();
  const log = new VisitLog(store, silent);
  const visit = log.add('a', 1);
  (await next()).release({fail: new TypeError('a fault')});
  await t.throwsAsync(visit, {instanceOf: ShortUrlError, code: 'internal_error'});
  const later = log.add('a', 2);
  (await next()).release();
  await later;
  t.deepEqual(await store.getTallies(['a']), [{visits: 1, lastVisit: 2}]);
  t.is(await log.close(1000), 0, 'what failed is not waited for');
});

test('a visit after the end is refused, and nothing goes on in the background', async (t) => {
  const {store, gates} = gatedStore();
  const log = new VisitLog(store, silent);
  t.is(await log.close(1000), 0);
  const error = t.throws(() => log.add('a', 1), {instanceOf: ShortUrlError, message: 'The store is closed.'});
  t.like(error, {code: 'store_unavailable', retryAfter: 1});
  t.is(gates.length, 0);
});

test('a link that the store refuses does not keep the others waiting, and is stored when it is taken again', async (t) => {
  const store = memoryStore();
  let isRefused = true;
  const picky: Store = new Proxy(store, {
    get(target, name: keyof Store) {
      if (name !== 'addVisits') return (Reflect.get(target, name) as () => unknown).bind(target);
      return async (batch: VisitBatch) => {
        // Those in front of it are stored, as on a store that takes a batch link by link.
        for (const addition of batch.additions) {
          if (addition.key === 'bad' && isRefused) throw outage();
          await target.addVisits({...batch, additions: [addition]});
        }
      };
    },
  });
  const errors: ShortUrlError[] = [];
  const log = new VisitLog(picky, (error) => errors.push(error));
  await Promise.all(['good', 'bad', 'better'].map((key) => log.add(key, 1)));
  await log.add('good', 2);
  await log.add('bad', 2);
  await log.add('better', 2);
  await log.add('bad', 3);
  // They were kept when the first batch failed; the refused link must not hold them back.
  const others = async (): Promise<number[]> => (await store.getTallies(['good', 'better'])).map(({visits}) => visits);
  while ((await others()).some((visits) => visits < 2)) await setImmediate();
  t.deepEqual(await others(), [2, 2]);
  t.is(errors.length, 1);
  isRefused = false;
  t.is(await log.close(5000), 0);
  t.deepEqual(
    (await store.getTallies(['good', 'bad', 'better'])).map(({visits}) => visits),
    [2, 3, 2],
  );
});

test('connections that are cut again and again leave no new writer behind', async (t) => {
  const {store, next} = gatedStore();
  const log = new VisitLog(store, silent);
  const writers = new Set<string>();
  for (let round = 0; round < 5; round++) {
    const visit = log.add('a', round);
    const gate = await next();
    writers.add(gate.batch.writer);
    gate.release({fail: outage(), stored: true});
    await visit;
    (await next()).release();
  }
  t.is(await log.close(1000), 0);
  t.is(writers.size, 1);
  t.is((await store.getTallies(['a']))[0]?.visits, 5);
});
