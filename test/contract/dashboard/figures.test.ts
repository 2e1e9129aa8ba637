import '../../support/quick-scrypt.ts';
import test from 'ava';
import type {ShortUrlOptions} from '../../../src/index.ts';
import {open, textOf} from '../../support/dashboard.ts';
import {linkPath} from '../../support/dashboard-pages.ts';
import {openAsPerson, viaOf} from '../../support/visitor.ts';

const url = 'https://example.org/';
const day = 24 * 60 * 60 * 1000;

test('the most visited links and the tags of a span can be compared', async (t) => {
  const {shortener, visitor, clock} = await open(t, {shortUrl: {attribution: {}}});
  const {links, conversions} = shortener;
  const spring = await links.create('ann', {url, customUrl: 'spring', tags: ['mail', 'crew']});
  const autumn = await links.create('ann', {url, customUrl: 'autumn', tags: ['Mail'], title: 'Autumn'});
  await links.create('ann', {url, tags: ['unused']});
  clock.now -= 20 * day;
  for (let visits = 0; visits < 3; visits++) await openAsPerson(autumn.shortUrl);
  clock.now += 20 * day;
  await openAsPerson(autumn.shortUrl);
  await openAsPerson(spring.shortUrl);
  const {headers} = await openAsPerson(spring.shortUrl);
  const via = viaOf(headers.getSetCookie());
  await conversions.record({via}, {name: 'order', id: 1, value: 124_440, currency: 'EUR'});
  await conversions.refund({name: 'order', id: 1, refund: 1, value: 24_440});
  const values = [{currency: 'EUR', value: 124_440, refunded: 24_440}];
  const inWeek = await links.compare('ann', {from: '2031-04-30', until: '2031-05-06'});
  t.deepEqual(
    inWeek.mostVisited.map(({link, ...numbers}) => [link.shortUrlPart, numbers]),
    [
      ['spring', {visits: 2, conversions: 1, values}],
      ['autumn', {visits: 1, conversions: 0, values: []}],
    ],
  );
  t.like(inWeek, {
    links: 3,
    isComplete: true,
    tags: [
      {tag: 'Mail', links: 2, visits: 3, conversions: 1, values},
      {tag: 'crew', links: 1, visits: 2, conversions: 1, values},
      {tag: 'unused', links: 1, visits: 0, conversions: 0, values: []},
    ],
  });
  for (const query of [undefined, {from: '2030-06-01'}]) {
    const {mostVisited} = await links.compare('ann', query);
    t.like(mostVisited, [
      {link: {title: 'Autumn'}, visits: 4, conversions: 0},
      {visits: 2, conversions: 1, values},
    ]);
  }
  const ann = visitor('ann');
  const home = await ann.get('?days=7');
  t.true(home.text.includes('href="./compare?days=7"'));
  const {text} = await ann.get('compare?days=7');
  t.regex(
    textOf(text),
    /Link Visits Conversions Rate Value localhost:\d+\/spring 2 1 50% €1,000.00 \(€1,244.40 before refunds\) Autumn localhost:\d+\/autumn 1 0 0%/,
  );
  t.regex(
    textOf(text),
    /Tags Links Visits Conversions Rate Value Mail 2 3 1 33.3% €1,000.00 \(.*\) crew 1 2 1 50% €1,000.00 \(.*\) unused 1 0 0 –/,
  );
  const days = text.matchAll(/href="\.\/(?:link\?short_url|\?tag)=[^"]*days=7/g);
  t.is([...days].length, 5);
  t.regex(text, /<nav class="links-tabs"[^>]*>[^]*href="\.\/compare" aria-current="page"/);
  t.regex(textOf((await ann.get('compare')).text), /Autumn localhost:\d+\/autumn 4 0 0%/);
  const early = await ann.get('compare?from=2031-05-01&until=2031-05-02');
  t.true(textOf(early.text).includes('No visits from May 1, 2031 to May 2, 2031'));
  t.is((await ann.get('compare?from=x')).status, 400);
  t.true((await visitor('bob').get('compare')).text.includes('No visits in the last 30 days'));
});

