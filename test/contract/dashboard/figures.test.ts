import '../../support/quick-scrypt.ts';
import test from 'ava';
import type {ShortUrlOptions} from '../../../src/index.ts';
import {open, textOf} from '../../support/dashboard.ts';
import {linkPath} from '../../support/dashboard-pages.ts';
import {openAsPerson, viaOf} from '../../support/visitor.ts';

const url = 'https://example.org/';
const day = 24 * 60 * 60 * 1000;

test('the most valuable links and tags of a span can be compared', async (t) => {
  const {shortener, visitor, clock} = await open(t, {shortUrl: {attribution: {}}});
  const {links, conversions} = shortener;
  const spring = await links.create('ann', {url, customUrl: 'spring', tags: ['mail', 'crew']});
  const autumn = await links.create('ann', {url, customUrl: 'autumn', tags: ['Mail'], title: 'Autumn'});
  await links.create('ann', {url, customUrl: 'unused', tags: ['unused']});
  clock.now -= 20 * day;
  for (let visits = 0; visits < 3; visits++) await openAsPerson(autumn.shortUrl);
  clock.now += 20 * day;
  await openAsPerson(autumn.shortUrl);
  await openAsPerson(spring.shortUrl);
  const {headers} = await openAsPerson(spring.shortUrl);
  const via = viaOf(headers.getSetCookie());
  await conversions.record({via}, {name: 'order', id: 1, value: 124_440, currency: 'EUR'});
  await conversions.refund({name: 'order', id: 1, refund: 1, value: 24_440});
  const values = [{currency: 'EUR', recordedBy: 'site', value: 124_440, refunded: 24_440}];
  const week = {from: '2031-04-30', until: '2031-05-06'};
  const inWeek = await links.compare('ann', week);
  t.deepEqual(
    inWeek.most.map(({link, ...numbers}) => [link.shortUrlPart, numbers]),
    [
      ['spring', {visits: 2, conversions: 1, values}],
      ['autumn', {visits: 1, conversions: 0, values: []}],
      ['unused', {visits: 0, conversions: 0, values: []}],
    ],
  );
  t.like(await links.compareTags('ann', week), {
    links: 3,
    tags: [
      {tag: 'Mail', links: 2, visits: 3, conversions: 1, values},
      {tag: 'crew', links: 1, visits: 2, conversions: 1, values},
      {tag: 'unused', links: 1, visits: 0, conversions: 0, values: []},
    ],
  });
  for (const query of [undefined, {from: '2030-06-01'}]) {
    t.like((await links.compare('ann', query)).most, [
      {link: {title: 'Autumn'}, visits: 4, conversions: 0},
      {visits: 2, conversions: 1, values},
    ]);
  }
  const ann = visitor('ann');
  t.true((await ann.get('?days=7')).text.includes('href="./compare?days=7"'));
  for (const page of [
    '?days=7',
    'compare?days=7',
    'compare?from=2031-04-30&until=2031-05-06',
    linkPath(spring.shortUrl),
  ]) {
    const {href} = /href="\.\/(?<href>compare[^"]*)"/.exec((await ann.get(page)).text)?.groups ?? {};
    t.is(href?.replaceAll('&amp;', '&'), `compare${/\?(days|from).*/.exec(page)?.[0] ?? ''}`);
  }
  const {text} = await ann.get('compare?days=7');
  t.true(textOf(text).includes('Value'));
  t.regex(
    textOf(text),
    /Link Visits order Rate Value localhost:\d+\/spring 2 1 50% €1,000.00 Autumn localhost:\d+\/autumn 1 0 0%/,
  );
  t.regex(
    textOf(text),
    /Tags Links Visits order Rate Value Mail 2 3 1 33.3% €1,000.00 crew 1 2 1 50% €1,000.00 unused 1 0 0 –/,
  );
  t.regex(
    textOf(text),
    /Apr 30 – May 6, 2031 Apr 23 – 29, 2031 Change Visits 3 0 order 1 0 Rate 33.3% – Value €1,000.00 €0.00 Refunds Apr 30 – May 6, 2031: €1,000.00 \(€1,244.40 before refunds\)/,
  );
  t.regex(textOf(text), /Where visits come from April – May 2031: 6 visits/);
  t.regex(text, /aria-sort="descending">\s*<a\s+href="[^"]*order=value/);
  t.is([...text.matchAll(/href="\.\/link\?short_url=[^"]*days=7/g)].length, 3);
  t.is([...text.matchAll(/href="\.\/compare\?days=7[^"]*&amp;tag=/g)].length, 3);
  t.regex(text, /<nav class="links-tabs"[^>]*>[^]*href="\.\/compare\?days=7" aria-current="page"/);
  const byVisits = textOf((await ann.get('compare?order=visits')).text);
  t.regex(byVisits, /Links.*Autumn localhost:\d+\/autumn 4 0 0%.*spring 2 1 50%/);
  t.regex(textOf((await ann.get('compare?tag=crew')).text), /Tag: crew Show all .*Visits 2 .*spring 2 1 50%/);
  t.false(textOf((await ann.get('compare?tag=crew')).text).includes('Autumn'));
  t.regex(textOf((await ann.get('compare?by=tag')).text), /Tags .*Mail 2 6 1 16.7%/);
  const early = await ann.get('compare?from=2031-05-01&until=2031-05-02');
  t.true(textOf(early.text).includes('No visits from May 1, 2031 to May 2, 2031'));
  t.is((await ann.get('compare?from=x')).status, 400);
  t.true((await visitor('bob').get('compare')).text.includes('No visits in the last 30 days'));
});

