import {linkKey} from '../../../../src/records.ts';
import test, {type ExecutionContext} from 'ava';
import {accountList, readSlots} from '../../../../src/links/list/link-index.ts';
import {account, domain, recordOf, spring, start, url, type World} from '../../../support/links-world.ts';
import {outage} from '../../../support/store-stub.ts';

const shortUrl = `https://${domain}/spring`;
/** A page of the site, which could be a short URL. */
const page = `https://${domain}/prices`;

/** Creates a link whose creation is interrupted after its record was inserted. */
async function interrupted(t: ExecutionContext, world: World): Promise<void> {
  let isInserted = false;
  world.before = (operation) => {
    if (isInserted) throw outage();
    isInserted = operation === 'insert' && world.asked.filter((each) => each === 'insert').length === 3;
  };
  await t.throwsAsync(world.links.create(account, {url: page, customUrl: 'spring'}), {code: 'store_unavailable'});
  world.before = () => undefined;
  t.like(await recordOf(world, spring), {state: 'pending', url: page});
}

test('a link whose creation was interrupted is there for its account when it is named', async (t) => {
  const world = start();
  await interrupted(t, world);
  t.like(await world.links.info(account, shortUrl), {status: 'active', originalUrl: page});
  const {links} = await world.links.page(account);
  const listed = links.map((link) => link.shortUrl);
  t.deepEqual(listed, [shortUrl]);
  t.is((await world.links.accountStats(account)).links, 1);
});

test('an interrupted link whose destination has become a short URL is removed when it is named', async (t) => {
  const world = start();
  await interrupted(t, world);
  await world.store.insert(linkKey({domain, slug: 'prices'}), {});
  await t.throwsAsync(world.links.info(account, shortUrl), {code: 'unknown_short_url'});
  t.deepEqual(await readSlots(world.store, accountList(account.generation), [1]), [undefined]);
  t.is((await world.links.accountStats(account)).links, 0);
  // Its account can use the short part again.
  t.is((await world.links.create(account, {url, customUrl: 'spring'})).shortUrl, shortUrl);
});

test('a create that was confirmed by another process has succeeded', async (t) => {
  const world = start();
  world.before = async (operation) => {
    const record = operation === 'replace' ? await recordOf(world, spring) : undefined;
    if (record?.state !== 'pending') return;
    world.before = () => undefined;
    t.is((await world.links.info(account, shortUrl)).status, 'active');
  };
  t.is((await world.links.create(account, {url: page, customUrl: 'spring'})).shortUrl, shortUrl);
  t.is((await world.links.page(account)).links.length, 1);
  t.is((await world.links.accountStats(account)).links, 1);
});
