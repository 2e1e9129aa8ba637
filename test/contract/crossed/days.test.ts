import '../../support/quick-scrypt.ts';
import test from 'ava';
import type {ShortUrl, StatsQuery} from '../../../src/index.ts';
import {csvCells} from '../../support/csv.ts';
import {open, type Stage, textOf} from '../../support/dashboard.ts';
import {linkPath} from '../../support/dashboard-pages.ts';
import {openAsPerson, viaOf} from '../../support/visitor.ts';

const day = 86_400_000;

/** The time zone of a site, and a moment near its midnight, with the day of the site. */
const moments = [
  ['UTC', '2031-05-06T00:00:30Z', '2031-05-06'],
  ['UTC', '2031-12-31T23:59:30Z', '2031-12-31'],
  ['UTC', '2032-02-29T00:00:30Z', '2032-02-29'],
  ['Asia/Tokyo', '2031-12-31T15:00:30Z', '2032-01-01'],
  ['Asia/Tokyo', '2031-05-05T14:59:30Z', '2031-05-05'],
  ['Asia/Tokyo', '2032-02-28T15:00:30Z', '2032-02-29'],
  ['Asia/Kolkata', '2031-05-05T18:30:30Z', '2031-05-06'],
  ['Pacific/Kiritimati', '2031-05-05T10:00:30Z', '2031-05-06'],
  ['Pacific/Kiritimati', '2031-12-31T09:59:30Z', '2031-12-31'],
  ['America/New_York', '2032-03-01T04:59:30Z', '2032-02-29'],
  ['America/New_York', '2031-05-07T04:00:30Z', '2031-05-07'],
  ['Pacific/Pago_Pago', '2031-05-07T10:59:30Z', '2031-05-06'],
  // Its clocks skip the first hour of a day in March, and show it twice in November.
  ['America/Havana', '2031-03-09T04:59:30Z', '2031-03-08'],
  ['America/Havana', '2031-03-09T05:00:30Z', '2031-03-09'],
  ['America/Havana', '2031-11-02T04:00:30Z', '2031-11-02'],
  ['America/Havana', '2031-11-02T05:00:30Z', '2031-11-02'],
  ['America/Havana', '2031-11-03T04:59:30Z', '2031-11-02'],
] as const;

interface Scene extends Stage {
  readonly shortUrl: string;
  readonly shared: string;
  readonly today: string;
}

/** Something that tells what was on some days: how many visits, orders or refunds. */
type Reading = (scene: Scene, span: StatsQuery & {readonly from: string; readonly until: string}) => Promise<number>;

const ofStats = (read: (shortener: ShortUrl, link: string, span: StatsQuery) => Promise<Partial<Stats>>): Reading[] => [
  async ({shortener, shortUrl}, span) => (await read(shortener, shortUrl, span)).totalVisits ?? 0,
  async ({shortener, shortUrl}, span) => (await read(shortener, shortUrl, span)).conversions?.[0]?.conversions ?? 0,
  async ({shortener, shortUrl}, span) => (await read(shortener, shortUrl, span)).conversions?.[0]?.refunds ?? 0,
  async ({shortener, shortUrl, today}, span) => onDay(await read(shortener, shortUrl, span), today)?.visits ?? 0,
  async ({shortener, shortUrl, today}, span) => onDay(await read(shortener, shortUrl, span), today)?.conversions ?? 0,
  async ({shortener, shortUrl, today}, span) =>
    onDay(await read(shortener, shortUrl, span), today)?.values[0]?.refunded ?? 0,
];

type Stats = Awaited<ReturnType<ShortUrl['admin']['stats']>>;
type Compared = Pick<Stats, 'conversions'> & {readonly visits: number};

function onDay({days = []}: Partial<Stats>, today: string): Stats['days'][number] | undefined {
  // No other day has anything.
  return days.every(({date}) => date === today) ? days[0] : undefined;
}

const ofComparison = (
  read: (shortener: ShortUrl, span: {from: string; until: string}) => Promise<Compared>,
): Reading[] => [
  async ({shortener}, span) => (await read(shortener, span)).visits,
  async ({shortener}, span) => (await read(shortener, span)).conversions[0]?.conversions ?? 0,
  async ({shortener}, span) => (await read(shortener, span)).conversions[0]?.refunds ?? 0,
];

/** The sum of the column of a CSV with this heading. */
const ofCsv =
  (address: string, heading: RegExp): Reading =>
  async ({visitor, shortUrl}, {from, until}) => {
    const {text} = await visitor('ann').get(
      `${address.replace('LINK', encodeURIComponent(shortUrl))}from=${from}&until=${until}`,
    );
    const [head = [], ...rows] = csvCells(text);
    const index = head.findIndex((name) => heading.test(name));
    return rows.reduce((sum, row) => sum + Number(row[index] ?? 0), 0);
  };

const ofPage =
  (address: string, pattern: RegExp, account = 'ann'): Reading =>
  async ({visitor, shortUrl, shared}, {from, until}) => {
    const page = address.replace('LINK', linkPath(shortUrl)).replace('SHARED', shared);
    const {text} = await visitor(account).get(`${page}from=${from}&until=${until}`);
    return pattern.test(textOf(text)) ? 1 : 0;
  };

/** The number of a span on a page, beside that of the span before: a day, or one of the month before. */
const shown = (name: string): RegExp => new RegExp(`${name} 1 (?:1 day before|\\w+ 1, \\d+): 0`);
const [visit, conversion] = [shown('Visits'), shown('Conversions')];

