import test from 'ava';
import {removedRecord} from '../../../src/link/record.ts';
import {linkCounters, linkRecords} from '../../../src/link/records.ts';
import {accountTotals} from '../../../src/links/stats/totals.ts';
import {VisitLog} from '../../../src/visits/visit-log.ts';
import {countsOf, memoryStore, outage, intercepted, reportedAway} from '../../support/store-stub.ts';

const link = {domain: 'example.com', slug: 'spring', counters: 'first', generation: 'life-1'};
const removedByOwner = {...removedRecord(link, link.generation), changes: 1};
const removedAccount = removedRecord(link, '');
const owner = {link, counters: link.counters, generation: link.generation};
const key = linkRecords.key(link);
const keys = [linkCounters.key(link), accountTotals.key({generation: link.generation, shard: 0})] as const;
/** A visit that was granted by a visit limit, or kept in an outage: it counts whatever its link is now. */
const visit = {owner, keys, adds: [{visits: 1, 'referrer:forum.example': 1}, {visits: 1}], at: 1};

test('a visit that is stored after its link or account was removed leaves no counters', async (t) => {
  for (const [record, left] of [
    [link, [1, 1]],
    [removedByOwner, [0, 1]],
    [{...link, counters: 'second'}, [0, 1]],
    [removedAccount, [0, 0]],
  ] as const) {
    const store = memoryStore();
    await store.insert(key, record);
    const log = new VisitLog(store, () => undefined);
    t.true(await log.add(visit));
    t.is(await log.close(1000), 0);
    t.deepEqual(await countsOf(store, keys, 'visits'), left);
  }
});

test('visits of one link that follow each other share a look at it', async (t) => {
  const inner = memoryStore();
  await inner.insert(key, link);
  let looks = 0;
  const store = intercepted(inner, (operation) => {
    if (operation === 'getMany') looks += 1;
  });
  const log = new VisitLog(store, () => undefined);
  for (let visits = 0; visits < 3; visits += 1) t.true(await log.add(visit));
  t.is(await log.close(1000), 0);
  t.is(looks, 1);
});

test('visits that were kept in an outage leave no counters of what another process has removed since', async (t) => {
  const store = memoryStore();
  const state = {isAway: true, failures: 1};
  const failing = intercepted(store, (operation) => {
    if (operation === 'getMany' && state.failures-- > 0) throw outage();
  });
  const log = new VisitLog(
    reportedAway(failing, () => state.isAway),
    () => undefined,
  );
  await store.insert(key, removedAccount);
  t.true(await log.add({...visit, link: {key, revision: 'seen before'}}));
  state.isAway = false;
  t.is(await log.close(5000), 0);
  t.true(state.failures < 0, 'the look at the link was repeated');
  t.deepEqual(await countsOf(store, keys, 'visits'), [0, 0]);
});
