import type {KeyKind, ToolStore} from '../store/port.ts';

/** A store whose content is read. */
export type ContentSource = Pick<ToolStore, 'keys' | 'getMany' | 'getCounters'>;

/** How many keys are remembered at once, in about 30 MB. */
const maxKeys = 300_000;

/** How many keys are read together. */
const atOnce = 500;

/** The number of hashes of keys. */
const hashes = 2 ** 32;

/** Some keys of a store. */
export interface Section {
  readonly kind: KeyKind;
  readonly prefix?: string;
  /** Which of the keys with this prefix; by default all of them. */
  readonly has?: (key: string) => boolean;
}

/**
 * The keys of a section, each once, in bounded memory: a store with many keys is listed several times, and each time the
 * keys with some of the hashes are taken.
 */
export async function* distinctKeys(
  store: Pick<ToolStore, 'keys'>,
  {kind, prefix, has = () => true}: Section,
  max = maxKeys,
): AsyncGenerator<readonly string[]> {
  for (let first = 0, end = hashes; first < hashes; first = end, end = hashes) {
    const isTaken = (key: string): boolean => {
      const hash = first === 0 && end === hashes ? 0 : hashOf(key);
      return hash >= first && hash < end && has(key);
    };
    let keys = new Set<string>();
    for await (const listed of store.keys(kind, prefix)) {
      for (const key of listed) if (isTaken(key)) keys.add(key);
      while (keys.size > max) {
        const half = Math.ceil((first + end) / 2);
        keys = new Set(Array.from(keys).filter((key) => hashOf(key) < half));
        end = half;
      }
    }
    const all = Array.from(keys);
    for (let start = 0; start < all.length; start += atOnce) yield all.slice(start, start + atOnce);
  }
}

function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Whether the store has no data. */
export async function isEmpty(store: Pick<ToolStore, 'keys'>): Promise<boolean> {
  for (const kind of ['records', 'counters'] as const) {
    for await (const keys of store.keys(kind)) if (keys.length > 0) return false;
  }
  return true;
}

/**
 * Runs `work` for each item, three at once, so that one store reads while the other writes. After a failure no further
 * work starts.
 */
export async function inParallel<Item>(items: AsyncIterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  try {
    for await (const item of items) {
      const task = work(item)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => underWay.delete(task));
      underWay.add(task);
      if (underWay.size >= 3) await Promise.race(underWay);
      if (failures.length > 0) break;
    }
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];
}
