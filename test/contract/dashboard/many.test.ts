import '../../support/quick-scrypt.ts';
import {readdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import test from 'ava';
import type {Middleware} from 'koa';
import {textsOf} from '../../../src/dashboard/texts/texts.ts';
import {type PageLanguage, shortUrl} from '../../../src/index.ts';
import {importLinks} from '../../../src/tools.ts';
import {pageLanguages} from '../../../src/values/language.ts';
import {fieldsIn, open, type Stage, textOf} from '../../support/dashboard.ts';
import {elementsOf} from '../../support/documents.ts';

// Its types contradict those of @koa/bodyparser.
const {koaBody} = createRequire(import.meta.url)('koa-body') as {koaBody: (options?: object) => Middleware};

/** The lines of the table of results, or of changes. */
function resultsIn(html: string): string[] {
  const [table = ''] = (html.split('role="rowgroup"')[2] ?? '').split('</table>');
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

/** What the menus above the columns have chosen. */
function columnsIn(html: string): string[] {
  return Object.entries(fieldsOf(html)).flatMap(([name, value]) => (name.startsWith('column_') ? [value] : []));
}

/** The fields of the form about a table, as a browser posts them. */
function fieldsOf(html: string, action = './create-many'): Record<string, string> {
  const elements = elementsOf(html);
  const menus: Record<string, string> = {};
  let menu = '';
  for (const {name, attributes} of elements) {
    if (name === 'select') menu = attributes.get('name') ?? '';
    if (name !== 'option') continue;
    if (attributes.has('selected') || !(menu in menus)) menus[menu] = attributes.get('value') ?? '';
  }
  return {...fieldsIn(html, action), ...menus};
}

/** Posts the form of reading, as browsers do. */
async function send(
  {home, visitor}: Stage,
  fields: Readonly<Record<string, string | File>>,
  {action = 'read-many', language = 'en'} = {},
): Promise<{status: number; text: string}> {
  const body = new FormData();
  body.set('_token', await visitor('ann').token());
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const headers = {'X-User': 'ann', 'Sec-Fetch-Site': 'same-origin', 'Accept-Language': language};
  const answer = await fetch(home + action, {method: 'POST', body, headers});
  return {status: answer.status, text: await answer.text()};
}

async function upload(stage: Stage, content: string | Uint8Array, language = 'en'): Promise<string> {
  const file = new File([Buffer.from(content as string)], 'links.csv', {type: 'text/csv'});
  return (await send(stage, {lines: '', file}, {language})).text;
}

async function paste(stage: Stage, lines: string): Promise<string> {
  return (await send(stage, {lines})).text;
}

/** Sends the form of a page, as its button does. */
async function press(
  stage: Stage,
  page: string,
  fields: Readonly<Record<string, string>> = {},
  action?: string,
): Promise<string> {
  const form = page.includes(' action="./change-many"') ? 'change-many' : 'create-many';
  return (await send(stage, {...fieldsOf(page, `./${form}`), ...fields}, {action: action ?? form})).text;
}

/** The file with the result that a page has. */
function answerIn(page: string): string {
  const [, content = ''] = /href="data:text\/csv;charset=utf-8;base64,([^"]*)"/.exec(page) ?? [];
  return Buffer.from(content, 'base64').toString();
}

test('each line becomes a link, and lines with mistakes are named and come back to be corrected', async (t) => {
  const stage = await open(t);
  const {shortener, origin} = stage;
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
  const preview = await paste(stage, lines.join('\r\n'));
  t.true(textOf(preview).includes('5 lines were read.'));
  t.true(textOf(preview).includes('2 lines have mistakes and are left out.'));
  t.true(textOf(preview).includes('Line 5: nonsense Enter an absolute http or https URL'));
  t.deepEqual(columnsIn(preview), ['url', 'shortPart', 'title']);
  t.is((await shortener.accounts.stats('ann')).links, 1);
  const text = await press(stage, preview);
  const [first = '', ...rest] = resultsIn(text);
  t.regex(first, /^2 https:\/\/example\.org\/a,b;c\?q=&quot;1&quot; localhost\/\w{7}$/);
  t.deepEqual(rest, [
    '4 https://example.org/2 localhost/spring',
    '5 nonsense Enter an absolute http or https URL of at most 8,192 characters.',
    '6 https://example.org/3 This ending is taken. Choose another one.',
    '7 https://example.org/4 Title: Enter 1 to 200 characters.',
  ]);
  t.true(textOf(text).includes('2 short links were created.'));
  t.true(textOf(text).includes('3 lines failed.'));
  t.is(linesIn(text), ['Long URL\tCustom ending\tTitle', `${lines[4]}\t`, lines[5], lines[6]].join('\n'));
  t.regex(text, new RegExp(`data-copy="${origin}/\\w{7}\n${origin}/spring"`));
  t.like(await shortener.links.info('ann', `${origin}/spring`), {
    originalUrl: 'https://example.org/2',
    title: 'Spring sale',
  });
  const [headings, , second, third] = answerIn(text).split('\r\n');
  t.is(headings, '\u{FEFF}Long URL,Short URL,Title,Mistake');
  t.is(second, `https://example.org/2,${origin}/spring,Spring sale,`);
  t.is(third, 'nonsense,,,"Enter an absolute http or https URL of at most 8,192 characters."');
});

