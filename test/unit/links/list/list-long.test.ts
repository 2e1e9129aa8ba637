import {positionsKey} from '../../../../src/keys.ts';
import test from 'ava';
import {account, recordOf, start, url} from '../../../support/links-world.ts';
import {turnsOf} from '../../../support/turns.ts';

test('reading and removing many links on a store in memory lets the event loop run', async (t) => {
  const world = start();
  for (let index = 0; index < 1000; index += 1) await world.links.create(account, {url});
  // One turn for each hundred records.
  t.true((await turnsOf(() => world.links.pageActive(account, {limit: 1000}))) >= 10);
  t.true((await turnsOf(() => world.links.removeAll(account))) >= 15);
});

test('a removal finds links after the store lost the position counter', async (t) => {
  const world = start();
  for (const customUrl of ['first', 'second']) await world.links.create(account, {url, customUrl});
  await world.store.removeCounters(positionsKey(account.generation), ['next']);
  await world.links.removeAll(account);
  for (const slug of ['first', 'second']) {
    t.is((await recordOf(world, {domain: 'example.com', slug}))?.state, 'removed', slug);
  }
});
