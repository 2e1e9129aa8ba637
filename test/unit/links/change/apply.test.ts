import {visitsCounter} from '../../../../src/link/counters.ts';
import {linkCounters} from '../../../../src/link/records.ts';
import {removeAll} from '../../../../src/links/change/every-link.ts';
import test from 'ava';
import {accountList, LinkIndex} from '../../../../src/links/read/link-index.ts';
import {account, put, recordOf, spring, start, url} from '../../../support/links-world.ts';

test('an update keeps the short URL, the id and the slot of a link, and is announced', async (t) => {
  const {links, events} = start();
  const {shortUrl, urlId, dateCreated} = await links.create(account, {url, customUrl: 'spring'});
  const link = await links.update(account, shortUrl, {url: 'https://other.example/', title: 'Spring', tags: ['mail']});
  t.like(link, {shortUrl, urlId, dateCreated, originalUrl: 'https://other.example/', title: 'Spring', tags: ['mail']});
  t.deepEqual(await links.info(account, shortUrl), link);
  t.deepEqual(events.at(-1)?.[0], 'update');
  t.like(events.at(-1)?.[1], {account: account.id, link});
});

test('after an account is removed, no account can create the links that it had removed', async (t) => {
  const world = start();
  const {links} = world;
  const {shortUrl} = await links.create(account, {url, customUrl: 'spring'});
  await links.remove(account, shortUrl);
  // A crash may leave this slot behind.
  await new LinkIndex(world.store).reserveAt(accountList(account.generation), 1, spring);
  await removeAll(world.services, account);
  await t.throwsAsync(links.create(account, {url, customUrl: 'spring'}), {code: 'custom_url_taken'});
});

test('a link that a new limit has used up is expired before the second step of the limit, too', async (t) => {
  const world = start();
  const {links, store} = world;
  const {shortUrl} = await links.create(account, {url, customUrl: 'spring'});
  const record = await recordOf(world, spring);
  if (record === undefined) return t.fail();
  const addition = {keys: [linkCounters.key(record)], adds: [{[visitsCounter]: 1}], at: 1};
  await store.count({writer: 'test', number: 1, additions: [addition]});
  const beginLimit = () => put(world, spring, {...record, maxVisits: 1});

  await beginLimit();
  t.is((await links.info(account, shortUrl)).status, 'expired');
  await t.throwsAsync(links.enable(account, shortUrl), {code: 'link_expired'});
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
