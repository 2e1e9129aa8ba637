import {inspect} from 'node:util';
import type {AccountRecord} from '../../../src/accounts/record.ts';
import {isListed, isSameLink, type LinkRecord} from '../../../src/link/record.ts';
import type {Intent} from '../../../src/links/create/intents.ts';
import {accountList, siteList, type StoredSlots, unpackSlots} from '../../../src/links/read/link-index.ts';
import {type ReferenceRecord, referenceRecords} from '../../../src/links/references.ts';
import {accountPointers, accountRecords} from '../../../src/accounts/records.ts';
import {conversionNameRecords} from '../../../src/links/stats/conversion-names.ts';
import {linkCounters, linkRecords} from '../../../src/link/records.ts';
import {type KindName, kindOf, kinds} from '../../../src/tools/kinds.ts';
import {slotsPerRecord} from '../../../src/links/read/link-index.ts';
import type {AnyKind} from '../../../src/store/kind.ts';
import {checkContent} from '../../../src/tools/check/check-content.ts';
import {imported, reference, type Seen} from '../seen.ts';
import type {Story} from '../story.ts';
import {bases, type Site} from '../world.ts';

/** What is there: what a site would have in which nothing was ever refused, cut or removed. */
interface Present {
  readonly records: ReadonlyMap<string, unknown>;
  readonly links: ReadonlyMap<string, LinkRecord>;
  readonly accounts: ReadonlyMap<string, LiveAccount>;
  /** Whether somebody may have made a record of this name that says that its link is removed. */
  readonly mayBeRemoved: (slug: string) => boolean;
  /** Whether a create was refused because its account was blocked. */
  readonly hasRefused: boolean;
  /**
   * Whether a command has failed, so that a slot may wait for a link that nobody creates. If the account of that link was
   * removed meanwhile, its index was begun again for it.
   */
  readonly isTroubled: boolean;
}

type LiveAccount = Extract<AccountRecord, {readonly state: 'live'}>;

/**
 * Of each kind of record and counters, whether it belongs to something that is there. Nothing else may remain, whatever
 * was refused, cut or removed before.
 */
const belongs: Readonly<Record<KindName, (key: string, value: unknown, present: Present) => boolean>> = {
  l: (_, value, {mayBeRemoved}) => isListed(value as LinkRecord) || mayBeRemoved((value as LinkRecord).slug),
  v: (key, _, {links}) => Array.from(links.values()).some((link) => linkCounters.key(link) === key),
  totals: isOfLiveAccount,
  list: (key, value, present) => {
    const [, name = '', number = ''] = key.split(':');
    const list = name === siteList.name ? siteList : accountList(name);
    // Nobody reads the list of an account that was removed, so a slot that a death left there is never marked.
    if (list !== siteList && !isOfLiveAccount(key, value, present)) return present.isTroubled;
    return unpackSlots(value as StoredSlots).every((slot, index) => {
      if (slot === undefined) return true;
      const link = present.links.get(linkRecords.key(slot));
      const position = Number(number) * slotsPerRecord + index + 1;
      return (
        (link !== undefined && list.positionOf(link) === position) || (present.isTroubled && slot.mark === 'missing')
      );
    });
  },
  positions: (key, value, present) => present.isTroubled || isOfLiveAccount(key, value, present),
  sequence: always,
  account: (_, value) => (value as AccountRecord).state === 'live',
  accounts: (key, value, {accounts, isTroubled}) => {
    const found = accounts.get((value as {readonly account: string}).account);
    return isTroubled || (found !== undefined && accountPointers.key(found.position) === key);
  },
  // It has numbers only, and tells nothing of what is gone.
  'recent-blocks': always,
  // Its key names nobody.
  block: always,
  'site-key': always,
  // They expire soon, and name nobody.
  attempts: always,
  quota: always,
  // For a day, so that a repeat is answered alike. Its key is one that nobody finds when the account is removed.
  intent: always,
  // That of a refused create stays, because another call may be making the same link. The next one goes on with it. If its
  // account is blocked meanwhile, and removed later, nothing leads to it. It names nobody, and a check removes it.
  reuse: (_, value, {records, accounts, isTroubled, hasRefused}) => {
    const {link, generation} = value as Intent;
    const record = link && (records.get(linkRecords.key(link)) as LinkRecord | undefined);
    const isMade = record?.counters === link?.counters;
    if (isTroubled) return true;
    return isLive(generation, accounts) ? !isMade || record?.state !== 'removed' : !isMade && hasRefused;
  },
  reference: (key, value, {links}) => {
    const link = links.get(linkRecords.key(value as ReferenceRecord));
    return (
      link !== undefined &&
      isSameLink(link, value as ReferenceRecord) &&
      referenceRecords.keysOfLink(link).includes(key)
    );
  },
  // They expire. Those of a removed account count nowhere.
  conversion: always,
  customer: always,
  shares: isOfLiveAccount,
  'conversion-names': (key, value, present) =>
    key === conversionNameRecords.key('site') || isOfLiveAccount(key, value, present),
  batch: always,
  format: always,
  site: always,
  check: () => false,
};

