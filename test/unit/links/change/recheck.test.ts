import '../../../support/quick-scrypt.ts';
import {once} from 'node:events';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import type {CheckVerdict, Link, Rechecked} from '../../../../src/index.ts';
import {recheck} from '../../../../src/links/change/recheck.ts';
import {copyStore} from '../../../../src/tools/copy/copy.ts';
import {importLinks} from '../../../../src/tools/import/import-links.ts';
import {importNdjson} from '../../../../src/tools/import/import-ndjson.ts';
import {collect} from '../../../support/collect.ts';
import {account, start} from '../../../support/links-world.ts';
import {type Site, startSite} from '../../../support/site.ts';
import {stopTimeouts} from '../../../support/stopped-timeouts.ts';
import {exported, partsOf} from '../../../support/tools/text.ts';
import {noon, runSite, secret} from '../../../support/tools/world.ts';

const url = 'https://destination.example/page';
const day = 24 * 60 * 60_000;

const ok = (): CheckVerdict => 'ok';
const outcomes = (all: readonly Rechecked[]): Array<[string, unknown]> =>
  all.map(({link, result, error}) => [link.shortUrlPart, result ?? error]);

async function brokenOf({shortener}: Site): Promise<string[]> {
  const {links} = await shortener.links.page('user-42', {broken: true});
  return links.map(({shortUrlPart}) => shortUrlPart);
}

test('a check blocks, marks or keeps each active link of the site, and yields what it has done', async (t) => {
  const site = await startSite(t);
  const {accounts, admin, links, events} = site.shortener;
  await accounts.create('user-43');
  await links.create('user-42', {url, customUrl: 'fine'});
  await links.create('user-43', {url, customUrl: 'dead'});
  await links.create('user-42', {url, customUrl: 'bad'});
  await links.create('user-42', {url, customUrl: 'silent'});
  await links.create('user-42', {url, customUrl: 'off'});
  await links.disable('user-42', 'https://example.com/off');
  await links.create('user-42', {url, customUrl: 'later', startDate: '2031-06-01'});
  const seen: unknown[] = [];
  for (const name of ['broken', 'block', 'update'] as const) {
    events.on(name, ({account, link}) => seen.push([name, account, link.shortUrlPart]));
  }
  const verdicts: Readonly<Record<string, CheckVerdict>> = {
    fine: 'ok',
    dead: {result: 'broken', reason: 'The page answers 404'},
    bad: {result: 'forbidden', reason: 'Phishing'},
  };
  const asked: Array<[string, string]> = [];
  const failure = new Error('The service does not answer');
  const check = ({shortUrlPart}: Link, account: string): CheckVerdict => {
    asked.push([shortUrlPart, account]);
    const verdict = verdicts[shortUrlPart];
    if (verdict === undefined) throw failure;
    return verdict;
  };
  const all = await collect(admin.recheck(check, {concurrency: 1}));
  t.deepEqual(asked, [
    ['fine', 'user-42'],
    ['dead', 'user-43'],
    ['bad', 'user-42'],
    ['silent', 'user-42'],
  ]);
  t.deepEqual(outcomes(all), [
    ['fine', 'ok'],
    ['dead', 'broken'],
    ['bad', 'forbidden'],
    ['silent', failure],
  ]);
  t.deepEqual(seen, [
    ['broken', 'user-43', 'dead'],
    ['block', 'user-42', 'bad'],
  ]);
  const since = '2031-05-06 12:00:00';
  t.deepEqual(all[1]?.link.broken, {since, reason: 'The page answers 404'});
  t.like(all[2]?.link, {isBlocked: true, blockReason: 'Phishing', status: 'disabled'});
  t.like(await links.info('user-43', 'https://example.com/dead'), {status: 'active', broken: {since}});
  t.is((await site.visit('https://example.com/dead')).status, 302);
  t.is((await site.visit('https://example.com/bad')).status, 410);
  t.deepEqual(
    (await admin.recentBlocks()).map(({link, reason}) => [link?.shortUrlPart, reason]),
    [['bad', 'Phishing']],
  );
});

