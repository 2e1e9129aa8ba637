import {visitsCounter} from '../../../../src/link/counters.ts';
import {countersKey, linkKey} from '../../../../src/keys.ts';
import test from 'ava';
import {ShortUrlError} from '../../../../src/host/errors.ts';
import {LinkIndex, readSlots} from '../../../../src/links/list/link-index.ts';
import {account, put, recordOf, spring, start, url} from '../../../support/links-world.ts';
import {outage} from '../../../support/store-stub.ts';

const other = {id: 'user-43', generation: 'life-43'};

test('an update keeps the short URL, the id and the slot of a link, and is announced', async (t) => {
  const {links, events} = start();
  const {shortUrl, urlId, dateCreated} = await links.create(account, {url, customUrl: 'spring'});
  const link = await links.update(account, shortUrl, {url: 'https://other.example/', title: 'Spring', tags: ['mail']});
  t.like(link, {shortUrl, urlId, dateCreated, originalUrl: 'https://other.example/', title: 'Spring', tags: ['mail']});
  t.deepEqual(await links.info(account, shortUrl), link);
  t.deepEqual(events.at(-1)?.[0], 'update');
  t.like(events.at(-1)?.[1], {account: account.id, link});
});

test('an update without a difference is not announced', async (t) => {
  const {links, events} = start();
  const {shortUrl} = await links.create(account, {url, title: 'Spring'});
  await links.update(account, shortUrl, {title: 'Spring', url});
  t.deepEqual(
    events.map(([kind]) => kind),
    ['create'],
  );
});

test('a new long URL is checked as in a create, and a refused one changes nothing', async (t) => {
  const world = start();
  const {links} = world;
  const {shortUrl} = await links.create(account, {url, customUrl: 'spring'});
  const {shortUrl: target} = await links.create(account, {url, customUrl: 'autumn'});
  const before = await recordOf(world, spring);
  for (const forbidden of [target, shortUrl, new URL('/api/v1/key/shorturl/info', shortUrl).href]) {
    const change = links.update(account, shortUrl, {url: forbidden, title: 'Autumn'});
    await t.throwsAsync(change, {instanceOf: ShortUrlError, code: 'forbidden_url'}, forbidden);
  }
  t.deepEqual(await recordOf(world, spring), before);
});

test('an account can neither change nor remove a link of another account', async (t) => {
  const world = start();
  const {links} = world;
  const {shortUrl} = await links.create(account, {url, customUrl: 'spring'});
  const before = await recordOf(world, spring);
  await t.throwsAsync(links.update(other, shortUrl, {title: 'mine'}), {code: 'unknown_short_url'});
  await t.throwsAsync(links.remove(other, shortUrl), {code: 'unknown_short_url'});
  t.deepEqual(await recordOf(world, spring), before);
});

test('a blocked link cannot be changed', async (t) => {
  const world = start();
  const {links, store} = world;
  const {shortUrl} = await links.create(account, {url, customUrl: 'spring'});
  const entry = await store.get<object>(linkKey(spring));
  await store.replace(linkKey(spring), entry?.revision, {...entry?.value, isBlocked: true});
  t.is((await links.info(account, shortUrl)).status, 'disabled');
  await t.throwsAsync(links.update(account, shortUrl, {title: 'Spring'}), {code: 'link_blocked'});
  await t.throwsAsync(links.enable(account, shortUrl), {code: 'link_blocked'});
  t.is((await links.disable(account, shortUrl)).status, 'disabled');
});

test('a removed link is unknown and unlisted, and its counters are removed', async (t) => {
  const world = start();
  const {links, store, events} = world;
  const created = await links.create(account, {url, customUrl: 'spring', title: 'Spring'});
  const {urlId, shortUrl} = created;
  const named = {...spring, counters: (await recordOf(world, spring))?.counters ?? ''};
  const counters = countersKey(named);
  await store.count({
    writer: 'test',
    number: 1,
    additions: [{keys: [counters], adds: [{[visitsCounter]: 3, 'referrer:a.example': 3}], at: 1}],
  });
  t.is((await links.accountStats(account)).links, 1);
  t.deepEqual(await links.remove(account, shortUrl), {urlId, shortUrl, status: 'removed'});
  for (const operation of ['info', 'disable', 'enable', 'remove', 'stats'] as const) {
    await t.throwsAsync(links[operation](account, shortUrl), {code: 'unknown_short_url'}, operation);
  }
  t.deepEqual((await links.page(account)).links, []);
  t.deepEqual(await readSlots(store, account.generation, [1]), [undefined]);
  t.is((await store.getCounters([counters]))[0]?.counts.size, 0);
  t.is((await links.accountStats(account)).links, 0);
  t.is(events.at(-1)?.[0], 'remove');
  t.like(events.at(-1)?.[1].link, {urlId, title: 'Spring', status: 'active', totalVisits: 3});
});

