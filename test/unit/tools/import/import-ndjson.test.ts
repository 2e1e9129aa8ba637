import '../../../support/quick-scrypt.ts';
import {existsSync} from 'node:fs';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {openStore} from '../../../../src/store/opening/open.ts';
import {checkStore} from '../../../../src/tools/check/check.ts';
import {importNdjson} from '../../../../src/tools/import/import-ndjson.ts';
import {temporaryDirectory} from '../../../support/store/temporary.ts';
import {exported, partsOf} from '../../../support/tools/text.ts';
import {dump, fill, type Place, runSite} from '../../../support/tools/world.ts';

const directory = temporaryDirectory();

/** An export of a filled site. */
async function filled(t: Parameters<typeof runSite>[0]): Promise<{text: string; from: Place}> {
  const from: Place = {store: new Map()};
  await fill(await runSite(t, from));
  return {from, text: (await exported(from)).text};
}

test('a file is imported, and the progress says how far it has been read', async (t) => {
  const {text, from} = await filled(t);
  const file = join(directory, 'links.ndjson');
  await writeFile(file, text);
  const to: Place = {store: new Map()};
  const shares: Array<number | undefined> = [];
  await importNdjson({...to, file, onProgress: ({share}) => shares.push(share)});
  t.deepEqual(await dump(to), await dump(from));
  t.is(shares.at(-1), 1);
});

test('a file that does not exist, and one that is no export, leave no database behind', async (t) => {
  const database = join(directory, 'links.db');
  const empty = join(directory, 'empty.ndjson');
  await writeFile(empty, '');
  for (const [file, code] of [
    [join(directory, 'missing'), 'nothing_there'],
    [empty, 'malformed_file'],
  ] as const) {
    await t.throwsAsync(importNdjson({store: `sqlite:${database}`, file}), {code});
    t.false(existsSync(database), code);
  }
});

test('a file that a shell has written as UTF-16 is read, and a packed one says what it is', async (t) => {
  const {text, from} = await filled(t);
  for (const [encoding, mark] of [
    ['utf16le', '\u{FEFF}'],
    ['utf8', '\u{FEFF}'],
  ] as const) {
    const to: Place = {store: new Map()};
    const bytes = Buffer.from(mark + text.replaceAll('\n', '\r\n'), encoding);
    await importNdjson({...to, file: parts(bytes.subarray(0, 1), bytes.subarray(1, 77_777), bytes.subarray(77_777))});
    t.deepEqual(await dump(to), await dump(from), encoding);
  }
  // A PowerShell 5 reads what a program writes in another encoding. Of ASCII that makes no difference.
  t.notRegex(text, /[^\n -~]/);
  const packed = parts(Buffer.from([0x1f, 0x8b, 8, 0]));
  await t.throwsAsync(importNdjson({store: new Map(), file: packed}), {code: 'malformed_file', message: /gzip/});
});

