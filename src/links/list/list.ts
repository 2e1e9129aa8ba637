import {linkKey, positionsKey} from '../../keys.ts';
import {setImmediate} from 'node:timers/promises';
import type {Entry, Store} from '../../store/port.ts';
import {countSlots, markSlots, readSlots} from './link-index.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';

/** The maximum number of slots that are read at once. */
const maxChunk = 200;

/** The same where an engine that can search leaves out most of the links. */
const maxSearched = 2000;

/** The size of a chunk of records in bytes. Reading one blocks the event loop for about a millisecond. */
const chunkBytes = 128 * 1024;

export type Order = 'newest' | 'oldest';

/** Which part of a list to read. */
export interface Range {
  readonly order?: Order | undefined;
  /** The last position that was read. By default the list is read from its beginning. */
  readonly after?: number | undefined;
  /** How many slots to read first. The number grows with every chunk. */
  readonly first?: number;
  /** Which links belong to the list; by default those that the owner sees. */
  readonly belongs?: (record: LinkRecord) => boolean;
  /** A word that every wanted link has, as in `Store.getMany`. */
  readonly word?: string | undefined;
}

/** Items of a chunk, and the positions that it covers. */
export interface Chunk<Item> {
  readonly items: readonly Item[];
  /** The last position in the order of the list. */
  readonly end: number;
  /** How many positions it covers. */
  readonly size: number;
  /** Whether the list ends here. */
  readonly isLast: boolean;
}

/**
 * The links of an account in the order of their creation, a chunk at a time. A slot of the index counts only if its link
 * names its position, so links that a crash left half-created do not appear. Their slots are marked for `countLinks`.
 *
 * @param toItems converts the records of a chunk. Only its result stays in memory while the reader pauses
 */
export async function* readList<Item>(
  store: Store,
  generation: string,
  toItems: (records: LinkRecord[]) => readonly Item[] | Promise<readonly Item[]>,
  {order = 'oldest', after, first = maxChunk, belongs = isListed, word}: Range = {},
): AsyncGenerator<Chunk<Item>> {
  const last = await store.current(positionsKey(generation));
  const [begin, end, step] =
    order === 'oldest' ? [(after ?? 0) + 1, last, 1] : [Math.min((after ?? last + 1) - 1, last), 1, -1];
  let next = Math.min(first, 50);
  for (let start = begin; (end - start) * step >= 0;) {
    const size = Math.min(next, Math.abs(end - start) + 1);
    const positions = Array.from({length: size}, (_, index) => start + step * index);
    const toOwn = async (records: LinkRecord[]): Promise<readonly Item[]> => toItems(records.filter(belongs));
    const {items, bytes} = await readChunk(store, generation, {positions, word}, toOwn);
    next = nextSize(size, bytes, word === undefined ? maxChunk : maxSearched);
    start += step * size;
    const isLast = (end - start) * step < 0;
    yield {items, end: start - step, size, isLast};
    // A store within the process answers without a pause, so a long list would block other requests.
    if (!isLast) await setImmediate();
  }
}

async function readChunk<Item>(
  store: Store,
  generation: string,
  {positions, word}: {readonly positions: readonly number[]; readonly word: string | undefined},
  toItems: (records: LinkRecord[]) => readonly Item[] | Promise<readonly Item[]>,
): Promise<{items: readonly Item[]; bytes: number}> {
  const names = await readSlots(store, generation, positions);
  const found = positions.flatMap((position, index) => {
    const name = names[index];
    return name ? [{position, name, key: linkKey(name)}] : [];
  });
  const entries = await store.getMany<LinkRecord>(
    found.map(({key}) => key),
    word,
  );
  const records = found.flatMap(({position}, index) => {
    const record = entries[index]?.value;
    return isAt(record, generation, position) ? [record] : [];
  });
  // A search leaves links out that are not missing.
  const seen = word === undefined ? found : [];
  const marks = seen.flatMap(({position, name}, index) => {
    const record = entries[index]?.value;
    const isMissing = !(isAt(record, generation, position) && isListed(record));
    if (isMissing === (name.isMissing ?? false)) return [];
    return [{position, name, to: isMissing ? 'missing' : 'present'} as const];
  });
  // The list is right without the marks, so their failure is not the caller's. The next reader sets them.
  if (marks.length > 0) await markSlots(store, generation, marks).catch(() => undefined);
  return {items: await toItems(records), bytes: entries.reduce((sum, entry) => sum + bytesOf(entry), 0)};
}

/**
 * The number of links in the list. It comes from the index alone, except for links that were missing when the list was
 * last read, which are looked up. So it is exact once the list was read after the last interrupted create or removal.
 * Before that, the slot of each such link counts as a link. A counter beside the index could not be exact, because no
 * store changes two keys at once.
 */
export async function countLinks(store: Store, generation: string): Promise<number> {
  const last = await store.current(positionsKey(generation));
  let links = 0;
  for await (const {present, missing} of countSlots(store, generation, last)) {
    links += present;
    for (let start = 0; start < missing.length; start += maxChunk) {
      const some = missing.slice(start, start + maxChunk);
      const entries = await store.getMany<LinkRecord>(some.map(linkKey));
      links += some.filter(({position}, index) => {
        const record = entries[index]?.value;
        return isAt(record, generation, position) && isListed(record);
      }).length;
    }
    // A store within the process answers without a pause.
    await setImmediate();
  }
  return links;
}

function isAt(record: LinkRecord | undefined, generation: string, position: number): record is LinkRecord {
  return record?.generation === generation && record.position === position;
}

/** A text is measured. An object counts as a record of ordinary size. */
function bytesOf(entry: Entry<LinkRecord> | undefined): number {
  if (entry === undefined) return 0;
  return typeof entry.revision === 'string' ? entry.revision.length : 500;
}

function nextSize(size: number, bytes: number, max: number): number {
  const fitting = Math.floor((size * chunkBytes) / Math.max(bytes, 1));
  return Math.max(1, Math.min(2 * size, fitting, max));
}
