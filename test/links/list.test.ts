import test from 'ava';
import {formatCursor, type Range, readList, readPage} from '../../src/links/list.ts';
import {linkKey, type LinkRecord, pointerKey, positionsKey} from '../../src/links/record.ts';
import type {Store} from '../../src/store/port.ts';
import {memoryStore} from '../support/store-stub.ts';

const domain = 'example.com';
const owner = 'owner';

/** A link in the list, or what is left of one: `change` says how its record differs, null that it is not there. */
async function append(store: Store, slug: string, change: Partial<LinkRecord> | null = {}): Promise<void> {
  const position = await store.increment(positionsKey(owner));
  await store.insert(pointerKey(owner, position), {domain, slug});
  if (change) await store.insert(linkKey({domain, slug}), {domain, slug, owner, position, state: 'active', ...change});
}

const toSlugs = (records: LinkRecord[]): string[] => records.map(({slug}) => slug);

async function slugsOf(store: Store, range?: Range): Promise<Array<readonly string[]>> {
  const chunks: Array<readonly string[]> = [];
  for await (const {items} of readList(store, owner, toSlugs, range)) chunks.push(items);
  return chunks;
}

test('a list is read oldest first, in chunks that grow to at most 500 places, from any position', async (t) => {
  const store = memoryStore();
  t.deepEqual(await slugsOf(store), []);
  const slugs = Array.from({length: 1751}, (_, index) => `link-${index + 1}`);
  for (const slug of slugs) await append(store, slug);
  const ends = [0, 50, 150, 350, 750, 1250, 1750, 1751];
  t.deepEqual(
    await slugsOf(store),
    ends.slice(1).map((end, index) => slugs.slice(ends[index], end)),
  );
  t.deepEqual(await slugsOf(store, {after: 1741}), [slugs.slice(1741)]);
  t.deepEqual(await slugsOf(store, {after: 1747, first: 3}), [slugs.slice(1747, 1750), slugs.slice(1750)]);
  t.deepEqual(await slugsOf(store, {after: 1751}), []);
});

test('nothing is asked for behind the end of a list, nor for what no pointer points to', async (t) => {
  const inner = memoryStore();
  for (const slug of ['a', 'b', 'c']) await append(inner, slug);
  await inner.increment(positionsKey(owner));
  const asked: string[] = [];
  const store: Store = new Proxy(inner, {
    get(target, name: keyof Store) {
      if (name !== 'getMany') return (Reflect.get(target, name) as () => unknown).bind(target);
      return async (keys: readonly string[]) => {
        asked.push(...keys);
        return target.getMany(keys);
      };
    },
  });
  await slugsOf(store, {after: 1});
  t.deepEqual(asked, [
    pointerKey(owner, 2),
    pointerKey(owner, 3),
    pointerKey(owner, 4),
    linkKey({domain, slug: 'b'}),
    linkKey({domain, slug: 'c'}),
  ]);
});

test('a pointer counts only where its link points back, and is in service', async (t) => {
  const store = memoryStore();
  await append(store, 'kept');
  await append(store, 'cut-off', null);
  await append(store, 'somebody-elses', {owner: 'another'});
  await append(store, 'elsewhere', {position: 1});
  await append(store, 'removed', {state: 'removed'});
  await append(store, 'pending', {state: 'pending'});
  await append(store, 'disabled', {state: 'disabled'});
  await store.increment(positionsKey(owner));
  await append(store, 'last');
  t.deepEqual(await slugsOf(store), [['kept', 'disabled', 'last']]);
});

test('a chunk says at which position it ends, and holds fewer places where records are long', async (t) => {
  const store = memoryStore();
  for (let index = 0; index < 60; index++) await append(store, `link-${index}`, {url: 'x'.repeat(13_000)});
  const ends: number[] = [];
  for await (const {items, end} of readList(store, owner, toSlugs)) {
    ends.push(end);
    t.is(items.at(-1), `link-${end - 1}`);
  }
  t.deepEqual(ends, [50, 60]);
  ends.length = 0;
  for await (const {end} of readList(store, owner, toSlugs, {first: 30})) ends.push(end);
  t.deepEqual(ends, [30, 40, 50, 60]);
});

test('between two chunks of a list, and not before the first, the event loop has its turn', async (t) => {
  const store = memoryStore();
  for (let index = 0; index < 51; index++) await append(store, `link-${index}`);
  for (const after of [0, 0]) {
    let turns = 0;
    const goesOn = setImmediate(() => turns++);
    const seen: number[] = [];
    for await (const {items} of readList(store, owner, toSlugs, {after})) {
      seen.push(turns);
      t.true(items.length > 0);
    }
    clearImmediate(goesOn);
    t.deepEqual(seen, [0, 1]);
  }
});

test('a page has 1 to 1,000 links, and 1,000 where nobody says otherwise', (t) => {
  t.deepEqual(readPage({}), {limit: 1000, after: 0});
  t.deepEqual(readPage({limit: 1}), {limit: 1, after: 0});
  t.deepEqual(readPage({limit: 1000, cursor: formatCursor(7)}), {limit: 1000, after: 7});
  for (const limit of [0, -1, 1001, 1.5, Number.NaN, '5', null]) {
    t.throws(() => readPage({limit}), {code: 'malformed_parameter', message: /limit .* 1 to 1000/}, String(limit));
  }
  for (const page of [undefined, null, 'page', 5]) {
    t.throws(() => readPage(page), {code: 'malformed_parameter', message: /must be an object/}, String(page));
  }
});

test('a cursor is one that was handed out', (t) => {
  for (const position of [0, 1, 42, 999_999_999_999_999]) {
    t.is(readPage({cursor: formatCursor(position)}).after, position);
  }
  const encode = (text: string): string => Buffer.from(text).toString('base64url');
  for (const cursor of [
    '',
    'cursor',
    5,
    null,
    {},
    encode('after'),
    encode('after x'),
    encode('after NaN'),
    encode('before 5'),
    encode('after 05'),
    encode('after 5 '),
    encode(' after 5'),
    encode('after -5'),
    encode('after 1234567890123456'),
    `${formatCursor(5)}=`,
    `${formatCursor(5)}/`,
  ]) {
    t.throws(() => readPage({cursor}), {code: 'malformed_parameter', message: /next_cursor/}, JSON.stringify(cursor));
  }
});
