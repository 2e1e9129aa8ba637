import test from 'ava';
import {refused} from '../../support/answers.ts';
import {noon, startSite, type Site} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';

/** What a listener is told. Listeners that fail are in callbacks.test.ts. */
export function events(world: World): void {
  test('each change and each visit is announced with account, link and time, in order', async (t) => {
    const site = await startSite(t, {world});
    const told = listen(site);
    const {short_url, url_id} = await site.create({title: 'Spring'});
    await site.visit(short_url);
    await site.api('disable', {short_url});
    await site.api('enable', {short_url});
    site.clock.now += 1000;
    for (const title of ['Summer', 'Summer']) await site.api('update', {short_url, title});
    for (const operation of ['remove', 'remove']) await site.api(operation, {short_url});
    const {now} = site.clock;
    t.deepEqual(
      told.map(({name, event}) => [name, event.link?.title, event.link?.status, event.at?.getTime()]),
      [
        ['create', 'Spring', 'active', noon],
        ['visit', 'Spring', 'active', noon],
        ['disable', 'Spring', 'disabled', noon],
        ['enable', 'Spring', 'active', noon],
        ['update', 'Summer', 'active', now],
        ['remove', 'Summer', 'active', now],
      ],
    );
    for (const {event} of told) t.like(event, {account: 'user-42', link: {shortUrl: short_url, urlId: url_id}});
    for (const {event} of told.slice(2)) t.is(event.link?.totalVisits, 1);
  });

  test('refused calls, reads, prefetches and HEAD requests send no event', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({custom_url: 'spring'});
    const told = listen(site);
    await site.api('create', {url: 'ftp://destination.example/'});
    await site.api('create', {url: destination, custom_url: 'spring'});
    for (const operation of ['disable', 'remove']) await site.api(operation, {short_url: `${site.baseUrl}/none`});
    await site.api('update', {short_url: link.short_url, max_visits: '0'});
    for (const operation of ['info', 'stats']) await site.api(operation, {short_url: link.short_url});
    for (const operation of ['list_urls', 'list_active_urls']) await site.api(operation);
    await site.visit(link.short_url, {method: 'HEAD'});
    await site.visit(link.short_url, {headers: {'Sec-Purpose': 'prefetch'}});
    await site.visit(`${site.baseUrl}/none`);
    t.deepEqual(told, []);
  });

  test('a link that allowUrl or the quota refuses is announced with its account, without its URL', async (t) => {
    const allowUrl = (url: string): boolean => !url.includes('phishing');
    const site = await startSite(t, {world, shortUrl: {allowUrl, createQuota: 1}});
    const told = listen(site);
    refused(t, await site.api('create', {url: 'https://phishing.example/'}), 'forbidden_url');
    const {short_url} = await site.create({});
    refused(t, await site.api('update', {short_url, url: 'https://phishing.example/'}), 'forbidden_url');
    refused(t, await site.api('create', {url: destination}), 'too_many_requests');
    // A link that leads to the shortener is a mistake.
    refused(t, await site.api('update', {short_url, url: short_url}), 'forbidden_url');
    t.deepEqual(
      told.map(({name, event}) => [name, event.account, event.reason, event.at?.getTime()]),
      [
        ['linkRefused', 'user-42', 'forbidden_url', noon],
        ['create', 'user-42', undefined, noon],
        ['linkRefused', 'user-42', 'forbidden_url', noon],
        ['linkRefused', 'user-42', 'too_many_requests', noon],
      ],
    );
    t.notRegex(JSON.stringify(told), /phishing/);
  });

  test('a wrong key or password, and one too many, are announced as denied, without the key or the password', async (t) => {
    const site = await startSite(t, {world, shortUrl: {keyAttempts: 1, passwordAttempts: 1}});
    const {short_url} = await site.create({password: 's3cret'});
    const told = listen(site);
    const key = 'guessed'.padEnd(32, 'x');
    refused(t, await site.api('list_active_urls', {}, {key}), 'invalid_api_key');
    refused(t, await site.api('list_active_urls', {}, {key}), 'too_many_requests');
    for (const password of ['guessed-1', 'guessed-2']) await site.submit(short_url, password);
    t.deepEqual(
      told.map(({name, event}) => [name, event.reason, event.shortUrl]),
      [
        ['denied', 'invalid_api_key', undefined],
        ['denied', 'too_many_requests', undefined],
        ['denied', 'invalid_password', short_url],
        ['denied', 'too_many_requests', short_url],
      ],
    );
    for (const {event} of told) {
      t.regex(event.ip ?? '', /127\.0\.0\.1$/);
      t.is(event.at?.getTime(), noon);
    }
    t.notRegex(JSON.stringify(told), /guessed|s3cret/);
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
  for (const name of ['create', 'disable', 'enable', 'update', 'remove', 'visit', 'denied', 'linkRefused'] as const) {
    shortener.events.on(name, (event: Told['event']) => told.push({name, event}));
  }
  shortener.events.on('error', () => told.push({name: 'error', event: {}}));
  return told;
}
