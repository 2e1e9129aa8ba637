import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {startSite, type Site} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';

/** Events, and listeners that fail. */
export function events(world: World): void {
  test('create, disable, enable and visit are announced with account, link and time, in order', async (t) => {
    const site = await startSite(t, {world});
    const told = listen(site);
    const link = await site.create({custom_url: 'spring'});
    await site.visit(link.short_url);
    await site.api('disable', {short_url: link.short_url});
    await site.api('enable', {short_url: link.short_url});
    t.deepEqual(
      told.map(({name}) => name),
      ['create', 'visit', 'disable', 'enable'],
    );
    for (const {name, event} of told) {
      t.is(event.account, 'user-42');
      t.is(event.link?.shortUrl, link.short_url, name);
      t.is(event.link?.urlId, link.url_id);
      t.is(event.at?.getTime(), site.clock.now);
    }
    t.deepEqual(
      told.map(({event}) => event.link?.status),
      ['active', 'active', 'disabled', 'active'],
    );
  });

  test('update and remove are announced with account, link and time; update has the new link, remove the old one', async (t) => {
    const site = await startSite(t, {world});
    const told = listen(site);
    const {short_url, url_id} = await site.create({title: 'Spring'});
    await site.visit(short_url);
    site.clock.now += 1000;
    await site.api('update', {short_url, title: 'Summer'});
    await site.api('update', {short_url, title: 'Summer'});
    await site.api('remove', {short_url});
    await site.api('remove', {short_url});
    const changes = told.slice(2);
    t.deepEqual(
      changes.map(({name, event}) => [name, event.link?.title, event.link?.status]),
      [
        ['update', 'Summer', 'active'],
        ['remove', 'Summer', 'active'],
      ],
    );
    for (const {event} of changes) {
      t.like(event, {account: 'user-42', link: {shortUrl: short_url, urlId: url_id, totalVisits: 1}});
      t.is(event.at?.getTime(), site.clock.now);
    }
  });

  test('refused calls, reads, prefetches and HEAD requests send no event', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({custom_url: 'spring'});
    const told = listen(site);
    await site.api('create', {url: 'ftp://destination.example/'});
    await site.api('create', {url: destination, custom_url: 'spring'});
    await site.api('create', {url: destination, custom_url: 'a+b'});
    await site.api('disable', {short_url: `${site.baseUrl}/none`});
    await site.api('remove', {short_url: `${site.baseUrl}/none`});
    await site.api('update', {short_url: link.short_url, max_visits: '0'});
    await site.api('stats', {short_url: link.short_url});
    await site.api('list_urls');
    await site.info(link.short_url);
    await site.list();
    await site.visit(link.short_url, {method: 'HEAD'});
    await site.visit(link.short_url, {headers: {'Sec-Purpose': 'prefetch'}});
    await site.visit(`${site.baseUrl}/none`);
    t.deepEqual(told, []);
  });

  test('a wrong key is announced as denied, without the key', async (t) => {
    const site = await startSite(t, {world});
    const told = listen(site);
    refused(t, await site.api('list_active_urls', {}, {key: 'nonsense-key'}), 'invalid_api_key');
    t.is(told.length, 1);
    const [denied] = told;
    t.is(denied?.name, 'denied');
    t.is(denied?.event.reason, 'invalid_api_key');
    t.regex(denied?.event.ip ?? '', /127\.0\.0\.1$/);
    t.is(denied?.event.shortUrl, undefined);
    t.is(denied?.event.at?.getTime(), site.clock.now);
    t.notRegex(JSON.stringify(told), /nonsense-key/);
  });

  test('a wrong password, and one too many, are announced as denied with the short URL', async (t) => {
    const site = await startSite(t, {world, shortUrl: {passwordAttempts: 1}});
    const link = await site.create({password: 's3cret'});
    const told = listen(site);
    await site.submit(link.short_url, 'guess-1');
    await site.submit(link.short_url, 'guess-2');
    t.deepEqual(
      told.map(({name, event}) => [name, event.reason, event.shortUrl]),
      [
        ['denied', 'invalid_password', link.short_url],
        ['denied', 'too_many_requests', link.short_url],
      ],
    );
    t.notRegex(JSON.stringify(told), /guess|s3cret/);
  });

  test('a listener that throws affects nothing else', async (t) => {
    const site = await startSite(t, {world});
    const names = ['create', 'disable', 'enable', 'update', 'remove', 'visit', 'denied', 'error'] as const;
    for (const name of names) {
      site.shortener.events.on(name, () => {
        throw new Error(`the listener of ${name} is broken`);
      });
    }
    const link = accepted(t, await site.api('create', {url: destination}));
    redirects(t, await site.visit(link.short_url), destination);
    t.is((await site.info(link.short_url)).total_visits, 1);
    accepted(t, await site.api('disable', {short_url: link.short_url}));
    accepted(t, await site.api('enable', {short_url: link.short_url}));
    accepted(t, await site.api('update', {short_url: link.short_url, title: 'x'}));
    accepted(t, await site.api('remove', {short_url: link.short_url}));
    refused(t, await site.api('list_active_urls', {}, {key: 'nonsense'}), 'invalid_api_key');
    t.is((await site.shortener.links.create('user-42', {url: destination})).status, 'active');
  });
}

interface Told {
  name: string;
  event: {
    account?: string;
    link?: {shortUrl: string; urlId: number; status: string; title?: string | null; totalVisits?: number};
    reason?: string;
    ip?: string;
    shortUrl?: string | undefined;
    at?: Date;
  };
}

function listen({shortener}: Site): Told[] {
  const told: Told[] = [];
  for (const name of ['create', 'disable', 'enable', 'update', 'remove', 'visit', 'denied'] as const) {
    shortener.events.on(name, (event: Told['event']) => told.push({name, event}));
  }
  shortener.events.on('error', () => told.push({name: 'error', event: {}}));
  return told;
}
