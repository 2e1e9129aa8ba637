import {isDeepStrictEqual} from 'node:util';
import {planted} from '../../planted.ts';
import type {AccountRecord, LiveAccount} from '../../accounts/record.ts';
import {accountRecords, linkPositions} from '../../accounts/records.ts';
import {linkRecords, sequences} from '../../link/records.ts';
import type {AnyKind} from '../../store/kind.ts';
import {isMovable, kinds} from '../kinds.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';
import type {Counters, KeyKind, ToolStore} from '../../store/port.ts';
import {type ContentSource, distinctKeys, type Section} from '../listing.ts';
import {ToolError} from '../tool-error.ts';

/** A record, as the store uses it. */
export interface RecordItem {
  readonly kind: 'records';
  readonly key: string;
  readonly value: unknown;
  readonly expires?: number | undefined;
  /** Absent for a record that was not read from a store. */
  readonly revision?: unknown;
}

/** The counters of a key. */
export interface CountersItem extends Counters {
  readonly kind: 'counters';
  readonly key: string;
}

export type Item = RecordItem | CountersItem;

const linkPrefix = linkRecords.prefix;
const accountPrefix = accountRecords.prefix;

/** Whether a key is that of a sequence, which a site raises before it uses its number. */
export const isSequence = (key: string): boolean =>
  key.startsWith(sequences.prefix) || key.startsWith(linkPositions.prefix);

export const linkSection: Section = {kind: 'records', prefix: linkPrefix};
export const accountSection: Section = {kind: 'records', prefix: accountPrefix};

/**
 * The content of a site, in the reverse order of writing: a site first raises a sequence, then writes the account of a
 * link and its slot in the index, then the link. So every link that is read from a running site is complete.
 */
const siteSections: readonly Section[] = [
  linkSection,
  accountSection,
  {kind: 'counters', has: (key) => !isSequence(key) && isMovable(key)},
  {
    kind: 'records',
    has: (key) => !key.startsWith(linkPrefix) && !key.startsWith(accountPrefix) && isMovable(key),
  },
  {kind: 'counters', prefix: linkPositions.prefix},
  {kind: 'counters', prefix: sequences.prefix},
];

/** The content of some sections, by default of the whole site: each key once, some hundred at a time. */
export async function* contentOf(
  store: ContentSource,
  sections: readonly Section[] = siteSections,
): AsyncGenerator<readonly Item[]> {
  for (const section of sections) {
    for await (const keys of distinctKeys(store, section)) yield await readItems(store, section.kind, keys);
  }
}

/**
 * The content of one account. All records of some kinds are read to find its own: no list has the removed links, for
 * example.
 */
export async function* contentOfAccount(store: ContentSource, account: LiveAccount): AsyncGenerator<readonly Item[]> {
  for await (const links of ownRecords(store, linkRecords, account)) {
    yield links;
    for (const kind of kinds.filter(({removed}) => removed === 'with its link')) {
      const keys = links.flatMap(({value}) => kind.keysOfLink(value as LinkRecord));
      yield await readItems(store, kind.isCounters ? 'counters' : 'records', keys);
    }
  }
  for (const kind of kinds as readonly AnyKind[]) {
    const keys = [...kind.keysOf(account), ...kind.shared];
    const prefix = kind.prefixOf?.(account);
    const listed = kind.isCounters ? 'counters' : 'records';
    if (keys.length > 0) yield await readItems(store, listed, keys);
    if (prefix !== undefined) yield* contentOf(store, [{kind: listed, prefix}]);
    if (kind.removed === 'by expiry' && !(planted('conversions-not-exported') && kind.name === 'conversion'))
      yield* ownRecords(store, kind, account);
  }
}

/** The records of a kind that have the generation of the account. */
async function* ownRecords(
  store: ContentSource,
  {prefix}: Pick<AnyKind, 'prefix'>,
  {generation}: LiveAccount,
): AsyncGenerator<readonly RecordItem[]> {
  for await (const items of contentOf(store, [{kind: 'records', prefix}])) {
    yield (items as readonly RecordItem[]).filter(
      ({value}) => (Object(value) as {generation?: unknown}).generation === generation,
    );
  }
}

/** What the keys have. A record that cannot be parsed is absent, and the store has reported it. */
export async function readItems(store: ContentSource, kind: KeyKind, keys: readonly string[]): Promise<Item[]> {
  const items: Item[] = [];
  if (kind === 'records') {
    const entries = await store.getMany(keys);
    for (const [index, key] of keys.entries()) {
      const entry = entries[index];
      if (entry !== undefined)
        items.push({kind, key, ...entry, expires: planted('expiry-not-copied') ? undefined : entry.expires});
    }
  } else {
    const counters = await store.getCounters(keys);
    for (const [index, key] of keys.entries()) {
      const {counts, at} = counters[index] ?? {counts: new Map<string, number>()};
      // Engines differ in how they report a missing time, and a key without counters.
      if (counts.size > 0) items.push({kind, key, counts, at: at === 0 ? undefined : at});
    }
  }
  return items;
}