test('a mark keeps its first time and reason until a check says ok, and there is one event for each mark', async (t) => {
  const site = await startSite(t);
  const {admin, links, events} = site.shortener;
  const {shortUrl} = await links.create('user-42', {url, customUrl: 'dead', title: 'Title'});
  const marked: string[] = [];
  events.on('broken', ({link}) => marked.push(String(link.broken?.reason)));
  await collect(admin.recheck(() => ({result: 'broken', reason: 'first'})));
  site.clock.now += day;
  await collect(admin.recheck(() => 'broken'));
  const mark = {since: '2031-05-06 12:00:00', reason: 'first'};
  t.deepEqual((await links.info('user-42', shortUrl)).broken, mark);
  t.deepEqual((await links.update('user-42', shortUrl, {title: null})).broken, mark);
  t.deepEqual(await brokenOf(site), ['dead']);
  t.deepEqual(outcomes(await collect(admin.recheck(ok))), [['dead', 'ok']]);
  t.is((await links.info('user-42', shortUrl)).broken, null);
  t.deepEqual(await brokenOf(site), []);
  await collect(admin.recheck(() => 'broken'));
  t.deepEqual((await links.info('user-42', shortUrl)).broken, {since: '2031-05-07 12:00:00'});
  t.deepEqual(marked, ['first', 'undefined']);
});

test('a new URL clears the mark, and the same one keeps it', async (t) => {
  const site = await startSite(t);
  const {accounts, admin, links} = site.shortener;
  const {shortUrl} = await links.create('user-42', {url, customUrl: 'dead'});
  await collect(admin.recheck(() => 'broken'));
  t.not((await links.update('user-42', shortUrl, {url})).broken, null);
  t.is((await accounts.stats('user-42')).brokenLinks, 1);
  t.is((await links.update('user-42', shortUrl, {url: `${url}/new`})).broken, null);
  t.is((await accounts.stats('user-42')).brokenLinks, 0);
});

test('lists, statistics and comparisons know the broken links, of an account and of the site', async (t) => {
  const site = await startSite(t);
  const {accounts, admin, links} = site.shortener;
  await accounts.create('user-43');
  for (let index = 0; index < 130; index++) {
    await links.create(index % 2 === 0 ? 'user-42' : 'user-43', {url, customUrl: `link-${index}`, tags: ['a']});
  }
  const isDead = ({shortUrlPart}: Link): boolean => shortUrlPart.endsWith('0');
  await collect(admin.recheck((link) => (isDead(link) ? 'broken' : 'ok')));
  site.clock.now += 61_000;
  const ids = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120];
  const names = ids.map((id) => `link-${id}`);
  t.deepEqual((await brokenOf(site)).toReversed(), names);
  t.deepEqual(await site.shortener.links.page('user-43', {broken: true}), {links: [], nextCursor: undefined});
  const {links: found} = await admin.pageLinks({broken: true, search: 'destination', order: 'oldest'});
  t.deepEqual(
    found.map(({link}) => link.shortUrlPart),
    names,
  );
  const others = await collect(links.list('user-42', {broken: false}));
  t.is(others.length, 65 - names.length);
  t.deepEqual(
    (await collect(links.list('user-42', {broken: true, tag: 'A'}))).map(({shortUrlPart}) => shortUrlPart),
    names,
  );
  t.like(await accounts.stats('user-42'), {links: 65, brokenLinks: names.length});
  t.like(await accounts.stats('user-42', {tag: 'a'}), {links: 65, brokenLinks: names.length});
  t.like(await accounts.stats('user-42', {broken: true}), {links: names.length, brokenLinks: names.length});
  t.like(await accounts.stats('user-43'), {links: 65, brokenLinks: 0});
  t.like(await admin.stats(), {links: 130, brokenLinks: names.length});
  t.like(await links.compare('user-42', {broken: true}), {links: names.length});
  const page = await site.post('list_urls', {broken: true, limit: 1, order: 'oldest'});
  t.like(page.json().data, {urls: [{short_url_part: 'link-0', broken: {since: '2031-05-06 12:00:00'}}]});
  t.like((await site.api('account_stats', {broken: 'true'})).json().data, {links: 13, broken_links: 13});
  t.true((await site.api('list_urls', {broken: 'true'}, {suffix: '.xml'})).text.includes('<broken><since>2031-05-06'));
  await links.remove('user-42', 'https://example.com/link-0');
  t.like(await accounts.stats('user-42'), {links: 64, brokenLinks: names.length - 1});
});

