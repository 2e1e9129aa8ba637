import {type Amount, type AmountKind, decimal, valueCells, valueNames} from '../../tools/tables/values.ts';
import {byteOrderMark, type Cell, csvRow} from '../../values/csv.ts';
import type {ConversionStats, Link, LinkComparison, LinkStats, TagComparison} from '../../index.ts';
import {fileNameOf} from '../files/file-name.ts';
import {isTooMany} from '../list/order.ts';
import {conditionsIn, filterIn} from '../list/search.ts';
import {type DashboardRequest, type FileReply, type Handler, ownLink, type RedirectReply} from '../request.ts';
import {comparisonAddress, comparisonIn, comparisonQuery} from './comparison.ts';
import {addValues} from './conversions.ts';
import {statsByDay} from './days.ts';
import {type Span, spanIn} from './span.ts';
import {measured} from './variants.ts';

/** How many rows of a comparison are read at once. */
const pageLength = 1000;

/** The days that are shown of a link, or of the links that match the filter, each with its visits and conversions. */
export const daysCsv: Handler = (request) =>
  statsCsv(request, 'visits', ({days}, span) => {
    const {hasConversions} = request;
    const kinds = hasConversions ? kindsOf(days.flatMap(({values}) => values)) : [];
    return [
      ['date', 'visits', ...(hasConversions ? ['conversions'] : []), ...kinds.flatMap(valueNames)],
      ...statsByDay(days, span.dates).days.map((day) => [
        day.date,
        day.visits,
        ...(hasConversions ? [day.conversions] : []),
        ...kinds.flatMap((kind) => valueCells(addValues(day.values), kind)),
      ]),
    ];
  });

/** The conversions of these days, by name and currency. */
export const conversionsCsv: Handler = (request) =>
  statsCsv(request, 'conversions', ({conversions}) => [
    ['name', 'currency', 'recorded_by', 'conversions', 'value', 'refunds', 'refunded'],
    ...(request.hasConversions ? conversions : []).map(conversionCells),
  ]);

/** The variants of a link in the months of these days, with the bounds of their rates. */
export const variantsCsv: Handler = (request) =>
  statsCsv(request, 'variants', ({variants = []}: LinkStats) => {
    const rows = variants.map((variant) => measured(variant));
    const kinds = request.hasConversions ? kindsOf(rows.flatMap(({values}) => values)) : [];
    return [
      [
        'variant',
        'visits',
        ...(request.hasConversions ? ['conversions', 'rate_low', 'rate_high'] : []),
        ...kinds.flatMap(valueNames),
      ],
      ...rows.map(({name, visits, conversions, interval: [low, high], values}) => [
        name,
        visits,
        ...(request.hasConversions ? [conversions, low.toFixed(4), high.toFixed(4)] : []),
        ...kinds.flatMap((kind) => valueCells(values, kind)),
      ]),
    ];
  });

/** The details of the visits in the months of these days. */
export const detailsCsv: Handler = (request) =>
  statsCsv(request, 'details', ({details}) => [
    ['detail', 'value', 'visits'],
    ...Object.entries(details).flatMap(([name, values]) => values.map(({value, visits}) => [name, value, visits])),
  ]);

/** The links or the tags of a comparison, or the links of the list, with what they had on the days that are shown. */
export const linksCsv: Handler = async (request): Promise<FileReply | RedirectReply> => {
  const {shortener, account, hasConversions} = request;
  const asked = comparisonIn(request);
  const {from, until} = asked.span.query;
  const query = {...comparisonQuery(asked), limit: pageLength};
  // As bytes: to send a long text takes as long as to read its numbers.
  const lines: Buffer[] = [];
  let kinds: readonly AmountKind[] | undefined;
  let cursor: string | undefined;
  do {
    const reading: Promise<LinkComparison | TagComparison> = asked.by
      ? shortener.links.compareTags(account, {...query, by: asked.by, cursor})
      : shortener.links.compare(account, {...query, cursor});
    const read = await reading.catch((error: unknown) => {
      if (!isTooMany(error)) throw error;
    });
    // The page says so.
    if (read === undefined) return {location: comparisonAddress(`${request.root}compare`, asked)};
    cursor = read.nextCursor;
    // Those of the first page, so that all rows have the same columns.
    kinds ??= hasConversions ? kindsOf(read.conversions) : [];
    const columns = kinds;
    const items = 'tags' in read ? read.tags : read.most;
    const rows = items.map((item): Cell[] => [
      ...('link' in item ? linkCells(item.link) : [item.tag, item.links]),
      from,
      until,
      item.visits,
      ...(hasConversions ? [item.conversions] : []),
      ...columns.flatMap((kind) => valueCells(addValues(item.values), kind)),
    ]);
    lines.push(Buffer.from(rows.map(csvRow).join('')));
  } while (cursor !== undefined);
  const header = [
    ...(asked.by ? [asked.by, 'links'] : linkNames),
    ...['from', 'until', 'visits'],
    ...(hasConversions ? ['conversions'] : []),
    ...kinds.flatMap(valueNames),
  ];
  return toFile([Buffer.from(csvRow(header)), ...lines], `${asked.by ?? 'link'}s-${from}-${until}.csv`);
};

async function statsCsv(
  request: DashboardRequest,
  kind: string,
  toRows: (stats: LinkStats, span: Span) => Cell[][],
): Promise<FileReply> {
  const {shortener, account, query, today} = request;
  const span = spanIn(query, today);
  const wanted = query.get('short_url');
  if (wanted === null) {
    const stats = await shortener.accounts.stats(account, {...conditionsIn(filterIn(query)), ...span.query});
    return toFile([Buffer.from(toRows(stats, span).map(csvRow).join(''))], `${kind}.csv`);
  }
  const {shortUrl, shortUrlPart} = await ownLink(request, wanted);
  const stats = await shortener.links.stats(account, shortUrl, span.query);
  return toFile([Buffer.from(toRows(stats, span).map(csvRow).join(''))], `${kind}-${fileNameOf(shortUrlPart)}.csv`);
}

function toFile(parts: readonly Buffer[], download: string): FileReply {
  const body = Buffer.concat([Buffer.from(byteOrderMark), ...parts]);
  return {type: 'text/csv; charset=utf-8', body, maxAge: 0, download};
}

const linkNames = ['short_url', 'title', 'long_url', 'tags', 'status', 'created'];

function linkCells({shortUrl, title, originalUrl, tags, status, dateCreated}: Link): Cell[] {
  return [shortUrl, title, originalUrl, tags.join(), status, dateCreated];
}

/** Those of amounts, each once. */
function kindsOf(amounts: readonly Amount[]): AmountKind[] {
  const worth = amounts.filter(({value, refunded}) => value > 0 || refunded > 0);
  return [...new Map(worth.map((each) => [valueNames(each).join(), each])).values()];
}

function conversionCells(each: ConversionStats): Cell[] {
  const {name, currency, recordedBy, conversions, value, refunds, refunded} = each;
  return [name, currency, recordedBy, conversions, decimal(value, currency), refunds, decimal(refunded, currency)];
}