test('a damaged number of a sequence is left out, and a check makes it again', async (t) => {
  const {text, from} = await filled(t);
  const damaged = text.replaceAll(/("key":"(?:sequence|positions):[^"]*","counts":\{"next":)\d+/g, `$1${10 ** 15}`);
  t.not(damaged, text);
  const to: Place = {store: new Map()};
  const {report} = await importNdjson({...to, file: partsOf(damaged)});
  t.true(report.length >= 3);
  for (const {message} of report) t.regex(message, /^(sequence|positions):\S+: the number is damaged/);
  t.is((await checkStore({...to, clean: true})).findings.at(-1)?.code, 'lists_repaired');
  const [{shortener: before}, {shortener: site}] = [await runSite(t, from), await runSite(t, to)];
  for await (const {account} of before.admin.accounts()) {
    t.deepEqual(await site.links.page(account), await before.links.page(account), account);
    const {shortUrl} = await site.links.create(account, {url: 'https://destination.example/'});
    const [newest] = (await site.links.page(account)).links;
    t.is(newest?.shortUrl, shortUrl);
  }
  await t.throwsAsync(importNdjson({store: new Map(), file: partsOf(damaged), strict: true}), {code: 'malformed_file'});
});

test('a line that cannot be read is named and left out, and a strict import refuses the file', async (t) => {
  const {text} = await filled(t);
  const lines = text.trimEnd().split('\n');
  const place = lines.findIndex((line) => line.includes('"l:'));
  const link = JSON.parse(lines[place] ?? '') as {key: string; value: object};
  const total = lines.length - 2;
  const malformed: ReadonlyArray<readonly [line: string, message: RegExp]> = [
    ['', /not JSON/],
    ['{"key":"x"', /not JSON/],
    ['[]', /an object/],
    ['{"key":"a\uFFFD","value":1}', /UTF-8/],
    ['{"value":1}', /`line.key`/],
    ['{"key":"a b","value":1}', /`line.key`/],
    ['{"key":"a"}', /`line.counts`/],
    ['{"key":"a","value":1,"at":2}', /only key, value, expires, got `at`/],
    ['{"key":"v:a","counts":{}}', /`line.counts`/],
    ['{"key":"v:a","counts":{"at":1}}', /`line.counts`/],
    ['{"key":"v:a","counts":{"v":-1}}', /`line.counts`/],
    ['{"key":"v:a","counts":{"v":9007199254740993}}', /`line.counts`/],
    ['{"key":"v:a","counts":{"v":1},"at":"now"}', /a time/],
    ['{"key":"v:a","value":1}', /no such records/],
    ['{"key":"l:a","counts":{"v":1}}', /no such counters/],
    ['{"key":"visits:a","counts":{"v":1}}', /no such counters/],
    ['{"key":"format","value":{"format":2,"version":"2.0.0"}}', /no such records/],
    ['{"key":"quota:ann","value":{"until":"soon","used":1}}', /`value.until` to be a time/],
    ['{"key":"list:x:0","value":{}}', /an array of at most 50, and each element a slot/],
    ['{"key":"account:ann","value":{"id":"ann","generation":"x","state":"live"}}', /`value.position`/],
    [JSON.stringify({...link, key: 'l:{example.com:Other}'}), /not the key of/],
    ['{"key":"account:zoe","value":{"id":"ann","generation":"x","position":1,"state":"removing"}}', /not the key of/],
    [lines[place + 1] ?? '', /occurs twice/],
  ];
  for (const [line, message] of malformed) {
    const file = () => partsOf(lines.with(place, line).join('\n'));
    const to = new Map();
    const {records, counters, rejected, report} = await importNdjson({store: to, file: file()});
    t.is(records + counters, total - 1, line);
    t.is(rejected, 1, line);
    t.like(report[0], {code: 'unreadable_line', isImported: false}, line);
    t.regex(report[0]?.message ?? '', message, line);
    t.true([place + 1, place + 2].includes(report[0]?.line ?? 0), line);

    const strict = new Map();
    await t.throwsAsync(
      importNdjson({store: strict, file: file(), strict: true}),
      {code: 'malformed_file', message},
      line,
    );
    t.is(strict.size, 0, line);
  }
});

/** Values that no site writes into the fields of a link. */
const wrongFields: ReadonlyArray<readonly [field: string, values: readonly unknown[]]> = [
  ...['created', 'end', 'start'].map((field) => [field, [1e300, 'soon', -1e17, 1.5, null, {}]] as const),
  ...['title', 'previewTitle', 'previewDescription', 'reference'].map(
    (field) => [field, [{}, 5, ['a'], '', ' a', 'a\nb', 'a'.repeat(501)]] as const,
  ),
  ['tags', [5, 'a', {}, [5], [''], ['a,b'], [['a']]]],
  ['rules', [5, {}, [5], [{}], [{url: 5, device: 'ios'}], [{url: 'javascript:a()', device: 'ios'}]]],
  ...['url', 'expiredUrl', 'previewImage', 'target'].map(
    (field) => [field, [5, {}, 'javascript:alert(1)', 'data:text/html,x', 'nowhere']] as const,
  ),
  ['previewImage', ['http://destination.example/a.png']],
  ['maxVisits', [0, -1, 1.5, '5', 1e300]],
  ['forwardQuery', ['yes', 1, null]],
  ['state', ['live', 5, null]],
  ['isBlocked', ['yes', 1, false]],
  ['id', [0, '1', 1e300, 1.5]],
  ['unknown', [1]],
];

test('a link with a field that no site could show is named and left out, whatever the value', async (t) => {
  const {text} = await filled(t);
  const lines = text.trimEnd().split('\n');
  const place = lines.findIndex((line) => line.includes('"l:{example.com:Plain}"'));
  const link = JSON.parse(lines[place] ?? '') as {key: string; value: object};
  for (const [field, values] of wrongFields) {
    for (const value of values) {
      const what = `${field}: ${JSON.stringify(value)}`;
      const line = JSON.stringify({...link, value: {...link.value, [field]: value}});
      const {rejected, report} = await importNdjson({
        store: new Map(),
        file: partsOf(lines.with(place, line).join('\n')),
      });
      t.is(rejected, 1, what);
      t.like(report[0], {line: place + 1, code: 'unreadable_line'}, what);
      t.true(report[0]?.message.startsWith('l:{example.com:Plain}: '), what);
    }
  }
});

test('a file that is not an export, or of another version, is refused before anything is written', async (t) => {
  const to = new Map();
  for (const [text, message] of [
    ['account,domain\r\n', /not JSON/],
    ['{"url":"https://example.com/"}\n', /not an export/],
    ['{"format":"koa-short-url","version":3,"site":"x"}\n', /`version` to be 2, got 3/],
    ['{"format":"koa-short-url","version":2}\n', /`line.site`/],
    ['\xff\xfe', /not an export|not JSON/],
  ] as const) {
    await t.throwsAsync(importNdjson({store: to, file: partsOf(text)}), {code: 'malformed_file', message});
  }
  await t.throwsAsync(importNdjson({store: to, file: parts(Buffer.from([0x61, 0xff, 0x0a]))}), {message: /UTF-8/});
  await t.throwsAsync(importNdjson({store: to, file: parts(...new Array<Buffer>(20).fill(Buffer.alloc(2 ** 20)))}), {
    message: /Line 1 has more than/,
  });
  t.is(to.size, 0);
});

async function* parts(...all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}

test('an import changes neither another site nor one that has been used since', async (t) => {
  const {text} = await filled(t);
  const other: Place = {store: new Map()};
  await (await runSite(t, other)).shortener.accounts.create('zoe');
  const before = await dump(other);
  await t.throwsAsync(importNdjson({...other, file: partsOf(text)}), {code: 'other_site'});
  t.deepEqual(await dump(other), before);

  const to: Place = {store: new Map()};
  await importNdjson({...to, file: partsOf(text)});
  const site = await runSite(t, to);
  await site.visit('https://example.com/Plain');
  const visited = await dump(to);
  await t.throwsAsync(importNdjson({...to, file: partsOf(text)}), {code: 'target_in_use', message: /Line \d+/});
  t.deepEqual(await dump(to), visited);
  await site.shortener.links.update('ann', 'https://example.com/Plain', {url: 'https://elsewhere.example/'});
  const changed = await dump(to);
  await t.throwsAsync(importNdjson({...to, file: partsOf(text)}), {code: 'target_in_use'});
  t.deepEqual(await dump(to), changed);
});

test('a record keeps its expiry, and one that has expired is left out', async (t) => {
  const [expired, later] = [Date.now() - 1, Date.now() + 60_000];
  const text = [
    {format: 'koa-short-url', version: 2, site: 'x'},
    {key: 'intent:old', value: {at: 1}, expires: expired},
    {key: 'intent:new', value: {at: 2}, expires: later},
    {key: 'accounts:1', value: {account: 'ann'}},
    {end: true, records: 3, counters: 0},
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
  const to = new Map<string, unknown>();
  t.like(await importNdjson({store: to, file: partsOf(text)}), {records: 2, written: 2});
  const store = openStore(to, {namespace: 'shorturl'});
  const [old, recent] = await store.getMany(['intent:old', 'intent:new']);
  t.is(old, undefined);
  t.like(recent, {value: {at: 2}, expires: later});
  const broken = text.replace(String(later), '"tomorrow"');
  const {report} = await importNdjson({store: new Map(), file: partsOf(broken)});
  t.deepEqual(
    report.map(({line}) => line),
    [3],
  );
});
