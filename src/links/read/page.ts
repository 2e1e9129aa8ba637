import {isListed, lengthOf, type LinkRecord} from '../../link/record.ts';
import {linkRecords} from '../../link/records.ts';
import {type LinkRow, placeOf, rankings} from '../rank/link-rows.ts';
import {countBehind, type Place, readRanked} from '../rank/ranked.ts';
import {cursorWithin, formatCursor} from './cursor.ts';
import {type LinkList, siteList} from './link-index.ts';
import {readList} from './list.ts';
import type {LinkPart, RankedLinkPart} from './query.ts';
import type {LinkServices} from '../services.ts';

/** In characters of texts that may be long: a page ends when it has more, so that many readers fit into memory. */
const maxPageSize = 1_000_000;

export type PageDependencies = Pick<LinkServices, 'store' | 'linkRows' | 'now'>;

export interface RecordPage {
  readonly records: readonly LinkRecord[];
  readonly nextCursor: string | undefined;
}

/**
 * A page of a list: the links that a search names, then the others in their order. The work of a search is bounded, so its
 * page may have few links, or none.
 *
 * @throws ShortUrlError `too_many_links` for an order by numbers
 */
export async function readPage(
  dependencies: PageDependencies,
  list: LinkList,
  part: LinkPart | RankedLinkPart,
): Promise<RecordPage> {
  if ('ranking' in part) return readRankedPage(dependencies, list, part);
  if (part.named === undefined) return readPart(dependencies, list, part);
  const {names, after, isWanted} = part.named;
  const {store, now} = dependencies;
  const {limit, matches} = part;
  const found = new Map(names.map((name) => [linkRecords.key(name), name]));
  const records: LinkRecord[] = [];
  if (part.after === undefined) {
    const entries = await linkRecords.in(store).getMany(Array.from(found.values()));
    for (const [index, {value} = {value: undefined}] of entries.entries()) {
      if (index < after || value === undefined || !isListed(value)) continue;
      if (list.positionOf(value) === 0 || !isWanted(value, now())) continue;
      if (records.length === limit) return {records, nextCursor: formatCursor('named', index)};
      records.push(value);
    }
    if (records.length === limit) return {records, nextCursor: formatCursor('named', found.size)};
  }
  const rest = await readPart(dependencies, list, {
    ...part,
    limit: limit - records.length,
    matches: (record, at) => matches(record, at) && !found.has(linkRecords.key(record)),
  });
  return {...rest, records: [...records, ...rest.records]};
}

async function readPart({store, now}: PageDependencies, list: LinkList, part: LinkPart): Promise<RecordPage> {
  const {limit, order, after, maxRead, word, isBroken, matches} = part;
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

/**
 * A page in an order by numbers: of the rows of an account, or of the first rows of the site's links behind a place. Where
 * these end, all links are read again for the rows behind the cursor.
 */
async function readRankedPage(
  {linkRows, now}: PageDependencies,
  list: LinkList,
  {filter, start: begun, matches, ...part}: RankedLinkPart,
): Promise<RecordPage> {
  const {ranking, limit, after} = part;
  const {conversions} = rankings[ranking];
  const read = (start: Place | undefined): Promise<readonly LinkRow[]> =>
    linkRows.get({list: list.name, conversions, ...(list === siteList && {filter, first: {ranking, after: start}})});
  const cursorOf = ({values, id}: Place): string => formatCursor(ranking, ...values, id);
  const toPlace = (row: LinkRow): Place => placeOf(ranking, row);
  let start = begun;
  let rows = await read(start);
  if (linkRows.isCut(rows) && after !== undefined && countBehind(rows, toPlace, after) <= limit) {
    start = after;
    rows = await read(start);
  }
  const at = now();
  const {items: records, nextCursor} = await readRanked(rows, part, toPlace, async (some) => {
    const found = await linkRows.find(some);
    return found.map((record) => (record !== undefined && matches(record, at) ? record : undefined));
  });
  const last = rows.at(-1);
  // Where so many links were removed since that the rows do not fill the page, it ends early.
  const next = nextCursor ?? (linkRows.isCut(rows) && last ? cursorOf(toPlace(last)) : undefined);
  return {records, nextCursor: next && cursorWithin(next, start && cursorOf(start))};
}
