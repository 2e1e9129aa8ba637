import {sumByKey} from './counting.ts';
import type {Addition, Increments, SeenLink} from '../port.ts';

/** The part of a batch that is stored in one step if all its links are unchanged, and otherwise not at all. */
export interface AllOrNothing {
  /** The indexes of its additions among those of the batch. */
  readonly indexes: readonly number[];
  /** The links that must be unchanged, each once. */
  readonly links: readonly SeenLink[];
  /** The keys of the counters, each once, and the index of what is added to them. */
  readonly added: ReadonlyArray<{readonly key: string; readonly increment: number; readonly at: number}>;
  /** The amounts by name. Most visits raise the same counters, so there are few of them. */
  readonly increments: readonly Increments[];
}

/** The operations of an engine that `countUnchanged` needs. */
export interface Batches {
  /** Returns the indexes that were counted; undefined if a link has changed, or if the batch is still being stored. */
  readonly store: (batch: AllOrNothing) => Promise<readonly number[] | undefined>;
  /** The records of links. */
  readonly read: (keys: readonly string[]) => Promise<readonly unknown[]>;
  /** Waits before a batch is sent again that was refused although no link has changed. */
  readonly pause?: () => Promise<void>;
}

/**
 * Counts the additions whose links are unchanged. Links rarely change, so a batch is stored all or nothing, which takes
 * a simple statement. If a link has changed, nothing is stored, and its additions are left out of the next attempt.
 */
export async function countUnchanged(
  additions: readonly Addition[],
  {store, read, pause}: Batches,
): Promise<boolean[]> {
  let indexes = Array.from(additions.keys());
  for (;;) {
    const counted = await store(allOrNothing(additions, indexes));
    if (counted !== undefined) {
      const found = new Set(counted);
      return additions.map((_, index) => found.has(index));
    }
    const keys = indexes.map((index) => additions[index]?.link?.key).filter((key) => key !== undefined);
    const records = await read(keys);
    const recordOf = new Map(keys.map((key, index) => [key, records[index]]));
    const unchanged = indexes.filter((index) => {
      const link = additions[index]?.link;
      return link === undefined || recordOf.get(link.key) === link.revision;
    });
    // The same batch may have been sent before, and another connection is still storing it.
    if (unchanged.length === indexes.length) await pause?.();
    indexes = unchanged;
  }
}

/** Reads the indexes of a batch from a text, in which commas separate them. */
export function indexesOf(text: string): number[] {
  return text === '' ? [] : text.split(',').map(Number);
}

function allOrNothing(all: readonly Addition[], indexes: readonly number[]): AllOrNothing {
  const some = indexes.length === all.length ? all : all.filter((_, index) => indexes.includes(index));
  const links = new Map<string, SeenLink>();
  const others: SeenLink[] = [];
  for (const {link} of some) {
    if (link === undefined) continue;
    const same = links.get(link.key);
    if (same === undefined) links.set(link.key, link);
    // One of two states of a link has changed. The batch is refused, because only one record has the key.
    else if (same.revision !== link.revision) others.push(link);
  }
  const increments = new Map<Increments, number>();
  const added: Array<AllOrNothing['added'][number]> = [];
  for (const [key, {counts, at}] of sumByKey(some)) {
    let increment = increments.get(counts);
    if (increment === undefined) {
      increment = increments.size;
      increments.set(counts, increment);
    }
    added.push({key, increment, at});
  }
  return {indexes, links: [...links.values(), ...others], added, increments: Array.from(increments.keys())};
}