test('a link that is changed while its check runs is neither marked nor blocked for its old URL', async (t) => {
  const site = await startSite(t);
  const {admin, links} = site.shortener;
  const short = (name: string): string => `https://example.com/${name}`;
  for (const name of ['one', 'two', 'gone', 'titled']) await links.create('user-42', {url, customUrl: name});
  const all = await collect(
    admin.recheck(async ({shortUrlPart: name}) => {
      if (name === 'gone') await links.remove('user-42', short(name));
      else await links.update('user-42', short(name), name === 'titled' ? {title: 'New'} : {url: `${url}/new`});
      return name === 'two' ? 'forbidden' : 'broken';
    }),
  );
  t.deepEqual(outcomes(all).toSorted(), [
    ['gone', 'changed'],
    ['one', 'changed'],
    ['titled', 'broken'],
    ['two', 'changed'],
  ]);
  t.deepEqual(await brokenOf(site), ['titled']);
  t.like((await admin.find(short('two')))?.link, {status: 'active', broken: null});
});

test('a run asks as many at once as it may, pauses with its reader, and goes on behind a cursor', async (t) => {
  const site = await startSite(t);
  const {admin, links} = site.shortener;
  for (let index = 0; index < 20; index++) await links.create('user-42', {url, customUrl: `link-${index}`});
  let under = 0;
  let most = 0;
  const asked: string[] = [];
  const check = async ({shortUrlPart}: Link): Promise<CheckVerdict> => {
    asked.push(shortUrlPart);
    most = Math.max(most, (under += 1));
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    under -= 1;
    return 'ok';
  };
  const run = admin.recheck(check, {concurrency: 4});
  const next = async (): Promise<Rechecked | undefined> => {
    const result = await run.next();
    return result.done === true ? undefined : result.value;
  };
  const [first, second] = [await next(), await next()];
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  t.is(most, 4);
  t.true(asked.length <= 6, String(asked.length));
  t.true((first?.progress ?? 0) > 0 && (second?.progress ?? 0) >= (first?.progress ?? 1));
  await run.return(undefined);
  const before = asked.splice(0);
  const rest = await collect(admin.recheck(check, {cursor: second?.cursor}));
  t.is(new Set([...before, ...asked]).size, 20);
  t.true(asked.length >= 18);
  t.is(rest.at(-1)?.progress, 1);
  t.deepEqual(await collect(admin.recheck(check, {cursor: rest.at(-1)?.cursor})), []);
});

test('with `since`, only links that were visited since then are checked', async (t) => {
  const site = await startSite(t);
  const {admin, links} = site.shortener;
  for (const customUrl of ['never', 'early', 'late']) await links.create('user-42', {url, customUrl});
  await site.visit('https://example.com/early');
  site.clock.now += 2 * day;
  await site.visit('https://example.com/late');
  for (const since of ['2031-05-07', new Date('2031-05-07T00:00:00Z')]) {
    t.deepEqual(outcomes(await collect(admin.recheck(ok, {since}))), [['late', 'ok']]);
  }
});

test('a check that takes thirty seconds or returns nothing of use changes nothing', async (t) => {
  const site = await startSite(t);
  const {admin, links} = site.shortener;
  const {shortUrl} = await links.create('user-42', {url, customUrl: 'a'});
  for (const wrong of [undefined, true, 'dead', {result: 'broken', reason: ''}, {result: 'ok', more: 1}]) {
    const [only] = await collect(admin.recheck(() => wrong as never));
    t.regex(String(only?.error), /^TypeError: Expected a check to return `ok`, `broken` or `forbidden`/);
  }
  const [failed] = await collect(admin.recheck(() => Promise.reject(new Error('Away'))));
  t.regex(String(failed?.error), /Away/);
  const timers = stopTimeouts(t);
  let ask = (): void => undefined;
  const asked = new Promise<void>((resolve) => (ask = resolve));
  const hanging = collect(
    admin.recheck(() => {
      ask();
      return new Promise<never>(() => undefined);
    }),
  );
  await asked;
  await setImmediate();
  timers.tick(29_999);
  await setImmediate();
  timers.tick(1);
  const [late] = await hanging;
  t.regex(String(late?.error), /did not settle within 30000 ms/);
  t.like(await links.info('user-42', shortUrl), {status: 'active', broken: null});
});

