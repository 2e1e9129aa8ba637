import {setImmediate} from 'node:timers/promises';
import {ShortUrlError} from '../errors.ts';
import type {Entry, Store} from '../store/port.ts';
import {isListed, type LinkRecord, linkKey, type Pointer, pointerKey, positionsKey} from './record.ts';

/** Places that are read at once, at most. */
const maxChunk = 500;

/** What a chunk of records may take, in bytes, so that reading it holds the event loop for about a millisecond. */
const chunkBytes = 128 * 1024;

/** Which part of a list to read. */
export interface Range {
  /** Behind which position to begin; by default at the beginning. */
  readonly after?: number | undefined;
  /** How many places to read first; more with every chunk. */
  readonly first?: number;
}

/** Items of a chunk, and the position where it ends. */
export interface Chunk<Item> {
  readonly items: readonly Item[];
  readonly end: number;
}

/**
 * The links of an owner, oldest first, a chunk at a time. The list is a row of pointers by position. A pointer counts
 * only if its link points back, so what a crash left half-made is not there.
 *
 * @param toItems turns the records of a chunk into what the reader wants. Nothing else of a chunk stays in memory while
 *   the reader pauses
 */
export async function* readList<Item>(
  store: Store,
  owner: string,
  toItems: (records: LinkRecord[]) => readonly Item[] | Promise<readonly Item[]>,
  {after = 0, first = maxChunk}: Range = {},
): AsyncGenerator<Chunk<Item>> {
  const last = await store.current(positionsKey(owner));
  let size = Math.min(first, 50);
  for (let start = after + 1; start <= last;) {
    const end = Math.min(start + size - 1, last);
    const {items, bytes} = await readChunk(store, owner, [start, end], toItems);
    size = nextSize(size, bytes);
    start = end + 1;
    yield {items, end};
    // A store within the process answers without a pause, and a long list must not keep everybody else waiting.
    if (start <= last) await setImmediate();
  }
}

async function readChunk<Item>(
  store: Store,
  owner: string,
  [start, end]: readonly [start: number, end: number],
  toItems: (records: LinkRecord[]) => readonly Item[] | Promise<readonly Item[]>,
): Promise<{items: readonly Item[]; bytes: number}> {
  const positions = Array.from({length: end - start + 1}, (_, index) => start + index);
  const pointers = await store.getMany<Pointer>(positions.map((position) => pointerKey(owner, position)));
  const found = positions.flatMap((position, index) => {
    const pointer = pointers[index]?.value;
    return pointer ? [{position, key: linkKey(pointer)}] : [];
  });
  const entries = await store.getMany<LinkRecord>(found.map(({key}) => key));
  const records = found.flatMap(({position}, index) => {
    const record = entries[index]?.value;
    return record?.owner === owner && record.position === position && isListed(record) ? [record] : [];
  });
  return {items: await toItems(records), bytes: entries.reduce((sum, entry) => sum + bytesOf(entry), 0)};
}

/** Text is the record itself; an object is taken for one of ordinary size. */
function bytesOf(entry: Entry<LinkRecord> | undefined): number {
  if (entry === undefined) return 0;
  return typeof entry.revision === 'string' ? entry.revision.length : 500;
}

function nextSize(size: number, bytes: number): number {
  const fitting = Math.floor((size * chunkBytes) / Math.max(bytes, 1));
  return Math.max(1, Math.min(2 * size, fitting, maxChunk));
}

/** Where a page of a list ended, as its reader hands it back. */
export function formatCursor(position: number): string {
  return Buffer.from(`after ${position}`).toString('base64url');
}

/**
 * What a page is asked for: so many links at most, behind a position.
 *
 * @throws ShortUrlError `malformed_parameter` if the limit is not an integer from 1 to 1,000, or the cursor none that
 *   `formatCursor` made
 */
export function readPage(page: unknown): {limit: number; after: number} {
  if (typeof page !== 'object' || page === null) throw malformed('The page must be an object.');
  // What is no number is no integer either.
  const {limit = 1000, cursor} = page as {limit?: number; cursor?: unknown};
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw malformed('The limit must be an integer from 1 to 1000.');
  }
  return {limit, after: cursor === undefined ? 0 : parseCursor(cursor)};
}

function parseCursor(cursor: unknown): number {
  if (typeof cursor === 'string') {
    const position = Number(/\d{1,15}/.exec(Buffer.from(cursor, 'base64url').toString())?.[0]);
    if (!Number.isNaN(position) && formatCursor(position) === cursor) return position;
  }
  throw malformed('The cursor must be the `next_cursor` of the page before.');
}

function malformed(message: string): ShortUrlError {
  return new ShortUrlError('malformed_parameter', message);
}
