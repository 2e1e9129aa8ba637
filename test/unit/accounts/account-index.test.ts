import {accountRecords} from '../../../src/accounts/records.ts';
import {storeKey} from '../../../src/store/kind.ts';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import type {AccountPart, Accounts} from '../../../src/accounts/accounts.ts';
import type {Store} from '../../../src/store/port.ts';
import {accountsOn, noon} from '../../support/accounts.ts';
import {collect} from '../../support/collect.ts';
import {intercepted, memoryStore} from '../../support/store-stub.ts';
import {turnsOf} from '../../support/turns.ts';

const hour = 3_600_000;
const sequence = storeKey('sequence', 'account');

async function entriesOf(accounts: Accounts): Promise<Array<{id: string; created: number}>> {
  return (await collect(accounts.list())).map(({id, created}) => ({id, created}));
}

async function listed(accounts: Accounts): Promise<string[]> {
  return (await entriesOf(accounts)).map(({id}) => id);
}

async function changeRecord(store: Store, id: string, change: object): Promise<void> {
  const entry = await store.get<object>(accountRecords.key(id));
  await store.replace(accountRecords.key(id), entry?.revision, {...entry?.value, ...change});
}

test('accounts are listed oldest first, each with the time of its creation, and one created again has a new position', async (t) => {
  const clock = {now: noon};
  const store = memoryStore();
  const accounts = accountsOn(store, () => clock.now);
  t.deepEqual(await listed(accounts), []);
  const all: Array<{id: string; created: number}> = [];
  for (const id of ['bob', 'ann', 'jürgen 😀', 'x'.repeat(255)]) {
    await accounts.create(id);
    all.push({id, created: clock.now});
    clock.now += hour;
  }
  await accounts.create('ann');
  await accounts.rotate('bob');
  t.deepEqual(await entriesOf(accounts), all);
  await accounts.remove('bob');
  t.deepEqual(await entriesOf(accounts), all.slice(1));
  t.is(await store.get(storeKey('accounts', '1')), undefined);
  await accounts.create('bob');
  t.deepEqual(await entriesOf(accounts), [...all.slice(1), {id: 'bob', created: clock.now}]);
});

test('a pointer counts only if its account is live and names that position', async (t) => {
  const store = memoryStore();
  const accounts = accountsOn(store);
  for (const id of ['ann', 'bob', 'cid', 'dan', 'eve']) await accounts.create(id);
  await changeRecord(store, 'bob', {state: 'removing'});
  await changeRecord(store, 'cid', {position: 17});
  await store.remove(accountRecords.key('dan'));
  t.deepEqual(await listed(accounts), ['ann', 'eve']);
});

test('accounts are read at most 200 at a time, and the event loop runs in between', async (t) => {
  let atOnce = 0;
  let reads = 0;
  const accounts = accountsOn(
    intercepted(memoryStore(), (operation, keys) => {
      if (operation !== 'getMany') return;
      atOnce = Math.max(atOnce, (keys as string[]).length);
      reads += 1;
    }),
  );
  const ids = Array.from({length: 1001}, (_, index) => `account-${index}`);
  for (const id of ids) await accounts.create(id);
  const turns = await turnsOf(async () => {
    t.deepEqual(await listed(accounts), ids);
  });
  t.true(atOnce <= 200, `${atOnce} records were read at once`);
  t.true(turns >= 10, `${turns} turns`);
  reads = 0;
  for await (const {id} of accounts.list()) {
    t.is(id, 'account-0');
    break;
  }
  // The end of the index, a chunk of pointers, and their accounts.
  t.is(reads, 3);
});

test('every account is listed exactly once after creates, removals and rotations of several processes at once', async (t) => {
  const ids = ['ann', 'bob', 'cid'];
  const step = fc.record({
    process: fc.nat(2),
    operation: fc.constantFrom('create' as const, 'create' as const, 'remove' as const, 'rotate' as const),
    id: fc.constantFrom(...ids),
  });
  const pauses = fc.array(fc.nat(3), {minLength: 1, maxLength: 40});
  await fc.assert(
    fc.asyncProperty(fc.array(step, {minLength: 1, maxLength: 12}), pauses, async (steps, turns) => {
      const store = memoryStore();
      let asked = 0;
      const slow = intercepted(store, async () => {
        for (let turn = turns[asked++ % turns.length] ?? 0; turn > 0; turn -= 1) await setImmediate();
      });
      const processes = [0, 1, 2].map(() => accountsOn(slow));
      await Promise.all(
        steps.map(async ({process, operation, id}) => {
          await processes[process]?.[operation](id).catch((error: unknown) => {
            t.like(error, {code: 'invalid_api_key'});
          });
        }),
      );
      const accounts = accountsOn(store);
      const live: string[] = [];
      for (const id of ids) if ((await accounts.apiKey(id)) !== undefined) live.push(id);
      t.deepEqual((await listed(accounts)).sort(), live);
      // Calls that lost a race leave no pointer behind.
      const pointers = Array.from({length: (await store.current([sequence]))[0] ?? 0}, (_, at) =>
        storeKey('accounts', `${at + 1}`),
      );
      t.is((await store.getMany(pointers)).filter(Boolean).length, live.length);
    }),
    {numRuns: 100},
  );
});