test('the sums of a comparison, its rows and its file follow the conversions and the currency that are chosen', async (t) => {
  const {shortener, visitor} = await open(t, {shortUrl: {attribution: {names: {order: 'Orders'}}}});
  const utm = {source: 'mail', campaign: 'spring sale'};
  const {shortUrl} = await shortener.links.create('ann', {url, customUrl: 'spring', utm});
  const via = viaOf((await openAsPerson(shortUrl)).headers.getSetCookie());
  const record = (name: string, id: number, value?: number, currency?: string) =>
    shortener.conversions.record({via}, {name, id, value, currency});
  await record('sign_up', 1);
  for (const id of [1, 2, 3]) await record('order', id, 1000, 'EUR');
  await record('order', 4, 500, 'USD');
  const ann = visitor('ann');
  const read = async (query: string): Promise<string> => textOf((await ann.get(`compare?days=7&${query}`)).text);
  // What the site has recorded first, as in the order of the list.
  t.regex(
    await read(''),
    /Visits 1 0 sign_up 1 0 Rate 100% – Links .*Link Visits sign_up Rate Value .*spring 1 1 100%/,
  );
  t.regex(await read('name=order'), /Orders 4 0 Rate 400% – Value €30.00 €0.00 .*spring 1 4 400% €30.00/);
  t.regex(await read('name=order&currency=USD'), /Orders 4 0 Rate 400% – Value \$5.00 \$0.00 .*spring 1 4 400% \$5.00/);
  const all = await read('name=*');
  t.regex(all, /Conversions 5 0 Rate 500% – Value €30.00/);
  t.regex(all, /Orders 4 400% €30.00 sign_up 1 100%/);
  for (const [by, group] of [
    ['source', 'Sources'],
    ['campaign', 'Campaigns'],
  ] as const) {
    const value = by === 'source' ? 'mail' : 'spring sale';
    t.regex(await read(`by=${by}&name=order`), new RegExp(`${group} Links Visits Orders Rate Value ${value} 1 1 4`));
    const rows = (await ann.get(`links.csv?days=7&by=${by}&name=order`)).text.split('\r\n');
    t.regex(rows[0] ?? '', new RegExp(`^\ufeff?${group},Links,`));
    t.true(rows[1]?.startsWith(`${value},1,2031-04-30,2031-05-06,1,4,`), rows[1]);
  }
});

test('all links can be compared, a page at a time', async (t) => {
  const {shortener, visitor} = await open(t);
  const {shortUrl} = await shortener.links.create('ann', {url, customUrl: 'first'});
  for (let index = 1; index < 25; index++) await shortener.links.create('ann', {url, customUrl: `n${index}`});
  await openAsPerson(shortUrl);
  const ann = visitor('ann');
  const first = await ann.get('compare?days=7');
  t.is([...first.text.matchAll(/<bdi>localhost:\d+\/\w+<\/bdi><\/a/g)].length, 20);
  const [, next = ''] = /rel="next"\s+href="\.\/([^"]*)"/.exec(first.text) ?? [];
  const second = await ann.get(next.replaceAll('&amp;', '&'));
  t.is([...second.text.matchAll(/<bdi>localhost:\d+\/\w+<\/bdi><\/a/g)].length, 5);
  t.false(second.text.includes('/first<'));
});

