import {sumByKey} from './counting.ts';
import type {Addition, Batch, KeyAddition, SeenLink} from '../port.ts';

/** Begins the keys of batches. */
export const batchPrefix = 'batch:';

/** A link under its whole key, with the whole keys of its counters. */
interface WholeLink extends SeenLink {
  readonly counters: readonly string[];
}

/**
 * Adds the namespace to the keys of a batch. The keys of a link are made once, and the driver gets the same object for
 * every visit of it, so that it can cache its own form of the link in `prepared`.
 *
 * @param keyOf adds the namespace
 */
export function withWholeKeys({writer, number, additions}: Batch, keyOf: (key: string) => string): Batch {
  const prepare = (link: SeenLink, counters: readonly KeyAddition[]): WholeLink => {
    link.prepared ??= {
      key: keyOf(link.key),
      revision: link.revision,
      counters: counters.map(({key}) => keyOf(key)),
    } satisfies WholeLink;
    return link.prepared as WholeLink;
  };
  return {
    writer: keyOf(batchPrefix + writer),
    number,
    additions: additions.map(({link, counters, at}) => {
      const whole = link && prepare(link, counters);
      const keyed = counters.map(({key, add}, place) => ({key: whole?.counters[place] ?? keyOf(key), add}));
      return {link: whole, counters: keyed, at};
    }),
  };
}

/** The part of a batch that is stored in one step if all its links are unchanged, and otherwise not at all. */
export interface WholeBatch {
  /** The places of its additions in the batch. */
  readonly places: readonly number[];
  /** The links that must be unchanged, each once. */
  readonly links: readonly SeenLink[];
  /** The keys of the counters, each once, and the index of the kind that is added to them. */
  readonly added: ReadonlyArray<{readonly key: string; readonly kind: number; readonly at: number}>;
  /** The amounts by name. Most visits raise the same counters, so there are few kinds. */
  readonly kinds: ReadonlyArray<KeyAddition['add']>;
}

/** What the rule below needs of an engine. */
export interface Batches {
  /** Returns the places that were counted; undefined if a link has changed, or if the batch is still being stored. */
  readonly store: (whole: WholeBatch) => Promise<readonly number[] | undefined>;
  /** The records of links. */
  readonly read: (keys: readonly string[]) => Promise<readonly unknown[]>;
  /** Waits before a batch is sent again that was refused although no link has changed. */
  readonly pause?: () => Promise<void>;
}

/**
 * Counts the additions whose links are unchanged. Links rarely change, so a batch is stored as a whole, which takes a
 * simple statement. If a link has changed, nothing is stored, and its additions are left out of the next attempt.
 */
export async function countUnchanged(
  additions: readonly Addition[],
  {store, read, pause}: Batches,
): Promise<boolean[]> {
  let places = Array.from(additions.keys());
  for (;;) {
    const counted = await store(wholeOf(additions, places));
    if (counted !== undefined) {
      const found = new Set(counted);
      return additions.map((_, place) => found.has(place));
    }
    const keys = places.map((place) => additions[place]?.link?.key).filter((key) => key !== undefined);
    const records = await read(keys);
    const recordOf = new Map(keys.map((key, index) => [key, records[index]]));
    const unchanged = places.filter((place) => {
      const link = additions[place]?.link;
      return link === undefined || recordOf.get(link.key) === link.revision;
    });
    // The same batch may have been sent before, and another connection is still storing it.
    if (unchanged.length === places.length) await pause?.();
    places = unchanged;
  }
}

/** Reads the places of a batch from a text, in which commas separate them. */
export function placesOf(text: string): number[] {
  return text === '' ? [] : text.split(',').map(Number);
}

function wholeOf(all: readonly Addition[], places: readonly number[]): WholeBatch {
  const some = places.length === all.length ? all : all.filter((_, place) => places.includes(place));
  const links = new Map<string, SeenLink>();
  const others: SeenLink[] = [];
  for (const {link} of some) {
    if (link === undefined) continue;
    const same = links.get(link.key);
    if (same === undefined) links.set(link.key, link);
    // One of two states of a link has changed. The batch is refused, because only one record has the key.
    else if (same.revision !== link.revision) others.push(link);
  }
  const kinds = new Map<KeyAddition['add'], number>();
  const added = Array.from(sumByKey(some), ([key, {counts, at}]) => {
    const kind = kinds.get(counts) ?? kinds.size;
    kinds.set(counts, kind);
    return {key, kind, at};
  });
  return {places, links: [...links.values(), ...others], added, kinds: Array.from(kinds.keys())};
}
