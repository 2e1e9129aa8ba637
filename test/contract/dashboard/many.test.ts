import '../../support/quick-scrypt.ts';
import test from 'ava';
import {fieldsIn, open, type Stage, textOf} from '../../support/dashboard.ts';

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

/** Posts a file with the form, as browsers do. */
async function upload({home, visitor}: Stage, text: string): Promise<string> {
  const {_token = '', once = ''} = fieldsIn((await visitor('ann').get('many')).text, './create-many');
  const body = new FormData();
  for (const [name, value] of Object.entries({_token, once, lines: ''})) body.set(name, value);
  body.set('file', new File([text], 'links.csv', {type: 'text/csv'}));
  const headers = {'X-User': 'ann', 'Sec-Fetch-Site': 'same-origin'};
  return (await fetch(`${home}create-many`, {method: 'POST', body, headers})).text();
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
  t.true(textOf(text).includes('3 lines have mistakes.'));
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

test('a CSV file is read like the lines of the form, whatever separates its columns', async (t) => {
  const stage = await open(t);
  for (const [index, separator] of [',', ';', '\t'].entries()) {
    const row = ['https://example.org/', `file${index}`, '"Spring, sale; today"'].join(separator);
    const text = await upload(stage, `\u{FEFF}url${separator}ending${separator}title\r\n${row}\r\n`);
    t.deepEqual(resultsIn(text), [`2 https://example.org/ localhost/file${index}`]);
    t.is((await stage.shortener.links.info('ann', `${stage.origin}/file${index}`)).title, 'Spring, sale; today');
  }
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
