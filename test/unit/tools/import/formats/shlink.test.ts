import test from 'ava';
import {shortUrl} from '../../../../../src/index.ts';
import {importLinks} from '../../../../../src/tools/import/import-links.ts';
import {collect} from '../../../../support/collect.ts';
import {linesOf} from '../../../../support/tools/lines.ts';

const created = Date.UTC(2024, 1, 29, 9, 20, 30);

test('the CSV of the web client is read', async (t) => {
  const file = `"createdAt","domain","shortCode","shortUrl","longUrl","title","tags","visits"
"2024-02-29T10:20:30+01:00",,"one","https://s.test/one","https://a.example/","One, ""two""","mail|spring",41
"2024-02-29T10:20:30+01:00","go.example","two","https://go.example/two","https://b.example/","","",0
`;
  t.deepEqual(await linesOf('shlink', file), [
    {
      line: 2,
      shortPart: 'one',
      url: 'https://a.example/',
      domain: 's.test',
      title: 'One, "two"',
      tags: ['mail', 'spring'],
      created,
      visits: 41,
    },
    {line: 3, shortPart: 'two', url: 'https://b.example/', domain: 'go.example', created},
  ]);
  await t.throwsAsync(linesOf('shlink', 'title,longUrl\n'), {code: 'malformed_file'});
  await t.throwsAsync(linesOf('shlink', ''), {code: 'malformed_file'});
});

/** A short URL in the form of Shlink 4's API. */
const short = (shortCode: string, more: object = {}): object => ({
  shortUrl: `https://s.test/${shortCode}`,
  shortCode,
  longUrl: `https://destination.example/${shortCode}`,
  dateCreated: '2024-02-29T10:20:30+01:00',
  tags: [],
  meta: {validSince: null, validUntil: null, maxVisits: null},
  domain: null,
  title: null,
  crawlable: false,
  forwardQuery: true,
  visitsSummary: {total: 0, nonBots: 0, bots: 0},
  hasRedirectRules: false,
  ...more,
});

const answer = (...data: object[]): object => ({
  shortUrls: {data, pagination: {currentPage: 1, pagesCount: 1, itemsPerPage: 10, totalItems: data.length}},
});

test('an answer of the API is read', async (t) => {
  const file = JSON.stringify(
    answer(
      short('one', {
        tags: ['mail', 'a,b'],
        title: 'One',
        visitsSummary: {total: 41, nonBots: 40, bots: 1},
        meta: {validSince: '2020-01-01T00:00:00+00:00', validUntil: '2030-12-31T10:00:00+00:00', maxVisits: 100},
      }),
      short('two', {meta: {validSince: '2040-01-01T00:00:00+00:00', validUntil: null, maxVisits: null}}),
      short('foo/bar', {hasRedirectRules: true, domain: 'go.example'}),
    ),
  );
  const [one, two, three] = await linesOf('shlink', file, {size: 100});
  t.deepEqual(one, {
    line: 1,
    shortPart: 'one',
    url: 'https://destination.example/one',
    domain: 's.test',
    title: 'One',
    tags: ['mail', 'a,b'],
    created,
    startDate: new Date('2020-01-01'),
    end: Date.UTC(2030, 11, 31, 10, 0, 1),
    visits: 41,
    maxVisits: 100,
    forwardQuery: true,
  });
  t.like(two, {shortPart: 'two', startDate: new Date('2040-01-01')});
  t.like(three, {shortPart: 'foo/bar', domain: 'go.example'});
});

test('rules whose conditions links here have are kept in their order, and others are reported', async (t) => {
  const rule = (longUrl: string, ...conditions: object[]): object => ({longUrl, priority: 1, conditions});
  const device = {type: 'device', matchKey: null, matchValue: 'ios'};
  const language = (matchValue: string): object => ({type: 'language', matchKey: null, matchValue});
  const file = JSON.stringify([
    short('one', {
      hasRedirectRules: true,
      redirectRules: [
        rule('https://a.example/', device, language('pt_BR')),
        rule('https://b.example/', {type: 'geolocation-country-code', matchKey: null, matchValue: 'AT'}),
      ],
    }),
    short('two', {
      redirectRules: [
        rule('https://c.example/', device, {type: 'query-param', matchKey: 'a', matchValue: 'b'}),
        rule('https://c.example/', language('de'), language('en')),
        rule('https://c.example/', {...device, matchValue: 'windows'}),
        rule('https://c.example/', language('*')),
        rule('https://c.example/'),
        rule('https://d.example/', language('de')),
      ],
    }),
    short('three', {hasRedirectRules: true}),
    short('four', {deviceLongUrls: {ios: 'https://e.example/', android: null}}),
    short('five', {
      redirectRules: [
        ...new Array<object>(10).fill(
          rule('https://c.example/', {type: 'query-param', matchKey: 'a', matchValue: 'b'}),
        ),
        rule('https://f.example/', language('de')),
      ],
    }),
  ]);
  const store = new Map();
  const shortener = shortUrl({baseUrl: 'https://s.test', store});
  await shortener.accounts.create('ann');
  const {report} = await importLinks({
    format: 'shlink',
    file: [file],
    store,
    account: 'ann',
    baseUrl: 'https://s.test',
  });
  t.deepEqual(
    (await collect(shortener.links.list('ann'))).map(({shortUrlPart, rules}) => [shortUrlPart, rules]),
    [
      [
        'one',
        [
          {device: 'ios', language: 'pt-BR', url: 'https://a.example/'},
          {country: 'AT', url: 'https://b.example/'},
        ],
      ],
      ['two', [{language: 'de', url: 'https://d.example/'}]],
      ['three', []],
      ['four', [{device: 'ios', url: 'https://e.example/'}]],
      ['five', [{language: 'de', url: 'https://f.example/'}]],
    ],
  );
  t.deepEqual(
    report.map(({shortPart, code, message}) => [shortPart, code, message.split('.')[0]]),
    [
      ['two', 'rules_dropped', '5 of 6 rules were left out'],
      ['three', 'rules_dropped', '1 of 1 rules were left out'],
      ['five', 'rules_dropped', '10 of 11 rules were left out'],
    ],
  );
});
