import {linkKey, positionsKey} from '../../src/keys.ts';
import {setImmediate} from 'node:timers/promises';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import test from 'ava';
import {shortUrl} from '../../src/index.ts';
import {type Chunk, readList} from '../../src/links/list/list.ts';
import {readSlots} from '../../src/links/list/link-index.ts';
import {type LinkRecord} from '../../src/link/record.ts';
import {account, put, recordOf, spring, start, url} from '../support/links-world.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a place that the store gives a second time stays with the link that has it', async (t) => {
  const world = start();
  await world.links.create(account, {url, customUrl: 'first'});
  // A failover lost the last increment.
  await world.store.removeCounters(positionsKey(account.generation), ['next']);
  await world.links.create(account, {url, customUrl: 'second'});
  t.deepEqual(
    (await world.links.pageActive(account, {})).urls.map(({shortUrl}) => shortUrl),
    ['https://example.com/first', 'https://example.com/second'],
  );
  await world.links.removeAll(account);
  t.is((await recordOf(world, {domain: 'example.com', slug: 'second'}))?.state, 'removed');
});

test('a create interrupted while its account is being removed leaves no link', async (t) => {
  const world = start();
  let isRemoved = false;
  world.before = async (operation) => {
    // The slot is reserved, the account was found alive, and the link is about to be inserted.
    if (operation !== 'insert' || isRemoved) return;
    const [name] = await readSlots(world.store, account.generation, [1]);
    if (name === undefined) return;
    isRemoved = true;
    world.before = () => undefined;
    await world.links.removeAll(account);
  };
  await t.throwsAsync(world.links.create(account, {url, customUrl: 'spring'}), {code: 'custom_url_taken'});
  t.true(isRemoved);
  t.is((await recordOf(world, spring))?.state, 'removed');
});

test('two interrupted creates that lead to each other redirect no visitor', async (t) => {
  const world = start();
  const create = (customUrl: string, other: string): Promise<unknown> =>
    world.links.create({id: customUrl, generation: customUrl}, {url: `https://example.com/${other}`, customUrl});
  // Each is interrupted after its insert, before it has written the result of the second check.
  const cut = new Error('The process died');
  world.before = (operation) => {
    if (operation === 'replace') throw cut;
  };
  await Promise.allSettled([create('left', 'right'), create('right', 'left')]);
  for (const slug of ['left', 'right']) {
    t.is((await recordOf(world, {domain: 'example.com', slug}))?.state, 'pending', slug);
  }
});

test('an unreadable record is skipped in the list, and reported once with its key', async (t) => {
  const map = new Map<string, unknown>();
  const shortener = shortUrl({baseUrl: 'https://example.com', store: map});
  t.teardown(() => shortener.close());
  const errors: Error[] = [];
  shortener.events.on('error', (error) => errors.push(error));
  await shortener.accounts.create('user-42');
  for (const customUrl of ['first', 'broken', 'last']) await shortener.links.create('user-42', {url, customUrl});
  const key = `shorturl:${linkKey({domain: 'example.com', slug: 'broken'})}`;
  t.true(map.has(key));
  map.set(key, 'not JSON');
  for (let time = 0; time < 2; time += 1) {
    const {urls} = await shortener.links.pageActive('user-42');
    t.deepEqual(
      urls.map(({shortUrl: text}) => text),
      ['https://example.com/first', 'https://example.com/last'],
    );
  }
  await t.throwsAsync(shortener.links.info('user-42', 'https://example.com/broken'), {code: 'internal_error'});
  t.deepEqual(
    errors.map(({cause}) => (cause as Error).message.includes(key)),
    [true],
  );
  await t.notThrowsAsync(shortener.links.create('user-42', {url}));
  await t.notThrowsAsync(shortener.accounts.remove('user-42'));
});

test('the owner can read and disable a link on a domain that is no longer configured', async (t) => {
  const store = new Map<string, unknown>();
  const before = shortUrl({baseUrl: 'https://example.com/s', baseDomains: ['sho.rt'], store});
  await before.accounts.create('user-42');
  const link = await before.links.create('user-42', {url, baseDomain: 'sho.rt', customUrl: 'spring'});
  await before.close();
  const after = shortUrl({baseUrl: 'https://example.com/s', store});
  t.teardown(() => after.close());
  const {urls} = await after.links.pageActive('user-42');
  t.deepEqual(urls, [{shortUrl: 'https://sho.rt/s/spring'}]);
  t.is((await after.links.info('user-42', link.shortUrl)).status, 'active');
  t.is((await after.links.disable('user-42', 'http://SHO.RT/s/spring')).status, 'disabled');
  await t.throwsAsync(after.links.info('user-42', 'https://other.example/s/spring'), {code: 'unknown_short_url'});
});

test('after a store came back empty, a new link has no visits of another', async (t) => {
  const world = start();
  await world.links.create(account, {url, customUrl: 'spring'});
  const record = await recordOf(world, spring);
  await put(world, spring, undefined);
  await world.links.create(account, {url, customUrl: 'spring'});
  t.not((await recordOf(world, spring))?.counters, record?.counters);
});

test('a page reads about as many records as it answers', async (t) => {
  const world = start();
  for (let index = 0; index < 60; index += 1) await world.links.create(account, {url});
  let read = 0;
  const getMany = world.store.getMany.bind(world.store);
  world.store.getMany = (keys) => {
    read += keys.length;
    return getMany(keys);
  };
  await world.links.pageActive(account, {limit: 1});
  t.true(read <= 4, `${read} records`);
});

test('while a reader of the list pauses, no record stays in memory', async (t) => {
  const world = start();
  for (let index = 0; index < 3; index += 1) await world.links.create(account, {url});
  const records: Array<WeakRef<LinkRecord>> = [];
  const chunks = readList(world.store, account.generation, (some) => {
    records.push(...some.map((record) => new WeakRef(record)));
    return some.map(({slug}) => slug);
  });
  const first = (await chunks.next()) as IteratorYieldResult<Chunk<string>>;
  t.is(first.value.items.length, 3);
  await setImmediate();
  collectGarbage();
  t.deepEqual(
    records.map((record) => record.deref()),
    [undefined, undefined, undefined],
  );
});
