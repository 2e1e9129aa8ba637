import {visitsCounter} from '../../../src/link/counters.ts';
import {linkCounters, linkRecords} from '../../../src/link/records.ts';
import test from 'ava';
import {type LinkRecord} from '../../../src/link/record.ts';
import {VisitLimits} from '../../../src/visits/visit-limits.ts';
import type {Store} from '../../../src/store/port.ts';
import {recordsIn} from '../../../src/store/records.ts';
import {inTurn} from '../../support/engines/crowd.ts';
import {intercepted, memoryStore, outage, reportedAway} from '../../support/store-stub.ts';

const record = {
  domain: 'example.com',
  slug: 'spring',
  generation: 'life',
  counters: 'c',
  url: 'https://destination.example/',
  state: 'active',
  maxVisits: 100,
  used: 0,
} as unknown as LinkRecord;
const key = linkRecords.key(record);

async function start(changes: Partial<LinkRecord> = {}): Promise<{store: Store; limits: VisitLimits}> {
  const store = memoryStore();
  await store.insert(key, {...record, ...changes});
  return {store, limits: new VisitLimits(store, () => 0)};
}

const usedOf = async (store: Store): Promise<number | undefined> => (await store.get<LinkRecord>(key))?.value.used;

test('a thousand concurrent visitors in eight processes get exactly as many visits as the limit allows', async (t) => {
  const {store} = await start();
  const processes = Array.from({length: 8}, () => new VisitLimits(store, () => 0));
  const grants = await Promise.all(Array.from({length: 1000}, (_, index) => inTurn(processes, index).grant(record)));
  t.is(grants.filter(Boolean).length, 100);
  t.is(await usedOf(store), 100);
});

test('visitors who arrive while the record is being written are granted together, in order of arrival', async (t) => {
  const inner = memoryStore();
  await inner.insert(key, record);
  let writes = 0;
  const store = intercepted(inner, (operation) => {
    if (operation === 'replace') writes += 1;
  });
  const limits = new VisitLimits(store, () => 0);
  const grants = await Promise.all(Array.from({length: 150}, () => limits.grant(record)));
  t.deepEqual(grants, [...Array<boolean>(100).fill(true), ...Array<boolean>(50).fill(false)]);
  t.is(writes, 1);
});

test('a grant is one write, unless another process was faster', async (t) => {
  const inner = memoryStore();
  await inner.insert(key, record);
  const operations: string[] = [];
  const store = intercepted(inner, (operation) => void operations.push(operation));
  const reading = {entry: await inner.get<LinkRecord>(key)};
  const limits = new VisitLimits(store, () => 0);
  for (const used of [1, 2]) {
    t.true(await limits.grant(record, reading));
    t.is(await usedOf(inner), used);
  }
  t.deepEqual(operations, ['replace', 'replace']);
  t.true(await new VisitLimits(inner, () => 0).grant(record));
  t.true(await limits.grant(record, reading));
  t.deepEqual(operations.slice(2), ['replace', 'get', 'replace']);
  t.is(await usedOf(inner), 4);
  await recordsIn<LinkRecord>(inner).update(key, (link) => ({...link, state: 'disabled', changes: 1}));
  t.false(await limits.grant(record, reading));
  t.is(await usedOf(inner), 4);
});

test('a visit is not granted once the record has changed', async (t) => {
  for (const change of [
    {state: 'disabled'},
    {isBlocked: true},
    {end: 0},
    {url: 'https://other.example/', changes: 1},
    {password: 'hash', changes: 1},
    {counters: 'of a link created anew'},
  ] as Array<Partial<LinkRecord>>) {
    const {store, limits} = await start(change);
    t.false(await limits.grant(record), JSON.stringify(change));
    t.is(await usedOf(store), 0);
  }
  const {limits} = await start({title: 'another title'});
  t.true(await limits.grant(record));
});

test('a limit that is set later counts the earlier visits', async (t) => {
  const {store, limits} = await start();
  await recordsIn<LinkRecord>(store).update(key, ({used, ...rest}) => (used === 0 ? rest : undefined));
  await store.count({
    writer: 'w',
    number: 1,
    additions: [{keys: [linkCounters.key(record)], adds: [{[visitsCounter]: 98}], at: 1}],
  });
  const grants = await Promise.all(Array.from({length: 5}, () => limits.grant(record)));
  t.deepEqual(grants, [true, true, false, false, false]);
  t.is(await usedOf(store), 100);
});

test('a limit that takes the place of another one counts the visits that were granted and not yet counted', async (t) => {
  const {store, limits} = await start();
  t.true(await limits.grant(record));
  await recordsIn<LinkRecord>(store).update(key, ({used, ...rest}) =>
    used === 1 ? {...rest, maxVisits: 2} : undefined,
  );
  const grants = await Promise.all(Array.from({length: 3}, () => limits.grant(record)));
  t.deepEqual(grants, [true, false, false]);
});

test('in an outage no visit is granted', async (t) => {
  const {store, limits} = await start();
  const failing = intercepted(store, () => {
    throw outage();
  });
  for (const away of [reportedAway(store, () => true), failing]) {
    await t.throwsAsync(new VisitLimits(away, () => 0).grant(record), {code: 'store_unavailable'});
  }
  t.is(await usedOf(store), 0);
  t.true(await limits.grant(record));
});
