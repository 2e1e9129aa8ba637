import {setImmediate} from 'node:timers/promises';
import {ShortUrlError} from '../errors.ts';
import type {Store} from '../store/port.ts';
import {type LinkRecord, linkKey, type Pointer, pointerKey, positionsKey} from './record.ts';

/** Read at a time, so that a list of any length takes the memory of this many links. */
const chunkLength = 500;

/**
 * The links of an owner, oldest first, a chunk at a time. The list is a row of pointers by position; one counts only if
 * the link it points to points back, so what a crash left half-made is not there.
 *
 * @param after the position that the list begins behind; 0 for all of it
 */
export async function* readList(store: Store, owner: string, after = 0): AsyncGenerator<LinkRecord[]> {
  const last = await store.current(positionsKey(owner));
  for (let start = after + 1; start <= last; start += chunkLength) {
    const length = Math.min(chunkLength, last - start + 1);
    const positions = Array.from({length}, (_, index) => start + index);
    const pointers = await store.getMany<Pointer>(positions.map((position) => pointerKey(owner, position)));
    const found = positions.flatMap((position, index) => {
      const pointer = pointers[index]?.value;
      return pointer ? [{position, key: linkKey(pointer)}] : [];
    });
    const records = await store.getMany<LinkRecord>(found.map(({key}) => key));
    // A store within the process answers without a pause, and a long list must not keep everybody else waiting.
    if (start > after + 1) await setImmediate();
    yield found.flatMap(({position}, index) => {
      const record = records[index]?.value;
      return record?.owner === owner && record.position === position && record.state !== 'removed' ? [record] : [];
    });
  }
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
