import {siteIndexPrefix} from '../../../../src/links/read/link-index.ts';
import '../../../support/quick-scrypt.ts';
import {Readable, Writable} from 'node:stream';
import test from 'ava';
import {importLinks} from '../../../../src/tools/import/import-links.ts';
import {exportLinks} from '../../../../src/tools/export/export.ts';
import {importNdjson} from '../../../../src/tools/import/import-ndjson.ts';
import {collect} from '../../../support/collect.ts';
import {exported, partsOf, sortedLines} from '../../../support/tools/text.ts';
import {viaOf} from '../../../support/visitor.ts';
import {dump, fill, type Place, password, type RunningSite, runSite, secret} from '../../../support/tools/world.ts';

const linesOf = (text: string): Array<Record<string, unknown>> =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function listOf({shortener}: RunningSite, account: string): Promise<unknown[]> {
  return collect(shortener.links.list(account));
}

const isSiteList = (key: string): boolean => key.startsWith(siteIndexPrefix);

test('an import into an empty store is exported with the same content, and the site continues there', async (t) => {
  const from: Place = {store: new Map(), namespace: 'one'};
  const {keys, urls} = await fill(await runSite(t, from));
  const {text, summary: told} = await exported(from);
  const lines = linesOf(text);
  t.like(lines[0], {format: 'koa-short-url', version: 2});
  t.deepEqual(lines.at(-1), {end: true, records: told.records, counters: told.counters});
  const to: Place = {store: new Map(), namespace: 'two'};
  const summary = await importNdjson({...to, file: partsOf(text)});
  t.deepEqual(sortedLines((await exported(to)).text), sortedLines(text));
  t.deepEqual(await dump(to), await dump(from));
  t.like(summary, {accounts: 3, links: 36, written: summary.records + summary.counters});

  const site = await runSite(t, to);
  t.deepEqual(await site.shortener.accounts.create('ann'), {apiKey: keys['ann']});
  t.is((await site.open(urls.protected, password)).status, 303);
  t.is((await site.visit(urls.plain)).status, 302);
  t.is((await site.visit(urls.removed)).status, 410);
  t.is((await site.shortener.links.stats('ann', urls.plain)).totalVisits, 5);
});

test('the block of a removed account is in an export of the site, and in no export of one account', async (t) => {
  const from: Place = {store: new Map(), namespace: 'one'};
  const {accounts, admin, links} = (await runSite(t, from)).shortener;
  for (const name of ['ann', 'spammer']) await accounts.create(name);
  await admin.blockAccount('spammer', {reason: 'Spam'});
  await accounts.remove('spammer');
  const link = await links.create('ann', {url: 'https://destination.example/', reuse: true});
  const {text} = await exported(from);
  t.notRegex(text, /spammer/);
  const to: Place = {store: new Map(), namespace: 'two'};
  await importNdjson({...to, file: partsOf(text)});
  const {shortener} = await runSite(t, to);
  await shortener.accounts.create('spammer');
  await t.throwsAsync(shortener.links.page('spammer'), {code: 'account_blocked', message: /Spam/});
  const again = await shortener.links.create('ann', {url: 'https://destination.example/', reuse: true});
  t.is(again.shortUrl, link.shortUrl);
  t.notRegex((await exported({...from, account: 'ann'})).text, /Spam/);
});

