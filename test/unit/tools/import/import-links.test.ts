import '../../../support/quick-scrypt.ts';
import {collect} from '../../../support/collect.ts';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import test, {type ExecutionContext} from 'ava';
import type {Link} from '../../../../src/index.ts';
import type {StoreOption} from '../../../../src/store/opening/option.ts';
import {exportLinks} from '../../../../src/tools/export/export.ts';
import {importLinks} from '../../../../src/tools/import/import-links.ts';
import type {ImportOptions} from '../../../../src/tools/import/import-options.ts';
import type {ImportLine} from '../../../../src/tools/import/import-report.ts';
import {temporaryDirectory} from '../../../support/store/temporary.ts';
import {dump, fill, noon, type Place, type RunningSite, runSite} from '../../../support/tools/world.ts';

const directory = temporaryDirectory();
let files = 0;
const newFile = (ending: string): string => join(directory, `${(files += 1)}.${ending}`);

const plain = `short_part,long_url,title,tags,created,visits,expiry
third,https://c.example/,,,2022-03-03,0,
first,https://a.example/,First,"one,two",2020-01-01 10:00:00,41,
second,https://b.example/,,,2021-02-02,7,2021-12-31
`;

function options(place: Place, more: Partial<ImportOptions>): ImportOptions {
  return {
    store: place.store,
    account: 'ann',
    baseUrl: 'https://example.com',
    baseDomains: ['sho.rt'],
    format: 'csv',
    file: [plain],
    now: () => noon,
    ...more,
  };
}

/** A site with the account `ann`. */
async function start(t: ExecutionContext, store: StoreOption = new Map()): Promise<{place: Place; site: RunningSite}> {
  const place: Place = {store};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  return {place, site};
}

async function linksOf({shortener}: RunningSite, account = 'ann'): Promise<Link[]> {
  return collect(shortener.links.list(account));
}

test('imported links are like those created here, oldest first, and redirect', async (t) => {
  const {place, site} = await start(t, `sqlite:${newFile('db')}`);
  const file = newFile('csv');
  await writeFile(file, plain);
  const told: string[] = [];
  const summary = await importLinks(
    options(place, {file, onProgress: ({phase, done}) => told.push(`${phase} ${done}`)}),
  );
  t.deepEqual(summary, {read: 3, imported: 3, unchanged: 0, rejected: 0, ignoredColumns: [], codes: {}, report: []});
  t.deepEqual(told, ['importing links 3']);
  t.deepEqual(
    (await linksOf(site)).map(({shortUrlPart, dateCreated, totalVisits, status, expiryDate}) => [
      ...[shortUrlPart, dateCreated, totalVisits, status, expiryDate],
    ]),
    [
      ['first', '2020-01-01 10:00:00', 41, 'active', null],
      ['second', '2021-02-02 00:00:00', 7, 'expired', '2021-12-31 23:59:59'],
      ['third', '2022-03-03 00:00:00', 0, 'active', null],
    ],
  );
  t.is((await site.visit('https://example.com/first')).headers.location, 'https://a.example/');
  t.is((await site.visit('https://example.com/second')).status, 410);
  t.is((await site.shortener.links.info('ann', 'https://example.com/first')).totalVisits, 42);
  t.like(await site.shortener.accounts.stats('ann'), {links: 3, totalVisits: 49});
  t.deepEqual((await site.shortener.links.page('ann', {tag: 'two'})).links.length, 1);
  const {urlId} = await site.shortener.links.create('ann', {url: 'https://new.example/'});
  t.is(urlId, 4);
});

