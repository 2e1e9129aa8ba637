import '../../../support/quick-scrypt.ts';
import {removeAll} from '../../../../src/links/change/every-link.ts';
import test from 'ava';
import {visitsCounter} from '../../../../src/link/counters.ts';
import {linkCounters} from '../../../../src/link/records.ts';
import {Calendar} from '../../../../src/values/calendar.ts';
import {DailyQuota} from '../../../../src/links/daily-quota.ts';
import type {CreateLink} from '../../../../src/link/link.ts';
import type {ToolStore} from '../../../../src/store/port.ts';
import {collect} from '../../../support/collect.ts';
import {
  account,
  block,
  domain,
  noon,
  put,
  recordOf,
  start,
  unblock,
  url,
  type World,
  worldsCutOff,
} from '../../../support/links-world.ts';
import {intercepted, memoryStore} from '../../../support/store-stub.ts';
import {listedKeys} from '../../../support/store/conformance-keys.ts';

const other = {id: 'user-43', generation: 'life-2'};
const full: CreateLink = {
  url,
  password: 's3cret',
  expiryDate: '2031-05-07',
  title: 'Spring',
  tags: ['mail'],
  maxVisits: 3,
  rules: [{device: 'ios', url: 'https://phone.example/'}],
  reuse: true,
};

/** The records by which calls find links. */
async function remembered({store}: World): Promise<readonly string[]> {
  return listedKeys(store as ToolStore, 'records', 'reuse:');
}

/** Changes the record of a link directly. */
async function change(world: World, shortUrl: string, changes: object): Promise<void> {
  const name = {domain, slug: shortUrl.slice(shortUrl.lastIndexOf('/') + 1)};
  const record = await recordOf(world, name);
  if (record === undefined) throw new Error(`There is no link ${shortUrl}`);
  await put(world, name, {...record, ...changes});
}

test('the same call makes the same link, whatever the order of its members, and once the event', async (t) => {
  const world = start();
  const {shortUrl, urlId} = await world.links.create(account, full);
  const same = await world.links.create(account, {
    ...Object.fromEntries(Object.entries(full).reverse()),
    url,
    baseDomain: 'example.com',
    expiryDate: new Date('2031-05-07T23:59:59Z'),
  });
  t.like(same, {shortUrl, urlId, title: 'Spring', totalVisits: 0});
  t.is(world.events.length, 1);
});

test('a call with an idempotency key gets the link with its own times and visits, and so does each repeat', async (t) => {
  const world = start();
  const options = {idempotencyKey: 'K-1'};
  const {shortUrl, urlId, dateCreated} = await world.links.create(account, full);
  const record = await recordOf(world, {domain, slug: shortUrl.slice(shortUrl.lastIndexOf('/') + 1)});
  if (record === undefined) throw new Error(`There is no link ${shortUrl}`);
  const visit = async (visits: number, at: number): Promise<void> =>
    (world.store as ToolStore).setCounters([
      [linkCounters.key(record), {counts: new Map([[visitsCounter, visits]]), at}],
    ]);
  await visit(2, noon + 60_000);
  world.clock.now += 3_600_000;
  const first = await world.links.create(account, full, options);
  const seen = {urlId, shortUrl, dateCreated, totalVisits: 2, lastAccessed: '2031-05-06 12:01:00', status: 'active'};
  t.like(first, seen);
  await visit(3, noon + 120_000);
  t.deepEqual(await world.links.create(account, full, options), first);
  await world.links.remove(account, shortUrl);
  t.deepEqual(await world.links.create(account, full, options), first);
  t.is(world.events.filter(([kind]) => kind === 'create').length, 1);
});

test('an empty list of tags or rules is the same as none', async (t) => {
  const world = start();
  const {urlId} = await world.links.create(account, {url, reuse: true});
  for (const empty of [{tags: []}, {rules: []}, {tags: [], rules: []}]) {
    t.is((await world.links.create(account, {url, reuse: true, ...empty})).urlId, urlId, JSON.stringify(empty));
  }
});

for (const [what, changed] of Object.entries<Partial<CreateLink>>({
  'another long URL': {url: `${url}?b`},
  'another title': {title: 'Summer'},
  'another password': {password: 'other'},
  'no password': {password: undefined},
  'another domain': {baseDomain: 'sho.rt'},
  'a short part': {customUrl: 'spring'},
  'no `reuse`': {reuse: false},
})) {
  test(`a call with ${what} makes another link`, async (t) => {
    const {links} = start();
    const {urlId} = await links.create(account, full);
    t.not((await links.create(account, {...full, ...changed})).urlId, urlId);
    t.is((await links.create(account, full)).urlId, urlId);
  });
}

test('a link that was made without `reuse`, or by another account, is not reused', async (t) => {
  const {links} = start();
  const one = await links.create(account, {url});
  const two = await links.create(account, {url, reuse: true});
  const three = await links.create(other, {url, reuse: true});
  t.is(new Set([one, two, three].map(({urlId}) => urlId)).size, 3);
});

