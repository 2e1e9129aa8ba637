import {type Cell, csvRow} from '../../host/csv.ts';
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
    yield csvRow(exportHeader);
    for await (const keys of listSurely(store, 'records', linkPrefix)) await sorter.add(keys);
    for await (const keys of sorter.sorted()) {
      const records = (await readValues(store, 'records', keys)) as ReadonlyMap<string, LinkRecord>;
      const links = Array.from(records.values()).filter(
        (link) => isListed(link) && (account === undefined || link.generation === account.generation),
      );
      if (links.length === 0) continue;
      const counters = await store.getCounters(links.map(countersKey), [visitsCounter]);
      yield links.map((link, index) => csvRow(columns.map(([, cell]) => cell(link, counters[index])))).join('');
      tally.links += links.length;
      onProgress({phase: 'exporting links', done: tally.links});
    }
  } finally {
    await sorter.dispose();
  }
}
