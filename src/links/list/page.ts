import type {Store} from '../../store/port.ts';
import type {Matches, Part} from './query.ts';
import type {LinkRecord} from '../../link/record.ts';
import {readList} from './list.ts';

/** In characters of long URLs, titles and tags: a page ends when it has more, so that many readers fit into memory. */
export const maxPageSize = 1_000_000;

/** Links of one account that match. */
export interface RecordPage {
  readonly records: readonly LinkRecord[];
  /** The position after which the list goes on; undefined at its end. */
  readonly end: number | undefined;
  /** How many positions were read. */
  readonly read: number;
  /** In the unit of `maxPageSize`. */
  readonly size: number;
}

/** Reads a bounded part of an account's links. */
export async function readPage(
  {store, now}: {readonly store: Store; readonly now: () => number},
  generation: string,
  {limit, order, after, maxPositions, word}: Part,
  matches: Matches,
): Promise<RecordPage> {
  const at = now();
  const records: LinkRecord[] = [];
  let read = 0;
  let size = 0;
  const toItems = (all: LinkRecord[]): LinkRecord[] => all.filter((record) => matches(record, at));
  for await (const chunk of readList(store, generation, toItems, {order, after, first: limit + 1, word})) {
    read += chunk.size;
    for (const record of chunk.items) {
      // There is one more link, so the page is not the last.
      if (records.length === limit || size > maxPageSize) {
        return {records, end: records.at(-1)?.position ?? 0, read, size};
      }
      records.push(record);
      size += sizeOf(record);
    }
    if (read >= maxPositions && !chunk.isLast) return {records, end: chunk.end, read, size};
  }
  return {records, end: undefined, read, size};
}

function sizeOf({url, title, tags, expiredUrl, rules, previewImage}: LinkRecord): number {
  const ofRules = rules === undefined ? 0 : JSON.stringify(rules).length;
  const ofTexts = [url, title, tags?.join(), expiredUrl, previewImage].map((text) => text?.length ?? 0);
  return ofTexts.reduce((sum, length) => sum + length, ofRules);
}
