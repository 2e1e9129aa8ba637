import {planted} from '../../planted.ts';
import type {Comparison, ConversionValue, Link, LinkComparison, LinkStats, TagComparison} from '../../index.ts';
import type {Cell} from '../../values/csv.ts';
import {amountCell, csvFile, csvFormOf, csvLines, numeral} from '../files/csv-file.ts';
import {fileNameOf} from '../files/file-name.ts';
import {withQuery} from '../addresses.ts';
import {unlessTooMany} from '../list/order.ts';
import {partsOf} from '../list/pager.ts';
import {conditionsIn, filterIn} from '../list/search.ts';
import {type DashboardRequest, type FileReply, type Handler, ofOwnLink, type RedirectReply} from '../request.ts';
import {inputOf, shownIn} from '../forms/inputs.ts';
import type {Formats} from '../formats.ts';
import {comparisonAddress, comparisonIn, comparisonQuery} from './comparison.ts';
import type {Texts} from '../texts/en.ts';
import {addValues, hasAmount, isSame, nameOf} from './conversions.ts';
import {statsByDay} from './days.ts';
import {detailNames} from './details.ts';
import {type Span, spanIn, spanParameters} from './span.ts';
import {measured} from './variants.ts';

/** How many rows of a comparison are read at once. */
const pageLength = 1000;

/** The days that are shown of a link, or of the links that match the filter, each with its visits and conversions. */
export const daysCsv: Handler = (request) =>
  statsCsv(request, 'visits', ({days}, span) => {
    const {texts, formats} = request;
    const columns = new FigureColumns(
      request,
      days.flatMap(({values}) => values),
    );
    return [
      [texts.visits.day(formats.timeZone), ...columns.headings],
      ...statsByDay(days, span.dates).days.map((day) => [day.date, ...columns.cells(day)]),
    ];
  });

/** The conversions of these days, by name and currency. */
export const conversionsCsv: Handler = (request) =>
  statsCsv(request, 'conversions', ({conversions}) => {
    const {texts, hasConversions} = request;
    const {title, number, value, beforeRefunds, refunds} = texts.conversions;
    const form = csvFormOf(request);
    return [
      [title, number, texts.compare.currency, value, beforeRefunds(value), refunds],
      ...(hasConversions ? conversions : []).map((each) => [
        nameOf(request, each),
        each.conversions,
        each.currency,
        amountCell(form, each.value - each.refunded, each.currency),
        amountCell(form, each.value, each.currency),
        each.refunds,
      ]),
    ];
  });

/** The variants of a link in the months of these days, with the bounds of their rates. */
export const variantsCsv: Handler = (request) =>
  statsCsv(request, 'variants', ({variants = []}: LinkStats) => {
    const {texts, hasConversions} = request;
    const {variant, interval} = texts.variants;
    const form = csvFormOf(request);
    const rows = variants.map(measured);
    const figures = new FigureColumns(
      request,
      rows.flatMap(({values}) => values),
    );
    return [
      [variant, ...figures.headings, ...(hasConversions ? [`${interval} ≥`, `${interval} ≤`] : [])],
      ...rows.map((row) => [
        row.name,
        ...figures.cells(row),
        ...(hasConversions ? row.interval.map((bound) => numeral(form, bound.toFixed(4))) : []),
      ]),
    ];
  });

/** The details of the visits in the months of these days. */
export const detailsCsv: Handler = (request) =>
  statsCsv(request, 'details', ({details}) => {
    const {texts} = request;
    return [
      [texts.details.title, texts.details.value, texts.visits.title],
      ...Object.entries(details).flatMap(([name, values]) => {
        const {title, nameOfValue} = detailNames(request, name);
        return values.map(({value, visits}) => [title, nameOfValue(value), visits]);
      }),
    ];
  });

/** The links or the tags of a comparison, or the links of the list, with what they had on the days that are shown. */
export const linksCsv: Handler = async (request) => {
  const {shortener, account, texts} = request;
  const asked = comparisonIn(request);
  const {by, span} = asked;
  const query = {...comparisonQuery(asked), limit: pageLength};
  const days = [span.query.from, span.query.until];
  return comparisonCsv(request, {
    // `From` alone would be a start date, in an import of the file.
    headings: [
      ...(by ? [texts.compare.groups[by], texts.tabs.links] : linkNames(texts)),
      ...[texts.visits.from, texts.visits.until].map((name) => `${texts.visits.title}: ${name}`),
    ],
    read: (cursor) =>
      by
        ? shortener.links.compareTags(account, {...query, by, cursor})
        : shortener.links.compare(account, {...query, cursor}),
    rowsOf: (read: LinkComparison | TagComparison) =>
      'tags' in read
        ? read.tags.map((item) => [[item.tag, item.links, ...days], item])
        : read.most.map((item) => [[...linkCells(request, item.link), ...days], item]),
    name: `${by ?? 'link'}s`,
    page: comparisonAddress(`${request.root}compare`, asked),
  });
};

/** All accounts with what their links had on the days that are shown. */
export const accountsCsv: Handler = async (request) => {
  const {shortener, texts, formats, root} = request;
  const {span, order, currency} = comparisonIn(request);
  const days = [span.query.from, span.query.until];
  return comparisonCsv(request, {
    headings: [texts.operator.account, texts.accounts.created, texts.tabs.links, texts.visits.from, texts.visits.until],
    read: (cursor) => shortener.admin.compareAccounts({...span.query, order, currency, limit: pageLength, cursor}),
    rowsOf: ({accounts}) =>
      accounts.map((each) => [[each.account, localTime(formats, each.created), each.links, ...days], each]),
    name: 'accounts',
    page: withQuery(`${root}compare-accounts`, spanParameters(span)),
  });
};