/** What may become of a link, so that it is not what the same call asks for. */
const ends: Record<string, (world: World, shortUrl: string) => unknown> = {
  disabled: ({links}, shortUrl) => links.disable(account, shortUrl),
  removed: ({links}, shortUrl) => links.remove(account, shortUrl),
  changed: ({links}, shortUrl) => links.update(account, shortUrl, {title: 'Other'}),
  'given another password': ({links}, shortUrl) => links.update(account, shortUrl, {password: 'other'}),
  'given a later start': ({links}, shortUrl) => links.update(account, shortUrl, {startDate: '2031-05-07'}),
  'given an earlier end': ({links}, shortUrl) => links.update(account, shortUrl, {expiryDate: '2031-05-06'}),
  'blocked by the operator': block,
  'blocked with its account': (world, shortUrl) => change(world, shortUrl, {accountBlocks: 1}),
  'protected by a later version': (world, shortUrl) => change(world, shortUrl, {'!later': true}),
};
for (const [what, end] of Object.entries(ends)) {
  test(`a new link takes the place of one that was ${what}`, async (t) => {
    const world = start();
    const {shortUrl, urlId} = await world.links.create(account, full);
    t.is((await world.links.create(account, full)).urlId, urlId);
    await end(world, shortUrl);
    const next = await world.links.create(account, full);
    t.not(next.urlId, urlId);
    t.is(next.status, 'active');
    t.is((await world.links.create(account, full)).urlId, next.urlId);
  });
}

test('the block of a link ends, and the link is reused again', async (t) => {
  const world = start();
  const {links} = world;
  const input = {url, customUrl: 'spring', reuse: true};
  const {shortUrl, urlId} = await links.create(account, input);
  await block(world, shortUrl);
  await t.throwsAsync(links.create(account, input), {code: 'custom_url_taken'});
  await unblock(world, shortUrl);
  t.is((await links.create(account, input)).urlId, urlId);
});

test('a link that was changed and changed back is reused again', async (t) => {
  const {links} = start();
  const input = {url, customUrl: 'spring', reuse: true};
  const {shortUrl, urlId} = await links.create(account, input);
  await links.disable(account, shortUrl);
  await t.throwsAsync(links.create(account, input), {code: 'custom_url_taken'});
  await links.enable(account, shortUrl);
  t.is((await links.create(account, input)).urlId, urlId);
});

test('a call that is answered with an earlier link takes no unit of the quota', async (t) => {
  const store = memoryStore(() => noon);
  const quota = new DailyQuota({
    idOf: async (account) => account,
    what: 'short URLs',
    store,
    quota: 2,
    calendar: new Calendar(),
    now: () => noon,
  });
  const {links} = start({store, quota});
  const answers = await Promise.all(Array.from({length: 8}, () => links.create(account, {url, reuse: true})));
  t.is(new Set(answers.map(({urlId}) => urlId)).size, 1);
  await links.create(account, {url});
  await t.throwsAsync(links.create(account, {url}), {code: 'too_many_requests'});
  t.is((await links.create(account, {url, reuse: true})).urlId, answers[0]?.urlId ?? 0);
});

test('a call that is interrupted anywhere and repeated makes one link', async (t) => {
  for (const {first, survived} of worldsCutOff()) {
    const answer = await first.links.create(account, full).catch(() => undefined);
    const {links} = start({store: first.store});
    const again = await links.create(account, full);
    t.is((await collect(links.list(account))).length, 1, `interrupted after ${survived}`);
    if (answer) t.is(again.urlId, answer.urlId);
  }
});

test('a call whose link another one has made, and the account has removed, makes a new one', async (t) => {
  for (const options of [undefined, {idempotencyKey: 'once'}]) {
    const inner = memoryStore(() => noon);
    const {links} = start({store: inner});
    let removed: string | undefined;
    const store = intercepted(inner, async (operation, key) => {
      if (operation !== 'insert' || !String(key).startsWith('l:') || removed !== undefined) return;
      removed = '';
      removed = (await links.create(account, {url, reuse: true})).shortUrl;
      await links.remove(account, removed);
    });
    const {shortUrl, urlId} = await start({store}).links.create(account, {url, reuse: true}, options);
    t.not(shortUrl, removed);
    t.like(await links.info(account, shortUrl), {urlId, originalUrl: url, status: 'active'});
  }
});

test('what finds a link goes with it, and with its account', async (t) => {
  const world = start();
  const {shortUrl} = await world.links.create(account, full);
  await world.links.create(account, {url, reuse: true});
  t.is((await remembered(world)).length, 2);
  await world.links.remove(account, shortUrl);
  t.is((await remembered(world)).length, 1);
  await removeAll(world.services, account);
  t.deepEqual(await remembered(world), []);
});