test('an imported link whose last visit is unknown is not taken for one that was never visited', async (t) => {
  const {place, site} = await start(t);
  const {accounts, admin, links} = site.shortener;
  await accounts.create('zoe');
  const file = [
    'short_part,long_url,created,visits,last_visit\nunknown,https://a.example/,2020-01-01,48211,\n' +
      'known,https://a.example/,2020-01-01,7,2020-02-02\nnever,https://a.example/,2020-01-01,0,\n',
  ];
  await importLinks(options(place, {file}));
  const byVisit = await links.page('ann', {order: 'last_visit'});
  t.deepEqual(
    byVisit.links.map(({shortUrlPart}) => shortUrlPart),
    ['known', 'unknown', 'never'],
  );
  t.like(await links.info('ann', 'https://example.com/unknown'), {totalVisits: 48_211, lastAccessed: null});
  await accounts.create('bob');
  await importLinks(options(place, {account: 'bob', file: ['short_part,long_url,visits\nbob,https://a.example/,3\n']}));
  await accounts.create('cid');
  const byAccount = await admin.pageAccounts({order: 'last_visit'});
  t.deepEqual(
    byAccount.accounts.map(({account}) => account),
    ['ann', 'bob', 'cid', 'zoe'],
  );
  const swept = await collect(admin.sweep({unvisitedFor: 30}));
  t.deepEqual(
    swept.map(({link}) => link.shortUrlPart),
    ['known', 'never'],
  );
});

test('a repeat changes nothing, and a longer file adds the new links', async (t) => {
  const {place, site} = await start(t);
  await importLinks(options(place, {}));
  const before = await dump(place);
  t.like(await importLinks(options(place, {})), {read: 3, imported: 0, unchanged: 3, rejected: 0});
  t.deepEqual(await dump(place), before);
  const longer = [plain, 'fourth,https://d.example/,,,,5,\n'];
  t.like(await importLinks(options(place, {file: longer})), {read: 4, imported: 1, unchanged: 3});
  t.like(await site.shortener.accounts.stats('ann'), {links: 4, totalVisits: 53});
});

test('each line that is skipped or changed is reported', async (t) => {
  const {place, site} = await start(t);
  await site.shortener.accounts.create('bob');
  await site.shortener.links.create('bob', {url: 'https://b.example/', customUrl: 'theirs'});
  const long = 'long '.repeat(50);
  const tags = Array.from({length: 21}, (_, index) => `t${index}`).join('|');
  const file = `short_part,long_url,title,tags,created,max_visits,has_password
theirs,https://a.example/,,,,,
foo/bar,https://a.example/,,,,,
api,https://a.example/,,,,,
pages,https://a.example/,,,,,
ftp,ftp://a.example/,,,,,
chain,https://example.com/theirs,,,,,
long,https://a.example/,${long},${tags},,2000000000,
locked,https://a.example/,,,,,yes
dated,https://a.example/,,,soon,,
`;
  const told: ImportLine[] = [];
  const summary = await importLinks(
    options(place, {file: [file], reserved: ['/Pages'], onReport: (line) => told.push(line)}),
  );
  t.like(summary, {read: 9, imported: 2, unchanged: 0, rejected: 7});
  t.deepEqual(told, summary.report);
  t.deepEqual(
    told
      .map(({line, shortPart, code, isImported}) => [line, shortPart, code, isImported])
      .sort(([one], [other]) => Number(one) - Number(other)),
    [
      [2, 'theirs', 'custom_url_taken', false],
      [3, 'foo/bar', 'invalid_custom_url', false],
      [4, 'api', 'invalid_custom_url', false],
      [5, 'pages', 'invalid_custom_url', false],
      [6, 'ftp', 'invalid_url', false],
      [7, 'chain', 'forbidden_url', false],
      [8, 'long', 'title_changed', true],
      [8, 'long', 'tags_changed', true],
      [8, 'long', 'limit_dropped', true],
      [9, 'locked', 'password_unknown', true],
      [10, 'dated', 'unreadable_date', false],
    ],
  );
  t.is(summary.codes['invalid_custom_url'], 3);
  const links = await linksOf(site);
  const parts = links.map(({shortUrlPart}) => shortUrlPart);
  t.deepEqual(parts, ['long', 'locked']);
  t.is(Array.from(links[0]?.title ?? '').length, 200);
  t.is(links[0]?.tags.length, 20);
  t.true(links[1]?.hasPassword);
  const page = await site.visit('https://example.com/locked');
  t.is(page.status, 200);
  for (const guess of ['yes', 'true', 'null', 'undefined']) {
    t.is((await site.open('https://example.com/locked', guess)).status, 401, 'no password opens it');
  }
  await site.shortener.links.update('ann', 'https://example.com/locked', {password: 'known'});
  t.is((await site.open('https://example.com/locked', 'known')).status, 303);
});

