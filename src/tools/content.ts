import {isDeepStrictEqual} from 'node:util';
import type {Counters, KeyKind, ToolStore} from '../store/port.ts';
import {arrivalKey} from './site.ts';

/** What stands under some keys: the values of records, or counters. Keys under which nothing stands are absent. */
export type Content<Kind extends KeyKind = KeyKind> = Map<string, Kind extends 'records' ? unknown : Counters>;

/** Reads what belongs to the site. A record that cannot be read is absent, and the store has reported it. */
export async function readContent<Kind extends KeyKind>(
  store: ToolStore,
  kind: Kind,
  listed: Iterable<string>,
): Promise<Content<Kind>> {
  const keys = Array.from(new Set(listed)).filter((key) => key !== arrivalKey);
  const content = new Map<string, unknown>();
  if (kind === 'records') {
    const entries = await store.getMany(keys);
    for (const [index, key] of keys.entries()) {
      const entry = entries[index];
      if (entry !== undefined) content.set(key, entry.value);
    }
  } else {
    const counters = await store.getCounters(keys);
    for (const [index, key] of keys.entries()) {
      const some = normal(counters[index]);
      if (some.counts.size > 0) content.set(key, some);
    }
  }
  return content as Content<Kind>;
}

/** The keys under which the second content has something else than the first, or nothing. */
export function unequalKeys(wanted: Content, present: Content): string[] {
  return Array.from(wanted.keys()).filter((key) => !isDeepStrictEqual(wanted.get(key), present.get(key)));
}

/** Engines differ in what they say of a time that nobody gave. */
function normal({counts, at}: Counters = {counts: new Map(), at: undefined}): Counters {
  return {counts, at: at === 0 ? undefined : at};
}
