import test from 'ava';
import {readFile} from '../../../../../src/tools/import/formats/formats.ts';
import {timeZone} from '../../../../../src/tables/moments.ts';
import type {SourceLink} from '../../../../../src/tables/source-link.ts';
import {collect} from '../../../../support/collect.ts';
import {isLinear} from '../../../../support/linear.ts';
import {linesOf} from '../../../../support/tools/lines.ts';

const day = Date.UTC(2024, 1, 29);

test('a plain file has its columns by name, in any order, beside others', async (t) => {
  const file = `Visits,Long URL,id,short_part,Title,tags,Created,expiry
12,https://a.example/?b=1&c=2,7,one,"A ""title"", with a comma","mail, spring",2024-02-29 10:20:30,2030-12-31
,https://b.example/,8,two,,,,
`;
  t.deepEqual(await linesOf('csv', file), [
    {
      line: 2,
      shortPart: 'one',
      url: 'https://a.example/?b=1&c=2',
      title: 'A "title", with a comma',
      tags: ['mail', 'spring'],
      created: day + (10 * 3600 + 20 * 60 + 30) * 1000,
      end: Date.UTC(2031, 0, 1),
      visits: 12,
    },
    {line: 3, shortPart: 'two', url: 'https://b.example/'},
  ]);
});

test('a file says which links ask before they open, and the site decides about the others', async (t) => {
  const rows = ['long_url,short_part,confirm', ...['true', 'false', ''].map((cell) => `https://a.example/,x,${cell}`)];
  const settings = {zone: timeZone('UTC'), table: undefined, pathOf: () => undefined, onIgnored: () => undefined};
  const lines = await collect(readFile('csv', [Buffer.from(rows.join('\n'))], settings));
  t.deepEqual(
    lines.map((line) => (line as SourceLink).fields.confirm),
    [true, false, undefined],
  );
});

test('a file of a spreadsheet has semicolons, a byte order mark, CRLF and line breaks within cells', async (t) => {
  const file =
    '\uFEFFslug;url;title;clicks;created\r\n' +
    'one;https://a.example/;"Zwei\r\nZeilen";1.234;03/04/2024\r\n' +
    '\r\n' +
    'two;"https://b.example/?x=1;y=2";Späße;0;2024-02-29\r\n';
  for (const size of [1, 7, Number.POSITIVE_INFINITY]) {
    const [one, two, ...rest] = await linesOf('csv', file, {size});
    t.like(one, {line: 2, shortPart: 'one', code: 'ambiguous_date'});
    t.deepEqual(two, {line: 5, shortPart: 'two', url: 'https://b.example/?x=1;y=2', title: 'Späße', created: day});
    t.deepEqual(rest, []);
  }
  const [tabs] = await linesOf('csv', Buffer.from(`\uFEFFslug\turl\none\thttps://a.example/ä\n`, 'utf16le'));
  t.like(tabs, {shortPart: 'one', url: 'https://a.example/ä'});
});

test('a file with short URLs instead of short parts gives the domain too', async (t) => {
  const file =
    'short_url,original_url\nhttps://go.example/s/one,https://a.example/\nsho.rt/%C3%A4,https://b.example/\n';
  t.deepEqual(await linesOf('csv', file), [
    {line: 2, shortPart: 'one', url: 'https://a.example/', domain: 'go.example'},
    {line: 3, shortPart: 'ä', url: 'https://b.example/', domain: 'sho.rt'},
  ]);
});