test('a link stays on its domain if the site has it, and others move to the given domain', async (t) => {
  const {place, site} = await start(t);
  const file = [
    'short_url,long_url\nhttps://SHO.RT/one,https://a.example/\nhttps://bit.ly/two,https://b.example/\n',
    'https://sho.rt/two,https://c.example/\n',
  ];
  const {report} = await importLinks(options(place, {file}));
  const moved = (await linksOf(site)).map(({shortUrl}) => shortUrl);
  t.deepEqual(moved, ['https://sho.rt/one', 'https://example.com/two', 'https://sho.rt/two']);
  t.like(report, [{line: 3, code: 'domain_changed', isImported: true}]);
  const summary = await importLinks(options(place, {file, baseDomain: 'sho.rt'}));
  t.like(summary, {unchanged: 2, rejected: 1, codes: {custom_url_taken: 1}}, 'two is there with another long URL');
});

test('the CSV of an export can be imported, and a disabled link stays disabled', async (t) => {
  const from: Place = {store: new Map()};
  const old = await runSite(t, from);
  const {place: to, site} = await start(t);
  await fill(old);
  await old.shortener.links.create('ann', {
    ...{url: 'https://a.example/?a=1,2', customUrl: '-dash', title: '=1+1', expiryDate: '2031-12-31'},
    ...{baseDomain: 'sho.rt', tags: ['a b', 'c'], maxVisits: 5},
  });
  const labels = [
    {tags: ['R&D | Sales', 'a;b', '=x']},
    {tags: ["'=y", '=z', "''+a"]},
    {title: '＝wide', tags: ['-a', '@b']},
  ];
  for (const label of labels) await old.shortener.links.create('ann', {url: 'https://a.example/', ...label});
  const file = new PassThrough();
  const exported = exportLinks({store: from.store, account: 'ann', format: 'csv', to: file});
  const summary = await importLinks(options(to, {file}));
  await exported;
  t.like(summary, {rejected: 0, codes: {password_unknown: 1}});
  const byUrl = (one: Link, other: Link): number => (one.shortUrl < other.shortUrl ? -1 : 1);
  const kept = ({urlId, ...link}: Link): object => ({...link, urlId: urlId > 0});
  t.deepEqual((await linksOf(site)).sort(byUrl).map(kept), (await linksOf(old)).sort(byUrl).map(kept));
});

test('a file that is missing, or not in its format, imports nothing', async (t) => {
  const {place, site} = await start(t);
  await t.throwsAsync(importLinks(options(place, {file: newFile('csv')})), {code: 'unreadable_file'});
  await t.throwsAsync(importLinks(options(place, {format: 'kutt'})), {name: 'ToolError'});
  await t.throwsAsync(importLinks(options({store: `sqlite:${newFile('db')}`}, {})), {code: 'nothing_there'});
  for (const [start, message] of [
    ['PK\u0003\u0004', /Save it as CSV/],
    ['\u001F\u008B', /gunzip/],
  ] as const) {
    const file = [Buffer.from(start, 'latin1'), Buffer.from('short_part,long_url\n')];
    await t.throwsAsync(importLinks(options(place, {file})), {code: 'malformed_file', message});
  }
  t.deepEqual(await linksOf(site), []);
});

test('an expired link without an expiry date and a visit limit is imported disabled, so that it does not work again', async (t) => {
  const {place, site} = await start(t, `sqlite:${newFile('db')}`);
  const file = [
    'short_part,long_url,status,max_visits,visits,expiry\n',
    'none,https://a.example/,expired,,,\nlimit,https://a.example/,expired,5,5,\ndate,https://a.example/,expired,,,2020-01-01\n',
  ];
  await importLinks(options(place, {file}));
  t.deepEqual(
    (await linksOf(site)).map(({shortUrlPart, status}) => [shortUrlPart, status]),
    [
      ['none', 'disabled'],
      ['limit', 'expired'],
      ['date', 'expired'],
    ],
  );
});
