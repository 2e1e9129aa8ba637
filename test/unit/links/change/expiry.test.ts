import {once} from 'node:events';
import test, {type ExecutionContext} from 'ava';
import {Announcer} from '../../../../src/links/announcer.ts';
import {Expiry} from '../../../../src/links/change/expiry.ts';
import {Bases} from '../../../../src/link/bases.ts';
import {linkRecords} from '../../../../src/link/records.ts';
import {buildServices} from '../../../../src/shortener/services.ts';
import type {Store} from '../../../../src/store/port.ts';
import {importNdjson} from '../../../../src/tools/import/import-ndjson.ts';
import {shortUrl} from '../../../../src/index.ts';
import {collect} from '../../../support/collect.ts';
import {noon, url} from '../../../support/links-world.ts';
import {type Site, startSite} from '../../../support/site.ts';
import {memoryStore, outage} from '../../../support/store-stub.ts';
import {exported, partsOf} from '../../../support/tools/text.ts';
import {secret} from '../../../support/tools/world.ts';

const day = 24 * 60 * 60_000;

/** The short parts that are announced, each as often as it is. */
function announcedBy({shortener}: Pick<Site, 'shortener'>): string[] {
  const parts: string[] = [];
  shortener.events.on('expired', ({link}) => parts.push(link.shortUrlPart));
  return parts;
}

/** A sweep that removes nothing announces what no visit has announced yet, and waits for it. */
async function sweep({shortener}: Pick<Site, 'shortener'>): Promise<void> {
  await collect(shortener.admin.sweep({expiredFor: 10_000}));
}

async function visited(site: Site, shortUrl: string): Promise<void> {
  const told = once(site.shortener.events, 'expired');
  await site.visit(shortUrl);
  await told;
}

test('a link that has expired is announced once, by the first visit after its date', async (t) => {
  const site = await startSite(t);
  const {links, events} = site.shortener;
  const {shortUrl} = await links.create('user-42', {url, customUrl: 'spring', expiryDate: '2031-05-07'});
  const announced = announcedBy(site);
  await site.visit(shortUrl);
  await sweep(site);
  t.deepEqual(announced, []);
  site.clock.now += 2 * day;
  const told = once(events, 'expired');
  const replies = await Promise.all(Array.from({length: 5}, () => site.visit(shortUrl)));
  t.true(replies.every(({status}) => status === 410));
  const [event] = (await told) as unknown[];
  t.like(event, {
    account: 'user-42',
    at: new Date(site.clock.now),
    link: {shortUrl, status: 'expired', totalVisits: 1},
  });
  await site.visit(shortUrl);
  await sweep(site);
  t.deepEqual(announced, ['spring']);
});

test('a link whose visits are used up is announced by the last of them', async (t) => {
  const site = await startSite(t);
  const {shortUrl} = await site.shortener.links.create('user-42', {url, customUrl: 'once', maxVisits: 2});
  const announced = announcedBy(site);
  await site.visit(shortUrl);
  t.deepEqual(announced, []);
  await visited(site, shortUrl);
  t.is((await site.visit(shortUrl)).status, 410);
  await sweep(site);
  t.deepEqual(announced, ['once']);
});

test('a link that works again is announced again, and no other change makes that', async (t) => {
  const site = await startSite(t);
  const {links} = site.shortener;
  const {shortUrl} = await links.create('user-42', {url, customUrl: 'spring', expiryDate: '2031-05-07'});
  const {shortUrl: limited} = await links.create('user-42', {url, customUrl: 'limited', maxVisits: 1});
  const announced = announcedBy(site);
  await site.visit(limited);
  site.clock.now += 2 * day;
  await sweep(site);
  await links.update('user-42', shortUrl, {title: 'Over'});
  await links.update('user-42', limited, {maxVisits: 1, tags: ['over']});
  await sweep(site);
  t.deepEqual(announced, ['limited', 'spring']);
  await links.update('user-42', shortUrl, {expiryDate: '2031-05-10'});
  await links.update('user-42', limited, {maxVisits: 2});
  await sweep(site);
  await site.visit(limited);
  site.clock.now += 3 * day;
  await sweep(site);
  t.deepEqual(announced, ['limited', 'spring', 'limited', 'spring']);
});

test('links that do not work for another reason are not announced', async (t) => {
  const site = await startSite(t);
  const {links, admin} = site.shortener;
  const create = async (customUrl: string): Promise<string> =>
    (await links.create('user-42', {url, customUrl, expiryDate: '2031-05-07'})).shortUrl;
  const urls = [await create('disabled'), await create('blocked'), await create('removed')] as const;
  await create('of-blocked');
  const announced = announcedBy(site);
  await links.disable('user-42', urls[0]);
  await admin.block(urls[1]);
  await links.remove('user-42', urls[2]);
  site.clock.now += 2 * day;
  await admin.blockAccount('user-42');
  for (const each of urls) t.is((await site.visit(each)).status, 410);
  await sweep(site);
  t.deepEqual(announced, []);
  await admin.unblockAccount('user-42');
  await sweep(site);
  t.deepEqual(announced, ['of-blocked']);
});

