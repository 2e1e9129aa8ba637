import {slotRecords} from '../../../../src/links/read/link-index.ts';
import {linkRecords} from '../../../../src/link/records.ts';
import {linkPositions} from '../../../../src/accounts/records.ts';
import test, {type ExecutionContext} from 'ava';
import {countEach, countLinks, type Range, readList} from '../../../../src/links/read/list.ts';
import {accountList, LinkIndex, type LinkList, siteList} from '../../../../src/links/read/link-index.ts';
import {type LinkRecord} from '../../../../src/link/record.ts';
import type {Store} from '../../../../src/store/port.ts';
import {collect} from '../../../support/collect.ts';
import {intercepted, memoryStore, outage} from '../../../support/store-stub.ts';

const domain = 'example.com';
const generation = 'life';
const list = accountList(generation);

/** Adds a link to the list. `change` overrides fields of its record; null leaves the record out. */
async function append(store: Store, slug: string, change: Partial<LinkRecord> | null = {}): Promise<void> {
  const position = await new LinkIndex(store).reserve(list, {domain, slug});
  if (change)
    await store.insert(linkRecords.key({domain, slug}), {
      domain,
      slug,
      generation,
      position,
      state: 'active',
      ...change,
    });
}

const toSlugs = (records: LinkRecord[]): string[] => records.map(({slug}) => slug);

async function slugsOf(store: Store, range?: Range): Promise<Array<readonly string[]>> {
  return (await collect(readList(store, list, toSlugs, range))).map(({items}) => items);
}

/** Counts the links of a list by itself, and together with a short and an empty one. */
async function isCounted(t: ExecutionContext, store: Store, counted: LinkList, links: number): Promise<void> {
  t.deepEqual(await countLinks(store, counted), {links, broken: 0});
  const lists = [accountList('short'), counted, accountList('empty'), counted];
  const lasts = await store.current(lists.map(({sequence}) => sequence));
  const each = await countEach(store, lists, lasts);
  t.deepEqual(
    each.map((count) => count.links),
    [2, links, 0, links],
  );
}

/** A store with a list of two links, besides those of the test. */
async function storeWithShort(): Promise<Store> {
  const store = memoryStore();
  const index = new LinkIndex(store);
  for (const slug of ['one', 'gone', 'two']) await index.reserve(accountList('short'), {domain, slug});
  await index.release(accountList('short'), 2, {domain, slug: 'gone'});
  return store;
}

test('a list is read from either end, or from any position, in chunks that grow to 200 slots', async (t) => {
  const store = memoryStore();
  const slugs = Array.from({length: 1751}, (_, index) => `link-${index + 1}`);
  for (const order of ['oldest', 'newest'] as const) t.deepEqual(await slugsOf(store, {order}), []);
  for (const slug of slugs) await append(store, slug);
  const ends = [0, 50, 150, 350, 550, 750, 950, 1150, 1350, 1550, 1750, 1751];
  for (const [order, all] of [
    ['oldest', slugs],
    ['newest', slugs.toReversed()],
  ] as const) {
    const chunks = ends.slice(1).map((end, index) => all.slice(ends[index], end));
    t.deepEqual(await slugsOf(store, {order}), chunks);
  }
  t.deepEqual(await slugsOf(store, {after: 1741}), [slugs.slice(1741)]);
  t.deepEqual(await slugsOf(store, {after: 1747, first: 3}), [slugs.slice(1747, 1750), slugs.slice(1750)]);
  t.deepEqual(await slugsOf(store, {after: 1751}), []);
  t.deepEqual(await slugsOf(store, {order: 'newest', after: 4}), [['link-3', 'link-2', 'link-1']]);
  t.deepEqual(await slugsOf(store, {order: 'newest', after: 1}), []);
  t.deepEqual((await slugsOf(store, {order: 'newest', after: 999_999_999_999_999, first: 1}))[0], ['link-1751']);
});

