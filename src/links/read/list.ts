import {linkRecords} from '../../link/records.ts';
import type {Entry, Store} from '../../store/port.ts';
import {type End, type Range as Positions, walk} from '../../store/walk.ts';
import {
  countShort,
  countSlots,
  LinkIndex,
  type LinkList,
  readSlots,
  type SlotChange,
  slotsPerRecord,
} from './link-index.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';

const maxChunk = 200;

/** How many are read first, and the maximum: a page of usual length, and whether there is more. */
const usualFirst = 50;
const maxFirst = 101;

/** The maximum number where an engine that can search leaves out most of them. */
const maxSearched = 2000;

/** The maximum number of slots that are looked at to find them. */
const maxWindow = 10_000;

/** The size of a chunk of records in bytes. Reading one blocks the event loop for about a millisecond. */
const chunkBytes = 128 * 1024;

/** How many slots are counted at once: 200 records of the index. */
const countedAtOnce = 200 * slotsPerRecord;

export interface Range extends Positions {
  /** How many links to read first. The number grows with every chunk. */
  readonly first?: number;
  /** A word that every wanted link has, as in `Store.getMany`. */
  readonly word?: string | undefined;
  /** Whether only links are wanted that are marked as broken. The index tells which may be. */
  readonly isBroken?: boolean | undefined;
}

/** Items of a chunk, and where it ends. */
export interface Chunk<Item> extends End {
  readonly items: readonly Item[];
  /** How many records were read for it: links, and parts of the index. */
  readonly size: number;
}

/**
 * The links of a list that their owner sees, in the order of their creation, a chunk at a time. A slot of the index
 * counts only if its link has the position of the slot. So a link whose create was interrupted is left out; its slot is
 * marked for `countLinks`.
 *
 * @param toItems converts the records of a chunk. Only its result stays in memory while the reader pauses
 */
export function readList<Item>(
  store: Store,
  list: LinkList,
  toItems: (records: LinkRecord[]) => readonly Item[] | Promise<readonly Item[]>,
  {first = usualFirst, word, isBroken, ...range}: Range = {},
): AsyncGenerator<Chunk<Item>> {
  let links = Math.min(first, maxFirst);
  let window = links;
  const toOwn = async (records: LinkRecord[]): Promise<readonly Item[]> => toItems(records.filter(isListed));
  return walk(store, list, {...range, first: window}, async (positions) => {
    const {items, covered, read, bytes} = await readChunk(
      store,
      list,
      {positions, maxLinks: links, word, isBroken},
      toOwn,
    );
    links = nextSize(links, bytes === 0 ? Infinity : read / bytes, word === undefined ? maxChunk : maxSearched);
    // The removal of many links leaves many empty slots.
    window = Math.max(links, 2 * read < covered ? Math.min(2 * window, maxWindow) : 0);
    return {items, size: read + Math.ceil(covered / slotsPerRecord), covered, next: window};
  });
}

/** Reads the first links at the positions. Returns how many of the positions these are. */
async function readChunk<Item>(
  store: Store,
  list: LinkList,
  {
    positions,
    maxLinks,
    word,
    isBroken,
  }: Pick<Range, 'word' | 'isBroken'> & {
    readonly positions: readonly number[];
    readonly maxLinks: number;
  },
  toItems: (records: LinkRecord[]) => Promise<readonly Item[]>,
): Promise<{items: readonly Item[]; covered: number; read: number; bytes: number}> {
  const names = await readSlots(store, list, positions);
  const all = positions.flatMap((position, index) => {
    const name = names[index];
    return name && (!isBroken || name.mark) ? [{position, name, index}] : [];
  });
  const found = all.slice(0, maxLinks);
  const entries = await linkRecords.in(store).getMany(
    found.map(({name}) => name),
    word,
  );
  const records: LinkRecord[] = [];
  const changes: SlotChange[] = [];
  for (const [index, {position, name}] of found.entries()) {
    const record = entries[index]?.value;
    const isThere = record !== undefined && list.positionOf(record) === position;
    if (isThere) records.push(record);
    const to = isThere && isListed(record) ? (record.broken ? 'broken' : 'present') : 'missing';
    // A search leaves links out that are not missing. A link may be about to be marked as broken.
    const isSame = to === (name.mark ?? 'present') || (to === 'present' && name.mark === 'broken');
    if (word === undefined && !isSame) changes.push({position, name, to});
  }
  // The list is right without the changes, so their failure is not the caller's. The next reader makes them.
  const index = new LinkIndex(store);
  await Promise.allSettled(changes.map((change) => index.change(list, change)));
  const covered = all.length > found.length ? (found.at(-1)?.index ?? 0) + 1 : positions.length;
  const bytes = entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
  return {items: await toItems(records), covered, read: found.length, bytes};
}

export interface LinkCount {
  readonly links: number;
  /** How many of them are marked as broken. */
  readonly broken: number;
}

/**
 * The number of links in the list. It comes from the index alone, except for links with a marked slot, which are looked up.
 * So it is exact once the list was read after the last interrupted create or removal. Before that, the slot of each such
 * link counts as a link. A counter beside the index could not be exact, because no store changes two keys at once.
 */
export async function countLinks(store: Store, list: LinkList): Promise<LinkCount> {
  const count = async (positions: readonly number[]) => {
    const {present, marked} = await countSlots(store, list, positions);
    let links = present;
    let broken = 0;
    for (let start = 0; start < marked.length; start += maxChunk) {
      const some = marked.slice(start, start + maxChunk);
      const entries = await linkRecords.in(store).getMany(some);
      for (const [index, {position}] of some.entries()) {
        const record = entries[index]?.value;
        if (record === undefined || list.positionOf(record) !== position || !isListed(record)) continue;
        links += 1;
        if (record.broken) broken += 1;
      }
    }
    return {links, broken, covered: positions.length, next: countedAtOnce};
  };
  const all = {links: 0, broken: 0};
  for await (const {links, broken} of walk(store, list, {first: countedAtOnce}, count)) {
    all.links += links;
    all.broken += broken;
  }
  return all;
}

/** As `countLinks`, of some lists in few round trips. `lasts` are the last values of their sequences. */
export async function countEach(
  store: Store,
  lists: readonly LinkList[],
  lasts: readonly number[],
): Promise<readonly LinkCount[]> {
  const short = await countShort(store, lists, lasts);
  return Promise.all(
    lists.map(async (list, index) => {
      const links = short[index];
      return links === undefined ? countLinks(store, list) : {links, broken: 0};
    }),
  );
}

/** A text is measured. An object counts as a record of ordinary size. */
function bytesOf(entry: Entry<LinkRecord> | undefined): number {
  if (entry === undefined) return 0;
  return typeof entry.revision === 'string' ? entry.revision.length : 500;
}

/** @param density how many links a byte has */
function nextSize(links: number, density: number, max: number): number {
  return Math.max(1, Math.min(2 * links, Math.floor(density * chunkBytes), max));
}
