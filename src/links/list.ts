import {setImmediate} from 'node:timers/promises';
import type {Entry, Store} from '../store/port.ts';
import {readPlaces} from './places.ts';
import {isListed, type LinkRecord, linkKey, positionsKey} from './record.ts';

/** Places that are read at once, at most. */
const maxChunk = 200;

/** What a chunk of records may take, in bytes, so that reading it holds the event loop for about a millisecond. */
const chunkBytes = 128 * 1024;

export type Order = 'newest' | 'oldest';

/** Which part of a list to read. */
export interface Range {
  readonly order?: Order | undefined;
  /** The position that was read last; by default none. */
  readonly after?: number | undefined;
  /** How many places to read first; more with every chunk. */
  readonly first?: number;
}

/** Items of a chunk, and the positions that it takes in. */
export interface Chunk<Item> {
  readonly items: readonly Item[];
  /** The last position in the order of the list. */
  readonly end: number;
  /** How many positions. */
  readonly places: number;
  /** Whether the list ends here. */
  readonly isLast: boolean;
}

/**
 * The links of an owner in the order of their creation, a chunk at a time. The list is a row of places by position. A
 * place counts only if its link names it, so what a crash left half-made is not there.
 *
 * @param toItems turns the records of a chunk into what the reader wants. Nothing else of a chunk stays in memory while
 *   the reader pauses
 */
export async function* readList<Item>(
  store: Store,
  owner: string,
  toItems: (records: LinkRecord[]) => readonly Item[] | Promise<readonly Item[]>,
  {order = 'oldest', after, first = maxChunk}: Range = {},
): AsyncGenerator<Chunk<Item>> {
  const last = await store.current(positionsKey(owner));
  const [begin, end, step] =
    order === 'oldest' ? [(after ?? 0) + 1, last, 1] : [Math.min((after ?? last + 1) - 1, last), 1, -1];
  let size = Math.min(first, 50);
  for (let start = begin; (end - start) * step >= 0;) {
    const places = Math.min(size, Math.abs(end - start) + 1);
    const positions = Array.from({length: places}, (_, index) => start + step * index);
    const {items, bytes} = await readChunk(store, owner, positions, toItems);
    size = nextSize(size, bytes);
    start += step * places;
    const isLast = (end - start) * step < 0;
    yield {items, end: start - step, places, isLast};
    // A store within the process answers without a pause, and a long list must not keep everybody else waiting.
    if (!isLast) await setImmediate();
  }
}

async function readChunk<Item>(
  store: Store,
  owner: string,
  positions: readonly number[],
  toItems: (records: LinkRecord[]) => readonly Item[] | Promise<readonly Item[]>,
): Promise<{items: readonly Item[]; bytes: number}> {
  const names = await readPlaces(store, owner, positions);
  const found = positions.flatMap((position, index) => {
    const name = names[index];
    return name ? [{position, key: linkKey(name)}] : [];
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