test('an export of one account has only what belongs to it, and is a complete site', async (t) => {
  const from: Place = {store: new Map()};
  const {keys, urls} = await fill(await runSite(t, from));
  const {text, summary} = await exported({...from, account: 'ann'});
  t.like(linesOf(text)[0], {account: 'ann'});
  t.like(summary, {accounts: 1, links: 13});
  // A removed link names nobody.
  t.notRegex(text, /"account":"(?!ann|")/);

  const to: Place = {store: new Map()};
  await importNdjson({...to, file: partsOf(text)});
  const everything = new Map(await dump(from));
  for (const [key, value] of await dump(to)) if (!isSiteList(key)) t.deepEqual(value, everything.get(key), key);
  t.deepEqual(sortedLines((await exported({...to, account: 'ann'})).text), sortedLines(text));
  const site = await runSite(t, to);
  t.deepEqual(await site.shortener.accounts.create('ann'), {apiKey: keys['ann']});
  t.is((await site.visit(urls.removed)).status, 410);
  t.is((await site.visit(urls.blocked)).status, 404);
  const before = await runSite(t, from);
  t.deepEqual(
    await site.shortener.links.stats('ann', urls.plain),
    await before.shortener.links.stats('ann', urls.plain),
  );
  t.deepEqual(await site.shortener.accounts.stats('ann'), await before.shortener.accounts.stats('ann'));
  t.deepEqual(await listOf(site, 'ann'), await listOf(before, 'ann'));
  t.deepEqual(await site.shortener.admin.pageLinks(), await before.shortener.admin.pageLinks({account: 'ann'}));
});

test('a CSV has a quoted row for each link, without formulas for a spreadsheet', async (t) => {
  const place: Place = {store: new Map()};
  const site = await runSite(t, place);
  for (const account of ['ann', '=bob', 'zoe']) await site.shortener.accounts.create(account);
  const url = 'https://destination.example/a,b';
  await site.shortener.links.create('ann', {
    url,
    customUrl: 'a',
    title: 'One "two"',
    tags: ['x', 'y'],
    confirm: true,
    utm: {source: 'mail', term: '=1'},
  });
  const {shortUrl} = await site.shortener.links.create('ann', {
    url: 'https://destination.example/',
    customUrl: 'b',
    title: '=HYPERLINK("https://evil.example/")',
    expiryDate: '2031-12-31',
    maxVisits: 3,
    password,
  });
  await site.open(shortUrl, password);
  await site.shortener.links.create('=bob', {
    url: 'https://destination.example/',
    customUrl: 'c',
    tags: ['@sum(1)'],
    confirm: false,
  });
  const removed = await site.shortener.links.create('zoe', {url: 'https://destination.example/', customUrl: 'd'});
  await site.shortener.links.remove('zoe', removed.shortUrl);
  const {text, summary} = await exported({...place, format: 'csv'});
  t.is(
    text,
    [
      '\u{FEFF}account,domain,short_part,short_url,long_url,title,tags,created,expires,status,has_password,max_visits,start_date,expired_url,forward_query,rules,preview_title,preview_description,preview_image,reference,confirm,broken,utm_source,utm_medium,utm_campaign,utm_term,utm_content,visits,last_visit,conversions',
      `ann,example.com,a,example.com/a,"https://destination.example/a,b","One ""two""","x,y",2031-05-06T12:00:00Z,,active,false,,,,,,,,,,true,,mail,,,'=1,,0,,0`,
      `ann,example.com,b,example.com/b,https://destination.example/,"'=HYPERLINK(""https://evil.example/"")",,2031-05-06T12:00:00Z,2031-12-31T23:59:59Z,active,true,3,,,,,,,,,,,,,,,,1,2031-05-06T12:00:00Z,0`,
      "'=bob,example.com,c,example.com/c,https://destination.example/,,'@sum(1),2031-05-06T12:00:00Z,,active,false,,,,,,,,,,false,,,,,,,0,,0",
      '',
    ].join('\r\n'),
  );
  t.like(summary, {links: 3});
  t.is((await exported({...place, format: 'csv', account: '=bob'})).text.split('\r\n').length, 3);
});

