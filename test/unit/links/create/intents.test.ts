import {Calendar} from '../../../../src/values/calendar.ts';
import '../../../support/quick-scrypt.ts';
import test from 'ava';
import {ShortUrlError} from '../../../../src/errors.ts';
import {DailyQuota} from '../../../../src/links/daily-quota.ts';
import type {CreateLink, Link} from '../../../../src/link/link.ts';
import type {Store, ToolStore} from '../../../../src/store/port.ts';
import {collect} from '../../../support/collect.ts';
import {account, noon, start, url, type World, worldsCutOff} from '../../../support/links-world.ts';
import {memoryStore} from '../../../support/store-stub.ts';
import {listedKeys} from '../../../support/store/conformance-keys.ts';

const day = 24 * 60 * 60_000;
const other = {id: 'user-43', generation: 'life-2'};
const once = {idempotencyKey: 'K-1'};

async function listed({links}: World, of = account): Promise<Link[]> {
  return collect(links.list(of));
}

const identityOf = ({urlId, shortUrl, dateCreated}: Link): object => ({urlId, shortUrl, dateCreated});

/** The keys and values of the intents that have not expired. */
async function intentsOf(store: Store): Promise<unknown[]> {
  const keys = await listedKeys(store as ToolStore, 'records', 'intent:');
  const entries = await store.getMany(keys);
  return keys.flatMap((key, index) => (entries[index] ? [[key, entries[index].value]] : []));
}

const inputs: Record<string, CreateLink> = {
  'a generated short part': {url},
  everything: {
    url,
    customUrl: 'spring',
    password: 's3cret',
    expiryDate: '2031-05-07',
    baseDomain: 'sho.rt',
    title: 'Spring',
    tags: ['mail'],
    maxVisits: 3,
  },
  'rules and a first day': {
    url,
    startDate: '2031-06-01',
    rules: [{device: 'ios', url: 'https://example.com/a-page'}],
    forwardQuery: true,
  },
  'a destination that could be a short URL': {url: 'https://example.com/a-page'},
};

for (const [what, input] of Object.entries(inputs)) {
  test(`a create of ${what} that is interrupted anywhere and repeated makes one link and gives its answer`, async (t) => {
    for (const {first, wasCut} of worldsCutOff()) {
      const answer = await first.links.create(account, input, once).catch((error: unknown) => {
        t.true(error instanceof ShortUrlError && error.code === 'store_unavailable', String(error));
      });
      t.is(answer === undefined, wasCut());
      const repeated = start({store: first.store});
      repeated.clock.now = noon + day - 1;
      const links = await Promise.all([1, 2, 3].map(() => repeated.links.create(account, input, once)));
      for (const link of [...links, ...(answer ? [answer] : [])]) t.deepEqual(link, links[0]);
      t.deepEqual((await listed(repeated)).map(identityOf), links.slice(0, 1).map(identityOf));
    }
  });
}

test('a link that its account has changed or removed meanwhile has the answer of its creation, and is not made again', async (t) => {
  for (const {first} of worldsCutOff()) {
    const input = {url, customUrl: 'spring'};
    await first.links.create(account, input, once).catch(() => undefined);
    const world = start({store: first.store});
    const [made] = await listed(world);
    if (made === undefined) continue;
    await world.links.update(account, made.shortUrl, {url: 'https://destination.example/other', title: 'x'});
    t.is((await world.links.create(account, input, once)).originalUrl, url);
    await world.links.remove(account, made.shortUrl);
    const repeated = await world.links.create(account, input, once);
    t.deepEqual([repeated.urlId, repeated.status, repeated.title], [made.urlId, 'active', null]);
    t.deepEqual(await listed(world), []);
  }
});