test('a month is shown beside the whole month before', async (t) => {
  const {shortener, visitor, clock} = await open(t);
  const {shortUrl} = await shortener.links.create('ann', {url});
  const now = clock.now;
  for (const date of ['2031-03-01', '2031-03-31', '2031-04-01', '2031-04-30', '2031-05-06']) {
    clock.now = Date.parse(`${date}T12:00:00Z`);
    await openAsPerson(shortUrl);
  }
  clock.now = now;
  const read = async (choice: string): Promise<string> => textOf((await visitor('ann').get(`?days=${choice}`)).text);
  t.regex(await read('month'), /Visits 1 from Apr 1, 2031 to Apr 30, 2031: 2 \(-50%\)/);
  t.regex(await read('last-month'), /Visits 2 from Mar 1, 2031 to Mar 31, 2031: 2 \(0%\)/);
});

test('the visits of a link and of an account can be saved as CSV, by day and by detail', async (t) => {
  const visitDetails: ShortUrlOptions['visitDetails'] = (ctx) => ({source: ctx.get('X-Source')});
  const {visitor, shortener, clock} = await open(t, {shortUrl: {visitDetails}});
  const {shortUrl: spring} = await shortener.links.create('ann', {url, customUrl: 'spring'});
  const {shortUrl: autumn} = await shortener.links.create('ann', {url, customUrl: 'autumn'});
  await openAsPerson(spring, {'X-Source': '=HYPERLINK("https://evil.example")'});
  clock.now += day;
  await openAsPerson(spring, {'X-Source': 'é'});
  await openAsPerson(autumn, {'X-Source': 'mail'});
  const ann = visitor('ann');
  const link = await ann.get(linkPath(spring).replace('link', 'visits.csv'));
  t.is(link.status, 200);
  t.is(link.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.is(link.headers.get('content-disposition'), 'attachment; filename="visits-spring.csv"');
  t.is(link.headers.get('cache-control'), 'no-store');
  const rows = link.text.trimEnd().split('\r\n');
  const beginning = ['kind,name,value,visits', 'total,,,2', 'day,,2031-05-06,1', 'day,,2031-05-07,1'];
  t.deepEqual(rows.slice(0, 4), beginning);
  t.is(rows.length, 6);
  // A spreadsheet would run a cell that begins with an equals sign.
  t.true(rows.includes(`detail,source,"'=HYPERLINK(""https://evil.example"")",1`), rows.join());

  const account = await ann.get('visits.csv');
  t.is(account.headers.get('content-disposition'), 'attachment; filename="visits.csv"');
  for (const row of ['total,,,3', 'day,,2031-05-07,2', 'detail,source,mail,1']) t.true(account.text.includes(row), row);
  for (const page of ['', linkPath(spring)]) {
    const {text} = await ann.get(page);
    const [, address = ''] = /href="([^"]*visits\.csv[^"]*)" download>Download as CSV</.exec(text) ?? [];
    t.is((await ann.get(address)).status, 200, page);
  }
});

test('the CSV of a link has the name of the link, in any script and with segments', async (t) => {
  const {visitor, shortener} = await open(t, {shortUrl: {shortParts: {unicode: true, segments: 3}}});
  const files = {
    'visits-_____.csv': ['весна', 'visits-весна.csv'],
    'visits-_.csv': ['🌸', 'visits-🌸.csv'],
    'visits-caf_.csv': ['café', 'visits-café.csv'],
    'visits-a-b-c.csv': ['a/b/c', undefined],
    'visits-_-b.csv': ['春/b', 'visits-春-b.csv'],
  } as const;
  for (const [plain, [customUrl, name]] of Object.entries(files)) {
    const {shortUrl} = await shortener.links.create('ann', {url, customUrl});
    const ann = visitor('ann');
    const {status, headers} = await ann.get(linkPath(shortUrl).replace('link', 'visits.csv'));
    t.is(status, 200, customUrl);
    const extended = name === undefined ? '' : `; filename*=UTF-8''${encodeURIComponent(name)}`;
    t.is(headers.get('content-disposition'), `attachment; filename="${plain}"${extended}`);
    const page = (await ann.get(linkPath(shortUrl))).text;
    t.true(page.includes(`download="${customUrl.replaceAll('/', '-')}.svg"`), customUrl);
  }
});
