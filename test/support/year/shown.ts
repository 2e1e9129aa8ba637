import type {ExecutionContext} from 'ava';
import type {ConversionStats, ShortUrl} from '../../../src/index.ts';
import type {Stage} from '../dashboard.ts';
import {range} from '../engines/crowd.ts';
import {accounts, type LivedYear} from './live.ts';
import {type BookedLink, byName, type Days, inOrder, type Line, salesOf, type Sums, sumsOf} from './book.ts';

const groups = ['tag', 'source', 'medium', 'campaign'] as const;

/** Expects that everything the site shows of some days is what the book says. */
export async function agrees(t: ExecutionContext, stage: Stage, lived: LivedYear, days: Days): Promise<void> {
  await statisticsAgree(t, stage.shortener, lived, days);
  for (const query of [
    {order: 'visits'},
    {order: 'conversions', name: 'order'},
    {order: 'value', currency: 'KWD'},
  ] as const)
    for (const compared of comparisons(stage.shortener, lived, {...days, ...query})) {
      await comparisonAgrees(t, compared, {...days, ...query});
    }
}

function plain({visits, conversions, values}: Sums): Sums {
  return {visits, conversions, values: inOrder(values)};
}

/** The spans whose figures are looked at: months, and the days on which the clocks change. */
export function spansOf({year}: LivedYear): Days[] {
  const months = range(12).map((index) => {
    const month = new Date(Date.UTC(2031, index + 1, 0)).toISOString().slice(0, 10);
    return {from: index === 0 ? year.from : `${month.slice(0, 8)}01`, until: month};
  });
  const changes = ['2031-03-30', '2031-10-26'].map((day) => ({from: day, until: day}));
  return [year, ...months, ...changes];
}

/** Expects that the variants of each link had what the book says. */
export async function variantsAgree(
  t: ExecutionContext,
  {shortener}: Stage,
  {book, links, year}: LivedYear,
): Promise<void> {
  for (const link of links.filter(({isRemoved}) => !isRemoved)) {
    const lines = book.lines(year, (line) => line.link === link);
    const names = [...new Set(lines.map(({variant}) => variant))];
    const {variants = []} = await shortener.links.stats(link.account, link.shortUrl);
    const found = variants.map(({name, visits, conversions}) => [name, visits, byName(conversions)] as const);
    const expected = names.map((name) => {
      const own = lines.filter(({variant}) => variant === name);
      return [name, sumsOf(own).visits, salesOf(own)] as const;
    });
    if (variants.length > 0)
      t.deepEqual(sorted(found.filter(([, visits]) => visits > 0)), sorted(expected), link.shortUrl);
    else
      t.deepEqual(
        names.filter((name) => name !== 'A'),
        [],
      );
  }
}

function sorted<Row extends readonly [name: string, ...unknown[]]>(rows: readonly Row[]): Row[] {
  return rows.toSorted(([one], [other]) => one.localeCompare(other));
}

async function statisticsAgree(
  t: ExecutionContext,
  {links, accounts: ofAccounts, admin}: ShortUrl,
  {book, links: all}: LivedYear,
  days: Days,
): Promise<void> {
  const check = (shown: Shown, lines: readonly Line[], what: string): void => {
    const about = `${what} from ${days.from} to ${days.until}`;
    t.is(shown.totalVisits, sumsOf(lines).visits, about);
    t.deepEqual(byName(shown.conversions), salesOf(lines), about);
    const dates = [...new Set(lines.map(({day}) => day))].toSorted();
    t.deepEqual(
      shown.days.map(({date, ...sums}) => ({date, ...plain(sums)})),
      dates.map((date) => ({date, ...sumsOf(lines.filter(({day}) => day === date))})),
      about,
    );
  };
  for (const link of all.filter(({isRemoved}) => !isRemoved)) {
    const lines = book.lines(days, (line) => line.link === link);
    check(await links.stats(link.account, link.shortUrl, {...days, include: ['days']}), lines, link.shortUrl);
  }
  for (const account of accounts) {
    check(
      await ofAccounts.stats(account, days),
      book.lines(days, ({link}) => link.account === account),
      account,
    );
    const tagged = book.lines(
      days,
      ({link}) => link.account === account && !link.isRemoved && link.tags.includes('mail'),
    );
    check(await ofAccounts.stats(account, {...days, tag: 'mail'}), tagged, `mail of ${account}`);
  }
  const site = await admin.stats(days);
  const lines = book.lines(days, ({sale}) => sale?.recordedBy !== 'account');
  check(site, lines, 'site');
}