interface ComparisonFile<Read> {
  readonly headings: readonly string[];
  readonly read: (cursor: string | undefined) => Promise<Read>;
  /** What is compared, and its numbers. */
  readonly rowsOf: (read: Read) => ReadonlyArray<readonly [cells: readonly Cell[], figures: Figures]>;
  readonly name: string;
  /** The address of the page that says that there is too much to compare. */
  readonly page: string;
}

async function comparisonCsv<Read extends Pick<Comparison, 'conversions' | 'nextCursor'>>(
  request: DashboardRequest,
  {headings, read, rowsOf, name, page}: ComparisonFile<Read>,
): Promise<FileReply | RedirectReply> {
  const {from, until} = comparisonIn(request).span.query;
  const form = csvFormOf(request);
  const write = async (): Promise<Buffer[]> => {
    const lines: Buffer[] = [];
    let columns: FigureColumns | undefined;
    for await (const part of partsOf(read)) {
      // Those of the first part, so that all rows have the same columns.
      const figures = (columns ??= new FigureColumns(request, part.conversions));
      if (lines.length === 0) lines.push(csvLines(form, [[...headings, ...figures.headings]]));
      lines.push(
        csvLines(
          form,
          rowsOf(part).map(([cells, item]) => [...cells, ...figures.cells(item)]),
        ),
      );
    }
    return lines;
  };
  const lines = await unlessTooMany(write());
  return lines === undefined ? {location: page} : csvFile(lines, `${name}-${from}-${until}.csv`);
}

async function statsCsv(
  request: DashboardRequest,
  kind: string,
  toRows: (stats: LinkStats, span: Span) => Cell[][],
): Promise<FileReply> {
  const {shortener, account, query, today} = request;
  const span = spanIn(query, today);
  const form = csvFormOf(request);
  const wanted = query.get('short_url');
  if (wanted === null) {
    const stats = await shortener.accounts.stats(account, {...conditionsIn(filterIn(query)), ...span.query});
    return csvFile([csvLines(form, toRows(stats, span))], `${kind}.csv`);
  }
  const [{shortUrlPart}, stats] = await ofOwnLink(
    Promise.all([shortener.links.info(account, wanted), shortener.links.stats(account, wanted, span.query)]),
  );
  return csvFile([csvLines(form, toRows(stats, span))], `${kind}-${fileNameOf(shortUrlPart)}.csv`);
}

/** What an import of the file needs, so that no link works longer, or for more visitors, than it did. */
const protective = ['start_date', 'expiry_date', 'max_visits'] as const;

/** The names by which an import knows the columns, in every language: see `tables/columns.ts`. */
function linkNames(texts: Texts): string[] {
  const {fields, list, accounts, many} = texts;
  return [
    ...[fields.shortUrl, fields.title, fields.url, fields.tags, list.status, accounts.created],
    ...protective.map((name) => inputOf(name).label(texts)),
    many.locked,
  ];
}

function linkCells({texts, formats}: DashboardRequest, link: Link): Cell[] {
  const {shortUrl, title, originalUrl, tags, status, isBlocked, dateCreated} = link;
  const shownStatus = texts.statuses[isBlocked ? 'blocked' : status];
  return [
    ...[shortUrl, title, originalUrl, tags.join(), shownStatus, localTime(formats, dateCreated)],
    ...protective.map((name) => shownIn(name, link, formats)),
    link.hasPassword ? texts.fields.yes : texts.fields.no,
  ];
}

/** In the time zone of the site, as `yyyy-mm-dd hh:mm:ss`. */
function localTime(formats: Formats, moment: string): string {
  const {date, time} = formats.local(moment);
  return `${date} ${time}`;
}

type Kind = Pick<ConversionValue, 'currency' | 'recordedBy'>;

interface Figures {
  readonly visits: number;
  readonly conversions: number;
  readonly values: readonly ConversionValue[];
}

/** The columns of visits and conversions, and two for each kind of amounts: what is left, and what was paid. */
class FigureColumns {
  readonly #request: DashboardRequest;
  readonly #kinds: readonly Kind[];

  /** @param amounts all that the rows have */
  constructor(request: DashboardRequest, amounts: readonly ConversionValue[]) {
    this.#request = request;
    const worth = amounts.filter(
      (each) => request.hasConversions && (planted('refunds-without-column') ? each.value > 0 : hasAmount(each)),
    );
    this.#kinds = addValues(worth);
  }

  get headings(): string[] {
    const {texts, hasConversions} = this.#request;
    const {title, value, beforeRefunds} = texts.conversions;
    return [
      texts.visits.title,
      ...(hasConversions ? [title] : []),
      ...this.#kinds.flatMap(({currency, recordedBy}) => {
        const name = [value, currency, recordedBy === 'account' && '(API)'].filter(Boolean).join(' ');
        return [name, beforeRefunds(name)];
      }),
    ];
  }

  cells({visits, conversions, values}: Figures): Cell[] {
    const form = csvFormOf(this.#request);
    const sums = addValues(values);
    return [
      visits,
      ...(this.#request.hasConversions ? [conversions] : []),
      ...this.#kinds.flatMap((kind) => {
        const {value, refunded} = sums.find((each) => isSame(each, kind)) ?? {value: 0, refunded: 0};
        return [value - refunded, value].map((amount) => amountCell(form, amount, kind.currency));
      }),
    ];
  }
}