test('other parameters under the same key are refused, the password included, and in any order they are the same', async (t) => {
  const world = start();
  const link = await world.links.create(account, {url, title: 'A', password: 's3cret'}, once);
  t.deepEqual(await world.links.create(account, {password: 's3cret', title: 'A', url}, once), link);
  for (const input of [
    {url, title: 'A', password: 'S3cret'},
    {url, title: 'A'},
    {url, title: 'B', password: 's3cret'},
    {url: `${url}?`, title: 'A', password: 's3cret'},
  ]) {
    await t.throwsAsync(world.links.create(account, input, once), {code: 'idempotency_key_reused'});
  }
  // Another account may use the same key.
  t.not((await world.links.create(other, {url}, once)).urlId, link.urlId);
  t.is((await listed(world)).length, 1);
  const stored = JSON.stringify(await intentsOf(world.store));
  t.false(stored.includes('s3cret'));
  t.false(stored.includes('K-1'));
});

test('a repeat on the next day is accepted although the link has expired', async (t) => {
  const world = start();
  const input = {url, expiryDate: '2031-05-06'};
  const link = await world.links.create(account, input, once);
  world.clock.now += day - 1;
  t.deepEqual(await world.links.create(account, input, once), link);
  t.is(link.status, 'active');
});

test('after 24 hours a key makes a new link', async (t) => {
  const world = start();
  const first = await world.links.create(account, {url}, once);
  world.clock.now += day - 1;
  t.is((await world.links.create(account, {url}, once)).urlId, first.urlId);
  world.clock.now += 1;
  const second = await world.links.create(account, {url}, once);
  t.not(second.urlId, first.urlId);
  t.is((await intentsOf(world.store)).length, 1);
});

test('an error of the caller is not remembered, and does not make the key unusable', async (t) => {
  const world = start();
  await world.links.create(other, {url, customUrl: 'spring'});
  await t.throwsAsync(world.links.create(account, {url, customUrl: 'spring'}, once), {code: 'custom_url_taken'});
  await t.throwsAsync(world.links.create(account, {url: 'nonsense'}, once), {code: 'invalid_url'});
  t.deepEqual(await intentsOf(world.store), []);
  t.is((await world.links.create(account, {url}, once)).originalUrl, url);
});

test('concurrent repeats count once against the quota, are announced once, and all get the link', async (t) => {
  const store = memoryStore();
  const quota = new DailyQuota({
    idOf: async (account) => account,
    what: 'short URLs',
    calendar: new Calendar(),
    store,
    quota: 30,
    now: () => noon,
  });
  const world = start({store, quota});
  for (const customUrl of ['one', undefined]) {
    const options = {idempotencyKey: `k-${customUrl}`};
    const links = await Promise.all(
      Array.from({length: 10}, () => world.links.create(account, {url, customUrl}, options)),
    );
    for (const link of links) t.deepEqual(link, links[0]);
  }
  t.is((await listed(world)).length, 2);
  const kinds = world.events.map(([kind]) => kind);
  t.deepEqual(kinds, ['create', 'create']);
});

test('many links under one key are made once, also after an interruption, with the errors of the first call', async (t) => {
  const many = [{url, customUrl: 'one'}, {url}, {url: 'nonsense'}, {url, customUrl: 'one'}, {url, password: 's3cret'}];
  const create = async ({links}: World, input: readonly CreateLink[] = many): Promise<unknown[]> => {
    const results = await collect(links.createMany(account, input, once));
    return results.map(({link, error}) => link ?? error.code);
  };
  for (const {first} of worldsCutOff(7)) {
    await create(first).catch(() => []);
    const world = start({store: first.store});
    const results = await create(world);
    t.deepEqual(await create(world), results);
    t.deepEqual([results[2], results[3]], ['invalid_url', 'custom_url_taken']);
    t.is((await listed(world)).length, 3);
    await t.throwsAsync(create(world, many.slice(1)), {code: 'idempotency_key_reused'});
    await t.throwsAsync(world.links.create(account, {url}, once), {code: 'idempotency_key_reused'});
    t.is((await listed(world)).length, 3);
  }
});
