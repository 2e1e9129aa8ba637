import test from 'ava';
import {Bases} from '../../../../src/link/bases.ts';
import {LinkRows} from '../../../../src/links/rank/link-rows.ts';
import {siteList} from '../../../../src/links/read/link-index.ts';
import {readPage} from '../../../../src/links/read/page.ts';
import {readSiteQuery} from '../../../../src/links/read/query.ts';
import type {AdminLinkQuery} from '../../../../src/links/read/listed-links.ts';
import {pagesOf} from '../../../support/collect.ts';
import {range} from '../../../support/engines/crowd.ts';
import {account, block, domain, start, url} from '../../../support/links-world.ts';
import {intercepted} from '../../../support/store-stub.ts';

/** A site with links of two accounts, of which at most twenty are remembered in an order. */
async function open(size: number, ofSite = 1000) {
  const world = start();
  const {links, clock, store: own} = world;
  const accounts = [account, {id: 'user-43', generation: 'life-2'}] as const;
  const create = (index: number) =>
    links.create(accounts[index % 2] ?? account, {
      url,
      customUrl: `n${index}`,
      tags: [index % 3 === 2 ? 'mail' : 'poster'],
      expiryDate: index % 7 === 0 ? undefined : `20${40 + (index % 11)}-01-01`,
    });
  for (const index of range(size)) await create(index);
  const walks = {count: 0};
  const store = intercepted(own, (operation, keys) => {
    if (operation === 'current' && (keys as string[])[0] === siteList.sequence) walks.count += 1;
  });
  const bases = new Bases(`https://${domain}`, []);
  const linkRows = new LinkRows({store, bases, now: () => clock.now}, {links: 20, ofSite});
  const page = async (query: AdminLinkQuery) => {
    const {part} = readSiteQuery({order: 'expiry_date', ...query}, bases);
    const {records, nextCursor} = await readPage({store, linkRows, now: () => clock.now}, siteList, part);
    return {parts: records.map(({slug}) => slug), nextCursor};
  };
  const all = async (query: AdminLinkQuery = {}) => pagesOf((cursor) => page({...query, cursor}));
  return {...world, accounts, create, walks, page, all};
}

/** The numbers of links in their order: the earliest expiry date first, those without one last. */
function sorted(numbers: readonly number[]): string[] {
  const yearOf = (index: number): number => (index % 7 === 0 ? Infinity : index % 11);
  const inOrder = numbers.toSorted((one, other) => {
    const [first, second] = [yearOf(one), yearOf(other)];
    return first === second ? other - one : first - second;
  });
  return inOrder.map((index) => `n${index}`);
}

test('pages of any size have each link of the site once and in order, however few are remembered', async (t) => {
  const {all, walks, clock} = await open(90);
  for (const limit of [1, 3, 7, 15]) {
    clock.now += 61_000;
    walks.count = 0;
    const pages = await all({limit});
    t.true(pages.slice(0, -1).every(({parts}) => parts.length === limit));
    t.deepEqual(
      pages.flatMap(({parts}) => parts),
      sorted(range(90)),
    );
    // Twenty rows are 20 / limit pages.
    const perWalk = Math.floor(20 / limit) * limit;
    t.true(walks.count <= Math.ceil(90 / perWalk) + 1, `${walks.count} readings for pages of ${limit}`);
  }
});

test('the conditions are those of all links of the site, not of the first', async (t) => {
  const world = await open(60);
  for (const index of [3, 33, 57]) {
    await block(world, `https://${domain}/n${index}`);
  }
  const found = async (query: AdminLinkQuery) => (await world.all({limit: 5, ...query})).flatMap(({parts}) => parts);
  t.deepEqual(await found({status: 'blocked'}), sorted([3, 33, 57]));
  t.deepEqual(await found({status: 'disabled'}), sorted([3, 33, 57]));
  t.deepEqual(await found({search: 'n57'}), ['n57']);
  t.deepEqual(await found({search: `https://${domain}/n5`}), ['n5']);
  t.deepEqual(await found({search: 'mail', status: 'active'}), sorted(range(60).filter((index) => index % 3 === 2)));
  t.deepEqual(await found({baseDomain: 'sho.rt'}), []);
});

test('pages have each link once while links are made and removed', async (t) => {
  const {page, create, links, accounts, clock} = await open(60);
  let made = 60;
  const pages = await pagesOf(async (cursor) => {
    const found = await page({limit: 6, cursor});
    await create(made++);
    const last = Number(found.parts.at(-1)?.slice(1));
    await links.remove(accounts[last % 2] ?? account, `https://${domain}/n${last}`);
    clock.now += 61_000;
    return found;
  });
  const found = pages.flatMap(({parts}) => parts);
  t.is(new Set(found).size, found.length);
  t.deepEqual(
    found.filter((part) => Number(part.slice(1)) < 60),
    sorted(range(60)),
  );
});

test('a page ends early where the links behind it were removed within the minute, and the next one goes on', async (t) => {
  const {page, links, accounts} = await open(60);
  const {nextCursor} = await page({limit: 5});
  for (const part of sorted(range(60)).slice(7, 21)) {
    const index = Number(part.slice(1));
    await links.remove(accounts[index % 2] ?? account, `https://${domain}/${part}`);
  }
  const rest = await pagesOf((cursor) => page({limit: 5, cursor: cursor ?? nextCursor}));
  t.deepEqual(
    rest.flatMap(({parts}) => parts),
    sorted(range(60)).filter((_, index) => (index > 4 && index < 7) || index > 20),
  );
});

test('more links of a site than can be read are refused with too_many_links', async (t) => {
  const {page} = await open(31, 30);
  await t.throwsAsync(page({}), {code: 'too_many_links', message: /up to 1000000/});
});

test('a cursor of another order is refused', async (t) => {
  const {page} = await open(50);
  const {nextCursor: first} = await page({limit: 15});
  const {nextCursor: second} = await page({limit: 15, cursor: first});
  for (const cursor of [first, second]) {
    await t.throwsAsync(page({order: 'visits', cursor}), {code: 'malformed_parameter'});
  }
});
