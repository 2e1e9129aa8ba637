import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {ShortUrlError} from '../../../src/errors.ts';
import type {Addition, Batch} from '../../../src/store/port.ts';
import {range} from '../../support/engines/crowd.ts';
import {countsOf, outage} from '../../support/store-stub.ts';
import {change, linkOn, start} from '../../support/visit-log-world.ts';

test('concurrent visits are one batch with one addition a link, and are answered when it is stored', async (t) => {
  const {store, log, next} = start();
  const [a, b] = [await linkOn(store, 'a'), await linkOn(store, 'b')];
  let answered = 0;
  const visits = [a(1, 'd1'), b(2), a(3, 'd2'), a(2, 'd2')].map((visit) => log.add(visit).finally(() => answered++));
  const {batch, pass} = await next();
  t.deepEqual(batch.additions, [
    {link: a(3).link, keys: ['a'], adds: [{visits: 3, d1: 1, d2: 2}], at: 3},
    {link: b(2).link, keys: ['b'], adds: [{visits: 1, d1: 1}], at: 2},
  ] as unknown[]);
  t.is(answered, 0);
  await pass();
  t.deepEqual(await Promise.all(visits), [true, true, true, true]);
  t.deepEqual(await store.getCounters(['a']), [{counts: new Map(Object.entries({visits: 3, d1: 1, d2: 2})), at: 3}]);
  t.deepEqual(await countsOf(store, ['a', 'b']), [3, 1]);
});

test('while a batch is being written the next one gathers, under the next number', async (t) => {
  const {store, log, next, gates} = start();
  const a = await linkOn(store, 'a');
  const first = log.add(a(1));
  const firstGate = await next();
  const later = [log.add(a(2)), log.add(a(3))];
  await setImmediate();
  t.is(gates.length, 0);
  await firstGate.pass();
  t.true(await first);
  const secondGate = await next();
  t.is(secondGate.batch.number, firstGate.batch.number + 1);
  t.is(secondGate.batch.writer, firstGate.batch.writer);
  t.deepEqual(secondGate.adds, {a: {visits: 2, d1: 2}});
  await secondGate.pass();
  t.deepEqual(await Promise.all(later), [true, true]);
});

test('a batch holds at most 200 additions', async (t) => {
  const {store, log, next} = start();
  const links = await Promise.all(Array.from({length: 401}, (_, index) => linkOn(store, `link-${index}`)));
  const visits = Promise.all(links.map((link) => log.add(link(1))));
  for (const size of [200, 200, 1]) {
    const gate = await next();
    t.is(gate.batch.additions.length, size);
    await gate.pass();
  }
  t.true((await visits).every(Boolean));
});

/** Visits of a link with ten different details each, so that their sum has so many counters. */
function wide(name: string, counters: number): readonly Addition[] {
  const link = {key: `link:${name}`, revision: 1};
  return range(counters / 10).map((visit) => {
    const add = Object.fromEntries(range(10).map((detail) => [`c${visit * 10 + detail}`, 1]));
    return {link, keys: [name], adds: [add], at: 1};
  });
}