test('a form that is sent twice creates its links once', async (t) => {
  const stage = await open(t);
  const {shortener} = stage;
  const lines = 'https://example.org/1\nhttps://example.org/2';
  const page = await paste(stage, lines);
  const first = await press(stage, page);
  const again = await press(stage, page);
  t.deepEqual(resultsIn(again), resultsIn(first));
  t.is((await shortener.accounts.stats('ann')).links, 2);
  await press(stage, page, {lines: `${lines}\nhttps://example.org/3`});
  await press(stage, await paste(stage, lines));
  t.is((await shortener.accounts.stats('ann')).links, 7);
});

test('a file is shown as it was read before any link is made, whatever separates its columns', async (t) => {
  const stage = await open(t);
  for (const [index, separator] of [',', ';', '\t'].entries()) {
    const row = ['https://example.org/', `file${index}`, '"Spring, sale; today"'].join(separator);
    const page = await upload(stage, `\u{FEFF}url${separator}ending${separator}title\r\n${row}\r\n`);
    t.true(textOf(page).includes('1 line was read.'));
    t.true(textOf(page).includes('Spring, sale; today'));
    t.is((await stage.shortener.accounts.stats('ann')).links, index);
    t.deepEqual(resultsIn(await press(stage, page)), [`2 https://example.org/ localhost/file${index}`]);
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
    await press(stage, page);
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
  t.deepEqual(columnsIn(page), ['url', '', 'title']);
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
      'https://example.org/3,three,,,,,,,yes\n',
  );
  const done = await press(stage, page);
  t.true(textOf(done).includes('1 short link was created.'));
  t.like(await stage.shortener.links.info('ann', `${stage.origin}/one`), {
    hasPassword: true,
    expiryDate: '2040-01-02 23:59:59',
    maxVisits: 5,
    forwardQuery: true,
    confirm: true,
  });
  t.is((await stage.shortener.accounts.stats('ann')).links, 1);
  t.false(textOf(page).includes('s3cret'), 'a password is not shown');
  const places = columnsIn(page).flatMap((choice, place) =>
    ['locked', 'disabled'].includes(choice) ? [`column_${place}`] : [],
  );
  t.is(places.length, 2);
  await press(stage, page, Object.fromEntries(places.map((name) => [name, ''])));
  t.is((await stage.shortener.accounts.stats('ann')).links, 3);
});

test('a column that may close links, or that another one has, has to be decided about', async (t) => {
  const stage = await open(t);
  const page = await paste(stage, 'url\tclick_quota\tNote\nhttps://example.org/\t3\tx');
  t.deepEqual(columnsIn(page), ['url', 'undecided', '']);
  t.true(textOf(page).includes('May say that a link is off, locked or limited.'));
  const refused = await press(stage, page);
  t.true(textOf(refused).includes('First choose what the marked columns are'));
  const twice = await press(stage, page, {column_1: 'url'});
  t.true(textOf(twice).includes('Another column has this field.'));
  t.true(
    textOf(await press(stage, page, {column_0: '', column_1: ''})).includes('Choose the column of the long URLs.'),
  );
  t.is((await stage.shortener.accounts.stats('ann')).links, 0);
  await press(stage, refused, {column_1: 'maxVisits', column_2: 'title'});
  const {links} = await stage.shortener.links.page('ann');
  t.like(links[0], {maxVisits: 3, title: 'x'});
});