test('a filtered list shows the figures of what it has, and the days stay when it is filtered', async (t) => {
  const {shortener, visitor} = await open(t);
  const spring = await shortener.links.create('ann', {url, customUrl: 'spring', tags: ['poster']});
  const autumn = await shortener.links.create('ann', {url, customUrl: 'autumn'});
  for (const link of [spring, spring, autumn]) await openAsPerson(link.shortUrl);
  const ann = visitor('ann');
  t.regex(textOf((await ann.get('?days=7')).text), /3 visits · 7 days/);
  const {text} = await ann.get('?tag=poster&days=7');
  t.regex(textOf(text), /1 link matches · 2 visits · 7 days/);
  t.regex(textOf(text), /All time Links 1 Total visits 2/);
  t.true(text.includes('href="./compare?tag=poster&amp;days=7"'));
  t.regex(text, /class="links-filter"[^>]*>\s*<input type="hidden" name="days" value="7"/);
  t.like(await shortener.accounts.stats('ann', {tag: 'poster'}), {
    links: 1,
    totalVisits: 2,
    details: {device: [{value: 'desktop', visits: 2}]},
  });
  t.regex(textOf((await ann.get('?search=nothing')).text), /Nothing found/);
});

test('the links of the list and of the comparison can be saved as CSV, with the numbers of the days shown', async (t) => {
  const {shortener, visitor, clock} = await open(t, {shortUrl: {attribution: {}}});
  const {links, conversions} = shortener;
  const {shortUrl} = await links.create('ann', {url, customUrl: 'spring', title: 'Spring', tags: ['a', 'b']});
  const {shortUrl: other} = await links.create('ann', {url, customUrl: 'autumn', tags: ['b']});
  clock.now -= 10 * day;
  await openAsPerson(shortUrl);
  clock.now += 10 * day;
  await openAsPerson(other);
  const via = viaOf((await openAsPerson(shortUrl)).headers.getSetCookie());
  await conversions.record({via}, {name: 'order', id: 1, value: 124_440, currency: 'EUR'});
  await conversions.refund({name: 'order', id: 1, refund: 1, value: 5});
  await conversions.record({via}, {name: 'order', id: 2, value: 700, currency: 'JPY'});
  const ann = visitor('ann');
  const rows = async (file: string): Promise<string[]> =>
    (await ann.get(file)).text.replace('\uFEFF', '').trimEnd().split('\r\n');
  // A week that has a refund only.
  clock.now += 20 * day;
  await conversions.refund({name: 'order', id: 2, refund: 1, value: 300});
  const refundOnly = await rows('links.csv?days=7');
  t.true(refundOnly[0]?.endsWith(',Visits,Conversions,Value JPY,Value JPY before refunds'));
  t.true(refundOnly.some((row) => row.endsWith(',0,0,-300,0')));
  const refundDays = await rows('visits.csv?days=7');
  t.is(refundDays[0], 'Day (UTC),Visits,Conversions,Value JPY,Value JPY before refunds');
  t.is(refundDays.at(-1), '2031-05-26,0,0,-300,0');
  clock.now -= 20 * day;
  const header =
    'Short URL,Title,Long URL,Tags,Status,Created,Start date (paused until),Expiry date,Visit limit,Has a password,' +
    'Visits: From,Visits: Until,Visits,Conversions,' +
    'Value EUR,Value EUR before refunds,Value JPY,Value JPY before refunds';
  const week = '2031-04-30,2031-05-06';
  const [first, spring, autumn, ...rest] = await rows('links.csv?days=7');
  t.is(first, header);
  t.regex(
    spring ?? '',
    new RegExp(`^${shortUrl},Spring,${url},"a,b",Active,[^,]+,,,,No,${week},1,2,1244.35,1244.40,700,700$`),
  );
  t.regex(autumn ?? '', new RegExp(`^${other},,${url},b,Active,[^,]+,,,,No,${week},1,0,0.00,0.00,0,0$`));
  t.deepEqual(rest, []);
  t.is((await rows('links.csv?days=30&tag=a')).length, 2);
  t.true((await rows('links.csv?days=30&tag=a'))[1]?.includes(',2,2,'));
  t.deepEqual((await rows('links.csv?days=7&by=tag')).slice(1), [
    `b,2,${week},2,2,1244.35,1244.40,700,700`,
    `a,1,${week},1,2,1244.35,1244.40,700,700`,
  ]);
  const {headers} = await ann.get('links.csv?days=7');
  t.is(headers.get('content-disposition'), 'attachment; filename="links-2031-04-30-2031-05-06.csv"');
  for (const page of ['?tag=b&days=7', 'compare?tag=b&days=7']) {
    const {text} = await ann.get(page);
    const [, address = ''] = /href="\.\/(links\.csv[^"]*)"/.exec(text) ?? [];
    t.is((await rows(address.replaceAll('&amp;', '&'))).length, 3, page);
  }
});

