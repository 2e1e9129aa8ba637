import {formatCursor, type Matches, type Part} from './query.ts';
import {lengthOf, type LinkRecord} from '../../link/record.ts';
import type {LinkList} from './link-index.ts';
import {readList} from './list.ts';
import type {RankedPart} from './rankings.ts';
import type {LinkServices} from '../services.ts';

/** In characters of texts that may be long: a page ends when it has more, so that many readers fit into memory. */
const maxPageSize = 1_000_000;

export type PageDependencies = Pick<LinkServices, 'store' | 'rankings' | 'now'>;

export interface RecordPage {
  readonly records: readonly LinkRecord[];
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** @throws ShortUrlError `too_many_links` for a part in the order of the visits or conversions */
export async function readPage(
  {store, rankings, now}: PageDependencies,
  list: LinkList,
  part: Part | RankedPart,
  matches: Matches,
): Promise<RecordPage> {
  if ('ranking' in part) {
    const {records, end} = await rankings.page(list, part, matches);
    return {records, nextCursor: end && formatCursor(part.ranking, end.value, end.id)};
  }
  const {limit, order, after, maxRead, word} = part;
  const at = now();
  const records: LinkRecord[] = [];
  const endingAt = (position = 0): RecordPage => ({records, nextCursor: formatCursor(order, position)});
  let read = 0;
  let size = 0;
  const toItems = (all: LinkRecord[]): LinkRecord[] => all.filter((record) => matches(record, at));
  for await (const chunk of readList(store, list, toItems, {order, after, first: limit + 1, word})) {
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
