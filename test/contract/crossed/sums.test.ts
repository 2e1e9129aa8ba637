import '../../support/quick-scrypt.ts';
import test from 'ava';
import type {ShortUrl} from '../../../src/index.ts';
import {csvCells} from '../../support/csv.ts';
import {open, type Stage, textOf} from '../../support/dashboard.ts';
import {linkPath} from '../../support/dashboard-pages.ts';
import {openAsPerson, viaOf} from '../../support/visitor.ts';

/** What a link had on a day. Amounts are those before refunds and those of refunds. */
interface Day {
  readonly visits: number;
  readonly conversions: number;
  readonly amounts: Readonly<Record<string, readonly [value: number, refunded: number]>>;
}

/** Days on which one part of a sum is zero. */
const days: Readonly<Record<string, Day>> = {
  '2031-04-01': {visits: 1, conversions: 1, amounts: {EUR: [500, 0]}},
  '2031-04-02': {visits: 0, conversions: 0, amounts: {EUR: [0, 200]}},
  '2031-04-03': {visits: 2, conversions: 0, amounts: {}},
  '2031-04-04': {visits: 0, conversions: 1, amounts: {USD: [300, 0]}},
  '2031-04-05': {visits: 0, conversions: 1, amounts: {}},
  '2031-04-06': {visits: 0, conversions: 1, amounts: {EUR: [400, 400]}},
  '2031-04-07': {visits: 0, conversions: 0, amounts: {USD: [0, 300]}},
  '2031-04-08': {visits: 0, conversions: 0, amounts: {}},
};

interface Scene extends Stage {
  readonly shortUrl: string;
}

type Span = Readonly<Record<'from' | 'until', string>>;
type Reading = (scene: Scene, span: Span) => Promise<Day>;
type Value = Awaited<ReturnType<ShortUrl['links']['compare']>>['conversions'][number];

function dayOf(
  visits: number,
  conversions: number,
  values: ReadonlyArray<Pick<Value, 'currency' | 'value' | 'refunded'>>,
): Day {
  const worth = values.filter(({value, refunded}) => value > 0 || refunded > 0);
  return {
    visits,
    conversions,
    amounts: Object.fromEntries(worth.map(({currency, value, refunded}) => [currency ?? '', [value, refunded]])),
  };
}

const counted = (conversions: readonly Value[]): number => conversions.reduce((sum, each) => sum + each.conversions, 0);

type Stats = Pick<Awaited<ReturnType<ShortUrl['admin']['stats']>>, 'totalVisits' | 'conversions' | 'days'>;

/** The sums of statistics, and the only day of them. */
const ofStats = (read: (scene: Scene, span: Span) => Promise<Stats>): Reading[] => [
  async (scene, span) => {
    const {totalVisits, conversions} = await read(scene, span);
    return dayOf(totalVisits, counted(conversions), conversions);
  },
  async (scene, span) => {
    const [day] = (await read(scene, span)).days;
    return dayOf(day?.visits ?? 0, day?.conversions ?? 0, day?.values ?? []);
  },
];

interface Compared {
  readonly visits: number;
  readonly conversions: readonly Value[];
}
type Row = Pick<Awaited<ReturnType<ShortUrl['links']['compare']>>['most'][number], 'visits' | 'conversions' | 'values'>;

/** The sums of a comparison, and its first row. */
const ofComparison = <Read extends Compared>(
  read: (scene: Scene, span: Span) => Promise<Read>,
  rows: (read: Read) => readonly Row[],
): Reading[] => [
  async (scene, span) => {
    const {visits, conversions} = await read(scene, span);
    return dayOf(visits, counted(conversions), conversions);
  },
  async (scene, span) => {
    const [row] = rows(await read(scene, span));
    return dayOf(row?.visits ?? 0, row?.conversions ?? 0, row?.values ?? []);
  },
];

/** The sums of the columns of a file, which has amounts in whole units. */
const ofFile =
  (address: string): Reading =>
  async ({visitor, shortUrl}, {from, until}) => {
    const page = address.replace('LINK', encodeURIComponent(shortUrl));
    const {text} = await visitor(page.startsWith('accounts') ? 'operator' : 'ann').get(
      `${page}from=${from}&until=${until}`,
    );
    const [head = [], ...rows] = csvCells(text);
    const sum = (heading: string): number => {
      const index = head.indexOf(heading);
      return rows.reduce((total, row) => total + Number(row[index] ?? 0), 0);
    };
    const values = ['EUR', 'USD'].map((currency) => {
      const value = Math.round(100 * sum(`Value ${currency} before refunds`));
      return {currency, value, refunded: value - Math.round(100 * sum(`Value ${currency}`))};
    });
    return dayOf(sum('Visits'), sum('Conversions'), values);
  };