test('a CSV file is in the language of the page, with semicolons and decimal commas where its spreadsheets want them', async (t) => {
  const {shortener, visitor} = await open(t, {shortUrl: {attribution: {}}});
  const {links, conversions} = shortener;
  const {shortUrl} = await links.create('ann', {url, customUrl: 'spring'});
  const via = viaOf((await openAsPerson(shortUrl)).headers.getSetCookie());
  await conversions.record({via}, {name: 'order', id: 1, value: 124_440, currency: 'EUR'});
  const read = async (language: string, path: string): Promise<string[]> =>
    (await visitor('ann').send(path, {headers: {'Accept-Language': language}})).text.trimEnd().split('\r\n');
  t.is((await read('de', 'visits.csv?days=7'))[0], 'Tag (UTC);Besuche;Conversions;Wert EUR;Wert EUR vor Erstattungen');
  t.is((await read('de', 'visits.csv?days=7')).at(-1), '2031-05-06;1;1;"1244,40";"1244,40"');
  t.is((await read('de', 'visits.csv?days=7&csv=comma')).at(-1), '2031-05-06,1,1,1244.40,1244.40');
  t.is((await read('zh-TW', 'visits.csv?days=7')).at(-1), '2031-05-06,1,1,1244.40,1244.40');
  const page = (await read('fr', '?days=7')).join('');
  const [, other = ''] = /href="([^"]*visits\.csv[^"]*csv=comma)"/.exec(page) ?? [];
  t.is((await read('fr', other.replaceAll('&amp;', '&'))).at(-1), '2031-05-06,1,1,1244.40,1244.40');
});

test('a month that runs is shown beside the same days of the month before, and a whole one beside a whole one', async (t) => {
  const {shortener, visitor, clock} = await open(t);
  const {shortUrl} = await shortener.links.create('ann', {url});
  const now = clock.now;
  for (const date of ['2031-03-01', '2031-03-31', '2031-04-01', '2031-04-30', '2031-05-06']) {
    clock.now = Date.parse(`${date}T12:00:00Z`);
    await openAsPerson(shortUrl);
  }
  clock.now = now;
  const read = async (choice: string): Promise<string> => textOf((await visitor('ann').get(`?days=${choice}`)).text);
  t.regex(await read('month'), /Visits 1 Apr 1 – 6, 2031: 1 \(0%\)/);
  t.regex(await read('last-month'), /Visits 2 Mar 1 – 31, 2031: 2 \(0%\)/);
});

test('the visits of a link and of an account can be saved as CSV, with a file for the days and one for the details', async (t) => {
  const visitDetails: ShortUrlOptions['visitDetails'] = (ctx) => ({source: ctx.get('X-Source')});
  const {visitor, shortener, clock} = await open(t, {shortUrl: {visitDetails}});
  const {shortUrl: spring} = await shortener.links.create('ann', {url, customUrl: 'spring'});
  const {shortUrl: autumn} = await shortener.links.create('ann', {url, customUrl: 'autumn'});
  await openAsPerson(spring, {'X-Source': '=HYPERLINK("https://evil.example")'});
  clock.now += day;
  await openAsPerson(spring, {'X-Source': 'é'});
  await openAsPerson(autumn, {'X-Source': 'mail'});
  const ann = visitor('ann');
  const days = '&from=2031-05-05&until=2031-05-07';
  const link = await ann.get(linkPath(spring).replace('link', 'visits.csv') + days);
  t.is(link.status, 200);
  t.is(link.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.is(link.headers.get('content-disposition'), 'attachment; filename="visits-spring.csv"');
  t.is(link.headers.get('cache-control'), 'no-store');
  const rowsOf = ({text}: {readonly text: string}): string[] => text.trimEnd().split('\r\n');
  t.deepEqual(rowsOf(link), ['Day (UTC),Visits', '2031-05-05,0', '2031-05-06,1', '2031-05-07,1']);
  const details = rowsOf(await ann.get(linkPath(spring).replace('link', 'details.csv') + days));
  t.is(details[0], 'Where visits come from,Value,Visits');
  t.is(details.length, 3);
  // A spreadsheet would run a cell that begins with an equals sign.
  t.true(details.includes(`source,"'=HYPERLINK(""https://evil.example"")",1`), details.join());

  const account = await ann.get(`visits.csv?${days}`);
  t.is(account.headers.get('content-disposition'), 'attachment; filename="visits.csv"');
  t.is(rowsOf(account)[3], '2031-05-07,2');
  t.true(rowsOf(await ann.get('details.csv')).includes('source,mail,1'));
  for (const page of ['', linkPath(spring)]) {
    const {text} = await ann.get(page);
    for (const file of ['visits', 'details']) {
      const [, address = ''] =
        new RegExp(`href="([^"]*${file}\\.csv[^"]*)" download>Download as CSV<`).exec(text) ?? [];
      t.is((await ann.get(address.replaceAll('&amp;', '&'))).status, 200, page);
    }
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
