import {visitsCounter} from '../../link/counters.ts';
import {countersKey, linkPrefix} from '../../keys.ts';
import {type Cell, csvRow} from '../../host/csv.ts';
import {fields, type ShownName, shownNames} from '../../link/fields.ts';
import {formatDateTime, formatExpiryDate} from '../../link/dates.ts';
import {isListed, type LinkRecord, statusOf} from '../../link/record.ts';
import {toTotals} from '../../link/to-link.ts';
import type {Counters} from '../../store/port.ts';
import {readValues, type RecordValue} from '../copy/content.ts';
import type {ExportScope} from './export-scope.ts';
import {KeySorter} from './key-sorter.ts';
import {listKeys} from '../listing.ts';

type Column = readonly [name: string, cell: (link: LinkRecord, counters: Counters | undefined) => Cell];

/** The columns by their names. `formats/csv.ts` reads them back. */
const columns: readonly Column[] = [
  ['account', ({account}) => account],
  ['domain', ({domain}) => domain],
  ['short_part', ({slug}) => slug],
  ['long_url', ({url}) => url],
  shown('title'),
  shown('tags'),
  ['created', ({created}) => formatDateTime(created)],
  ['expires', ({end}) => end && formatExpiryDate(end)],
  ['status', (link) => statusOf(link, Date.now())],
  ['has_password', ({password}) => password !== undefined],
  ...shownNames.filter((name) => name !== 'title' && name !== 'tags').map(shown),
  ['visits', (_, counters) => toTotals(counters).totalVisits],
  ['last_visit', (_, counters) => toTotals(counters).lastAccessed],
];

/** A field as a path of the API has it. */
function shown(name: ShownName): Column {
  const {parameter, toLink} = fields[name];
  return [
    parameter,
    (link) => {
      // A default of the site is no property of the link.
      if (name === 'forwardQuery') return link.forwardQuery;
      const value = toLink(link, {forwardQuery: false});
      if (typeof value !== 'object' || value === null) return value;
      const isText = value.every((item) => typeof item === 'string');
      return isText ? value.join() : JSON.stringify(value);
    },
  ];
}

/** The first row. */
export const exportHeader: readonly string[] = columns.map(([name]) => name);

/** A row for each link that its owner can see (RFC 4180), sorted by domain and short part. */
export async function* csvOf({store, account, tally, onProgress}: ExportScope): AsyncGenerator<string> {
  const sorter = new KeySorter();
  try {
    yield csvRow(exportHeader);
    for await (const keys of listKeys(store, 'records', linkPrefix)) await sorter.add(keys);
    for await (const keys of sorter.sorted()) {
      const records = (await readValues(store, 'records', keys)) as ReadonlyMap<string, RecordValue<LinkRecord>>;
      const links = Array.from(records.values(), ({value}) => value).filter(
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
