import '../../../support/quick-scrypt.ts';
import test from 'ava';
import {copyStore} from '../../../../src/tools/copy/copy.ts';
import {importNdjson} from '../../../../src/tools/import/import-ndjson.ts';
import {collect} from '../../../support/collect.ts';
import {exported, partsOf} from '../../../support/tools/text.ts';
import {dump, fill, noon, password, type Place, runSite} from '../../../support/tools/world.ts';

const url = 'https://destination.example/';
const ignoring = {shortParts: {ignoreCase: true, unicode: true}};

test('with ignoreCase a copy has every link under its short part in lower case, with all that belongs to it', async (t) => {
  const from: Place = {store: new Map(), shortParts: {unicode: true}};
  const site = await runSite(t, from);
  const {urls, keys} = await fill(site);
  const {links} = site.shortener;
  const once = {idempotencyKey: 'once'};
  const {urlId} = await links.create('ann', {url, customUrl: 'Idempotent'}, once);
  await links.create('ann', {url, customUrl: 'Frühling'});
  await links.create('ann', {url, customUrl: 'ÜBERSICHT'});
  for (const part of ['Fr%C3%BChling', '%C3%9CBERSICHT']) await site.visit(`https://example.com/${part}`);
  const to: Place = {store: new Map(), ...ignoring};
  const summary = await copyStore({from: from.store, to: to.store, ignoreCase: true});
  t.like(summary, {accounts: 3, links: 39, changedMeanwhile: 0});
  t.is(summary.written, summary.records + summary.counters);
  t.like(await copyStore({from: from.store, to: to.store, ignoreCase: true}), {written: 0, removed: 0});

  const copy = await runSite(t, to);
  await copy.shortener.ready();
  t.deepEqual(await copy.shortener.accounts.create('ann'), {apiKey: keys['ann']});
  for (const spelling of [urls.plain, 'https://example.com/PLAIN', 'https://example.com/%C3%9Cbersicht']) {
    t.is((await copy.visit(spelling)).status, 302, spelling);
  }
  t.is((await copy.open(urls.protected.toLowerCase(), password)).status, 303);
  t.is((await copy.visit(urls.removed)).status, 410);
  t.is((await copy.shortener.links.stats('ann', urls.plain)).totalVisits, 6);
  t.is((await copy.shortener.links.info('ann', 'https://example.com/FRÜHLING')).totalVisits, 1);
  const parts = (await collect(copy.shortener.links.list('ann'))).map(({shortUrlPart}) => shortUrlPart);
  const before = (await collect(links.list('ann'))).map(({shortUrlPart}) => shortUrlPart.toLowerCase());
  t.deepEqual(parts, before);
  t.is((await copy.shortener.accounts.stats('ann')).links, parts.length);
  const again = await copy.shortener.links.create('ann', {url, customUrl: 'Idempotent'}, once);
  t.like(again, {urlId, shortUrlPart: 'idempotent'});
});

test('a second run with ignoreCase copies what has changed since, and removes what is gone', async (t) => {
  const from: Place = {store: new Map()};
  const to: Place = {store: new Map(), ...ignoring};
  const site = await runSite(t, from);
  const {urls} = await fill(site);
  await copyStore({from: from.store, to: to.store, ignoreCase: true});
  site.clock.now = noon + 2 * 86_400_000;
  await site.visit(urls.plain);
  await site.shortener.links.remove('ann', urls.protected);
  await site.shortener.accounts.remove('jürgen:%');
  await site.shortener.links.create('bob', {url, customUrl: 'NEW'});
  t.true((await copyStore({from: from.store, to: to.store, ignoreCase: true})).removed > 0);
  const anew: Place = {store: new Map()};
  await copyStore({from: from.store, to: anew.store, ignoreCase: true});
  t.deepEqual(await dump(to), await dump(anew));
  t.is((await (await runSite(t, to)).visit('https://example.com/new')).status, 302);
});

test('links that would become one are named, and nothing is written', async (t) => {
  const from: Place = {store: new Map(), shortParts: {unicode: true}};
  const {shortener} = await runSite(t, from);
  await shortener.accounts.create('ann');
  const long = `${'Long'.repeat(15)}x`;
  for (const customUrl of ['Spring', 'SPRING', 'spring', 'Überall', 'überall', 'alone', long]) {
    await shortener.links.create('ann', {url, customUrl});
  }
  const before = await dump(from);
  const to = new Map<string, unknown>();
  const {message} = await t.throwsAsync(copyStore({from: from.store, to, ignoreCase: true}), {
    name: 'ToolError',
    code: 'case_conflict',
  });
  for (const part of ['Spring', 'SPRING', 'spring', 'Überall', 'überall']) {
    t.true(message.includes(`example.com/${part}`), message);
  }
  t.notRegex(message, /alone/);
  t.is(to.size, 0);
  t.deepEqual(await dump(from), before);

  for (const part of ['Spring', 'SPRING', '%C3%9Cberall'])
    await shortener.links.remove('ann', `https://example.com/${part}`);
  t.like(await copyStore({from: from.store, to, ignoreCase: true}), {links: 4});
  const copy = await runSite(t, {store: to, ...ignoring});
  for (const part of ['Spring', '%C3%9Cberall', long.toUpperCase()]) {
    t.is((await copy.visit(`https://example.com/${part}`)).status, 302, part);
  }
});

test('a visit before the copy that ignores case still brings its link a conversion', async (t) => {
  const from: Place = {store: new Map(), attribution: {}};
  const site = await runSite(t, from);
  await site.shortener.accounts.create('ann');
  const {shortUrl} = await site.shortener.links.create('ann', {url, customUrl: 'Spring'});
  const {headers} = await site.visit(shortUrl);
  const via = /short_url_via=([^;]+)/.exec(String(headers['set-cookie']))?.[1] ?? '';
  const to: Place = {store: new Map(), ...ignoring, attribution: {}};
  await copyStore({from: from.store, to: to.store, ignoreCase: true});
  const copy = await runSite(t, to);
  t.like(await copy.shortener.conversions.record({via}, {name: 'sale', id: '1'}), {link: {shortUrlPart: 'spring'}});
});

test('a site with another setting than its store is told how to change it', async (t) => {
  const store = new Map();
  const {shortener} = await runSite(t, {store});
  await shortener.accounts.create('ann');
  await t.throwsAsync((await runSite(t, {store, ...ignoring})).shortener.ready(), {
    code: 'store_unavailable',
    message: /copy --ignore-case/,
  });
  const to = new Map();
  await copyStore({from: store, to, ignoreCase: true});
  await t.throwsAsync((await runSite(t, {store: to})).shortener.ready(), {
    code: 'store_unavailable',
    message: /to true/,
  });
});

test('a copy and an import of a site that ignores case do so too', async (t) => {
  const from: Place = {store: new Map(), ...ignoring};
  const site = await runSite(t, from);
  await site.shortener.accounts.create('ann');
  await site.shortener.links.create('ann', {url, customUrl: 'Spring'});
  const [copied, imported] = [new Map(), new Map()];
  await copyStore({from: from.store, to: copied});
  await importNdjson({store: imported, from: partsOf((await exported(from)).text)});
  for (const store of [copied, imported]) {
    t.is((await (await runSite(t, {store, ...ignoring})).visit('https://example.com/SPRING')).status, 302);
  }
});