/** The accounts of each page, in the order in which the pages are read. */
async function pagesOf(accounts: Accounts, part: Partial<AccountPart> = {}): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: number | undefined; ;) {
    const page = await accounts.page({limit: 2, matches: () => true, maxRead: 1000, ...part, after});
    pages.push(page.accounts.map(({id}) => id));
    if (page.end === undefined) return pages;
    after = page.end;
  }
}

test('pages of accounts are read from either end, without gaps and repetitions', async (t) => {
  const accounts = accountsOn(memoryStore());
  t.deepEqual(await pagesOf(accounts, {order: 'newest'}), [[]]);
  for (const id of ['ann', 'bob', 'cid', 'dan', 'eve', 'fay']) await accounts.create(id);
  await accounts.remove('cid');
  t.deepEqual(await pagesOf(accounts, {order: 'newest'}), [['fay', 'eve'], ['dan', 'bob'], ['ann']]);
  t.deepEqual(await pagesOf(accounts, {order: 'oldest'}), [['ann', 'bob'], ['dan', 'eve'], ['fay']]);
  t.deepEqual(await pagesOf(accounts, {order: 'oldest', limit: 5}), [['ann', 'bob', 'dan', 'eve', 'fay']]);
  const matches = (id: string): boolean => ['ann', 'eve'].includes(id);
  t.deepEqual(await pagesOf(accounts, {order: 'newest', limit: 1, matches}), [['eve'], ['ann']]);
});

test('accounts are listed and paged, and get different positions, after the store lost its position counter', async (t) => {
  const store = memoryStore();
  const accounts = accountsOn(store);
  for (const id of ['ann', 'bob', 'cid']) await accounts.create(id);
  await store.removeCounters(sequence, ['next']);
  t.deepEqual(await listed(accounts), ['ann', 'bob', 'cid']);
  t.deepEqual(await pagesOf(accounts, {order: 'newest'}), [['cid', 'bob'], ['ann']]);
  t.deepEqual(await pagesOf(accounts, {order: 'oldest'}), [['ann', 'bob'], ['cid']]);
  await accounts.create('dan');
  t.deepEqual(await listed(accounts), ['ann', 'bob', 'cid', 'dan']);
});

test('a page ends after a bounded number of positions, also if nothing matches', async (t) => {
  const accounts = accountsOn(memoryStore());
  for (let index = 0; index < 25; index++) await accounts.create(`account-${index}`);
  const matches = (id: string): boolean => id === 'account-0';
  const pages = await pagesOf(accounts, {order: 'newest', limit: 1, maxRead: 10, matches});
  t.deepEqual(pages, [[], ['account-0']]);
});

test('every page of the accounts reads the same number of keys, however many come before it', async (t) => {
  let keysRead = 0;
  const accounts = accountsOn(
    intercepted(memoryStore(), (_, asked) => {
      keysRead += Array.isArray(asked) ? asked.length : 1;
    }),
  );
  for (let index = 0; index < 600; index++) await accounts.create(`account-${index}`);
  for (const order of ['newest', 'oldest'] as const) {
    const counts: number[] = [];
    let after: number | undefined;
    do {
      keysRead = 0;
      const page = await accounts.page({limit: 20, order, after, matches: () => true, maxRead: 1000});
      counts.push(keysRead);
      after = page.end;
    } while (after !== undefined);
    t.is(counts.length, 30);
    // The last page has no account after it to look at.
    t.deepEqual(new Set(counts.slice(0, -1)).size, 1, counts.join());
    // The sequence, 200 pointers beyond it, and 21 pointers with their accounts.
    t.is(counts[0], 243);
  }
});