test('a CSV has the conversions of each link and their values by currency, and an import tells that it leaves them out', async (t) => {
  const place: Place = {store: new Map()};
  const site = await runSite(t, {...place, attribution: {}});
  const {accounts, links, conversions} = site.shortener;
  const url = 'https://destination.example/';
  for (const account of ['ann', 'bob']) await accounts.create(account);
  for (const [account, customUrl] of [
    ['ann', 'a'],
    ['bob', 'b'],
  ] as const) {
    const {shortUrl} = await links.create(account, {url, customUrl});
    const via = viaOf((await site.visit(shortUrl)).headers['set-cookie']) ?? '';
    await conversions.identify({via}, account);
  }
  const sold = {name: 'order', value: 1240, currency: 'EUR'};
  for (const id of [1, 2]) await conversions.record({customer: 'ann'}, {...sold, id});
  await conversions.refund({name: 'order', id: 1, refund: 1, value: 240});
  await conversions.record({customer: 'bob'}, {...sold, id: 3, value: 500, currency: 'JPY'});
  await conversions.record({customer: 'bob'}, {name: 'signup', id: 3});
  const {text} = await exported({...place, format: 'csv'});
  const ends = text
    .trim()
    .split('\r\n')
    .map((row) => row.split(',').slice(-8).join());
  t.deepEqual(ends, [
    'last_visit,conversions,value_eur,refunded_eur,value_jpy,refunded_jpy,value,refunded',
    '2031-05-06T12:00:00Z,2,24.80,2.40,0,0,0,0',
    '2031-05-06T12:00:00Z,2,0.00,0.00,500,0,0,0',
  ]);
  const to: Place = {store: new Map()};
  await (await runSite(t, to)).shortener.accounts.create('zoe');
  const {imported, ignoredColumns} = await importLinks({
    ...to,
    ...{account: 'zoe', baseUrl: 'https://example.com', secret},
    ...{format: 'csv', file: [text]},
  });
  t.is(imported, 2);
  const told = ['conversions', 'value_eur', 'refunded_eur', 'value_jpy', 'refunded_jpy', 'value', 'refunded'];
  t.deepEqual(ignoredColumns, ['account', ...told]);
});