test('a sweep announces every expired link that it passes, and a dry run none', async (t) => {
  const site = await startSite(t);
  const {links, admin, events} = site.shortener;
  await links.create('user-42', {url, customUrl: 'old', expiryDate: '2031-05-07'});
  await links.create('user-42', {url, customUrl: 'young', expiryDate: '2031-06-01'});
  await links.create('user-42', {url, customUrl: 'works'});
  const seen: string[] = [];
  for (const name of ['expired', 'remove'] as const) {
    events.on(name, ({link}) => seen.push(`${name} ${link.shortUrlPart}`));
  }
  site.clock.now += 30 * day;
  t.is((await collect(admin.sweep({expiredFor: 20, dryRun: true}))).length, 1);
  t.deepEqual(seen, []);
  t.is((await collect(admin.sweep({expiredFor: 20}))).length, 1);
  t.deepEqual(seen, ['expired old', 'remove old', 'expired young']);
});

test('a process without a listener leaves the announcement to one that has a listener', async (t) => {
  const site = await startSite(t);
  const {shortUrl} = await site.shortener.links.create('user-42', {url, customUrl: 'spring', expiryDate: '2031-05-07'});
  site.clock.now += 2 * day;
  await site.visit(shortUrl);
  await sweep(site);
  const announced = announcedBy(site);
  await visited(site, shortUrl);
  t.deepEqual(announced, ['spring']);
});

test('what was announced is not announced again after an export and its import', async (t) => {
  const from = {store: new Map(), namespace: 'one'};
  const to = {store: new Map(), namespace: 'two'};
  const clock = {now: noon};
  const open = (place: typeof from) => {
    const options = {baseUrl: 'https://example.com', secret, ...place, now: () => clock.now};
    const shortener = shortUrl(options);
    t.teardown(() => shortener.close());
    return {shortener, announced: announcedBy({shortener})};
  };
  const before = open(from);
  const {accounts, links} = before.shortener;
  await accounts.create('ann');
  await links.create('ann', {url, customUrl: 'told', expiryDate: '2031-05-07'});
  await links.create('ann', {url, customUrl: 'later', expiryDate: '2031-05-09'});
  clock.now += 2 * day;
  await sweep(before);
  t.deepEqual(before.announced, ['told']);
  const {text} = await exported(from);
  await importNdjson({...to, file: partsOf(text)});
  clock.now += 2 * day;
  const after = open(to);
  await sweep(after);
  t.deepEqual(after.announced, ['later']);
});

interface Fails {
  /** Whether the next change of a record fails before it is stored, or after. */
  when?: 'before' | 'after' | undefined;
  isAway?: boolean;
}

/** A link that has expired, on a store that then fails. */
async function failing(t: ExecutionContext, fails: Fails) {
  const fail: Fails = {};
  const clock = {now: noon};
  const own = memoryStore(() => clock.now);
  const store = new Proxy(own, {
    get(target, name: keyof Store) {
      if (name === 'isAway') return fail.isAway === true;
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]): Promise<unknown> => {
        const when = name === 'replace' ? fail.when : undefined;
        if (name === 'replace') fail.when = undefined;
        if (when === 'before') throw outage();
        const result: unknown = await Reflect.apply(member, target, given);
        if (when === 'after') throw outage();
        return result;
      };
    },
  });
  const announcer = new Announcer();
  const bases = new Bases('https://example.com', []);
  const services = buildServices(store, {bases, secrets: ['a secret'], now: () => clock.now}, announcer);
  const closing = new AbortController();
  t.teardown(() => {
    closing.abort();
  });
  const expiry = new Expiry({...services, closing: closing.signal});
  const parts: string[] = [];
  announcer.events.on('expired', ({link}) => parts.push(link.shortUrlPart));
  await services.accounts.create('ann');
  const ann = await services.accounts.require('ann');
  await services.links.create(ann, {url, customUrl: 'spring', expiryDate: '2031-05-07'});
  Object.assign(fail, fails);
  clock.now += 2 * day;
  const read = async () => {
    const entry = await linkRecords.in(own).get({domain: 'example.com', slug: 'spring'});
    if (entry === undefined) throw new Error('There is no link');
    return entry.value;
  };
  return {fail, expiry, read, parts, next: () => once(announcer.events, 'expired')};
}

for (const when of ['before', 'after'] as const) {
  test(`an announcement whose write fails ${when} it was stored comes later, once`, async (t) => {
    const {expiry, read, parts, next} = await failing(t, {when});
    const told = next();
    await t.throwsAsync(expiry.announce(await read()), {code: 'store_unavailable'});
    t.deepEqual(parts, []);
    t.is((await read()).announced === undefined, when === 'before');
    await told;
    await expiry.announce(await read());
    t.deepEqual(parts, ['spring']);
  });
}

test('in an outage a visit announces nothing, and the first one after it does', async (t) => {
  const {fail, expiry, read, parts, next} = await failing(t, {isAway: true});
  expiry.notice(await read());
  fail.isAway = false;
  const told = next();
  t.deepEqual(parts, []);
  expiry.notice(await read());
  await told;
  t.deepEqual(parts, ['spring']);
});