const readings: Readonly<Record<string, readonly Reading[]>> = {
  'links.stats': ofStats(({shortener, shortUrl}, span) => shortener.links.stats('ann', shortUrl, span)),
  'accounts.stats': ofStats(({shortener}, span) => shortener.accounts.stats('ann', span)),
  'accounts.stats of a tag': ofStats(({shortener}, span) => shortener.accounts.stats('ann', {...span, tag: 'mail'})),
  'admin.stats': ofStats(({shortener}, span) => shortener.admin.stats(span)),
  'links.compare': ofComparison(
    ({shortener}, span) => shortener.links.compare('ann', {...span, order: 'value'}),
    ({most}) => most,
  ),
  'links.compareTags': ofComparison(
    ({shortener}, span) => shortener.links.compareTags('ann', span),
    ({tags}) => tags,
  ),
  'admin.compareAccounts': ofComparison(
    ({shortener}, span) => shortener.admin.compareAccounts(span),
    ({accounts}) => accounts.filter(({account}) => account === 'ann'),
  ),
  files: [
    ...[
      'links.csv?',
      'links.csv?by=tag&',
      'visits.csv?',
      'visits.csv?tag=mail&',
      'visits.csv?short_url=LINK&',
      'accounts.csv?',
    ].map(ofFile),
  ],
};

/** How a page shows what is left of an amount. */
function shownNet(currency: string, [value, refunded]: readonly [value: number, refunded: number]): string {
  const format = new Intl.NumberFormat('en', {style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger'});
  return format.format((value - refunded) / 100).replaceAll('\u{A0}', ' ');
}

test('a sum of which one part is zero is read and shown everywhere with the other parts', async (t) => {
  const stage = await open(t, {shortUrl: {attribution: {}}});
  const {clock, shortener, visitor} = stage;
  const {shortUrl} = await shortener.links.create('ann', {url: 'https://example.org/', tags: ['mail']});
  const noon = (date: string): void => void (clock.now = Date.parse(`${date}T12:00:00Z`));
  const order = (id: number, value: number, currency?: string): Promise<unknown> =>
    shortener.conversions.record({customer: 'user-7'}, {name: 'order', id, value, currency});
  noon('2031-04-01');
  const visited = await openAsPerson(shortUrl);
  const via = viaOf(visited.headers.getSetCookie()[0]);
  await shortener.conversions.record({via}, {name: 'order', id: 1, value: 500, currency: 'EUR', customer: 'user-7'});
  noon('2031-04-02');
  await shortener.conversions.refund({name: 'order', id: 1, refund: 1, value: 200});
  noon('2031-04-03');
  await openAsPerson(shortUrl);
  await openAsPerson(shortUrl);
  noon('2031-04-04');
  await order(2, 300, 'USD');
  noon('2031-04-05');
  await order(3, 0);
  noon('2031-04-06');
  await order(4, 400, 'EUR');
  await shortener.conversions.refund({name: 'order', id: 4, refund: 1});
  noon('2031-04-07');
  await shortener.conversions.refund({name: 'order', id: 2, refund: 1});
  noon('2031-04-20');
  await visitor('operator').get();
  const scene = {...stage, shortUrl};
  for (const [date, expected] of Object.entries(days)) {
    const span = {from: date, until: date};
    for (const [name, all] of Object.entries(readings)) {
      for (const [index, read] of all.entries())
        t.deepEqual(await read(scene, span), expected, `${name} ${index} ${date}`);
    }
    const [currency = null] = Object.keys(expected.amounts);
    for (const compared of [
      shortener.links.compare('ann', span),
      shortener.links.compareTags('ann', span),
      shortener.admin.compareAccounts(span),
    ]) {
      t.is((await compared).currency, currency, date);
    }
    for (const page of [
      `${linkPath(shortUrl)}&`,
      '?',
      '?tag=mail&',
      'compare?',
      'compare?by=tag&',
      'operator?page=&',
      'compare-accounts?',
    ]) {
      const {text, status} = await visitor(/operator|accounts/.test(page) ? 'operator' : 'ann').get(
        `${page}from=${date}&until=${date}`,
      );
      t.is(status, 200);
      for (const [currency, amount] of Object.entries(expected.amounts)) {
        t.true(
          textOf(text).includes(shownNet(currency, amount)),
          `${page} ${date} ${shownNet(currency, amount)} ${textOf(text).slice(0, 800)}`,
        );
      }
    }
  }
});