interface Shown {
  readonly totalVisits: number;
  readonly conversions: Parameters<typeof byName>[0];
  readonly days: ReadonlyArray<Sums & {readonly date: string}>;
}

/** A comparison, and the lines of the book that it is about. */
interface Compared {
  readonly what: string;
  readonly read: (part: Part) => Promise<Page>;
  readonly lines: readonly Line[];
  /** The names of the rows to which a line belongs. */
  readonly rowsOf: (link: BookedLink) => readonly string[];
}

interface Part {
  readonly limit: number;
  readonly cursor: string | undefined;
}

interface Page {
  readonly visits: number;
  readonly conversions: readonly ConversionStats[];
  readonly rows: ReadonlyArray<Sums & {readonly name: string}>;
  readonly nextCursor: string | undefined;
}

interface Query extends Days {
  readonly order: 'visits' | 'conversions' | 'value';
  readonly name?: string;
  readonly currency?: string;
}

function comparisons({links, admin}: ShortUrl, {book}: LivedYear, query: Query): Compared[] {
  const ofAccount = accounts.flatMap((account): Compared[] => {
    const lines = book.lines(query, ({link}) => link.account === account && !link.isRemoved);
    const byLink = async (part: Part): Promise<Page> => {
      const {most, ...page} = await links.compare(account, {...query, ...part});
      return {...page, rows: most.map(({link, ...sums}) => ({...sums, name: link.shortUrl}))};
    };
    const byGroup = groups.map((by): Compared => {
      const read = async (part: Part): Promise<Page> => {
        const {tags, ...page} = await links.compareTags(account, {...query, by, ...part});
        return {...page, rows: tags.map(({tag, ...sums}) => ({...sums, name: tag}))};
      };
      return {what: `${by} of ${account}`, read, lines, rowsOf: ({tags, utm}) => (by === 'tag' ? tags : [utm[by]])};
    });
    return [{what: account, read: byLink, lines, rowsOf: ({shortUrl}) => [shortUrl]}, ...byGroup];
  });
  const read = async (part: Part): Promise<Page> => {
    const {accounts: rows, ...page} = await admin.compareAccounts({...query, ...part});
    return {...page, rows: rows.map(({account, ...sums}) => ({...sums, name: account}))};
  };
  const lines = book.lines(query, ({sale}) => sale?.recordedBy !== 'account');
  return [...ofAccount, {what: 'accounts', read, lines, rowsOf: ({account}) => [account]}];
}

/** Expects that the pages of a comparison, one after the other, have the rows of the book in their order. */
async function comparisonAgrees(
  t: ExecutionContext,
  {what, read, lines, rowsOf}: Compared,
  query: Query,
): Promise<void> {
  const about = `${what} ${JSON.stringify(query)}`;
  const rows: Array<Page['rows'][number]> = [];
  let cursor: string | undefined;
  do {
    const page = await read({limit: 4, cursor});
    t.is(page.visits, sumsOf(lines).visits, about);
    t.deepEqual(byName(page.conversions), salesOf(lines), about);
    rows.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  const measures = rows.map((row) => measure(row, query));
  t.deepEqual(
    measures,
    measures.toSorted((one, other) => other - one),
    about,
  );
  const names = [...new Set(lines.flatMap(({link}) => rowsOf(link)))];
  const expected = names.map((name) => {
    const own = lines.filter(({link}) => rowsOf(link).includes(name));
    return [name, sumsOf(own, query.name)] as const;
  });
  const hasAny = ([, {visits, conversions, values}]: readonly [string, Sums]): boolean =>
    visits > 0 || conversions > 0 || values.length > 0;
  const found = rows.map(({name, ...sums}) => [name, plain(sums)] as const);
  t.deepEqual(Object.fromEntries(found.filter(hasAny)), Object.fromEntries(expected.filter(hasAny)), about);
}

function measure({visits, conversions, values}: Sums, {order, currency}: Query): number {
  const found = values.find((each) => each.currency === currency && each.recordedBy === 'site');
  return {visits, conversions, value: found ? found.value - found.refunded : 0}[order];
}
