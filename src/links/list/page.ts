import type {Store} from '../../store/port.ts';
import type {Matches, Part} from './query.ts';
import type {LinkRecord} from '../../link/record.ts';
import type {LinkList} from './link-index.ts';
import {readList} from './list.ts';

/** In characters of long URLs, titles and tags: a page ends when it has more, so that many readers fit into memory. */
const maxPageSize = 1_000_000;

/** Links of a list that match. */
export interface RecordPage {
  readonly records: readonly LinkRecord[];
  /** The position after which the list goes on; undefined at its end. */
  readonly end: number | undefined;
}

/** Reads a page of a list. */
export async function readPage(
  {store, now}: {readonly store: Store; readonly now: () => number},
  list: LinkList,
  {limit, order, after, maxRead, word}: Part,
  matches: Matches,
): Promise<RecordPage> {
  const at = now();
  const records: LinkRecord[] = [];
  let read = 0;
  let size = 0;
  const toItems = (all: LinkRecord[]): LinkRecord[] => all.filter((record) => matches(record, at));
  for await (const chunk of readList(store, list, toItems, {order, after, first: limit + 1, word})) {
    read += chunk.size;
    for (const record of chunk.items) {
      // There is one more link, so the page is not the last.
      if (records.length === limit || size > maxPageSize) {
        return {records, end: records.map(list.positionOf).at(-1)};
      }
      records.push(record);
      size += sizeOf(record);
    }
    if (read >= maxRead && !chunk.isLast) return {records, end: chunk.end};
  }
  return {records, end: undefined};
}

function sizeOf({url, title, tags, expiredUrl, rules, previewImage}: LinkRecord): number {
  const ofRules = rules === undefined ? 0 : JSON.stringify(rules).length;
  const ofTexts = [url, title, tags?.join(), expiredUrl, previewImage].map((text) => text?.length ?? 0);
  return ofTexts.reduce((sum, length) => sum + length, ofRules);
}
