import {lengthOf, type LinkRecord} from '../../link/record.ts';
import {type LinkRow, placeOf, rankings} from '../rank/link-rows.ts';
import {countBehind, type Place, type RankedPart, readRanked} from '../rank/ranked.ts';
import {cursorWithin, formatCursor} from './cursor.ts';
import {type LinkList, siteList} from './link-index.ts';
import {readList} from './list.ts';
import type {RankedOrder} from './listed-links.ts';
import type {Matches, Part, SitePart} from './query.ts';
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

/** A page in an order by numbers: a comparison of all links of the list, without a span. */
async function readRankedPage(
  dependencies: PageDependencies,
  {name}: LinkList,
  part: RankedPart<RankedOrder>,
  matches: Matches,
): Promise<RecordPage> {
  const {conversions} = rankings[part.ranking];
  return pageOf(dependencies, await dependencies.linkRows.get({list: name, conversions}), part, matches);
}

/**
 * A page of the site's links in an order by numbers. Of any number of links, the first rows behind a place are remembered.
 * Where these end, all links are read again for the rows behind the cursor.
 *
 * @throws ShortUrlError `too_many_links`
 */
export async function readSitePage(
  dependencies: PageDependencies,
  {filter, start: begun, ...part}: SitePart,
  matches: Matches,
): Promise<RecordPage> {
  const {linkRows} = dependencies;
  const {ranking, limit, after} = part;
  const {conversions} = rankings[ranking];
  const read = (start: Place | undefined): Promise<readonly LinkRow[]> =>
    linkRows.get({list: siteList.name, conversions, filter, first: {ranking, after: start}});
  const cursorOf = ({values, id}: Place): string => formatCursor(ranking, ...values, id);
  let start = begun;
  let rows = await read(start);
  const toPlace = (row: LinkRow): Place => placeOf(ranking, row);
  if (linkRows.isCut(rows) && after !== undefined && countBehind(rows, toPlace, after) <= limit) {
    start = after;
    rows = await read(start);
  }
  const {records, nextCursor} = await pageOf(dependencies, rows, part, matches);
  const last = rows.at(-1);
  // Where so many links were removed since that the rows do not fill the page, it ends early.
  const next = nextCursor ?? (linkRows.isCut(rows) && last ? cursorOf(toPlace(last)) : undefined);
  return {records, nextCursor: next && cursorWithin(next, start && cursorOf(start))};
}

async function pageOf(
  {linkRows, now}: PageDependencies,
  rows: readonly LinkRow[],
  part: RankedPart<RankedOrder>,
  matches: Matches,
): Promise<RecordPage> {
  const at = now();
  const {items: records, nextCursor} = await readRanked(
    rows,
    part,
    (row) => placeOf(part.ranking, row),
    async (some) => {
      const found = await linkRows.find(some);
      return found.map((record) => (record !== undefined && matches(record, at) ? record : undefined));
    },
  );
  return {records, nextCursor};
}
