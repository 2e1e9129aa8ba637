import {ReservedSlugs} from '../../../../src/site/reserved.ts';
import {linkPositions} from '../../../../src/accounts/records.ts';
import test from 'ava';
import {ShortUrlError} from '../../../../src/errors.ts';
import type {Link} from '../../../../src/link/link.ts';
import {accountList, readSlots} from '../../../../src/links/read/link-index.ts';
import {account, recordOf, spring, start, url} from '../../../support/links-world.ts';

const other = {id: 'user-43', generation: 'life-2'};

test('when two accounts ask for a short part at once, one gets it and the other leaves nothing behind', async (t) => {
  const world = start();
  const outcomes = await Promise.allSettled(
    [account, other].map(async (one) => world.links.create(one, {url, customUrl: 'spring'})),
  );
  const winner = outcomes.findIndex(({status}) => status === 'fulfilled');
  const loser = [other, account][winner];
  t.like(outcomes[1 - winner], {status: 'rejected', reason: {code: 'custom_url_taken'}});
  t.is((await recordOf(world, spring))?.generation, [account, other][winner]?.generation);
  t.deepEqual(await readSlots(world.store, accountList(loser?.generation ?? ''), [1]), [undefined]);
  t.deepEqual(
    (await Promise.all([account, other].map((one) => world.links.accountStats(one)))).map(({links}) => links),
    [1 - winner, winner],
  );
  t.is(world.events.length, 1);
});

test('a generated short part that is taken is replaced by another, and leaves no slot reserved', async (t) => {
  const world = start({slugLength: 1});
  const created = new Map<string, Link>();
  // There are 55 parts of one character; the others have two.
  for (let count = 0; count < 60; count++) {
    const link = await world.links.create(account, {url});
    created.set(link.shortUrlPart, link);
  }
  t.is(created.size, 60);
  t.deepEqual(new Set([...created.keys()].map(({length}) => length)), new Set([1, 2]));
  const [last = 0] = await world.store.current([linkPositions.key(account.generation)]);
  const positions = Array.from({length: last}, (_, index) => index + 1);
  const slots = await readSlots(world.store, accountList(account.generation), positions);
  t.true(slots.length > 60, 'no generated part was taken, so nothing was tested');
  t.is(slots.filter((name) => name !== undefined).length, 60);
  t.is((await world.links.accountStats(account)).links, 60);
});

test('a generated short part is never a reserved one, and grows by one character after every eight that are', async (t) => {
  const refused: string[] = [];
  const reserved = {has: (slug: string) => refused.push(slug) < 20} as unknown as ReservedSlugs;
  const {shortUrlPart} = await start({reserved, slugLength: 5}).links.create(account, {url});
  const lengths = refused.map(({length}) => length);
  t.deepEqual(lengths, [5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7]);
  t.true(refused.indexOf(shortUrlPart) === 19);
});

test('a link whose account is removed meanwhile is not created, and the caller is told', async (t) => {
  const removed = new ShortUrlError('invalid_api_key', 'The account was removed.');
  const world = start({accounts: {recheck: () => Promise.reject(removed)}});
  await t.throwsAsync(world.links.create(account, {url, customUrl: 'spring'}), {
    instanceOf: ShortUrlError,
    code: 'invalid_api_key',
    message: 'The account was removed.',
  });
  t.is(await recordOf(world, spring), undefined);
  t.deepEqual(world.events, []);
});
