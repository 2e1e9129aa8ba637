import test from 'ava';
import type {OwnedLink} from '../../../../src/index.ts';
import type {LinkRecord} from '../../../../src/link/record.ts';
import {readSweep, sweepAccount} from '../../../../src/links/change/sweep.ts';
import {collect} from '../../../support/collect.ts';
import {account, start} from '../../../support/links-world.ts';
import {startSite} from '../../../support/site.ts';

const day = 24 * 60 * 60_000;
const url = 'https://destination.example/page';

const partsOf = (swept: readonly OwnedLink[]): string[] => swept.map(({link}) => link.shortUrlPart);

test('a sweep removes links that expired so many days ago, of all accounts, and yields them', async (t) => {
  const site = await startSite(t);
  const {accounts, admin, links, events} = site.shortener;
  await accounts.create('user-43');
  await links.create('user-42', {url, customUrl: 'dated', expiryDate: '2031-05-07'});
  await links.create('user-43', {url, customUrl: 'other', expiryDate: '2031-05-07'});
  await links.create('user-42', {url, customUrl: 'later', expiryDate: '2031-05-20'});
  await links.create('user-42', {url, customUrl: 'stays'});
  const {shortUrl: limited} = await links.create('user-42', {url, customUrl: 'limited', maxVisits: 1});
  await site.visit(limited);
  const removed: string[] = [];
  events.on('remove', ({link}) => removed.push(link.shortUrlPart));
  site.clock.now += 8 * day;
  t.deepEqual(await collect(admin.sweep({expiredFor: 30})), []);
  const swept = await collect(admin.sweep({expiredFor: 6}));
  t.deepEqual(partsOf(swept), ['dated', 'limited', 'other']);
  const owners = swept.map(({account}) => account);
  t.deepEqual(owners, ['user-42', 'user-42', 'user-43']);
  t.deepEqual(removed, partsOf(swept));
  t.is((await site.visit('https://example.com/dated')).status, 410);
  t.is((await links.page('user-42')).links.length, 2);
});

test('a sweep of unvisited links counts from the last visit, the start or the creation', async (t) => {
  const site = await startSite(t);
  const {admin, links} = site.shortener;
  for (const customUrl of ['old', 'visited']) await links.create('user-42', {url, customUrl});
  await links.create('user-42', {url, customUrl: 'future', startDate: '2031-06-30'});
  site.clock.now += 20 * day;
  await site.visit('https://example.com/visited');
  await links.create('user-42', {url, customUrl: 'new'});
  site.clock.now += 15 * day;
  const swept = await collect(admin.sweep({unvisitedFor: 30}));
  t.deepEqual(partsOf(swept), ['old']);
});

test('a link that is visited or changed during the sweep stays', async (t) => {
  const site = await startSite(t);
  const {admin, links} = site.shortener;
  for (const customUrl of ['one', 'two', 'three']) {
    await links.create('user-42', {url, customUrl, expiryDate: '2031-05-07'});
  }
  site.clock.now += 8 * day;
  const sweep = admin.sweep({expiredFor: 2});
  const first = await sweep.next();
  t.is(first.done ? undefined : first.value.link.shortUrlPart, 'one');
  await links.update('user-42', 'https://example.com/two', {expiryDate: '2031-12-31'});
  const rest = await collect(sweep);
  t.deepEqual(partsOf(rest), ['three']);
  t.is((await site.visit('https://example.com/two')).status, 302);
});

test('a link that another call removes at the same moment is not yielded', async (t) => {
  const world = start();
  const {shortUrl} = await world.links.create(account, {url});
  world.clock.now += 8 * day;
  world.before = async (operation) => {
    if (operation !== 'replace') return;
    world.before = () => undefined;
    await world.links.remove(account, shortUrl);
  };
  const services = {...world.services, expiry: {announce: (record: LinkRecord) => Promise.resolve(record)}};
  t.deepEqual(await collect(sweepAccount(services, account, readSweep({unvisitedFor: 6}, world.clock.now))), []);
});

test('a dry run yields the links and removes none', async (t) => {
  const site = await startSite(t);
  const {admin, links} = site.shortener;
  await links.create('user-42', {url, customUrl: 'dated', expiryDate: '2031-05-07'});
  await links.create('user-42', {url, customUrl: 'stays'});
  site.clock.now += 8 * day;
  t.deepEqual(partsOf(await collect(admin.sweep({expiredFor: 6, dryRun: true}))), ['dated']);
  t.is((await links.page('user-42')).links.length, 2);
  t.deepEqual(partsOf(await collect(admin.sweep({expiredFor: 6, dryRun: false}))), ['dated']);
});

test('wrong options are refused', async (t) => {
  const {admin} = (await startSite(t)).shortener;
  for (const options of [
    {},
    undefined,
    {expiredFor: 0},
    {unvisitedFor: 1.5},
    {expiredFor: '3'},
    {expiredFor: 3, dryRun: 'yes'},
    {dryRun: true},
  ]) {
    await t.throwsAsync(admin.sweep(options as never).next(), {code: 'malformed_parameter'});
  }
  await t.throwsAsync(admin.sweep({days: 3} as never).next(), {code: 'unknown_parameter'});
});