test('a read stops at the end of the list, and skips empty slots', async (t) => {
  const inner = memoryStore();
  for (const slug of ['a', 'b', 'c']) await append(inner, slug);
  await inner.increment(linkPositions.key(generation));
  const asked: string[] = [];
  const store = intercepted(inner, (operation, keys) => {
    if (operation === 'getMany') asked.push(...(keys as string[]));
  });
  await slugsOf(store, {after: 1});
  const beyond = [0, 1, 2, 3, 4].map((number) => slotRecords.key({list: generation, number: number}));
  t.deepEqual(asked, [
    ...beyond,
    slotRecords.key({list: generation, number: 0}),
    linkRecords.key({domain, slug: 'b'}),
    linkRecords.key({domain, slug: 'c'}),
  ]);
});

test('a slot counts only if its link names it, and is active or disabled', async (t) => {
  const store = memoryStore();
  await append(store, 'kept');
  await append(store, 'cut-off', null);
  await append(store, 'somebody-elses', {generation: 'another'});
  await append(store, 'elsewhere', {position: 1});
  await append(store, 'removed', {state: 'removed'});
  await append(store, 'disabled', {state: 'disabled'});
  await store.increment(linkPositions.key(generation));
  await append(store, 'last');
  t.deepEqual(await slugsOf(store), [['kept', 'disabled', 'last']]);
});

test('a link that was inserted after its slot was read is listed and counted', async (t) => {
  const store = await storeWithShort();
  for (const slug of ['a', 'late', 'never']) await append(store, slug, slug === 'a' ? {} : null);
  await isCounted(t, store, list, 3);
  t.deepEqual(await slugsOf(store), [['a']]);
  await isCounted(t, store, list, 1);
  const late = {domain, slug: 'late'};
  await store.insert(linkRecords.key(late), {...late, generation, position: 2, state: 'active'});
  await isCounted(t, store, list, 2);
  t.deepEqual(await slugsOf(store), [['a', 'late']]);
  await isCounted(t, store, list, 2);
  t.deepEqual((await store.get(slotRecords.key({list: generation, number: 0})))?.value, [
    'example.com:a',
    'late',
    '!never',
  ]);
});

test('the links of a long list are counted across its index records', async (t) => {
  const store = await storeWithShort();
  for (let index = 0; index < 10_051; index++) await new LinkIndex(store).reserve(list, {domain, slug: `${index}`});
  await isCounted(t, store, list, 10_051);
});

test('the lists of an account and of the site have every link after the store lost the last values of their sequences', async (t) => {
  const store = await storeWithShort();
  const linkIndex = new LinkIndex(store);
  const slugs = Array.from({length: 320}, (_, index) => `link-${index}`);
  for (const slug of slugs) {
    const name = {domain, slug};
    const position = await linkIndex.reserve(list, name);
    const id = await linkIndex.reserve(siteList, name);
    await store.insert(linkRecords.key(name), {...name, id, generation, position, state: 'active'});
  }
  for (const {sequence} of [list, siteList]) await store.removeCounters(sequence, ['next']);
  // A record of the index was lost too.
  await store.remove(slotRecords.key({list: generation, number: 1}));
  const kept = slugs.filter((_, index) => index < 50 || index >= 100);
  for (const [read, all] of [
    [list, kept],
    [siteList, slugs],
  ] as const) {
    for (const order of ['oldest', 'newest'] as const) {
      const found = (await collect(readList(store, read, toSlugs, {order}))).flatMap(({items}) => items);
      t.deepEqual(found, order === 'oldest' ? all : all.toReversed());
    }
    await isCounted(t, store, read, all.length);
  }
});

test('a list is read although its slots cannot be marked', async (t) => {
  const inner = memoryStore();
  await append(inner, 'a');
  await append(inner, 'never', null);
  const store = intercepted(inner, (operation) => {
    if (operation === 'replace') throw outage();
  });
  t.deepEqual(await slugsOf(store), [['a']]);
});

test('a chunk has its last position, and fewer slots where records are long', async (t) => {
  const store = memoryStore();
  for (let index = 0; index < 60; index++) await append(store, `link-${index}`, {url: 'x'.repeat(12_900)});
  const ends: number[] = [];
  for await (const {items, end} of readList(store, list, toSlugs)) {
    ends.push(end);
    t.is(items.at(-1), `link-${end - 1}`);
  }
  t.deepEqual(ends, [50, 60]);
  ends.length = 0;
  for await (const {end} of readList(store, list, toSlugs, {first: 30})) ends.push(end);
  t.deepEqual(ends, [30, 40, 50, 60]);
});