export function isSame(one: Item, other: Item | undefined): boolean {
  if (one.kind === 'records') {
    return other?.kind === one.kind && one.expires === other.expires && isDeepStrictEqual(one.value, other.value);
  }
  return other?.kind === one.kind && one.at === other.at && isDeepStrictEqual(one.counts, other.counts);
}

export function hasExpired(item: Item): boolean {
  return item.kind === 'records' && item.expires !== undefined && item.expires <= Date.now();
}

export const keysOf = (items: readonly Item[]): string[] => items.map(({key}) => key);

export function byKey(items: readonly Item[]): Map<string, Item> {
  return new Map(items.map((item) => [item.key, item]));
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

/** Counts items. */
export class Tally implements ContentCounts {
  accounts = 0;
  links = 0;
  records = 0;
  counters = 0;
  /** Items that do not expire, so that they are there at the next reading. */
  lasting = 0;

  add(items: readonly Item[]): void {
    for (const item of items) {
      this[item.kind] += 1;
      if (item.kind === 'counters' || item.expires === undefined) this.lasting += 1;
      if (item.kind === 'counters') continue;
      if (item.key.startsWith(linkPrefix) && isListed(item.value as LinkRecord)) this.links += 1;
      if (item.key.startsWith(accountPrefix) && (item.value as AccountRecord).state === 'live') this.accounts += 1;
    }
  }

  get counts(): ContentCounts {
    const {accounts, links, records, counters} = this;
    return {accounts, links, records, counters};
  }
}

/** How often a record is written again that changes after it was read. */
const maxTries = 5;

/**
 * Makes a store have these items, all of one kind.
 *
 * @param isNew whether the store has none of the keys, so that nothing is read before the write
 * @returns those that differed
 * @throws ToolError `not_verified`
 */
export async function put(store: ToolStore, items: readonly Item[], isNew = false): Promise<readonly Item[]> {
  let different: readonly Item[] | undefined;
  let rest = items;
  for (let tries = 0; rest.length > 0; tries += 1) {
    if (tries === maxTries) throw notKept();
    const kind = rest[0]?.kind ?? 'records';
    const present = byKey(isNew && tries === 0 ? [] : await readItems(store, kind, keysOf(rest)));
    rest = rest.filter((item) => !isSame(item, present.get(item.key)));
    different ??= rest;
    if (kind === 'counters') {
      await putCounters(store, rest as readonly CountersItem[], present);
      break;
    }
    rest = await putRecords(store, rest as readonly RecordItem[], present, tries > 0);
  }
  return different ?? [];
}

/**
 * @param mayRemove whether to clear a key that reads as empty but refuses an insert, because its record cannot be parsed
 * @returns what was not put, because it has changed since it was read
 */
async function putRecords(
  store: ToolStore,
  items: readonly RecordItem[],
  present: ReadonlyMap<string, Item>,
  mayRemove: boolean,
): Promise<RecordItem[]> {
  const absent = items.filter(({key}) => !present.has(key));
  const inserted = await store.insertMany(absent.map(({key, value, expires}) => [key, value, expires]));
  const refused = absent.filter((_, index) => inserted[index] !== true);
  if (mayRemove) await Promise.all(refused.map(({key}) => store.remove(key)));
  const changed = items.filter(({key}) => present.has(key));
  const replaced = await Promise.all(
    changed.map(({key, value, expires}) =>
      store.replace(key, (present.get(key) as RecordItem).revision, value, expires),
    ),
  );
  return [...refused, ...changed.filter((_, index) => replaced[index] === undefined)];
}

async function putCounters(
  store: ToolStore,
  items: readonly CountersItem[],
  present: ReadonlyMap<string, Item>,
): Promise<void> {
  await store.setCounters(items.map((item) => [item.key, item]));
  await Promise.all(
    items.map(({key, counts}) => {
      const before = (present.get(key) as CountersItem | undefined)?.counts ?? new Map<string, number>();
      return store.removeCounters(
        key,
        Array.from(before.keys()).filter((name) => !counts.has(name)),
      );
    }),
  );
}

export function notKept(): ToolError {
  const message = 'The target has lost data that was written to it. Check its eviction policy and its free space';
  return new ToolError('not_verified', message);
}