function always(): boolean {
  return true;
}

function isLive(generation: string | undefined, accounts: Present['accounts']): boolean {
  return Array.from(accounts.values()).some((account) => account.generation === generation);
}

/** Whether the key is one of those that the account's removal removes. */
function isOfLiveAccount(key: string, _: unknown, {accounts}: Present): boolean {
  return Array.from(accounts.values()).some(
    (account) =>
      key.split(':').includes(account.generation) ||
      kinds.some((kind: AnyKind) => !kind.isLast && kind.keysOf(account).includes(key)),
  );
}

/**
 * Nothing is left of what was refused, cut or removed. Of what was cut off or killed, `check --clean` and the next reading
 * of a list remove or mark the rest.
 */
export async function leftovers({world, seen}: Story, {store}: Site): Promise<string[]> {
  const {isTroubled} = world;
  // A visit that a limit has granted counts, even if its link is removed before.
  const isCleaned = isTroubled || seen.some(({input}) => typeof input?.maxVisits === 'number');
  const findings = await checkContent(store, [], {domains: bases.domains, isCleaned});
  const problems = findings.filter(({severity}) => severity === 'problem' || !isCleaned).map(({message}) => message);
  const records = await readAll(store);
  const present: Present = {
    records,
    links: new Map(select<LinkRecord>(records, linkRecords.prefix).filter(([, link]) => isListed(link))),
    accounts: new Map(
      select<AccountRecord>(records, accountRecords.prefix).flatMap(([, account]) =>
        account.state === 'live' ? [[account.id, account]] : [],
      ),
    ),
    mayBeRemoved: (slug) => mayBeRemoved(slug, seen),
    hasRefused: seen.some(({error}) => error === 'account_blocked'),
    isTroubled,
  };
  const counters = new Map<string, unknown>();
  for await (const keys of store.keys('counters')) {
    const found = await store.getCounters(keys);
    for (const [index, key] of keys.entries()) counters.set(key, found[index]);
  }
  return problems.concat(
    [...records, ...counters].flatMap(([key, value]) => {
      const kind = kindOf(key)?.name;
      return kind !== undefined && belongs[kind](key, value, present)
        ? []
        : [`${key} is left over: ${inspect(value, {breakLength: Infinity})}`];
    }),
  );
}

/** A name is kept for the account that has removed its link. A removal, a block and a reference may take it from a create. */
function mayBeRemoved(slug: string, seen: readonly Seen[]): boolean {
  return seen.some(({do: deed, code, slug: own, link, input}) => {
    if (deed === 'expel' || deed === 'blockAccount' || input?.reference === reference) return true;
    if (deed === 'import') return imported.includes(slug);
    // It may not know which one it has removed.
    if (deed === 'removeReused') return true;
    const mayHaveMade = code === undefined || code === 200 || code === 503;
    return mayHaveMade && (link?.shortUrlPart ?? input?.customUrl ?? own) === slug;
  });
}

/** All records. Expired ones are absent. */
export async function readAll(store: Site['store']): Promise<Map<string, unknown>> {
  const records = new Map<string, unknown>();
  for await (const keys of store.keys('records')) {
    const entries = await store.getMany(keys);
    for (const [index, key] of keys.entries()) if (entries[index]) records.set(key, entries[index].value);
  }
  return records;
}

function select<Value>(records: ReadonlyMap<string, unknown>, prefix: string): Array<[string, Value]> {
  return Array.from(records).filter((entry): entry is [string, Value] => entry[0].startsWith(prefix));
}
