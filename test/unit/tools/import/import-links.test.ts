import '../../../support/quick-scrypt.ts';
import {collect} from '../../../support/collect.ts';
import {exported} from '../../../support/tools/text.ts';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {PassThrough, Readable} from 'node:stream';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import type {Link} from '../../../../src/index.ts';
import {exportLinks} from '../../../../src/tools/export/export.ts';
import {importLinks, type RestoreOptions} from '../../../../src/tools/import/import-links.ts';
import type {ImportOptions} from '../../../../src/tools/import/import-options.ts';
import type {ImportLine} from '../../../../src/tools/import/import-report.ts';
import {slowStore} from '../../../support/slow-adapter.ts';
import {temporaryDirectory} from '../../../support/store/temporary.ts';
import {dump, fill, noon, type Place, type RunningSite, runSite, secret} from '../../../support/tools/world.ts';

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

async function linksOf({shortener}: RunningSite, account = 'ann'): Promise<Link[]> {
  return collect(shortener.links.list(account));
}

test('imported links are like those created here, oldest first, and redirect', async (t) => {
  const place: Place = {store: `sqlite:${newFile('db')}`};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
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

test('a repeat changes nothing, and a longer file adds the new links', async (t) => {
  const place: Place = {store: new Map()};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  await importLinks(options(place, {}));
  const before = await dump(place);
  t.like(await importLinks(options(place, {})), {read: 3, imported: 0, unchanged: 3, rejected: 0});
  t.deepEqual(await dump(place), before);
  const longer = [plain, 'fourth,https://d.example/,,,,5,\n'];
  t.like(await importLinks(options(place, {file: longer})), {read: 4, imported: 1, unchanged: 3});
  t.like(await site.shortener.accounts.stats('ann'), {links: 4, totalVisits: 53});
});

test('each line that is skipped or changed is reported', async (t) => {
  const place: Place = {store: new Map()};
  const site = await runSite(t, place);
  for (const account of ['ann', 'bob']) await site.shortener.accounts.create(account);
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
  t.deepEqual(
    links.map(({shortUrlPart}) => shortUrlPart),
    ['long', 'locked'],
  );
  t.is(Array.from(links[0]?.title ?? '').length, 200);
  t.is(links[0]?.tags.length, 20);
  t.true(links[1]?.hasPassword);
  const page = await site.visit('https://example.com/locked');
  t.is(page.status, 200);
  for (const guess of ['yes', 'true', 'password']) {
    t.is((await site.open('https://example.com/locked', guess)).status, 401, 'no password opens it');
  }
  await site.shortener.links.update('ann', 'https://example.com/locked', {password: 'known'});
  t.is((await site.open('https://example.com/locked', 'known')).status, 303);
});

test('a link stays on its domain if the site has it, and others move to the given domain', async (t) => {
  const place: Place = {store: new Map()};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  const file = [
    'short_url,long_url\nhttps://SHO.RT/one,https://a.example/\nhttps://bit.ly/two,https://b.example/\n',
    'https://sho.rt/two,https://c.example/\n',
  ];
  await importLinks(options(place, {file}));
  t.deepEqual(
    (await linksOf(site)).map(({shortUrl}) => shortUrl),
    ['https://sho.rt/one', 'https://example.com/two', 'https://sho.rt/two'],
  );
  const summary = await importLinks(options(place, {file, baseDomain: 'sho.rt'}));
  t.like(summary, {unchanged: 2, rejected: 1, codes: {custom_url_taken: 1}}, 'two is there with another long URL');
});

test('a short URL with more path than those of its domain is rejected', async (t) => {
  const place: Place = {store: new Map()};
  await (await runSite(t, place)).shortener.accounts.create('ann');
  const file = [
    'short_url,long_url\nhttps://sho.rt/de/sale,https://a.example/\nhttps://sho.rt/fr/sale,https://b.example/\n',
  ];
  const {report} = await importLinks(options(place, {file}));
  t.like(report, [
    {shortPart: 'de/sale', code: 'invalid_custom_url'},
    {shortPart: 'fr/sale', code: 'invalid_custom_url'},
  ]);
});

test('the CSV of an export can be imported, and a disabled link stays disabled', async (t) => {
  const [from, to]: [Place, Place] = [{store: new Map()}, {store: new Map()}];
  const [old, site] = [await runSite(t, from), await runSite(t, to)];
  await fill(old);
  await old.shortener.links.create('ann', {
    ...{url: 'https://a.example/?a=1,2', customUrl: '-dash', title: '=1+1', expiryDate: '2031-12-31'},
    ...{baseDomain: 'sho.rt', tags: ['a b', 'c'], maxVisits: 5},
  });
  const labels = [
    {title: "'=SUM(1)", tags: ['R&D | Sales', 'a;b', '=x']},
    {title: "''@x", tags: ["'=y", '=z']},
    {title: "'quoted'", tags: ["''+a"]},
    {title: '＝wide', tags: ['-a', '@b']},
  ];
  for (const label of labels) await old.shortener.links.create('ann', {url: 'https://a.example/', ...label});
  await site.shortener.accounts.create('ann');
  const file = new PassThrough();
  const exported = exportLinks({store: from.store, account: 'ann', format: 'csv', to: file});
  const summary = await importLinks(options(to, {file}));
  await exported;
  t.like(summary, {rejected: 0, codes: {password_unknown: 1}});
  const byUrl = (one: Link, other: Link): number => (one.shortUrl < other.shortUrl ? -1 : 1);
  const kept = ({urlId, ...link}: Link): object => ({...link, urlId: urlId > 0});
  t.deepEqual((await linksOf(site)).sort(byUrl).map(kept), (await linksOf(old)).sort(byUrl).map(kept));
});

test('fields that decide survive an export as CSV and an import, and a start within a day moves to the next', async (t) => {
  const place: Place = {store: `sqlite:${newFile('db')}`};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  const rules = [
    {device: 'ios', url: 'https://phone.example/?a=b,c'},
    {from: '2040-01-01', url: 'https://late.example/'},
  ] as const;
  const fields = {startDate: '2040-01-01', expiredUrl: 'https://over.example/', forwardQuery: true, rules};
  await site.shortener.links.create('ann', {url: 'https://a.example/', customUrl: 'full', ...fields});
  await site.shortener.links.create('ann', {url: 'https://b.example/', customUrl: 'bare'});
  const [full, bare] = await linksOf(site);
  const other: Place = {store: `sqlite:${newFile('db')}`};
  const target = await runSite(t, other);
  await target.shortener.accounts.create('ann');
  const file = new PassThrough();
  const exported = exportLinks({store: place.store, account: 'ann', format: 'csv', to: file});
  t.like(await importLinks(options(other, {file})), {imported: 2, rejected: 0, codes: {}});
  await exported;
  const decisive = ({startDate, expiredUrl, forwardQuery, rules: list}: Partial<Link> = {}): object => {
    return {startDate, expiredUrl, forwardQuery, list};
  };
  const imported = await linksOf(target);
  t.deepEqual(decisive(imported.find(({shortUrlPart}) => shortUrlPart === 'full')), decisive(full));
  t.deepEqual(decisive(imported.find(({shortUrlPart}) => shortUrlPart === 'bare')), decisive(bare));
  const more = [
    'slug,url,valid since,rules,expired url\n',
    'noon,https://a.example/,2040-01-01 12:00:00,,\n',
    'past,https://a.example/,2001-01-01,,\n',
    'own,https://a.example/,,,https://example.com/full\n',
    'bad,https://a.example/,,[{}],\n',
  ];
  const summary = await importLinks(options(other, {file: more}));
  t.like(summary, {imported: 2, rejected: 2, codes: {forbidden_url: 1, malformed_parameter: 1}});
  const start = async (part: string) =>
    (await target.shortener.links.info('ann', `https://example.com/${part}`)).startDate;
  t.is(await start('noon'), '2040-01-01 12:00:00');
  t.is(await start('past'), null);
});

test('the report in the summary is bounded, and its counts are complete', async (t) => {
  const place: Place = {store: new Map()};
  await (await runSite(t, place)).shortener.accounts.create('ann');
  const rows = Array.from({length: 1000}, (_, index) => `n${index},none\n`);
  let lines = 0;
  const summary = await importLinks(
    options(place, {file: ['short_part,url\n', ...rows], onReport: () => (lines += 1)}),
  );
  t.is(lines, 1000);
  t.is(summary.report.length, 100);
  t.deepEqual(summary.codes, {invalid_url: 1000});
});

test('an unknown account is refused, or created on request', async (t) => {
  const place: Place = {store: new Map()};
  const site = await runSite(t, place);
  await t.throwsAsync(importLinks(options(place, {})), {
    name: 'ToolError',
    code: 'unknown_account',
    message: /createAccount, or --create-account/,
  });
  await t.throwsAsync(importLinks(options(place, {createAccount: true})), {instanceOf: TypeError});
  await importLinks(options(place, {createAccount: true, secret}));
  t.is((await linksOf(site)).length, 3);
  t.truthy(await site.shortener.accounts.apiKey('ann'), 'the site opens its key');
});

test('an import into an account that is removed meanwhile is refused', async (t) => {
  const place: Place = {store: new Map()};
  const {shortener} = await runSite(t, place);
  await shortener.accounts.create('ann');
  async function* file(): AsyncGenerator<string> {
    await shortener.accounts.remove('ann');
    yield plain;
  }
  await t.throwsAsync(importLinks(options(place, {file: file()})), {name: 'ShortUrlError', code: 'invalid_api_key'});
});

test('a file that is missing, or not in its format, imports nothing', async (t) => {
  const place: Place = {store: new Map()};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  await t.throwsAsync(importLinks(options(place, {file: newFile('csv')})), {code: 'unreadable_file'});
  await t.throwsAsync(importLinks(options(place, {format: 'kutt'})), {name: 'ToolError'});
  await t.throwsAsync(importLinks(options({store: `sqlite:${newFile('db')}`}, {})), {code: 'nothing_there'});
  t.deepEqual(await linksOf(site), []);
});

test('a stream that fails before it is read rejects the import', async (t) => {
  const place = {store: slowStore()};
  await (await runSite(t, place)).shortener.accounts.create('ann');
  const broken = (): Readable => new Readable().destroy(new Error('The disk is broken'));
  await t.throwsAsync(importLinks(options(place, {file: broken()})), {message: 'The disk is broken'});
  await t.throwsAsync(importLinks(options(place, {file: broken(), account: 'zoe'})), {code: 'unknown_account'});
  const restored = {format: 'ndjson', store: slowStore()} as const;
  await t.throwsAsync(importLinks({...restored, file: broken()}), {message: 'The disk is broken'});
  await t.throwsAsync(importLinks({...restored, file: broken(), namespace: 'a b'}), {instanceOf: TypeError});
  await setImmediate();
});

test('the account of an import and of an export may be a number', async (t) => {
  const place: Place = {store: new Map()};
  const site = await runSite(t, place);
  await site.shortener.accounts.create(42);
  t.like(await importLinks(options(place, {account: 42})), {imported: 3});
  t.is((await linksOf(site, '42')).length, 3);
  const text = async (account: string | number): Promise<string> =>
    (await exported({...place, account, format: 'csv'})).text;
  t.is((await text(42)).trimEnd().split('\n').length, 4);
  t.is(await text(42), await text('42'));
  for (const account of [4.2, ''])
    await t.throwsAsync(text(account), {instanceOf: TypeError, message: /^Expected `account` to be/});
  await t.throwsAsync(importLinks(options(place, {account: 4.2})), {instanceOf: TypeError});
});

test('wrong options are refused without repeating a key', async (t) => {
  const place: Place = {store: new Map()};
  const tell = async (more: object, message: RegExp): Promise<void> => {
    const error = await t.throwsAsync(importLinks(options(place, more)), {instanceOf: TypeError});
    t.regex(String(error), message);
    t.notRegex(String(error), /s3cret/);
  };
  await tell({format: 'tinyurl'}, /format/);
  await tell({account: ''}, /account/);
  await tell({file: undefined}, /file/);
  await tell({baseUrl: 'example.com'}, /baseUrl/);
  for (const file of [undefined, '']) {
    const restored = {store: new Map(), format: 'ndjson', file} as unknown as RestoreOptions;
    await t.throwsAsync(importLinks(restored), {instanceOf: TypeError, message: /^Expected `file` to be/});
  }
  await tell({baseDomain: 'other.example'}, /baseDomain/);
  await tell({timeZone: 'Mars'}, /timeZone/);
  await tell({format: 'api', siteKey: 's3cret'}, /site/);
  await tell({format: 'api', site: 'https://user:s3cret@other.example', siteKey: 'key'}, /site/);
  await tell({format: 'api', site: 'https://other.example'}, /siteKey/);
});

test("a long URL that the site's rule refuses is rejected, and a rule that is no function is refused", async (t) => {
  const place: Place = {store: new Map()};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  const asked: string[] = [];
  const allowUrl = (url: string, account: string): boolean => {
    asked.push(`${account} ${url}`);
    return !url.startsWith('https://b.example/');
  };
  const summary = await importLinks(options(place, {allowUrl}));
  t.like(summary, {imported: 2, rejected: 1, codes: {forbidden_url: 1}});
  t.deepEqual(asked.toSorted(), ['ann https://a.example/', 'ann https://b.example/', 'ann https://c.example/']);
  await t.throwsAsync(importLinks(options(place, {allowUrl: true as never})), {instanceOf: TypeError});
});

test('what other shorteners call out of service stays out of service, in every format', async (t) => {
  const sql =
    'BEGIN;\nDELETE FROM `yourls_url`;\nINSERT INTO `yourls_url` (`keyword`,`url`,`disabled`) VALUES ' +
    "('yon','https://a.example/',0),('yoff','https://a.example/',1);\n";
  const files: ReadonlyArray<readonly [format: ImportOptions['format'], file: string]> = [
    ['csv', 'short_url,long_url,is_disabled\ncon,https://a.example/,0\ncoff,https://a.example/,1\n'],
    ['csv', 'slug,url,banned\nbon,https://a.example/,false\nboff,https://a.example/,true\n'],
    ['csv', 'slug,url,is_active\naon,https://a.example/,true\naoff,https://a.example/,false\n'],
    ['csv', 'slug,url,Enabled\neon,https://a.example/,yes\neoff,https://a.example/,no\n'],
    ['bitly', 'link,long_url,disabled\nbit.ly/tyon,https://a.example/,0\nbit.ly/tyoff,https://a.example/,1\n'],
    ['shlink', 'shortCode,longUrl,disabled\nson,https://a.example/,0\nsoff,https://a.example/,1\n'],
    ['yourls', sql],
    [
      'shlink',
      JSON.stringify([
        {shortCode: 'json', longUrl: 'https://a.example/', enabled: true},
        {shortCode: 'jsonoff', longUrl: 'https://a.example/', enabled: false},
      ]),
    ],
    [
      'kutt',
      JSON.stringify({
        data: [
          {address: 'kon', target: 'https://a.example/', banned: false},
          {address: 'koff', target: 'https://a.example/', disabled: true},
        ],
      }),
    ],
  ];
  const place: Place = {store: `sqlite:${newFile('db')}`};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  for (const [format, file] of files) {
    t.like(await importLinks(options(place, {format, file: [file]})), {imported: 2, rejected: 0, ignoredColumns: []});
  }
  for (const {shortUrlPart, status} of await linksOf(site)) {
    t.is(status, shortUrlPart.endsWith('off') ? 'disabled' : 'active', shortUrlPart);
  }
});

test('columns and members that have values and are not imported are named once', async (t) => {
  const place: Place = {store: `sqlite:${newFile('db')}`};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  const csv = 'slug,url,Folder,Empty\none,https://a.example/,A,\ntwo,https://a.example/,B,\n';
  t.deepEqual((await importLinks(options(place, {file: [csv]}))).ignoredColumns, ['Folder']);
  const json = [{shortCode: 'three', longUrl: 'https://a.example/', folder: 'A', nothing: null}];
  const summary = await importLinks(options(place, {format: 'shlink', file: [JSON.stringify(json)]}));
  t.deepEqual(summary.ignoredColumns, ['folder']);
  const ignored = async (format: ImportOptions['format'], file: string): Promise<readonly string[]> =>
    (await importLinks(options(place, {format, file: [file]}))).ignoredColumns;
  const yourls = 'four,https://a.example/,,2024-02-29 10:20:30,::1,3';
  t.deepEqual(await ignored('yourls', `${yourls},A,\n${yourls},B,\n`), ['column 7']);
  t.deepEqual(await ignored('yourls', 'keyword,url,folder,\nfive,https://a.example/,A,B\n'), ['folder', 'column 4']);
  const many = Array.from({length: 60}, (_, index) => `c${index}`);
  t.deepEqual(await ignored('csv', `slug,url,${many.join()}\nsix,https://a.example/,${'A'.padStart(60, ',')}\n`), [
    'c59',
  ]);
  t.deepEqual(await ignored('csv', ',slug,url\n0,seven,https://a.example/\n'), ['column 1']);
  const meta = {validSince: '2024-02-29', more: 5};
  t.deepEqual(await ignored('shlink', JSON.stringify([{shortCode: 'eight', longUrl: 'https://a.example/', meta}])), [
    'more',
  ]);
  t.deepEqual(await ignored('kutt', JSON.stringify([{address: 'nine', target: 'https://a.example/', folder: 'A'}])), [
    'folder',
  ]);
  t.deepEqual(await ignored('bitly', 'link,long_url,folder\nbit.ly/ten,https://a.example/,A\n'), ['folder']);
});

test("Polr's table has endings, totals and keys of secret links, and each is kept", async (t) => {
  const place: Place = {store: `sqlite:${newFile('db')}`};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  const file = [
    'id,short_url,long_url,ip,creator,clicks,secret_key,is_disabled,is_custom,is_api,created_at,updated_at,long_url_hash\n',
    '1,spring,https://a.example/,10.0.0.1,polr,41,,0,1,0,2020-01-01 10:00:00,2020-01-01 10:00:00,3f\n',
    '2,hidden,https://b.example/,10.0.0.1,polr,1,x7k2,0,1,0,2020-01-01 10:00:00,2020-01-01 10:00:00,3f\n',
    '3,gone,https://c.example/,10.0.0.1,polr,7,,1,1,0,2020-01-01 10:00:00,2020-01-01 10:00:00,3f\n',
    '4,,https://d.example/,10.0.0.1,polr,0,,0,1,0,2020-01-01 10:00:00,2020-01-01 10:00:00,3f\n',
    '5,a?b=c,https://e.example/,10.0.0.1,polr,0,,0,1,0,2020-01-01 10:00:00,2020-01-01 10:00:00,3f\n',
  ];
  const summary = await importLinks(options(place, {file}));
  t.like(summary, {imported: 2, rejected: 3, codes: {invalid_custom_url: 1, not_a_link: 2}});
  t.regex(summary.report.find(({line}) => line === 3)?.message ?? '', /shortParts\.segments/);
  t.regex(summary.report.find(({line}) => line === 5)?.message ?? '', /missing/);
  t.regex(summary.report.find(({line}) => line === 6)?.message ?? '', /no query/);
  t.like(await importLinks(options(place, {file, shortParts: {segments: 2}})), {imported: 1, unchanged: 2});
  const links = await linksOf(site);
  t.deepEqual(
    links.map(({shortUrlPart, totalVisits, status}) => [shortUrlPart, totalVisits, status]),
    [
      ['spring', 41, 'active'],
      ['gone', 7, 'disabled'],
      ['hidden/x7k2', 1, 'active'],
    ],
  );
});

test('a short part that needs two options is refused with the names of both', async (t) => {
  const place: Place = {store: `sqlite:${newFile('db')}`};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  const {report} = await importLinks(options(place, {file: ['slug,url\nfrühling/neu,https://a.example/\n']}));
  t.regex(report[0]?.message ?? '', /The options `shortParts\.unicode` and `shortParts\.segments`/);
});

test('letters with accents in decomposed form count as one character', async (t) => {
  const place: Place = {store: `sqlite:${newFile('db')}`};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  const accents = (length: number): string => 'ä'.repeat(length);
  const row = `one,https://a.example/,${accents(200).normalize('NFD')},${accents(50).normalize('NFD')}`;
  t.like(await importLinks(options(place, {file: [`slug,url,title,tags\n${row}\n`]})), {imported: 1, report: []});
  t.like(await linksOf(site), [{title: accents(200), tags: [accents(50)]}]);
});

test('a link that an option would allow is refused with the name of the option, and imported with it', async (t) => {
  const place: Place = {store: `sqlite:${newFile('db')}`};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  const file = ['slug,url\nfrühling,https://a.example/\na.b,https://a.example/\nmail,mailto:a@a.example\n'];
  const first = await importLinks(options(place, {file}));
  t.like(first, {imported: 1, rejected: 2});
  t.regex(first.report.map(({message}) => message).join(' '), /shortParts\.unicode.*`schemes`/);
  const second = await importLinks(options(place, {file, shortParts: {unicode: true}, schemes: ['mailto']}));
  t.like(second, {imported: 2, unchanged: 1, rejected: 0});
});

for (const [service, header, row] of [
  [
    'Rebrandly',
    'Slashtag,Destination URL,Title,Short URL,Created at,Clicks',
    'spring,https://a.example/,A,go.example/spring,2024-02-29,3',
  ],
  [
    'Short.io',
    'Short URL,Original URL,Path,Title,Tags,Created At,Clicks',
    'https://go.example/spring,https://a.example/,spring,A,,2024-02-29,3',
  ],
  [
    'TinyURL',
    'TinyURL,Long URL,Alias,Created At,Clicks,Title',
    'https://go.example/spring,https://a.example/,spring,2024-02-29,3,A',
  ],
  [
    'Dub',
    'Short link,Destination URL,Title,Clicks,Created at',
    'https://go.example/spring,https://a.example/,A,3,2024-02-29',
  ],
  ['Bitly', 'Bitlink,Long URL,Title,Date Created,Engagements', 'go.example/spring,https://a.example/,A,2024-02-29,3'],
  [
    'Firebase Dynamic Links',
    'Link name,Deep link,Short Dynamic Link,Clicks,Created',
    'A,https://a.example/,https://go.example/spring,3,2024-02-29',
  ],
  [
    'Firebase Dynamic Links by their API',
    'short_link,link,name,clicks,created',
    'https://go.example/spring,https://a.example/,A,3,2024-02-29',
  ],
] as const) {
  test(`the export of ${service} is known by the names of its columns`, async (t) => {
    const place: Place = {store: `sqlite:${newFile('db')}`};
    const site = await runSite(t, place);
    await site.shortener.accounts.create('ann');
    const summary = await importLinks(options(place, {file: [`${header}\n${row}\n`], baseDomain: 'sho.rt'}));
    t.like(summary, {imported: 1, rejected: 0, ignoredColumns: []});
    const [link] = await linksOf(site);
    t.like(link, {
      shortUrl: 'https://sho.rt/spring',
      originalUrl: 'https://a.example/',
      title: 'A',
      totalVisits: 3,
      dateCreated: '2024-02-29 00:00:00',
    });
  });
}