test('a user says what separates the columns, and whether the first line has headings', async (t) => {
  const stage = await open(t);
  const page = await paste(stage, 'https://example.org/1,one\nhttps://example.org/2,two');
  t.deepEqual(columnsIn(page), ['url']);
  const again = await press(stage, page, {separator: 'comma'}, 'read-many');
  t.deepEqual(columnsIn(again), ['url', 'shortPart']);
  t.deepEqual(resultsIn(await press(stage, again)), [
    '1 https://example.org/1 localhost/one',
    '2 https://example.org/2 localhost/two',
  ]);
  const headed = await paste(stage, 'Long URL\tName\nhttps://example.org/3\tThree');
  t.true(textOf(headed).includes('1 line was read.'));
  const {has_heading: heading, ...others} = fieldsOf(headed);
  t.is(heading, 'yes');
  const unheaded = (await send(stage, others)).text;
  t.true(textOf(unheaded).includes('2 lines were read.'));
});

test('in a pasted column of long URLs, commas and semicolons belong to them, with a heading or without', async (t) => {
  const stage = await open(t);
  const urls = ['https://maps.example.org/@48.1,11.5,15z', 'https://example.org/a;b=1,2'];
  for (const lines of [urls, ['Long URL', ...urls], ['URL\tTitle', ...urls.map((each) => `${each}\tA, b; c`)]]) {
    const results = resultsIn(await press(stage, await paste(stage, lines.join('\n'))));
    t.deepEqual(
      results.map((line) => line.split(' ')[1]),
      urls,
    );
  }
});

test('what a page calls a field is a heading, in every language', async (t) => {
  const stage = await open(t);
  for (const language of pageLanguages as readonly PageLanguage[]) {
    const {fields, card} = textsOf(language);
    const headings = [
      ...[fields.url, fields.shortPart, fields.shortUrl, fields.title, fields.tags, fields.reference, fields.password],
      ...[fields.startDate, fields.expiryDate, fields.limit, fields.expiredUrl, fields.confirm, fields.query],
      ...[card.name, card.text, card.image, fields.domain, textsOf(language).campaign.utm_campaign],
    ];
    const page = await paste(stage, `${headings.join('\t')}\nhttps://example.org/`);
    t.deepEqual(
      columnsIn(page),
      [
        ...['url', 'shortPart', 'shortUrl', 'title', 'tags', 'reference', 'password'],
        ...['startDate', 'end', 'maxVisits', 'expiredUrl', 'confirm', 'forwardQuery'],
        ...['previewTitle', 'previewDescription', 'previewImage', 'domain', 'utm_campaign'],
      ],
      language,
    );
  }
});

test('more rows than one request creates are created in portions, which go on where the last one ended', async (t) => {
  const stage = await open(t);
  const rows = Array.from({length: 1201}, (_, index) => `https://example.org/,"Title\n${index}"`);
  const preview = await upload(stage, ['url,title', ...rows].join('\n'));
  t.true(textOf(preview).includes('1,201 lines were read.'));
  const first = await press(stage, preview);
  t.true(textOf(first).includes('500 short links were created. '));
  t.is((await stage.shortener.accounts.stats('ann')).links, 500);
  t.deepEqual(await press(stage, preview), first, 'a repeat creates nothing');
  const second = await press(stage, first);
  t.true(textOf(second).includes('1,000 short links were created.'));
  const last = await press(stage, second);
  t.true(textOf(last).includes('1,201 short links were created.'));
  t.false(last.includes('links-rest'));
  t.true(answerIn(last).includes('Title 1200,'));
  t.is((await stage.shortener.accounts.stats('ann')).links, 1201);
});

test('of a text that goes on elsewhere, a row that may be cut off is left for the next portion', async (t) => {
  const stage = await open(t);
  const preview = await upload(stage, 'url,title\nhttps://example.org/1,one\nhttps://example.org/2,"tw\no"\n');
  for (const lines of [
    'https://example.org/1,one\nhttps://example.org/2,t',
    'https://example.org/1,one\nhttps://example.org/2,"tw\no',
    // Only a quotation mark at the beginning of a cell opens it.
    'https://example.org/1,24" screen\nhttps://example.org/2,"tw\no',
  ]) {
    const read = textOf((await send(stage, {lines: `url,title\n${lines}`, more: 'yes'})).text);
    t.regex(read, /1 line was read. Nothing is saved yet. More lines follow./);
    t.notRegex(read, /mistake/);
    const page = await press(stage, preview, {lines, more: 'yes'});
    const rest = fieldsIn(page, './create-many')['lines'] ?? '';
    t.is(rest, lines.slice(lines.indexOf('\n') + 1));
  }
});