test('closing the shortener ends a run and gives up its checks', async (t) => {
  const site = await startSite(t);
  const {admin, links} = site.shortener;
  for (const customUrl of ['a', 'b', 'c']) await links.create('user-42', {url, customUrl});
  let answer: ((verdict: CheckVerdict) => void) | undefined;
  const started = new EventTarget();
  const run = collect(
    admin.recheck(() => {
      started.dispatchEvent(new Event('started'));
      return new Promise<CheckVerdict>((resolve) => (answer = resolve));
    }),
  );
  await once(started, 'started');
  await site.shortener.close();
  answer?.('forbidden');
  t.deepEqual(await run, []);
});

test('no check begins once the shortener is being closed, so the run ends', async (t) => {
  t.timeout(5000);
  const world = start();
  await world.links.create(account, {url});
  const closing = new AbortController();
  world.before = (operation) => {
    if (operation === 'getCounters') closing.abort();
  };
  const services = {...world.services, onBlock: () => Promise.resolve(), closing: closing.signal};
  const asked: string[] = [];
  const check = ({shortUrl}: Link): Promise<CheckVerdict> => {
    asked.push(shortUrl);
    return new Promise(() => undefined);
  };
  t.deepEqual(await collect(recheck(services, check)), []);
  t.deepEqual(asked, []);
});

test('two runs at once mark each link once', async (t) => {
  const site = await startSite(t);
  const {accounts, admin, links, events} = site.shortener;
  for (let index = 0; index < 60; index++) await links.create('user-42', {url, customUrl: `link-${index}`});
  let marks = 0;
  events.on('broken', () => (marks += 1));
  const run = (): Promise<Rechecked[]> =>
    collect(admin.recheck(({urlId}) => (urlId % 2 === 0 ? 'broken' : 'ok'), {concurrency: 10}));
  const both = await Promise.all([run(), run()]);
  t.true(both.every((all) => all.length === 60 && all.every(({result}) => result === 'ok' || result === 'broken')));
  t.is(marks, 30);
  t.is((await accounts.stats('user-42')).brokenLinks, 30);
});

test('wrong options are refused', async (t) => {
  const {admin} = (await startSite(t)).shortener;
  for (const options of [{concurrency: 0}, {concurrency: 51}, {since: 'yesterday'}, {since: 5}, {cursor: 'x'}]) {
    await t.throwsAsync(admin.recheck(ok, options as never).next(), {code: 'malformed_parameter'});
  }
  await t.throwsAsync(admin.recheck(ok, {days: 3} as never).next(), {code: 'unknown_parameter'});
  await t.throwsAsync(admin.recheck(undefined as never).next(), {code: 'malformed_parameter'});
});

test('exports, imports and copies keep the mark, and lists of broken links find it there', async (t) => {
  const place = {store: new Map()};
  const {shortener} = await runSite(t, place);
  await shortener.accounts.create('ann');
  for (const customUrl of ['a', 'b']) await shortener.links.create('ann', {url, customUrl});
  const reason = 'The page answers 404, "really"';
  const check = ({shortUrlPart}: Link): CheckVerdict => (shortUrlPart === 'b' ? {result: 'broken', reason} : 'ok');
  await collect(shortener.admin.recheck(check));

  const targets = {ndjson: {store: new Map()}, csv: {store: new Map()}, copy: {store: new Map()}};
  await importNdjson({...targets.ndjson, file: partsOf((await exported(place)).text)});
  const csv = (await exported({...place, format: 'csv'})).text;
  const site = {secret, baseUrl: 'https://example.com', now: () => noon};
  const settings = {...site, ...targets.csv, account: 'ann', createAccount: true} as const;
  await importLinks({...settings, format: 'csv', file: partsOf(csv)});
  await copyStore({from: place.store, to: targets.copy.store});
  for (const [name, target] of Object.entries(targets)) {
    const {accounts, admin, links} = (await runSite(t, target)).shortener;
    const page = await links.page('ann', {broken: true});
    t.deepEqual(
      page.links.map((link) => [link.shortUrlPart, link.broken]),
      [['b', {since: '2031-05-06 12:00:00', reason}]],
      name,
    );
    t.is((await accounts.stats('ann')).brokenLinks, 1, name);
    t.is((await admin.pageLinks({broken: true})).links.length, 1, name);
  }

  const other = 'short_part,long_url,broken\nc,https://destination.example/,maybe\n';
  await importLinks({...settings, format: 'csv', file: partsOf(other)});
  const {links} = (await runSite(t, targets.csv)).shortener;
  t.is((await links.info('ann', 'https://example.com/c')).broken, null);
});