const readings: Readonly<Record<string, readonly Reading[]>> = {
  'links.stats': ofStats(({links}, link, span) => links.stats('ann', link, span)),
  'accounts.stats': ofStats(({accounts}, _, span) => accounts.stats('ann', span)),
  'accounts.stats of a tag': ofStats(({accounts}, _, span) => accounts.stats('ann', {...span, tag: 'mail'})),
  'admin.stats': ofStats(({admin}, _, span) => admin.stats(span)),
  'links.compare': ofComparison(({links}, span) => links.compare('ann', span)),
  'links.compareTags': ofComparison(({links}, span) => links.compareTags('ann', span)),
  'links.compareTags by campaign': ofComparison(({links}, span) => links.compareTags('ann', {...span, by: 'campaign'})),
  'admin.compareAccounts': ofComparison(({admin}, span) => admin.compareAccounts(span)),
  'the most of each': [
    async ({shortener: {links}}, span) => (await links.compare('ann', span)).most[0]?.visits ?? 0,
    async ({shortener: {links}}, span) => (await links.compareTags('ann', span)).tags[0]?.visits ?? 0,
    async ({shortener: {admin}}, span) => (await admin.compareAccounts(span)).accounts[0]?.visits ?? 0,
  ],
  files: [
    ofCsv('links.csv?', /^Visits$/),
    ofCsv('links.csv?', /^Conversions$/),
    ofCsv('links.csv?', /^Value JPY before refunds$/),
    ofCsv('visits.csv?', /^Visits$/),
    ofCsv('visits.csv?', /^Conversions$/),
    ofCsv('visits.csv?short_url=LINK&', /^Visits$/),
    ofCsv('visits.csv?short_url=LINK&', /^Value JPY before refunds$/),
    ofCsv('conversions.csv?', /^Number$/),
    ofCsv('conversions.csv?short_url=LINK&', /^Refunds$/),
  ],
  pages: [
    ofPage('LINK&', visit),
    ofPage('LINK&', conversion),
    ofPage('?', visit),
    ofPage('?tag=mail&', visit),
    ofPage('compare?', /Visits 1 0 order 1 0/),
    ofPage('operator?page=&', visit, 'operator'),
    ofPage('SHARED?', visit, ''),
    ofPage('SHARED?', conversion, ''),
  ],
};

for (const [timeZone, moment, today] of moments) {
  test(`in ${timeZone}, what happens at ${moment} is of ${today} wherever days are read`, async (t) => {
    const stage = await open(t, {shortUrl: {timeZone, attribution: {}, createQuota: 2}});
    const {shortener, clock, visitor} = stage;
    const {links, conversions} = shortener;
    clock.now = Date.parse(moment);
    const before = new Date(Date.parse(today) - day).toISOString().slice(0, 10);
    const {shortUrl} = await links.create('ann', {
      url: 'https://example.org/',
      tags: ['mail'],
      utm: {campaign: 'May'},
      startDate: today,
      expiryDate: today,
      rules: [{from: today, until: today, url: 'https://today.example/'}],
    });
    const {url} = await links.share('ann', shortUrl, {show: ['visits', 'conversions'], until: today});
    const visited = await openAsPerson(shortUrl);
    t.is(visited.headers.get('location'), 'https://today.example/?utm_campaign=May');
    const via = viaOf(visited.headers.getSetCookie()[0]);
    const order = {name: 'order', id: 1, currency: 'JPY'} as const;
    await conversions.record({via}, {...order, value: 1});
    await conversions.refund({...{name: 'order', id: 1}, refund: 1});
    await stage.shortener.admin.block((await links.create('ann', {url: 'https://example.org/'})).shortUrl);
    const scene = {...stage, shortUrl, today, shared: new URL(url, stage.origin).href};
    for (const [name, all] of Object.entries(readings)) {
      for (const [index, read] of all.entries()) {
        const found = [
          await read(scene, {from: today, until: today}),
          await read(scene, {from: before, until: before}),
        ];
        t.deepEqual(found, [1, 0], `${name} ${index}`);
      }
    }
    t.deepEqual((await links.page('ann', {days: 1, status: 'active'})).links[0]?.days, [{date: today, visits: 1}]);
    t.is((await links.page('ann', {expiresWithin: 2})).links.length, 1);
    const {text} = await visitor('operator').get('today');
    t.regex(textOf(text), /New links 2 New accounts \d Visits 1 Conversions 1 .*Blocked today \S/);
    t.regex((await visitor('ann').get(linkPath(shortUrl))).text, new RegExp(`max="${today}"`));
    await stage.shortener.accounts.create('ben');
    const now = new Intl.DateTimeFormat('en', {dateStyle: 'medium', timeStyle: 'short', timeZone}).format(clock.now);
    for (const [user, page] of [
      ['ann', ''],
      ['operator', `operator?short_url=${encodeURIComponent(shortUrl)}`],
      ['operator', 'account?account=ben'],
    ] as const) {
      t.true((await visitor(user).get(page)).text.includes(now), page);
    }
    await t.throwsAsync(links.create('ann', {url: 'https://example.org/'}), {code: 'too_many_requests'});

    // The next day begins for all of them at once.
    clock.now = endOf(timeZone, today);
    t.is((await openAsPerson(shortUrl)).status, 410);
    t.is((await fetch(scene.shared)).status, 404);
    await links.create('ann', {url: 'https://example.org/'});
    clock.now -= 1000;
    t.is((await openAsPerson(shortUrl)).status, 302);
    t.is((await fetch(scene.shared)).status, 200);
  });
}

/** The first moment at which clocks of the zone show a later day, by a search that knows nothing of offsets. */
function endOf(timeZone: string, date: string): number {
  const shown = new Intl.DateTimeFormat('sv-SE', {timeZone, dateStyle: 'short'});
  let [low, high] = [Date.parse(date) - day, Date.parse(date) + 3 * day];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (shown.format(middle) > date) high = middle;
    else low = middle;
  }
  return high;
}