test('a quotation mark that is not closed cuts no later row of a text that goes on elsewhere', async (t) => {
  const stage = await open(t);
  const preview = await upload(stage, 'url,title\nhttps://example.org/1,"tw\no"\n');
  for (const title of ['"Best" of', '"']) {
    const whole = `https://example.org/1,${title}\nhttps://example.org/2,two\n`;
    const cut = 'https://example.org/3,"thr\nee';
    const page = await press(stage, preview, {lines: whole + cut, more: 'yes'});
    t.is(fieldsIn(page, './create-many')['lines'], cut);
    t.deepEqual(
      resultsIn(page).map((line) => line.split(' ')[1]),
      ['https://example.org/1', 'https://example.org/2'],
    );
  }
});

test('dates whose day may be their month are read as the whole file says, or the language of the page', async (t) => {
  const rows = (...dates: string[]): string =>
    ['url;Gültig bis', ...dates.map((date, index) => `https://example.org/${index};${date}`)].join('\n');
  const made = async (text: string, language: 'de' | 'en'): Promise<Array<string | null>> => {
    const stage = await open(t);
    await press(stage, await upload(stage, Buffer.from(text), language));
    const {links} = await stage.shortener.links.page('ann');
    return links.map(({expiryDate}) => expiryDate).toReversed();
  };
  t.deepEqual(await made(rows('03/04/2040'), 'de'), ['2040-04-03 23:59:59']);
  t.deepEqual(await made(rows('12/31/2040', '03/04/2040'), 'de'), ['2040-12-31 23:59:59', '2040-03-04 23:59:59']);
  t.deepEqual(await made(rows('03/04/2040'), 'en'), []);
});

test('a date that comes back with its row to be corrected is still the day that the whole file has said', async (t) => {
  const stage = await open(t);
  const {shortener, origin} = stage;
  await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'taken'});
  const row = (ending: string, start: string, end: string): string =>
    `https://example.org/\t${ending}\t${start}\t${end}`;
  const table = [
    'url\tending\tstart\texpiry',
    row('taken', '02/03/2040', '03/04/2040 6:05 PM'),
    row('other', '', '12/31/2040'),
  ];
  const preview = (await send(stage, {lines: table.join('\n')}, {language: 'de'})).text;
  const [, again = ''] = linesIn(await press(stage, preview)).split('\n');
  await press(
    stage,
    (await send(stage, {lines: `${table[0]}\n${again.replace('taken', 'free')}`}, {language: 'de'})).text,
  );
  const {startDate, expiryDate} = await shortener.links.info('ann', `${origin}/free`);
  t.deepEqual([startDate, expiryDate], ['2040-02-03 00:00:00', '2040-03-04 18:05:00']);
});

test('a table of short URLs changes these links, after it has shown what changes', async (t) => {
  const stage = await open(t);
  const {shortener, origin} = stage;
  await shortener.accounts.create('bob');
  await shortener.links.create('bob', {url: 'https://example.org/', customUrl: 'bobs'});
  await shortener.links.create('ann', {url: 'https://example.org/1', customUrl: 'one', title: 'One', maxVisits: 5});
  await shortener.links.create('ann', {url: 'https://example.org/2', customUrl: 'two', tags: ['old']});
  const rows = [
    'Short URL;Title;Tags;Status;Created on',
    `${origin}/one;Eins;;Deaktiviert;x`,
    `${origin}/two;;new, old;Active;x`,
    `${origin}/bobs;Mine;;;x`,
    `${origin}/one;${'x'.repeat(201)};;;x`,
    `${origin}/two;;;nonsense;x`,
  ];
  const page = await upload(stage, rows.join('\n'));
  t.deepEqual(columnsIn(page), ['shortUrl', 'title', 'tags', 'status', '']);
  const changes = await press(stage, page, {}, 'change-many');
  t.true(textOf(changes).includes('2 links change.'));
  t.deepEqual(
    resultsIn(changes),
    [
      '4 localhost/bobs This short URL is not in your account.',
      '5 localhost/one Title: Enter 1 to 200 characters.',
      '6 localhost/two Status: Write yes or no, or a status such as active or disabled.',
      '2 localhost/one Title: One Eins Status: Active Disabled',
      '3 localhost/two Tags: old new, old',
    ].map((line) =>
      line.replace('This short URL is not in your account.', textsOf('en').errors.codes.unknown_short_url),
    ),
  );
  t.is((await shortener.links.info('ann', `${origin}/one`)).title, 'One');
  const done = await press(stage, changes);
  t.true(textOf(done).includes('2 links were changed.'));
  t.true(textOf(done).includes('3 lines failed.'));
  t.like(await shortener.links.info('ann', `${origin}/one`), {title: 'Eins', status: 'disabled', maxVisits: 5});
  t.like(await shortener.links.info('ann', `${origin}/two`), {title: null, tags: ['new', 'old']});
  t.is((await shortener.links.info('bob', `${origin}/bobs`)).title, null);
  const again = await press(stage, page, {}, 'change-many');
  t.true(textOf(again).includes('0 links change.'));
});