function sizeOf({additions}: Batch): number {
  const sizes = additions.flatMap(({adds}) => adds.map((add) => Object.keys(add).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('visits that were kept are stored in batches of at most 4,000 counters, each link whole and once', async (t) => {
  const {store, log, next, leave} = start();
  const end = leave();
  t.true(await log.add((await linkOn(store, 'first'))(1)));
  const first = await next();
  const names = range(10).map((index) => `link-${index}`);
  for (const visit of names.flatMap((name) => wide(name, 1400))) t.true(await log.add(visit));
  t.true(await log.add((await linkOn(store, 'last'))(1)));
  end();
  await first.pass();
  const sizes: number[] = [];
  for (let stored = 0; stored < 11;) {
    const gate = await next();
    // The outcome of each batch is unknown at first.
    await gate.fail(outage(), 'after');
    const again = await next();
    t.deepEqual([again.batch.number, again.adds], [gate.batch.number, gate.adds]);
    await again.pass();
    sizes.push(sizeOf(gate.batch));
    stored += gate.batch.additions.length;
  }
  t.deepEqual(sizes, [2800, 2800, 2800, 2800, 2802]);
  t.is(await log.close(1000), 0);
  for (const counter of ['c0', 'c1399']) t.deepEqual(await countsOf(store, names, counter), Array(10).fill(1));
});

test('a visit of a changed link is not counted, and the others of its batch are', async (t) => {
  const {store, log, next} = start();
  const [a, b] = [await linkOn(store, 'a'), await linkOn(store, 'b')];
  await change(store, 'a');
  const visits = Promise.all([a(1), b(1), a(2)].map((visit) => log.add(visit)));
  await (await next()).pass();
  t.deepEqual(await visits, [false, true, false]);
  t.deepEqual(await countsOf(store, ['a', 'b']), [0, 1]);
  t.is(await log.close(1000), 0);
});

test('a batch whose reply was lost is sent again with the same number and additions, and counts once', async (t) => {
  const {store, log, next, errors} = start();
  const a = await linkOn(store, 'a');
  const visit = log.add(a(1));
  const first = await next();
  await first.fail(outage(), 'after');
  t.true(await visit, 'the visitor does not wait for the second try');
  t.true(await log.add(a(2)));
  const again = await next();
  t.is(again.batch.number, first.batch.number);
  t.is(again.batch.writer, first.batch.writer);
  t.deepEqual(again.batch.additions, first.batch.additions);
  await again.pass();
  const kept = await next();
  t.deepEqual(kept.adds, {a: {visits: 1, d1: 1}});
  await kept.pass();
  t.is(await log.close(1000), 0);
  t.deepEqual(await countsOf(store, ['a']), [2]);
  t.deepEqual(errors, [], 'the store reports the outage');
});

test('while the store is away visits are answered at once, and stored when it is back', async (t) => {
  const {store, log, next, leave} = start();
  const [a, b] = [await linkOn(store, 'a'), await linkOn(store, 'b')];
  const end = leave();
  t.deepEqual(await Promise.all([a(1), a(2), b(3)].map((visit) => log.add(visit))), [true, true, true]);
  const gate = await next();
  t.deepEqual(gate.adds, {a: {visits: 2, d1: 2}, b: {visits: 1, d1: 1}});
  await gate.fail(outage());
  await setImmediate();
  t.true(await log.add(a(4)));
  end();
  await (await next()).pass();
  await (await next()).pass();
  t.is(await log.close(1000), 0);
  t.deepEqual(await countsOf(store, ['a', 'b']), [3, 1]);
});

test('kept visits are bounded in bytes, the bound is reported once, and links that are already kept go on', async (t) => {
  const {store, log, next, errors, leave} = start();
  // Each key has 2 MB, so 16 links reach the bound of 32 MB.
  const long = (index: number): Addition => ({
    link: {key: `link:${index}`, revision: index},
    keys: [`${index}-`.padEnd(2 ** 20, 'x')],
    adds: [{visits: 1}],
    at: 1,
  });
  const end = leave();
  t.true(await log.add(long(0)));
  const gate = await next();
  for (let index = 1; index <= 16; index += 1) t.true(await log.add(long(index)), `${index}`);
  for (let index = 17; index < 20; index += 1) {
    const error = await t.throwsAsync(log.add(long(index)), {instanceOf: ShortUrlError, code: 'store_unavailable'});
    t.is(error.retryAfter, 1);
  }
  t.true(await log.add(long(3)));
  const told = errors.map(({code, message}) => [code, message]);
  t.deepEqual(told, [['store_unavailable', 'The store does not answer, and no more visits can be kept in memory.']]);
  end();
  await gate.pass();
  await (await next()).pass();
  t.is(await log.close(1000), 0);
  t.deepEqual(
    await countsOf(
      store,
      [3, 16, 17].map((index) => long(index).keys[0] ?? ''),
    ),
    [2, 1, 0],
  );
});

test('close() waits for pending visits', async (t) => {
  const {store, log, next} = start();
  const a = await linkOn(store, 'a');
  const visits = [log.add(a(1))];
  const gate = await next();
  visits.push(log.add(a(2)));
  const closed = log.close(60_000);
  await gate.pass();
  await (await next()).pass();
  t.is(await closed, 0);
  t.deepEqual(await Promise.all(visits), [true, true]);
});

test('close() gives up after its timeout, and gives the number of visits that may be lost', async (t) => {
  const {store, log, next, leave} = start();
  const a = await linkOn(store, 'a');
  const visit = log.add(a(1));
  const gate = await next();
  leave();
  await gate.fail(outage());
  await visit;
  await log.add(a(2));
  t.is(await log.close(1), 2);
});

test('a visit after close() is refused, and nothing runs in the background', async (t) => {
  const {store, log, gates} = start();
  const a = await linkOn(store, 'a');
  t.is(await log.close(1000), 0);
  const error = await t.throwsAsync(log.add(a(1)), {instanceOf: ShortUrlError, message: 'The store is closed.'});
  t.like(error, {code: 'store_unavailable', retryAfter: 1});
  t.is(gates.length, 0);
});
