import '../../../../support/quick-scrypt.ts';
import Koa from 'koa';
import test, {type ExecutionContext} from 'ava';
import {type Link, type ShortUrl, shortUrl} from '../../../../../src/index.ts';
import {importLinks} from '../../../../../src/tools/import/import-links.ts';
import type {ImportOptions} from '../../../../../src/tools/import/import-options.ts';
import type {ImportSummary} from '../../../../../src/tools/import/import-report.ts';
import {collect} from '../../../../support/collect.ts';
import {listen} from '../../../../support/listen.ts';
import {exchange} from '../../../../support/request.ts';
import {noon, type Place, runSite} from '../../../../support/tools/world.ts';

const dayLength = 86_400_000;

interface Source {
  readonly site: string;
  readonly siteKey: string;
  readonly shortener: ShortUrl;
  /** The requested paths, without the key. */
  readonly asked: string[];
}

/** A site with links in every state. If `isPlain`, it has only the operations of the specification. */
async function source(t: ExecutionContext, isPlain: boolean): Promise<Source> {
  const clock = {now: noon - 5 * dayLength};
  const shortener = shortUrl({baseUrl: 'https://old.example', store: 'memory:', now: () => clock.now});
  t.teardown(() => shortener.close());
  const app = new Koa();
  const asked: string[] = [];
  app.use((ctx, next) => {
    const operation = /\/shorturl\/(.*)/.exec(ctx.path)?.[1];
    if (operation !== undefined) asked.push(operation);
    if (!isPlain || operation?.startsWith('list_urls') !== true) return next();
    ctx.status = 404;
    ctx.body = 'Not found';
    return undefined;
  });
  app.use(shortener);
  const {port, agent} = await listen(t, app);
  const {apiKey: siteKey} = await shortener.accounts.create('old');
  const url = 'https://destination.example/?a=1&b=<2>&c=ä';
  const make = (customUrl: string, more: object = {}): Promise<Link> =>
    shortener.links.create('old', {url, customUrl, ...more});
  await make('plain', {title: 'A <title> & "more"', tags: ['one & only', 'two']});
  await make('dated', {expiryDate: '2031-12-31'});
  await make('expired', {expiryDate: '2031-05-04'});
  await make('locked', {password: 's3cret'});
  await make('limited', {maxVisits: 3});
  const {shortUrl: disabled} = await make('disabled');
  await make('blocked');
  for (const path of ['/plain', '/plain', '/limited', '/disabled']) {
    await exchange(port, agent, {host: 'old.example', path});
  }
  await shortener.links.disable('old', disabled);
  await shortener.admin.block('https://old.example/blocked');
  clock.now = noon;
  asked.length = 0;
  return {site: `http://127.0.0.1:${port}`, siteKey, shortener, asked};
}

function optionsOf({store}: Place, {site, siteKey}: Source, xml: boolean): ImportOptions {
  const here = {store, account: 'ann', baseUrl: 'https://example.com', now: () => noon};
  return {...here, format: 'api', site, siteKey, xml};
}

async function importFrom(
  t: ExecutionContext,
  from: Source,
  xml: boolean,
): Promise<{summary: ImportSummary; links: Link[]; shortener: ShortUrl; place: Place}> {
  const place: Place = {store: new Map()};
  const {shortener} = await runSite(t, place);
  await shortener.accounts.create('ann');
  const summary = await importLinks(optionsOf(place, from, xml));
  return {summary, links: await collect(shortener.links.list('ann')), shortener, place};
}

/** The fields that a move must not change. */
function kept({shortUrlPart, originalUrl, dateCreated, totalVisits, lastAccessed, ...link}: Link): object {
  const {hasPassword, expiryDate, status, title, tags, maxVisits} = link;
  return {
    ...{shortUrlPart, originalUrl, dateCreated, totalVisits, lastAccessed},
    ...{hasPassword, expiryDate, status, title, tags, maxVisits},
  };
}

for (const xml of [false, true]) {
  const format = xml ? 'XML' : 'JSON';

  test(`all links of a site of this package are imported in ${format}, in any state`, async (t) => {
    const from = await source(t, false);
    const {summary, links, shortener} = await importFrom(t, from, xml);
    t.like(summary, {read: 7, imported: 7, rejected: 0, codes: {password_unknown: 1}, ignoredColumns: []});
    const expected = await collect(from.shortener.links.list('old'));
    t.deepEqual(links.map(kept), expected.map(kept));
    t.true(from.asked.every((operation) => operation.startsWith('list_urls/')));
    t.like(await shortener.accounts.stats('ann'), {links: 7, totalVisits: 4});
  });

  test(`the active links of a site of the specification are imported in ${format}, and their passwords stay unknown`, async (t) => {
    const from = await source(t, true);
    const {summary, links, shortener} = await importFrom(t, from, xml);
    t.like(summary, {read: 4, imported: 4, rejected: 0, codes: {password_unknown: 1}, ignoredColumns: []});
    t.deepEqual(
      links.map(({shortUrlPart, totalVisits, expiryDate}) => [shortUrlPart, totalVisits, expiryDate]),
      [
        ['plain', 2, null],
        ['dated', 0, '2031-12-31 23:59:59'],
        ['locked', 0, null],
        ['limited', 1, null],
      ],
    );
    t.deepEqual(from.asked.map((operation) => operation.replace(/[/.].*/, '')).toSorted(), [
      ...['info', 'info', 'info', 'info', 'list_active_urls', 'list_urls'],
    ]);
    t.true((await shortener.links.info('ann', 'https://example.com/locked')).hasPassword);
  });
}

for (const xml of [false, true]) {
  test(`more links than a page are imported in ${xml ? 'XML' : 'JSON'}, and a repeat changes nothing`, async (t) => {
    const from = await source(t, false);
    const links = Array.from({length: 1200}, (_, index) => ({url: `https://destination.example/${index}`}));
    for await (const {error} of from.shortener.links.createMany('old', links)) t.is(error, undefined);
    const {summary, shortener, place} = await importFrom(t, from, xml);
    t.like(summary, {read: 1207, imported: 1207});
    t.like(await importLinks(optionsOf(place, from, xml)), {read: 1207, unchanged: 1207});
    t.like(await shortener.accounts.stats('ann'), {links: 1207, totalVisits: 4});
  });
}

test('a member that this site does not know is named, and a link that is banned there stays out of service', async (t) => {
  const app = new Koa();
  const link = {short_url: 'https://old.example/one', original_url: 'https://a.example/', folder: 'A', banned: 1};
  app.use((ctx) => {
    ctx.body = {code: 200, data: {urls: [link]}};
  });
  const {port} = await listen(t, app);
  const from = {site: `http://127.0.0.1:${port}`, siteKey: 'key'} as Source;
  const {summary, links} = await importFrom(t, from, false);
  t.like(summary, {imported: 1, ignoredColumns: ['folder']});
  t.is(links[0]?.status, 'disabled');
});

test('a wrong key is refused without showing it', async (t) => {
  const from = await source(t, false);
  const siteKey = `wrong${from.siteKey.slice(5)}`;
  const error = await t.throwsAsync(importFrom(t, {...from, siteKey}, false), {code: 'source_refused'});
  t.false(`${error.message} ${error.stack} ${String(error.cause)}`.includes(siteKey));
});