test('the links that the dashboard saves as CSV in any language change nothing, whatever their statuses', async (t) => {
  const stage = await open(t);
  const {shortener, origin, visitor, clock} = stage;
  const url = 'https://example.org/';
  await shortener.links.create('ann', {url, customUrl: 'active', title: 'Ä; "1",2', tags: ['a', 'b']});
  await shortener.links.create('ann', {url, customUrl: 'scheduled', startDate: '2039-01-01'});
  await shortener.links.create('ann', {url, customUrl: 'expired', expiryDate: '2031-05-06'});
  await shortener.links.create('ann', {url, customUrl: 'disabled'});
  await shortener.links.create('ann', {url, customUrl: 'blocked'});
  await shortener.links.disable('ann', `${origin}/disabled`);
  await shortener.admin.block(`${origin}/blocked`);
  clock.now += 2 * 86_400_000;
  for (const language of pageLanguages) {
    const {text} = await visitor('ann').get('links.csv?days=7', {'Accept-Language': language});
    const file = new File([text], 'links.csv', {type: 'text/csv'});
    const page = (await send(stage, {lines: '', file}, {language})).text;
    t.deepEqual(columnsIn(page).slice(0, 5), ['shortUrl', 'title', 'url', 'tags', 'status'], language);
    const changes = (await send(stage, fieldsOf(page), {action: 'change-many', language})).text;
    t.deepEqual(resultsIn(changes), [], language);
  }
});

test('an import takes the CSV of the dashboard in any language, and each link works as it did', async (t) => {
  const stage = await open(t, {shortUrl: {timeZone: 'Europe/Berlin', attribution: {}}});
  const {shortener, origin, visitor, clock} = stage;
  const url = 'https://example.org/';
  const {links} = shortener;
  await links.create('ann', {url, customUrl: 'active', tags: ['a', 'b'], expiryDate: '2040-01-31 18:30'});
  await links.create('ann', {url, customUrl: 'scheduled', startDate: '2039-01-01'});
  await links.create('ann', {url, customUrl: 'expired', expiryDate: '2031-05-06'});
  await links.create('ann', {url, customUrl: 'limited', maxVisits: 3});
  await links.create('ann', {url, customUrl: 'locked', password: 'secret'});
  await links.create('ann', {url, customUrl: 'blocked'});
  await links.disable('ann', `${origin}/active`);
  await shortener.admin.block(`${origin}/blocked`);
  clock.now += 2 * 86_400_000;
  const properties = [
    'shortUrlPart',
    'status',
    'dateCreated',
    'tags',
    'startDate',
    'expiryDate',
    'maxVisits',
    'hasPassword',
  ];
  const shown = async (from: Pick<typeof shortener, 'links'>): Promise<unknown> =>
    Object.fromEntries(
      (await from.links.page('ann')).links.map((link) => [
        link.shortUrlPart,
        properties.map((name) => link[name as keyof typeof link]),
      ]),
    );
  for (const language of pageLanguages) {
    const {text} = await visitor('ann').get('links.csv?days=7', {'Accept-Language': language});
    const secret = 'a-secret-of-good-length-0123456789';
    const site = {baseUrl: origin, store: new Map(), secret, timeZone: 'Europe/Berlin', now: () => clock.now};
    const summary = await importLinks({...site, account: 'ann', createAccount: true, format: 'csv', file: [text]});
    t.deepEqual(summary.codes, {password_unknown: 1}, language);
    const moved = shortUrl({...site, secret});
    t.deepEqual(await shown(moved), await shown(shortener), language);
    await moved.close();
  }
});

