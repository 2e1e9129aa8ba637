import '../../../support/quick-scrypt.ts';
import test from 'ava';
import {copyStore} from '../../../../src/tools/copy/copy.ts';
import {kindOf} from '../../../../src/tools/kinds.ts';
import {collect} from '../../../support/collect.ts';
import {dump, fill, password, type Place, runSite} from '../../../support/tools/world.ts';

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
  t.like(summary, {accounts: 3, links: 39, changedMeanwhile: 0, isExact: true});
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

test('a copy with ignoreCase replaces one that was made without it', async (t) => {
  const from: Place = {store: new Map()};
  await fill(await runSite(t, from));
  const fresh: Place = {store: new Map()};
  const again: Place = {store: new Map()};
  await copyStore({from: from.store, to: fresh.store, ignoreCase: true});
  await copyStore({from: from.store, to: again.store});
  t.like(await copyStore({from: from.store, to: again.store, ignoreCase: true}), {changedMeanwhile: 0});
  t.deepEqual(await dump(again), await dump(fresh));
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

test('a damaged record is copied as it is, with ignoreCase too', async (t) => {
  const from: Place = {store: new Map()};
  const site = await runSite(t, from);
  await fill(site);
  const {links} = site.shortener;
  await links.create('ann', {url, customUrl: 'Known', reference: 'order 1', reuse: true}, {idempotencyKey: 'once'});
  const records = from.store as Map<string, string>;
  const keys = Array.from(records.keys()).filter((key) => {
    const names = kindOf(key.replace(/^\w+:/, ''))?.names;
    return names !== undefined && names !== 'itself';
  });
  t.true(keys.length > 4, keys.join());
  for (const damaged of [{}, [], [null, {link: 1}, {a: 1}], {link: {domain: 'example.com'}}, 7]) {
    const store = new Map(records);
    for (const key of keys) store.set(key, JSON.stringify({value: damaged}));
    const to = new Map<string, string>();
    await copyStore({from: store, to, ignoreCase: true});
    for (const key of keys) t.deepEqual((JSON.parse(to.get(key) ?? '{}') as {value: unknown}).value, damaged, key);
  }
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
