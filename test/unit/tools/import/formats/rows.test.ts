import test from 'ava';
import {linesOf} from '../../../../support/tools/lines.ts';

const url = 'https://a.example/';

test('a link is out of service if any of several columns says so', async (t) => {
  const file = `slug,url,is_disabled,banned,active,enabled
on,${url},0,false,1,yes
on2,${url},,NULL,enabled,active
on3,${url},0,no,true,on
off1,${url},0,1,1,1
off2,${url},1,0,1,1
off3,${url},0,0,1,0
off4,${url},0,0,inactive,1
off5,${url},0,0,disabled,1
off6,${url},0,0,off,1
off7,${url},,,no,
off8,${url},disabled,,,
off9,${url},2024-02-29,,,
odd,${url},,,perhaps,
`;
  for (const line of await linesOf('csv', file)) {
    const {
      shortPart = '',
      isDisabled = false,
      code,
    } = line as {shortPart?: string; isDisabled?: boolean; code?: string};
    t.is(isDisabled, shortPart.startsWith('off'), shortPart);
    t.is(code, shortPart === 'odd' ? 'unreadable_status' : undefined, shortPart);
  }
  const json = [
    {shortCode: 'off', longUrl: url, disabled: 0, blocked: 1},
    {shortCode: 'on', longUrl: url, disabled: 0, enabled: 1},
    {shortCode: 'off', longUrl: url, enabled: true, active: 0},
  ];
  t.deepEqual(
    (await linesOf('shlink', JSON.stringify(json))).map((line) => 'isDisabled' in line),
    [true, false, true],
  );
});

test('columns and members with values that are not imported are named in every format', async (t) => {
  const ignored = async (...call: Parameters<typeof linesOf>): Promise<string[]> => {
    const names = new Set<string>();
    await linesOf(call[0], call[1], {onIgnored: (name) => names.add(name)});
    return Array.from(names);
  };
  t.deepEqual(
    await ignored('csv', `slug,url,Name,Title,Empty\none,${url},A,B,\n`),
    ['Name'],
    'the title has been read',
  );
  t.deepEqual(await ignored('shlink', `shortCode,longUrl,Folder\none,${url},A\n`), ['Folder']);
  t.deepEqual(await ignored('bitly', `Link,Long URL,Campaign\nbit.ly/one,${url},A\n`), ['Campaign']);
  t.deepEqual(await ignored('yourls', `keyword,url,ip,owner\none,${url},::1,ann\n`), ['owner']);
  t.deepEqual(
    await ignored('yourls', `INSERT INTO a_url (keyword,url,ip,owner) VALUES ('one','${url}','::1',now());`),
    ['owner'],
  );
  const record = {
    longUrl: url,
    shortCode: 'one',
    meta: {maxVisits: null, secret: 1},
    crawlable: true,
    folder: 'A',
    no: [],
  };
  t.deepEqual(await ignored('shlink', JSON.stringify([record])), ['folder', 'secret']);
  t.deepEqual(await ignored('kutt', JSON.stringify([{address: 'one', target: url, id: 'x', note: 'A'}])), ['note']);
  t.deepEqual(
    await ignored('bitly', JSON.stringify([{link: 'bit.ly/one', id: 'bit.ly/one', long_url: url, folder: 'A'}])),
    ['folder'],
  );
});

test('a page of a thousand ordinary links is read in every format', async (t) => {
  const numbers = Array.from({length: 1000}, (_, index) => index);
  const long = (number: number): string => `https://destination.example/page/${number}?a=(1),[2],{3}&b=%22`;
  const title = (number: number): string => `A "title" <b>, {[(${number})]} \\ & more`;
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const sql = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
  const rows = (header: string, row: (number: number) => string): string => [header, ...numbers.map(row)].join('\n');
  const files: ReadonlyArray<readonly [Parameters<typeof linesOf>[0], string]> = [
    ['csv', rows('slug,url,title', (number) => `n${number},${quoted(long(number))},${quoted(title(number))}`)],
    [
      'shlink',
      rows('shortCode,longUrl,title', (number) => `n${number},${quoted(long(number))},${quoted(title(number))}`),
    ],
    [
      'bitly',
      rows('Link,Long URL,Title', (number) => `bit.ly/n${number},${quoted(long(number))},${quoted(title(number))}`),
    ],
    [
      'yourls',
      `INSERT INTO yourls_url VALUES ${numbers
        .map((number) => `('n${number}',${sql(long(number))},${sql(title(number))},'2020-01-02 03:04:05','::1',7)`)
        .join(',')};`,
    ],
    [
      'yourls',
      numbers
        .map(
          (number) =>
            `INSERT INTO yourls_url SET keyword='n${number}',url=${sql(long(number))},title=${sql(title(number))};`,
        )
        .join('\n'),
    ],
    [
      'kutt',
      JSON.stringify({
        data: numbers.map((number) => ({address: `n${number}`, target: long(number), description: title(number)})),
      }),
    ],
    [
      'shlink',
      JSON.stringify({
        shortUrls: {
          data: numbers.map((number) => ({
            ...{
              shortCode: `n${number}`,
              longUrl: long(number),
              title: title(number),
              tags: ['a'],
              meta: {maxVisits: 5},
            },
            redirectRules: [{longUrl: long(number), conditions: [{type: 'device', matchValue: 'ios'}]}],
          })),
        },
      }),
    ],
    [
      'bitly',
      JSON.stringify({
        links: numbers.map((number) => ({
          link: `https://bit.ly/n${number}`,
          long_url: long(number),
          title: title(number),
        })),
      }),
    ],
  ];
  for (const [format, file] of files) {
    for (const size of [997, Number.POSITIVE_INFINITY]) {
      const lines = await linesOf(format, file, {size});
      t.is(lines.length, 1000, `${format} ${file.slice(0, 30)}`);
      t.like(lines[999], {shortPart: 'n999', url: long(999), title: title(999)});
    }
  }
});
