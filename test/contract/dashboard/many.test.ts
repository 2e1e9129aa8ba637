import '../../support/quick-scrypt.ts';
import {readdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import test from 'ava';
import type {Middleware} from 'koa';
import {fieldsIn, open, type Stage, textOf} from '../../support/dashboard.ts';

// Its types contradict those of @koa/bodyparser.
const {koaBody} = createRequire(import.meta.url)('koa-body') as {koaBody: (options?: object) => Middleware};

/** The lines of the table of results. */
function resultsIn(html: string): string[] {
  const [table = ''] = /<tbody[^]*?<\/tbody>/.exec(html) ?? [];
  return table
    .split('<tr')
    .filter((row) => row.includes('<td'))
    .map((row) =>
      textOf(`<${row}`)
        .replace(/localhost:\d+/, 'localhost')
        .replace(/ Copy.*/, ''),
    );
}

function linesIn(html: string): string {
  return /<textarea[^>]*>([^<]*)</.exec(html)?.[1] ?? '';
}

/** Posts a file with the form, as browsers do. The page shows what was read. */
async function upload({home, visitor}: Stage, content: string | Uint8Array, language = 'en'): Promise<string> {
  const {_token = '', once = ''} = fieldsIn((await visitor('ann').get('many')).text, './create-many');
  const body = new FormData();
  for (const [name, value] of Object.entries({_token, once, lines: ''})) body.set(name, value);
  body.set('file', new File([Buffer.from(content as string)], 'links.csv', {type: 'text/csv'}));
  const headers = {'X-User': 'ann', 'Sec-Fetch-Site': 'same-origin', 'Accept-Language': language};
  return (await fetch(`${home}create-many`, {method: 'POST', body, headers})).text();
}

/** Sends the form of a page again, as its button does. */
async function confirm({visitor}: Stage, page: string): Promise<string> {
  const lines = unescaped(linesIn(page));
  return (await visitor('ann').post('create-many', {once: fieldsIn(page, './create-many')['once'] ?? '', lines})).text;
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&#39;', "'");
}

test('each line becomes a link, and lines with mistakes are named and stay in the form', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const ann = visitor('ann');
  await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'taken'});
  const lines = [
    'Long URL\tEnding\tTitle',
    'https://example.org/a,b;c?q="1"',
    '',
    ' example.org/2\tspring\tSpring sale ',
    'nonsense\tautumn',
    'https://example.org/3\ttaken\tThree',
    `https://example.org/4\t\t${'x'.repeat(201)}`,
  ];
  const {status, text} = await ann.post('create-many', {once: 'a', lines: lines.join('\r\n')});
  t.is(status, 200);
  const [first = '', ...rest] = resultsIn(text);
  t.regex(first, /^2 https:\/\/example\.org\/a,b;c\?q=&quot;1&quot; localhost\/\w{7}$/);
  t.deepEqual(rest, [
    '4 https://example.org/2 localhost/spring',
    '5 nonsense Enter an absolute http or https URL of at most 8,192 characters.',
    '6 https://example.org/3 This ending is taken. Choose another one.',
    '7 https://example.org/4 A title may have at most 200 characters.',
  ]);
  t.true(textOf(text).includes('2 short links were created.'));
  t.true(textOf(text).includes('No short links were created for 3 lines.'));
  t.is(linesIn(text), [lines[4], lines[5], lines[6]].join('\n'));
  t.regex(text, new RegExp(`data-copy="${origin}/\\w{7}\n${origin}/spring"`));
  t.like(await shortener.links.info('ann', `${origin}/spring`), {
    originalUrl: 'https://example.org/2',
    title: 'Spring sale',
  });
});

test('a form that is sent twice creates its links once', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  const lines = 'https://example.org/1\nhttps://example.org/2';
  const first = await ann.post('create-many', {once: 'a', lines});
  const again = await ann.post('create-many', {once: 'a', lines});
  t.deepEqual(resultsIn(again.text), resultsIn(first.text));
  t.is((await shortener.accounts.stats('ann')).links, 2);
  await ann.post('create-many', {once: 'a', lines: `${lines}\nhttps://example.org/3`});
  await ann.post('create-many', {once: 'b', lines});
  t.is((await shortener.accounts.stats('ann')).links, 7);
});

test('a file is shown as it was read before any link is made, whatever separates its columns', async (t) => {
  const stage = await open(t);
  for (const [index, separator] of [',', ';', '\t'].entries()) {
    const row = ['https://example.org/', `file${index}`, '"Spring, sale; today"'].join(separator);
    const page = await upload(stage, `\u{FEFF}url${separator}ending${separator}title\r\n${row}\r\n`);
    t.true(textOf(page).includes('1 link was read.'));
    t.deepEqual(resultsIn(page), [`2 https://example.org/ file${index} Spring, sale; today`]);
    t.is((await stage.shortener.accounts.stats('ann')).links, index);
    t.deepEqual(resultsIn(await confirm(stage, page)), [`1 https://example.org/ localhost/file${index}`]);
    t.is((await stage.shortener.links.info('ann', `${stage.origin}/file${index}`)).title, 'Spring, sale; today');
  }
});

/** Files of spreadsheets, databases and shells, with the same two links. */
const tables = 'test/support/tables';

