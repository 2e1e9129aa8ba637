import type {Counters, KeyKind, ToolStore} from '../store/port.ts';
import {arrivalKey} from './site.ts';

/** What stands under some keys: records as texts, or counters. Keys under which nothing stands are absent. */
export type Content<Kind extends KeyKind = KeyKind> = Map<string, Kind extends 'records' ? string : Counters>;

/** The same with the values of records. */
export type Values<Kind extends KeyKind = KeyKind> = Map<string, Kind extends 'records' ? unknown : Counters>;

/** Reads what belongs to the site, to be compared: a record that cannot be read is there, too. */
export async function readContent<Kind extends KeyKind>(
  store: ToolStore,
  kind: Kind,
  listed: Iterable<string>,
): Promise<Content<Kind>> {
  const keys = distinct(listed);
  if (kind === 'counters') return found(keys, await readCounters(store, keys)) as Content<Kind>;
  return found(keys, await store.getTexts(keys)) as Content<Kind>;
}

/** Reads what belongs to the site. A record that cannot be read is absent, and the store has reported it. */
export async function readValues<Kind extends KeyKind>(
  store: ToolStore,
  kind: Kind,
  listed: Iterable<string>,
): Promise<Values<Kind>> {
  const keys = distinct(listed);
  if (kind === 'counters') return found(keys, await readCounters(store, keys));
  const entries = await store.getMany(keys);
  const values = keys.flatMap((key, index) => (entries[index] ? [[key, entries[index].value] as const] : []));
  return new Map(values) as Values<Kind>;
}

/**
 * Reads what is to be brought elsewhere. A record that cannot be read is absent, and the store has reported it.
 *
 * @param onValues sees the values of records
 */
export async function readSource<Kind extends KeyKind>(
  store: ToolStore,
  kind: Kind,
  listed: Iterable<string>,
  onValues: (values: Values<'records'>) => void = () => undefined,
): Promise<Content<Kind>> {
  if (kind === 'counters') return readContent(store, kind, listed);
  const keys = distinct(listed);
  const entries = await store.getMany(keys);
  const textOf = async (key: string, index: number): Promise<string | undefined> => {
    const entry = entries[index];
    return entry && store.textOf(key, entry);
  };
  const texts = await Promise.all(keys.map(textOf));
  onValues(new Map(keys.map((key, index) => [key, entries[index]?.value])));
  return found(keys, texts) as Content<Kind>;
}

/** The keys under which the second content has something else than the first, or nothing. */
export function unequalKeys(wanted: Content, present: Content): string[] {
  const keys: string[] = [];
  for (const [key, value] of wanted) if (!isEqual(value, present.get(key))) keys.push(key);
  return keys;
}

function isEqual(one: string | Counters, other: string | Counters | undefined): boolean {
  if (typeof one === 'string' || typeof other !== 'object') return one === other;
  if (one.at !== other.at || one.counts.size !== other.counts.size) return false;
  for (const [name, count] of one.counts) if (other.counts.get(name) !== count) return false;
  return true;
}

function distinct(listed: Iterable<string>): string[] {
  const keys = new Set(listed);
  keys.delete(arrivalKey);
  return Array.from(keys);
}

/** Engines differ in what they say of a time that nobody gave, and of a key without counters. */
async function readCounters(store: ToolStore, keys: readonly string[]): Promise<Array<Counters | undefined>> {
  const all = await store.getCounters(keys);
  return all.map((counters) => {
    if (counters.counts.size === 0) return undefined;
    return counters.at === 0 ? {counts: counters.counts, at: undefined} : counters;
  });
}

function found<Value>(keys: readonly string[], values: ReadonlyArray<Value | undefined>): Map<string, Value> {
  const content = new Map<string, Value>();
  for (const [index, key] of keys.entries()) {
    const value = values[index];
    if (value !== undefined) content.set(key, value);
  }
  return content;
}
