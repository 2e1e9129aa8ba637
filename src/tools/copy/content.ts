import {accountPrefix, linkPrefix, arrivalKey} from '../../keys.ts';
import {isPlainLink} from '../../link/packing.ts';
import type {Counters, Entry, KeyKind, ToolStore} from '../../store/port.ts';

/** The content of some keys: records as texts, or counters. Empty keys are absent. */
export type Content<Kind extends KeyKind = KeyKind> = Map<string, Kind extends 'records' ? string : Counters>;

/** The value of a record, and when it expires. */
export type RecordValue<Value = unknown> = Pick<Entry<Value>, 'value' | 'expires'>;

/** The same with the values of records. */
export type Values<Kind extends KeyKind = KeyKind> = Map<string, Kind extends 'records' ? RecordValue : Counters>;

/** Reads content of the site for a comparison, including records that cannot be parsed. */
export async function readContent<Kind extends KeyKind>(
  store: ToolStore,
  kind: Kind,
  listed: Iterable<string>,
): Promise<Content<Kind>> {
  const keys = distinct(listed);
  if (kind === 'counters') return found(keys, await readCounters(store, keys)) as Content<Kind>;
  return found(keys, await store.getTexts(keys)) as Content<Kind>;
}

/** Reads content of the site. A record that cannot be parsed is absent, and the store has reported it. */
export async function readValues<Kind extends KeyKind>(
  store: ToolStore,
  kind: Kind,
  listed: Iterable<string>,
): Promise<Values<Kind>> {
  const keys = distinct(listed);
  if (kind === 'counters') return found(keys, await readCounters(store, keys)) as Values<Kind>;
  const entries = await store.getMany(keys);
  return found<RecordValue>(keys, entries) as Values<Kind>;
}

/** Content to copy, and the number of accounts and links in it. */
export interface SourceContent<Kind extends KeyKind> {
  readonly content: Content<Kind>;
  readonly accounts: number;
  readonly links: number;
}

/** Reads content to copy. A record that cannot be parsed is absent, and the store has reported it. */
export async function readSource<Kind extends KeyKind>(
  store: ToolStore,
  kind: Kind,
  listed: Iterable<string>,
): Promise<SourceContent<Kind>> {
  const content = await readContent(store, kind, listed);
  const tally = {accounts: 0, links: 0};
  if (kind === 'records') await checkRecords(store, content as Content<'records'>, tally);
  return {content, ...tally};
}

/** Nearly all records are plain links. They can be validated without unpacking. */
async function checkRecords(
  store: ToolStore,
  content: Content<'records'>,
  tally: {accounts: number; links: number},
): Promise<void> {
  const others: string[] = [];
  for (const [key, text] of content) {
    if (isPlainLink(key, text)) tally.links += 1;
    else others.push(key);
  }
  const entries = await store.getMany(others);
  const check = async (key: string, index: number): Promise<void> => {
    const entry = entries[index];
    if (entry === undefined) content.delete(key);
    else content.set(key, await store.textOf(key, entry));
  };
  await Promise.all(others.map(check));
  countValues(tally, found(others, entries));
}

/** The keys whose values in the second content differ or are absent. */
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

/** Engines differ in how they report a missing time, and a key without counters. */
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

/** How much a store has. */
export interface ContentCounts {
  readonly accounts: number;
  /** Links that their owners can see. */
  readonly links: number;
  /** All records, including links, accounts and lists. */
  readonly records: number;
  /** Keys with counters. */
  readonly counters: number;
}

/**
 * Counts the accounts and links among records.
 *
 * @internal
 */
export function countValues(tally: {accounts: number; links: number}, records: Values<'records'>): void {
  for (const [key, {value}] of records) {
    const {state} = Object(value) as {state?: unknown};
    if (key.startsWith(accountPrefix) && state === 'live') tally.accounts += 1;
    if (key.startsWith(linkPrefix) && (state === 'active' || state === 'disabled')) tally.links += 1;
  }
}
