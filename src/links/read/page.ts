import {lengthOf, type LinkRecord} from '../../link/record.ts';
import type {AskedRows, LinkRow} from '../rank/link-rows.ts';
import {lastVisitRank, type RankedPart, readRanked} from '../rank/ranked.ts';
import {formatCursor} from './cursor.ts';
import type {LinkList} from './link-index.ts';
import {readList} from './list.ts';
import type {RankedOrder} from './listed-links.ts';
import type {Matches, Part} from './query.ts';
import type {LinkServices} from '../services.ts';

/** In characters of texts that may be long: a page ends when it has more, so that many readers fit into memory. */
const maxPageSize = 1_000_000;

export type PageDependencies = Pick<LinkServices, 'store' | 'linkRows' | 'now'>;

export interface RecordPage {
  readonly records: readonly LinkRecord[];
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** @throws ShortUrlError `too_many_links` for a part in the order of the visits or conversions */
export async function readPage(
  dependencies: PageDependencies,
  list: LinkList,
  part: Part | RankedPart<RankedOrder>,
  matches: Matches,
): Promise<RecordPage> {
  if ('ranking' in part) return readRankedPage(dependencies, list, part, matches);
  const {store, now} = dependencies;
  const {limit, order, after, maxRead, word, isBroken} = part;
  const at = now();
  const records: LinkRecord[] = [];
  const endingAt = (position = 0): RecordPage => ({records, nextCursor: formatCursor(order, position)});
  let read = 0;
  let size = 0;
  const toItems = (all: LinkRecord[]): LinkRecord[] => all.filter((record) => matches(record, at));
  for await (const chunk of readList(store, list, toItems, {order, after, first: limit + 1, word, isBroken})) {
    read += chunk.size;
    for (const record of chunk.items) {
      // There is one more link, so the page is not the last.
      if (records.length === limit || size > maxPageSize) return endingAt(records.map(list.positionOf).at(-1));
      records.push(record);
      size += lengthOf(record);
    }
    if (read >= maxRead && !chunk.isLast) return endingAt(chunk.end);
  }
  return {records, nextCursor: undefined};
}

interface Ranking extends Pick<AskedRows, 'conversions'> {
  readonly valueOf: (row: LinkRow) => number;
}

const rankings: Readonly<Record<RankedOrder, Ranking>> = {
  visits: {valueOf: ({visits}) => visits},
  last_visit: {valueOf: ({at, visits}) => lastVisitRank(at, visits)},
  conversions: {
    conversions: 'first',
    // In each currency.
    valueOf: ({conversions}) => conversions.reduce((sum, each) => sum + each.conversions, 0),
  },
  // The earliest first. A cursor takes no larger number.
  expiry_date: {valueOf: ({end = Number.MAX_SAFE_INTEGER}) => -end},
};

/** A page in an order by numbers: a comparison of all links of the list, without a span. */
async function readRankedPage(
  {linkRows, now}: PageDependencies,
  {name}: LinkList,
  part: RankedPart<RankedOrder>,
  matches: Matches,
): Promise<RecordPage> {
  const {valueOf, ...asked} = rankings[part.ranking];
  const rows = await linkRows.get({list: name, ...asked});
  const at = now();
  const {items: records, nextCursor} = await readRanked(
    rows,
    part,
    (row) => ({values: [valueOf(row)], id: row.id}),
    async (some) => {
      const found = await linkRows.find(some);
      return found.map((record) => (record !== undefined && matches(record, at) ? record : undefined));
    },
  );
  return {records, nextCursor};
}