test('a CSV of one account has what its API calls have recorded in columns apart, and one of the site leaves it out', async (t) => {
  const place: Place = {store: new Map()};
  const {shortener, visit, ask} = await runSite(t, {...place, attribution: {}});
  const {accounts, links, conversions} = shortener;
  const {apiKey} = await accounts.create('ann');
  const {shortUrl} = await links.create('ann', {url: 'https://destination.example/'});
  const via = viaOf((await visit(shortUrl)).headers['set-cookie']) ?? '';
  await conversions.record({via}, {name: 'order', id: 1, value: 700, currency: 'JPY'});
  const recorded = await ask('https://example.com/api/v1/shorturl/record_conversion', {
    method: 'POST',
    headers: {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'},
    body: JSON.stringify({via, name: 'order', id: '1', value: 99_900, currency: 'HUF'}),
  });
  t.is(recorded.status, 200);
  const ends = async (account?: string) => {
    const {text} = await exported({...place, format: 'csv', ...(account && {account})});
    return text
      .trim()
      .split('\r\n')
      .map((row) => row.replace(/^.*(?=last_visit|2031-05-06T12:00:00Z,)/, ''));
  };
  t.deepEqual(
    (await ends()).map((row) => row.split(',').slice(1).join()),
    ['conversions,value_jpy,refunded_jpy', '1,700,0'],
  );
  t.deepEqual(
    (await ends('ann')).map((row) => row.split(',').slice(1).join()),
    ['conversions,value_jpy,refunded_jpy,value_huf_api,refunded_huf_api', '1,700,0,999.00,0.00'],
  );
});

test('no separator makes a formula of a part of a cell, and an import restores every text', async (t) => {
  const place: Place = {store: new Map()};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  const titles = ['x;=cmd|1', 'x;"=cmd', "x|'=cmd", "'=1", "''+1", 'a - b; c', ';;@x', "it's", '; =1', "a;'b"];
  for (const [index, title] of titles.entries()) {
    await site.shortener.links.create('ann', {url: 'https://a.example/;=1?x=;-2', customUrl: `n${index}`, title});
  }
  const {text} = await exported({...place, format: 'csv'});
  for (const separator of [';', '|', '\t']) {
    for (const cell of text.split(separator)) t.notRegex(cell, /^["' ]*(?<!')[=+\-@]/, separator);
  }
  const other: Place = {store: new Map()};
  const target = await runSite(t, other);
  await target.shortener.accounts.create('ann');
  const from = {store: other.store, account: 'ann', baseUrl: 'https://example.com'};
  t.like(await importLinks({...from, format: 'csv', file: [text]}), {imported: titles.length});
  for (const [index, title] of titles.entries()) {
    const link = await target.shortener.links.info('ann', `https://example.com/n${index}`);
    t.like(link, {title, originalUrl: 'https://a.example/;=1?x=;-2'});
  }
});

test('a CSV has each text as it was given, and a second export of an import of it is the same', async (t) => {
  const place: Place = {store: new Map()};
  const {shortener} = await runSite(t, place);
  await shortener.accounts.create('ann');
  const texts = ['a &amp; b', 'e\u0301', '-', 'null', '#NV', '007', "'007", '[a]', '"q"', 'wahr', '\u{1F600}', '1,5'];
  for (const [index, text] of texts.entries()) {
    const [url, utm] = [`https://a.example/?q=${text}&amp;r=1`, {source: text, term: text}];
    const card = {previewTitle: text, previewDescription: text};
    await shortener.links.create('ann', {url, customUrl: `n${index}`, title: text, reference: text, utm, ...card});
  }
  const {text: first} = await exported({...place, format: 'csv'});
  const other: Place = {store: new Map()};
  const target = await runSite(t, other);
  await target.shortener.accounts.create('ann');
  const from = {store: other.store, account: 'ann', baseUrl: 'https://example.com', format: 'csv'} as const;
  t.deepEqual((await importLinks({...from, file: [first]})).codes, {});
  const {text: second} = await exported({...other, format: 'csv'});
  t.deepEqual(second.split('\r\n').sort(), first.split('\r\n').sort());
});

test('an import restores references, of one account or in CSV, and refuses a taken one', async (t) => {
  const place: Place = {store: new Map()};
  const site = await runSite(t, place);
  await site.shortener.accounts.create('ann');
  for (const part of ['a', 'b']) {
    const link = {url: 'https://a.example/', customUrl: part, reference: `order ${part}`};
    await site.shortener.links.create('ann', link);
  }
  const restored: Place = {store: new Map()};
  const {text: whole} = await exported({...place, account: 'ann'});
  await importLinks({...restored, format: 'ndjson', file: Readable.from([whole])});
  const {links} = (await runSite(t, restored)).shortener;
  t.is((await links.info('ann', {reference: 'order b'})).shortUrlPart, 'b');

  const other: Place = {store: new Map()};
  const target = await runSite(t, other);
  await target.shortener.accounts.create('ann');
  await target.shortener.links.create('ann', {url: 'https://a.example/', reference: 'order a'});
  const {text} = await exported({...place, format: 'csv'});
  const from = {store: other.store, account: 'ann', baseUrl: 'https://example.com'};
  const codes: string[] = [];
  const onReport = (line: {code: string}): void => void codes.push(line.code);
  t.like(await importLinks({...from, format: 'csv', file: [text], onReport}), {imported: 1, rejected: 1});
  t.deepEqual(codes, ['reference_taken']);
  t.is((await target.shortener.links.info('ann', {reference: 'order b'})).shortUrlPart, 'b');
});

test('an empty store, an unknown account and an unknown format are refused', async (t) => {
  await t.throwsAsync(exported({store: new Map()}), {code: 'nothing_there'});
  const place: Place = {store: new Map()};
  const {shortener} = await runSite(t, place);
  await shortener.accounts.create('gone');
  await shortener.accounts.remove('gone');
  for (const account of ['zoe', 'gone']) {
    await t.throwsAsync(exported({...place, account}), {code: 'nothing_there'});
  }
  await t.throwsAsync(exported({...place, format: 'xml' as 'csv'}), {instanceOf: TypeError, message: /ndjson/});
});

test('a destination that fails ends the export', async (t) => {
  const place: Place = {store: new Map()};
  await fill(await runSite(t, place), 1);
  const to = new Writable({
    write: (_part, _encoding, done) => {
      done(new Error('The disk is full'));
    },
  });
  await t.throwsAsync(exportLinks({...place, to}), {message: 'The disk is full'});
});