test('a short part is what follows the path that all short URLs of its domain have, in whatever order they come', async (t) => {
  const partsIn = async (...urls: string[]): Promise<unknown[]> => {
    const lines = await linesOf('csv', `short_url,url\n${urls.map((url) => `${url},https://a.example/\n`).join('')}`);
    return lines.map((line) => (line as {shortPart?: string}).shortPart);
  };
  t.deepEqual(await partsIn('old.example/promo/x', 'old.example/y'), ['promo/x', 'y']);
  t.deepEqual(await partsIn('old.example/y', 'old.example/promo/x'), ['y', 'promo/x']);
  t.deepEqual(await partsIn('old.example/s/a/b', 'OLD.example/s/c', 'sho.rt/d'), ['a/b', 'c', 'd']);
  t.deepEqual(await partsIn('old.example/s/a', 'old.example/st/b'), ['s/a', 'st/b']);
});

test('tags are separated by commas, semicolons or bars, and an apostrophe before a formula is not part of the text', async (t) => {
  const file = `short_part,url,title,tags,password
one,https://a.example/,'=1+1,a|b;c,'=secret
`;
  t.like(await linesOf('csv', file), [{title: '=1+1', tags: ['a', 'b', 'c'], password: "'=secret"}]);
});

test('a disabled link stays disabled', async (t) => {
  const file = `short_part,url,status,has_password,password,max_visits,expiry,banned,enabled
a,https://a.example/,disabled,,,,,,
b,https://a.example/,expired,,,,,,
c,https://a.example/,expired,,,5,,,
d,https://a.example/,expired,,,,2020-01-01,,
e,https://a.example/,active,true,,,,,
f,https://a.example/,,,s3cret,,,,
g,https://a.example/,active,true,s3cret,,,,
h,https://a.example/,perhaps,,,,,,
i,https://a.example/,active,false,,,,0,yes
j,https://a.example/,active,,,,,1,yes
k,https://a.example/,,,,,,0,no
`;
  const lines = await linesOf('csv', file);
  const [a, b, c, d, e, f, g, h, i, j, k] = lines;
  t.like(a, {isDisabled: true});
  t.like(b, {isExpired: true});
  t.like(c, {isExpired: true, maxVisits: 5});
  t.like(d, {isExpired: true, end: Date.UTC(2020, 0, 2)});
  t.like(e, {isLocked: true});
  t.like(f, {password: 's3cret', isLocked: undefined});
  t.like(g, {password: 's3cret', isLocked: undefined});
  t.like(h, {code: 'unreadable_status'});
  t.like(i, {isLocked: undefined, isDisabled: undefined});
  t.like(j, {isDisabled: true});
  t.like(k, {isDisabled: true});
});

test('a link with a value in an unknown column that may protect it is imported disabled, with a note', async (t) => {
  const file = `slug,url,expire_policy,pwd_hint,folder
a,https://a.example/,after 10 days,,x
b,https://a.example/,,None,x
c,https://a.example/,-,maiden name,x
`;
  const [a, b, c] = await linesOf('csv', file);
  t.like(a, {isDisabled: true});
  t.like((a as {notes?: unknown[]}).notes?.[0], {code: 'protection_unknown'});
  t.like(b, {isDisabled: undefined});
  t.like(c, {isDisabled: true});
});

test('a link ends at the earliest of its expiry dates, and at the lowest of its limits', async (t) => {
  const names = [
    ...['expire_at', 'expiry_time', 'expire_at_datetime', 'expire_after', 'Ablaufdatum'],
    ...['expire_at_views', 'expiration_hits', 'max_clicks'],
  ];
  for (const name of names) {
    const isLimit = /hits|views|clicks/.test(name);
    const [line] = await linesOf('csv', `slug,url,${name}\na,https://a.example/,${isLimit ? 5 : 1_893_456_000}\n`);
    t.like(line, isLimit ? {maxVisits: 5} : {end: 1_893_456_001_000}, name);
  }
  const [both] = await linesOf(
    'csv',
    'slug,url,expires,expire_at,max_visits,max_clicks\na,https://a.example/,2031-01-01,2030-01-01,9,7\n',
  );
  t.like(both, {end: Date.UTC(2030, 0, 2), maxVisits: 7});
  const [expired] = await linesOf('csv', 'slug,url,expire_url\na,https://a.example/,https://b.example/\n');
  t.like(expired, {expiredUrl: 'https://b.example/'});
});

test('a domain may be written as a URL, and tags as an array of JSON, Python or Postgres', async (t) => {
  const file = `domain;slug;url;tags
https://sho.rt;a;https://a.example/;["mail", "print"]
sho.rt/;b;https://a.example/;{mail,"big print"}
//sho.rt/x/;c;https://a.example/;['mail', 'print']
sho.rt;d;https://a.example/;[]
`;
  t.deepEqual(
    (await linesOf('csv', file)).map((line) => ({...line, line: 0, url: ''})),
    [
      {line: 0, shortPart: 'a', url: '', domain: 'sho.rt', tags: ['mail', 'print']},
      {line: 0, shortPart: 'b', url: '', domain: 'sho.rt', tags: ['mail', 'big print']},
      {line: 0, shortPart: 'c', url: '', domain: 'sho.rt', tags: ['mail', 'print']},
      {line: 0, shortPart: 'd', url: '', domain: 'sho.rt'},
    ],
  );
});

test('a row of separators only is no row', async (t) => {
  const file = 'slug;url;title\na;https://a.example/;x\n;;\n ; ;\nb;https://a.example/;\n;;\n';
  t.deepEqual(
    (await linesOf('csv', file)).map(({line, shortPart}) => [line, shortPart]),
    [
      [2, 'a'],
      [5, 'b'],
    ],
  );
});

test('the columns have names in the languages of the dashboard', async (t) => {
  for (const header of [
    'Lange URL;Eigene Endung;Titel;Schlagwörter',
    'URL longue;Fin personnalisée;Titre;Étiquettes',
    'URL larga;Final personalizado;Título;Etiquetas',
    '长网址;自定义后缀;标题;标签',
    '長網址;自訂後綴;標題;標籤',
  ]) {
    const [line] = await linesOf('csv', `${header}\nhttps://a.example/;a;Été;mail,print\n`);
    t.like(line, {shortPart: 'a', url: 'https://a.example/', title: 'Été', tags: ['mail', 'print']}, header);
  }
});

test('an unreadable line is reported with its code, and the lines after it are read', async (t) => {
  const file = Buffer.concat([
    Buffer.from('short_part,url,visits,created\n,https://a.example/,,\nb,,,\nc,https://a.example/,many,\n'),
    Buffer.from('d,https://a.example/,-1,\ne,https://a.example/,,2024-02-30\nf,https://a.example/,1e3,\n'),
    Buffer.from('g,https://a.example/\xE4,,\n', 'latin1'),
    Buffer.from('h,https://a.example/\n'),
  ]);
  t.deepEqual(
    (await linesOf('csv', file)).map((line) => [line.line, line.shortPart, 'code' in line ? line.code : 'read']),
    [
      [2, undefined, 'not_a_link'],
      [3, 'b', 'not_a_link'],
      [4, 'c', 'unreadable_number'],
      [5, 'd', 'unreadable_number'],
      [6, 'e', 'unreadable_date'],
      [7, 'f', 'unreadable_number'],
      [8, 'g', 'not_utf8'],
      [9, 'h', 'read'],
    ],
  );
});

test('a file without the columns, and an empty one, are refused', async (t) => {
  await t.throwsAsync(linesOf('csv', 'a,b\n1,2\n'), {code: 'malformed_file'});
  await t.throwsAsync(linesOf('csv', ''), {code: 'malformed_file'});
});

test('a short URL of many slashes is read in linear time', async (t) => {
  const fileOf = (slashes: number): string => `short_url,long_url\nsho.rt/${'/'.repeat(slashes)}x,https://a.example/\n`;
  t.like(await linesOf('csv', fileOf(400_000)), [{line: 2, code: 'not_a_link'}]);
  t.true(await isLinear(20_000, (slashes) => linesOf('csv', fileOf(slashes))));
});

test('no more of a value is kept than a link can have', async (t) => {
  const file = `slug,url,title,tags\none,https://a.example/,${'x'.repeat(500_000)},${'y;'.repeat(200_000)}\n`;
  const [line] = await linesOf('csv', file);
  t.true(JSON.stringify(line).length < 10_000);
});
