import test from 'ava';
import {Seal} from '../../../src/accounts/seal.ts';
import {SiteKey} from '../../../src/accounts/site-key.ts';
import {Customers} from '../../../src/conversions/customers.ts';
import type {Store, ToolStore} from '../../../src/store/port.ts';
import {kindOf} from '../../../src/tools/kinds.ts';
import {intercepted, memoryStore, outage} from '../../support/store-stub.ts';
import {noon, secret} from '../../support/tools/world.ts';
import {listedKeys} from '../../support/store/conformance-keys.ts';

const day = 24 * 60 * 60_000;
const generation = 'generation-1';
const bringer = {domain: 'example.com', slug: 'spring', id: 1, generation};

/** Customers of a site, in a process of its own. */
function customersOn(store: Store, clock = {now: noon}, isKept: () => boolean = () => true): Customers {
  return new Customers({
    store,
    siteKey: new SiteKey(store, new Seal([secret])),
    links: {
      isKept: async () => isKept(),
      kept: async (records, id) => (isKept() ? records.get(id) : undefined),
    },
    age: 10 * 24 * 60 * 60,
    now: () => clock.now,
  });
}

/** The customers in the store. */
async function known(store: Store): Promise<readonly string[]> {
  return listedKeys(store as ToolStore, 'records', 'customer:');
}

test('the first of two calls at once that identify a customer decides, and nothing is left once the customer is forgotten', async (t) => {
  const store = memoryStore(() => noon);
  const first = customersOn(store);
  const slow = customersOn(
    intercepted(store, async (operation, key) => {
      if (operation === 'insert' && kindOf(String(key))?.name === 'customer') await first.add('user-7', bringer);
    }),
  );
  const {isNew} = await slow.add('user-7', {...bringer, slug: 'autumn'});
  t.false(isNew);
  t.is((await first.find('user-7'))?.slug, 'spring');
  t.is((await known(store)).length, 1);
  t.true(await first.forget('user-7'));
  t.deepEqual(await known(store), []);
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
  t.deepEqual(await known(store), []);
});

test('of two calls at once that forget a customer, one knew it', async (t) => {
  const store = memoryStore(() => noon);
  const first = customersOn(store);
  await first.add('user-7', bringer);
  const answers: boolean[] = [];
  const slow = customersOn(
    intercepted(store, async (operation) => {
      if (!operation.startsWith('remove') || answers.length > 0) return;
      answers.push(await first.forget('user-7'));
    }),
  );
  answers.push(await slow.forget('user-7'));
  t.deepEqual(answers, [true, false]);
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
    t.is((await known(store)).length, 1, `cut after ${cut}`);
  }
});

test('a customer of a removed account is not identified', async (t) => {
  const store = memoryStore(() => noon);
  const customers = customersOn(store, {now: noon}, () => false);
  t.deepEqual(await customers.add('user-7', bringer), {record: undefined, isNew: false});
  t.deepEqual(await known(store), []);
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