test('only the account that removed a link can create it again, as a new link', async (t) => {
  const world = start();
  const {links} = world;
  const first = await links.create(account, {url, customUrl: 'spring'});
  await links.remove(account, first.shortUrl);
  await t.throwsAsync(links.create(other, {url, customUrl: 'spring'}), {code: 'custom_url_taken'});
  const second = await links.create(account, {url: 'https://other.example/', customUrl: 'spring'});
  t.is(second.shortUrl, first.shortUrl);
  t.true(second.urlId > first.urlId);
  t.like(await links.info(account, second.shortUrl), {originalUrl: 'https://other.example/', totalVisits: 0});
  await t.throwsAsync(links.create(account, {url, customUrl: 'spring'}), {code: 'custom_url_taken'});
});

test('after an account is removed, no account can create the links that it had removed', async (t) => {
  const world = start();
  const {links} = world;
  const {shortUrl} = await links.create(account, {url, customUrl: 'spring'});
  await links.remove(account, shortUrl);
  // A crash may leave this slot behind.
  await new LinkIndex(world.store).reserveAt(account.generation, 1, spring);
  await links.removeAll(account);
  await t.throwsAsync(links.create(account, {url, customUrl: 'spring'}), {code: 'custom_url_taken'});
});

test('an update that sets a limit returns its own link, also if another one has taken the name meanwhile', async (t) => {
  const world = start();
  const {links} = world;
  const {shortUrl} = await links.create(account, {url, customUrl: 'spring'});
  let replaced = 0;
  world.before = async (operation) => {
    if (operation !== 'replace' || (replaced += 1) !== 2) return;
    world.before = () => undefined;
    await links.remove(account, shortUrl);
    await links.create(account, {url: 'https://other.example/', customUrl: 'spring'});
  };
  const link = await links.update(account, shortUrl, {maxVisits: 5, title: 'Five'});
  t.like(link, {urlId: 1, originalUrl: url, maxVisits: 5, title: 'Five'});
  t.like(await links.info(account, shortUrl), {urlId: 2, originalUrl: 'https://other.example/', maxVisits: null});
});

test('a link that a new limit has used up is expired before the second step of the limit, too', async (t) => {
  const world = start();
  const {links, store} = world;
  const {shortUrl} = await links.create(account, {url, customUrl: 'spring'});
  const record = await recordOf(world, spring);
  if (record === undefined) return t.fail();
  const addition = {keys: [countersKey(record)], adds: [{[visitsCounter]: 1}], at: 1};
  await store.count({writer: 'test', number: 1, additions: [addition]});
  const beginLimit = () => put(world, spring, {...record, maxVisits: 1});

  await beginLimit();
  t.is((await links.info(account, shortUrl)).status, 'expired');
  await t.throwsAsync(links.enable(account, shortUrl), {code: 'link_expired'});
  t.is((await recordOf(world, spring))?.used, 1);
  await beginLimit();
  t.like(await links.update(account, shortUrl, {title: 'Spring'}), {status: 'expired', title: 'Spring'});
  await beginLimit();
  t.like(await links.update(account, shortUrl, {maxVisits: null}), {status: 'active', maxVisits: null});
  // Another change that clears the limit between its two steps.
  let replaced = 0;
  world.before = async (operation) => {
    if (operation !== 'replace' || (replaced += 1) !== 2) return;
    world.before = () => undefined;
    await links.update(account, shortUrl, {maxVisits: null});
  };
  t.like(await links.update(account, shortUrl, {maxVisits: 1}), {status: 'expired', maxVisits: 1});
});

test('an update that is stored succeeds, also if the second step of its limit fails', async (t) => {
  const world = start();
  const {links, events} = world;
  const {shortUrl} = await links.create(account, {url, customUrl: 'spring'});
  let replaced = 0;
  world.before = (operation) => {
    if (operation === 'replace' && (replaced += 1) > 1) throw outage();
  };
  t.like(await links.update(account, shortUrl, {maxVisits: 5}), {maxVisits: 5, status: 'active'});
  t.is(events.at(-1)?.[0], 'update');
});