for (const name of readdirSync(tables)) {
  test(`the file ${name} gives the links that its program shows`, async (t) => {
    const stage = await open(t, {shortUrl: {shortParts: {unicode: true}}});
    const page = await upload(stage, readFileSync(`${tables}/${name}`), name.includes('-de') ? 'de' : 'en');
    t.false(page.includes('\u{FFFD}'));
    await confirm(stage, page);
    const {links} = await stage.shortener.links.page('ann');
    const made = links.map(({originalUrl, title, tags}) => ({originalUrl, title, tags}));
    t.deepEqual(
      made.sort((one, other) => other.originalUrl.localeCompare(one.originalUrl)),
      [
        {originalUrl: 'https://destination.example/straße', title: 'Frühling, jetzt', tags: ['mail', 'Straße']},
        {originalUrl: 'https://destination.example/2', title: 'Zwei "Worte"', tags: []},
      ],
    );
    t.true(links.some(({shortUrlPart}) => shortUrlPart === 'früh'));
  });
}

test('a file without an encoding, with columns that nothing reads, or that is packed, is told as such', async (t) => {
  const stage = await open(t);
  const page = await upload(stage, Buffer.from('url;Notiz;title\nhttps://example.org/;x;Grün\n', 'latin1'));
  t.true(textOf(page).includes('was read as windows-1252'));
  t.true(textOf(page).includes('These columns are not used: Notiz.'));
  t.true(textOf(page).includes('Grün'));
  for (const start of ['PK\u0003\u0004', '\u001F\u008B']) {
    const refused = await upload(stage, Buffer.from(`${start}\0\0`, 'latin1'));
    t.true(textOf(refused).includes('This file is not a text.'));
  }
  t.is((await stage.shortener.accounts.stats('ann')).links, 0);
});

test('every field of the form may be a column, and a row that says it is protected creates nothing', async (t) => {
  const stage = await open(t);
  const page = await upload(
    stage,
    'long_url,slug,password,has_password,expires,max_visits,forward_query,Vor dem Öffnen fragen,disabled\n' +
      'https://example.org/1,one,s3cret,yes,2040-01-02,5,WAHR,ja,FALSCH\n' +
      'https://example.org/2,two,,yes,,,,,\n' +
      'https://example.org/3,three,,,,,,,yes\n' +
      'https://example.org/4,four,,,31.12.2040,,,,\n',
  );
  const done = await confirm(stage, page);
  t.true(textOf(done).includes('1 short link was created.'));
  t.like(await stage.shortener.links.info('ann', `${stage.origin}/one`), {
    hasPassword: true,
    expiryDate: '2040-01-02 23:59:59',
    maxVisits: 5,
    forwardQuery: true,
    confirm: true,
  });
  t.is((await stage.shortener.accounts.stats('ann')).links, 1);
});

test('a form without lines, with too many, or that was made for another key creates nothing', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  const lines = (count: number): string => 'https://example.org/\n'.repeat(count);
  for (const [fields, status, message] of [
    [{lines: ' \n\n'}, 400, 'Enter at least one long URL.'],
    [{lines: lines(101)}, 400, 'Enter at most 100 lines.'],
    [{lines: '"https://example.org/'}, 400, 'The lines cannot be read.'],
    [{lines: lines(1), _token: 'stale'}, 403, 'This page was out of date'],
  ] as const) {
    const answer = await ann.post('create-many', fields);
    t.is(answer.status, status, message);
    t.true(textOf(answer.text).includes(message), message);
    t.is(linesIn(answer.text).trim(), fields.lines.trim().replace('"', '&quot;'));
  }
  t.is((await ann.post('create-many', {lines: lines(1)}, {'Sec-Fetch-Site': 'cross-site'})).status, 403);
  t.is((await shortener.accounts.stats('ann')).links, 0);
  await ann.post('create-many', {lines: lines(100)});
  t.is((await shortener.accounts.stats('ann')).links, 100);
});

test('a file is read behind a parser of the site that has read it, and a long one is refused', async (t) => {
  const stage = await open(t, {
    assemble(app, {shortener, pages}) {
      app
        .use(koaBody({multipart: true}))
        .use(shortener)
        .use(pages);
      return undefined;
    },
  });
  t.is(linesIn(await upload(stage, 'url,custom_url\nhttps://example.org/a,one\n')), 'https://example.org/a\tone');
  t.regex(await upload(stage, `https://example.org/${'x'.repeat(1_300_000)}`), /too (?:large|long|much)/i);
});

test('tags for all lines are added to those of each, and stay for the lines with a mistake', async (t) => {
  const {visitor, shortener} = await open(t);
  const lines = 'https://example.org/1\tone\tOne\told\nnonsense\nhttps://example.org/2';
  const {text} = await visitor('ann').post('create-many', {lines, tags: 'spring, old'});
  const {links} = await shortener.links.page('ann', {order: 'oldest'});
  t.deepEqual(
    links.map(({tags}) => tags),
    [
      ['old', 'spring'],
      ['spring', 'old'],
    ],
  );
  t.is(fieldsIn(text, './create-many')['tags'], 'spring, old');
  const tooLong = await visitor('ann').post('create-many', {lines: 'https://example.org/3', tags: 'x'.repeat(51)});
  t.true(textOf(tooLong.text).includes('Enter at most 20 tags'));
});
