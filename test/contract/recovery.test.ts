import {linkRecords} from '../../src/link/records.ts';
import {linkPositions} from '../../src/accounts/records.ts';
import {removeAll} from '../../src/links/change/every-link.ts';
import test from 'ava';
import {shortUrl} from '../../src/index.ts';
import {account, put, recordOf, spring, start, url} from '../support/links-world.ts';

test('a place that the store gives a second time stays with the link that has it', async (t) => {
  const world = start();
  await world.links.create(account, {url, customUrl: 'first'});
  // A failover lost the last increment.
  await world.store.removeCounters(linkPositions.key(account.generation), ['next']);
  await world.links.create(account, {url, customUrl: 'second'});
  t.deepEqual(
    (await world.links.pageActive(account, {})).urls.map(({shortUrl}) => shortUrl),
    ['https://example.com/first', 'https://example.com/second'],
  );
  await removeAll(world.services, account);
  t.is((await recordOf(world, {domain: 'example.com', slug: 'second'}))?.state, 'removed');
});

test('an unreadable record is skipped in the list, and reported once with its key', async (t) => {
  const map = new Map<string, unknown>();
  const shortener = shortUrl({baseUrl: 'https://example.com', store: map});
  t.teardown(() => shortener.close());
  const errors: Error[] = [];
  shortener.events.on('error', (error) => errors.push(error));
  await shortener.accounts.create('user-42');
  for (const customUrl of ['first', 'broken', 'last']) await shortener.links.create('user-42', {url, customUrl});
  const key = `shorturl:${linkRecords.key({domain: 'example.com', slug: 'broken'})}`;
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

test('after a store came back empty, a new link has no visits of another', async (t) => {
  const world = start();
  await world.links.create(account, {url, customUrl: 'spring'});
  const record = await recordOf(world, spring);
  await put(world, spring, undefined);
  await world.links.create(account, {url, customUrl: 'spring'});
  t.not((await recordOf(world, spring))?.counters, record?.counters);
});
