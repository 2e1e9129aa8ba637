import {keepText} from '../../tables/spreadsheet.ts';
import {valueCells, valueNames} from '../../tables/values.ts';
import {conversionCounter, conversionCounts, visitsCounter} from '../../link/counters.ts';
import {readConversionNames} from '../../links/stats/conversion-names.ts';
import {conversionsIn, countOf, valuesOf} from '../../links/stats/visit-stats.ts';
import {linkCounters} from '../../link/records.ts';
import {byteOrderMark, type Cell, csvRow} from '../../values/csv.ts';
import {fields, type ShownName, shownNames} from '../../link/fields.ts';
import {formatDateTime} from '../../values/calendar.ts';
import {formatExpiryDate} from '../../link/dates.ts';
import {isListed, type LinkRecord, statusOf} from '../../link/record.ts';
import {toTotals} from '../../link/to-link.ts';
import {utmName, utmParts} from '../../link/utm.ts';
import type {LiveAccount} from '../../accounts/record.ts';
import type {Counters, ToolStore} from '../../store/port.ts';
import {contentOf, linkSection, type RecordItem, type Tally} from '../content/content.ts';
import type {OnProgress} from '../progress.ts';

/** What a format writes. */
export interface ExportScope {
  readonly store: ToolStore;
  /** The only account; undefined for all of them. */
  readonly account: LiveAccount | undefined;
  readonly tally: Tally;
  readonly onProgress: OnProgress;
}

type Column = readonly [name: string, cell: (link: LinkRecord, counters: Counters | undefined) => Cell];

/** The columns by their names. `tables/read-table.ts` reads them back. */
const columns: readonly Column[] = [
  ['account', ({account}) => account],
  ['domain', ({domain}) => domain],
  ['short_part', ({slug}) => slug],
  // A spreadsheet makes 7 of the short part 007, but keeps this. The path of the domain is not in the store.
  ['short_url', ({domain, slug}) => `${domain}/${slug}`],
  ['long_url', ({url}) => url],
  shown('title'),
  shown('tags'),
  ['created', ({created}) => moment(formatDateTime(created))],
  ['expires', ({end}) => end && moment(formatExpiryDate(end))],
  ['status', (link) => statusOf(link, Date.now())],
  ['has_password', ({password}) => password !== undefined],
  ...shownNames.filter((name) => !['title', 'tags', 'utm'].includes(name)).map(shown),
  ...utmParts.map((part): Column => [utmName(part), ({utm}) => kept(utm?.[part])]),
  ['visits', (_, counters) => toTotals(counters).totalVisits],
  ['last_visit', (_, counters) => moment(toTotals(counters).lastAccessed)],
  ['conversions', (_, counters) => countOf(conversionsIn(counters))],
];

/** A field as a path of the API has it. */
function shown(name: ShownName): Column {
  const {parameter, toLink, isBySite} = fields[name];
  return [
    parameter,
    (link) => {
      // A default of the site is no property of the link.
      if (isBySite) return (link as Readonly<Partial<Record<ShownName, unknown>>>)[name] as boolean | undefined;
      const value = toLink?.(link, {forwardQuery: false, confirm: 'never'});
      if (name === 'startDate') return moment(value as string | null | undefined);
      if (typeof value === 'string') return kept(value);
      if (typeof value !== 'object' || value === null) return value;
      const isText = Array.isArray(value) && value.every((item) => typeof item === 'string');
      return isText ? kept(value.join()) : JSON.stringify(value);
    },
  ];
}

const kept = (text: string | undefined): string | undefined => text && keepText(text);

/** A moment in a form that no spreadsheet changes: ISO 8601 with its zone. */
const moment = (text: string | null | undefined): string | undefined =>
  text ? `${text.replace(' ', 'T')}Z` : undefined;

/** How the first row begins. Columns of the values of conversions follow, two for each currency. */
const exportHeader: readonly string[] = columns.map(([name]) => name);

/** A row for each link that its owner can see (RFC 4180). */
export async function* csvOf({store, account, tally, onProgress}: ExportScope): AsyncGenerator<string> {
  // Those of API calls are figures of their account alone.
  const names = await readConversionNames(store, account?.generation);
  const kinds = (['site', 'account'] as const).flatMap((recordedBy) => {
    const own = names.filter((name) => name.recordedBy === recordedBy);
    const currencies = Array.from(new Set(own.map(({currency = null}) => currency))).sort();
    return currencies.map((currency) => ({recordedBy, currency}));
  });
  const wanted = names.flatMap((name) => conversionCounts.map((kind) => conversionCounter(kind, name)));
  yield byteOrderMark + csvRow([...exportHeader, ...kinds.flatMap(valueNames)]);
  for await (const items of contentOf(store, [linkSection])) {
    const links = items
      .map((item) => (item as RecordItem).value as LinkRecord)
      .filter((link) => isListed(link) && (account === undefined || link.generation === account.generation));
    if (links.length === 0) continue;
    const counters = await store.getCounters(links.map(linkCounters.key), [visitsCounter, ...wanted]);
    const rows = links.map((link, index) => {
      const own = counters[index];
      const values = valuesOf(conversionsIn(own));
      const cells = kinds.flatMap((kind) => valueCells(values, kind));
      return csvRow([...columns.map(([, cell]) => cell(link, own)), ...cells]);
    });
    yield rows.join('');
    tally.links += links.length;
    onProgress({phase: 'exporting links', done: tally.links});
  }
}
