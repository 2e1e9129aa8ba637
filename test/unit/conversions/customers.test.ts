import test from 'ava';
import {OwnedRecords} from '../../../src/accounts/owned-records.ts';
import {Seal} from '../../../src/accounts/seal.ts';
import {SiteKey} from '../../../src/accounts/site-key.ts';
import {Customers} from '../../../src/conversions/customers.ts';
import type {Store} from '../../../src/store/port.ts';
import {kindNameOf, ownedKey, ownedPositions} from '../../../src/records.ts';
import {intercepted, memoryStore, outage} from '../../support/store-stub.ts';
import {noon, secret} from '../../support/tools/world.ts';

const day = 24 * 60 * 60_000;
const generation = 'generation-1';
const bringer = {domain: 'example.com', slug: 'spring', id: 1, generation};

/** Customers of a site, in a process of its own. */
function customersOn(store: Store, clock = {now: noon}, isKept: () => boolean = () => true): Customers {
  return new Customers({
    store,
    siteKey: new SiteKey(store, new Seal([secret])),
    owned: new OwnedRecords(store),
    links: {isKept: async () => isKept()},
    age: 10 * 24 * 60 * 60,
    now: () => clock.now,
  });
}

/** The keys that the index of the account has. */
async function noted(store: Store): Promise<string[]> {
  const records = await store.getMany<{keys: readonly string[]}>([0, 1].map((number) => ownedKey(generation, number)));
  return records.flatMap((record) => record?.value.keys.filter((key) => key !== '') ?? []);
}

test('nothing is left of a customer who was identified by two calls at once and is forgotten', async (t) => {
  const store = memoryStore(() => noon);
  const first = customersOn(store);
  // The second call comes in a process that has recorded much else since it began.
  const slow = customersOn(
    intercepted(store, async (operation, key) => {
      if (operation !== 'insert' || kindNameOf(String(key)) !== 'customer') return;
      for (let other = 0; other < 60; other += 1) await store.increment(ownedPositions(generation));
      await first.add('user-7', bringer);
    }),
  );
  const {isNew} = await slow.add('user-7', {...bringer, slug: 'autumn'});
  t.false(isNew);
  t.is((await first.find('user-7'))?.slug, 'spring');
  t.is((await noted(store)).length, 1);
  t.true(await first.forget('user-7'));
  t.deepEqual(await store.getMany([0, 1].map((number) => ownedKey(generation, number))), [undefined, undefined]);
});

test('a use that is cut off anywhere leaves the customer noted for as long as kept', async (t) => {
  for (let cut = 0, isWhole = false; !isWhole; cut += 1) {
    const store = memoryStore(() => noon);
    const clock = {now: noon};
    const customers = customersOn(store, clock);
    await customers.add('user-7', bringer);
    clock.now += day;
    let left = cut;
    const failing = intercepted(store, () => {
      if (left-- === 0) throw outage();
    });
    isWhole = await customersOn(failing, clock)
      .use('user-7')
      .then(
        () => true,
        () => false,
      );
    const until = (await customers.find('user-7'))?.until ?? Infinity;
    const index = await store.get<{until: number}>(ownedKey(generation, 0));
    t.true(index !== undefined && index.value.until >= until, `cut after ${cut}`);
  }
});

test('a use beside `forget` leaves nothing, and a use before it does not bring the customer back', async (t) => {
  const store = memoryStore(() => noon);
  const clock = {now: noon};
  const customers = customersOn(store, clock);
  await customers.add('user-7', bringer);
  clock.now += day;
  const used = customersOn(
    intercepted(store, async (operation) => {
      if (operation === 'replace') await customers.forget('user-7');
    }),
    clock,
  );
  t.is(await used.use('user-7'), undefined);
  t.is(await customers.find('user-7'), undefined);
  t.deepEqual(await noted(store), []);
});

test('a `forget` that was cut off is completed by its repeat', async (t) => {
  for (let cut = 0, isWhole = false; !isWhole; cut += 1) {
    const store = memoryStore(() => noon);
    const customers = customersOn(store);
    for (const customer of ['user-7', 'user-8']) await customers.add(customer, bringer);
    let done = 0;
    const failing = customersOn(
      intercepted(store, () => {
        done += 1;
        if (done > cut) throw outage();
      }),
    );
    isWhole = await failing.forget('user-7').catch(() => false);
    await customers.forget('user-7');
    t.is(await customers.find('user-7'), undefined);
    t.is((await noted(store)).length, 1, `cut after ${cut}`);
  }
});

test('a customer whose account is removed meanwhile leaves nothing', async (t) => {
  const store = memoryStore(() => noon);
  let looks = 0;
  const customers = customersOn(store, {now: noon}, () => (looks += 1) < 2);
  t.deepEqual(await customers.add('user-7', bringer), {record: undefined, isNew: false});
  t.deepEqual(await noted(store), []);
  t.deepEqual(await store.current([ownedPositions(generation)]), [0]);
});

test('a customer is kept in whole days, so that the store does not tell when somebody came or came back', async (t) => {
  const store = memoryStore(() => noon);
  const clock = {now: noon};
  const customers = customersOn(store, clock);
  const {record} = await customers.add('user-7', bringer);
  t.is(record?.at, Date.UTC(2031, 4, 6));
  t.is(record?.until, Date.UTC(2031, 4, 17));
  clock.now = Date.UTC(2031, 4, 6, 23, 59);
  await customers.use('user-7');
  t.is((await customers.find('user-7'))?.until, record?.until);
  clock.now += 60_000;
  await customers.use('user-7');
  t.like(await customers.find('user-7'), {at: record?.at, until: Date.UTC(2031, 4, 17)});
  clock.now += 1;
  await customers.use('user-7');
  t.like(await customers.find('user-7'), {at: record?.at, until: Date.UTC(2031, 4, 18)});
});