test('dates are read as the language of the page writes them, where the table does not say so itself', async (t) => {
  const stage = await open(t);
  const {shortener, origin} = stage;
  const table = 'url\tending\texpiry\nhttps://example.org/\ta\t03/04/2040\nhttps://example.org/\tb\t31.12.2040';
  const english = await paste(stage, table.replace('31.12.2040', '04/03/2040'));
  t.true(textOf(english).includes('2 lines have mistakes and are left out.'));
  const page = (await send(stage, {lines: table}, {language: 'de'})).text;
  await press(stage, page);
  t.is((await shortener.links.info('ann', `${origin}/a`)).expiryDate, '2040-04-03 23:59:59');
  t.is((await shortener.links.info('ann', `${origin}/b`)).expiryDate, '2040-12-31 23:59:59');
});

test('a change without a column of short URLs, or of one that a spreadsheet has changed, is refused', async (t) => {
  const stage = await open(t);
  const {origin} = stage;
  await stage.shortener.links.create('ann', {url: 'https://example.org/', customUrl: '7'});
  const without = await press(stage, await paste(stage, 'url\ttitle\nhttps://example.org/\tx'), {}, 'change-many');
  t.true(textOf(without).includes('Choose the column of the short URLs of your links.'));
  const table = `short_url\tshort_part\ttitle\n${origin}/7\t007\tx`;
  const other = await press(stage, await paste(stage, table), {}, 'change-many');
  t.true(textOf(other).includes('The short URL has another ending than the line.'));
});

test('a form without lines, that cannot be read, or that was made for another key creates nothing', async (t) => {
  const stage = await open(t);
  const {visitor, shortener} = stage;
  const lines = 'https://example.org/\n';
  for (const [fields, status, message] of [
    [{lines: ' \n\n'}, 400, 'Enter at least one long URL.'],
    [{lines: ',x'.repeat(1001)}, 400, 'The lines cannot be read.'],
    [{lines, _token: 'stale'}, 403, 'This page was out of date'],
  ] as const) {
    for (const action of ['read-many', 'create-many', 'change-many']) {
      const answer = await send(stage, fields, {action});
      t.is(answer.status, status, message);
      t.true(textOf(answer.text).includes(message), message);
      t.is(linesIn(answer.text).trim(), fields.lines.trim());
    }
  }
  t.is((await visitor('ann').post('create-many', {lines}, {'Sec-Fetch-Site': 'cross-site'})).status, 403);
  t.is((await shortener.accounts.stats('ann')).links, 0);
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
  const page = await upload(stage, 'url,custom_url\nhttps://example.org/a,one\n');
  t.deepEqual(resultsIn(await press(stage, page)), ['2 https://example.org/a localhost/one']);
  t.regex(await upload(stage, `https://example.org/${'x'.repeat(1_300_000)}`), /too (?:large|long|much)/i);
});

test('tags for all lines are added to those of each', async (t) => {
  const stage = await open(t, {shortUrl: {baseDomains: ['sho.rt']}});
  const {shortener} = stage;
  const page = await paste(stage, 'https://example.org/1\tone\tOne\told\nnonsense\nhttps://example.org/2');
  await press(stage, page, {tags: 'spring, old'});
  const {links} = await shortener.links.page('ann');
  const tagsOf = (url: string) => links.find(({originalUrl}) => originalUrl === url)?.tags;
  t.deepEqual(tagsOf('https://example.org/1'), ['old', 'spring']);
  t.deepEqual(tagsOf('https://example.org/2'), ['spring', 'old']);
  const again = await press(stage, page, {tags: 'spring, old', base_domain: 'sho.rt'});
  const preview = (await send(stage, {...fieldsIn(again, './read-many'), lines: 'example.org/3'})).text;
  t.like(fieldsOf(preview), {tags: 'spring, old', base_domain: 'sho.rt'}, 'those of rows that come back stay');
  const tooLong = await press(stage, page, {tags: 'x'.repeat(51)});
  t.true(textOf(tooLong).includes('Enter at most 20 tags'));
});
