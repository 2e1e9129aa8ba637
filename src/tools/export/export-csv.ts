import {formatDateTime, formatExpiryDate} from '../../links/input/dates.ts';
import {
  countersKey,
  isListed,
  linkPrefix,
  type LinkRecord,
  statusOf,
  toTotals,
  visitsCounter,
} from '../../links/record.ts';
import type {Counters} from '../../store/port.ts';
import {readValues} from '../copy/content.ts';
import type {ExportScope} from './export-scope.ts';
import {KeySorter} from './key-sorter.ts';
import {listSurely} from '../listing.ts';

type Cell = string | number | boolean | null | undefined;

/** The columns by their names. `formats/csv.ts` reads them back. */
const columns: ReadonlyArray<
  readonly [name: string, cell: (link: LinkRecord, counters: Counters | undefined) => Cell]
> = [
  ['account', ({account}) => account],
  ['domain', ({domain}) => domain],
  ['short_part', ({slug}) => slug],
  ['long_url', ({url}) => url],
  ['title', ({title}) => title],
  ['tags', ({tags = []}) => tags.join(',')],
  ['created', ({created}) => formatDateTime(created)],
  ['expires', ({end}) => end && formatExpiryDate(end)],
  ['status', (link) => statusOf(link, Date.now())],
  ['has_password', ({password}) => password !== undefined],
  ['max_visits', ({maxVisits}) => maxVisits],
  ['visits', (_, counters) => toTotals(counters).totalVisits],
  ['last_visit', (_, counters) => toTotals(counters).lastAccessed],
];

/** The first row. */
export const exportHeader: readonly string[] = columns.map(([name]) => name);

/** A row for each link that its owner can see (RFC 4180), sorted by domain and short part. */
export async function* csvOf({store, account, tally, onProgress}: ExportScope): AsyncGenerator<string> {
  const sorter = new KeySorter();
  try {
    yield rowOf(exportHeader);
    for await (const keys of listSurely(store, 'records', linkPrefix)) await sorter.add(keys);
    for await (const keys of sorter.sorted()) {
      const records = (await readValues(store, 'records', keys)) as ReadonlyMap<string, LinkRecord>;
      const links = Array.from(records.values()).filter(
        (link) => isListed(link) && (account === undefined || link.generation === account.generation),
      );
      if (links.length === 0) continue;
      const counters = await store.getCounters(links.map(countersKey), [visitsCounter]);
      yield links.map((link, index) => rowOf(columns.map(([, cell]) => cell(link, counters[index])))).join('');
      tally.links += links.length;
      onProgress({phase: 'exporting links', done: tally.links});
    }
  } finally {
    await sorter.dispose();
  }
}

function rowOf(cells: readonly Cell[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

/**
 * Where a spreadsheet would read a formula: at the beginning of a text, and after each character that it may take for the
 * separator of cells.
 */
const formula = /(^|[;|\t\r\n])(["' ]*)(?=[=+\-@＝＋－＠])/g;
const escapedFormula = /(^|[;|\t\r\n])(["' ]*)'(?=[=+\-@＝＋－＠])/g;

/** Restores a text that an export has escaped. */
export function withFormulas(text: string): string {
  return text.replaceAll(escapedFormula, '$1$2');
}

/**
 * Quotes a cell. A text that a spreadsheet would run as a formula gets an apostrophe, as OWASP advises, because strangers
 * choose accounts, URLs, titles and tags. A text that looks as if it had one already gets one, too, so that an import can
 * take one away from each.
 */
function quoted(cell: Cell): string {
  if (typeof cell !== 'string') return String(cell ?? '');
  const text = cell.replaceAll(formula, "$1$2'");
  return /[",\r\n;|\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
