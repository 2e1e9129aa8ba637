import '../../support/quick-scrypt.ts';
import test from 'ava';
import {Bases} from '../../../src/link/bases.ts';
import {packing} from '../../../src/link/packing.ts';
import {type KindName, kindOf} from '../../../src/tools/kinds.ts';
import {buildServices, type Services} from '../../../src/shortener/services.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import type {ToolStore} from '../../../src/store/port.ts';
import {noon, secret} from '../../support/tools/world.ts';

const day = 24 * 60 * 60_000;

interface Sold {
  readonly services: Services<ToolStore>;
  readonly clock: {now: number};
  readonly via: string;
}

/** A site on which `ann` has sold by code and by the API, to customers and to others, and has paid money back. */
async function sold(): Promise<Sold> {
  const clock = {now: noon};
  const now = (): number => clock.now;
  const store = openStore(new Map(), {namespace: 'shorturl', packing: {...packing, ignoresCase: false}, now});
  const services = buildServices(store, {bases: new Bases('https://example.com', []), secrets: [secret], now});
  const {accounts, links, attribution, conversions} = services;
  for (const account of ['ann', 'bob']) await accounts.create(account);
  const ann = await accounts.require('ann');
  const {urlId: id} = await links.create(ann, {url: 'https://destination.example/', customUrl: 'spring'});
  const via = await attribution.token({domain: 'example.com', slug: 'spring', id}, noon);
  for (const caller of [undefined, ann]) {
    const order = {name: 'order', id: 1};
    await conversions.record({via}, {...order, value: 4900, currency: 'EUR', customer: 'customer 7'}, caller);
    await conversions.refund({...order, refund: 'a', value: 900}, caller);
    await conversions.record({via}, {name: 'registration', id: 'registration 7'}, caller);
    await conversions.identify({via}, 'forgotten', caller);
    await conversions.forget('forgotten', caller);
  }
  return {services, clock, via};
}

/** Everything in the store, as text. */
async function rowsOf(store: ToolStore): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  for await (const keys of store.keys('records')) {
    const entries = await store.getMany(keys);
    for (const [index, key] of keys.entries()) if (entries[index]) rows.set(key, JSON.stringify(entries[index].value));
  }
  for await (const keys of store.keys('counters')) {
    const counters = await store.getCounters(keys);
    for (const [index, key] of keys.entries()) rows.set(key, JSON.stringify([...(counters[index]?.counts ?? [])]));
  }
  return rows;
}

const numberOf = (rows: ReadonlyMap<string, string>, kind: KindName): number =>
  Array.from(rows.keys()).filter((key) => kindOf(key)?.name === kind).length;

test('conversions are kept for 400 days, customers for two years, and what is counted for as long as the account', async (t) => {
  const {services, clock} = await sold();
  const {store, accounts, links, conversions} = services;
  const kept = async () => {
    const rows = await rowsOf(store);
    return (['conversion', 'customer'] as const).map((kind) => numberOf(rows, kind));
  };
  t.deepEqual(await kept(), [4, 2]);
  clock.now = noon + 400 * day - 1;
  t.deepEqual(await kept(), [4, 2]);
  clock.now += 1;
  t.deepEqual(await kept(), [0, 2]);
  clock.now = Date.UTC(2033, 4, 6) - 1;
  t.deepEqual(await kept(), [0, 2]);
  clock.now += 1;
  t.deepEqual(await kept(), [0, 0]);
  t.is(await conversions.find({customer: 'customer 7'}), undefined);
  const {conversions: counted} = await links.accountStats(await accounts.require('ann'));
  t.deepEqual(
    counted.map(({name, recordedBy, conversions: number, refunded}) => [name, recordedBy, number, refunded]),
    [
      ['order', 'site', 1, 900],
      ['order', 'account', 1, 900],
      ['registration', 'site', 1, 0],
      ['registration', 'account', 1, 0],
    ],
  );
});

test('nobody finds an id, or one who was forgotten, in the store', async (t) => {
  const {services} = await sold();
  const rows = JSON.stringify(Array.from(await rowsOf(services.store)));
  for (const id of ['customer 7', 'registration 7', 'forgotten']) t.false(rows.includes(id), id);
  t.is(rows.match(/customer:/g)?.length, 2);
});

test('the removal of an account leaves of its conversions and customers only what expires and counts nowhere', async (t) => {
  const {services, clock, via} = await sold();
  const {store, accounts, conversions} = services;
  await accounts.remove('ann');
  // What the engine needs to know of the last batches goes after a day.
  clock.now += day;
  const rows = await rowsOf(store);
  const kinds = new Set(Array.from(rows.keys(), (key) => kindOf(key)?.name));
  for (const kind of ['totals', 'v', 'quota', 'batch'] as const) t.false(kinds.has(kind), kind);
  t.false(JSON.stringify([...rows]).includes('ann'));
  // A late visitor of the account counts nowhere, and neither does a repeat.
  const before = new Set(rows.keys());
  await conversions.record({via}, {name: 'order', id: 2, value: 1, customer: 'late'});
  await conversions.record({customer: 'customer 7'}, {name: 'order', id: 3, value: 1});
  t.is(await conversions.refund({name: 'order', id: 1, refund: 'b'}), undefined);
  t.is(await conversions.find({customer: 'customer 7'}), undefined);
  t.deepEqual(
    Array.from((await rowsOf(store)).keys()).filter((key) => !before.has(key)),
    [],
  );
  clock.now = Date.UTC(2033, 4, 7);
  const kept = await rowsOf(store);
  t.deepEqual([numberOf(kept, 'conversion'), numberOf(kept, 'customer')], [0, 0]);
});

test('an order of a removed account counts for the link of another one', async (t) => {
  const {services, clock} = await sold();
  const {accounts, links, attribution, conversions} = services;
  await accounts.remove('ann');
  clock.now += 1000;
  const bob = await accounts.require('bob');
  const {urlId: id, shortUrl} = await links.create(bob, {url: 'https://destination.example/', customUrl: 'autumn'});
  const via = await attribution.token({domain: 'example.com', slug: 'autumn', id}, clock.now);
  const order = {name: 'order', id: 1, value: 100, currency: 'EUR', customer: 'customer 7'};
  for (let repeat = 0; repeat < 2; repeat += 1) t.like(await conversions.record({via}, order), {link: {shortUrl}});
  t.like(await conversions.find({customer: 'customer 7'}), {account: 'bob'});
  t.like((await links.stats(bob, shortUrl)).conversions, [{name: 'order', conversions: 1, value: 100}]);
});
