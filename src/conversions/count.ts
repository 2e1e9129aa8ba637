import {planted} from '../planted.ts';
import type {Account} from '../accounts/accounts.ts';
import {monthOf} from '../values/calendar.ts';
import {
  conversionCounter,
  type ConversionCount,
  detailCounter,
  inMonth,
  type Recorder,
  variantDetail,
} from '../link/counters.ts';
import {linkCounters} from '../link/records.ts';
import {clearMarks, countOnce, type Once} from '../links/once.ts';
import type {Increments} from '../store/port.ts';
import {type ConversionRecord, conversionRecords} from './conversion-record.ts';
import type {ConversionServices} from './services.ts';

export interface Named {
  readonly name: string;
  readonly id: string;
  readonly recordedBy: Recorder;
  readonly digest: string;
}

/** What is counted once: additions to the counters of a link and its account. */
interface Counted {
  /** Names it, and is the same for each repeat. */
  readonly id: string;
  readonly add: Once['add'];
  /** Whether nobody can have counted it before. */
  readonly isNew: boolean;
}

export async function nameOf(
  {siteKey}: ConversionServices,
  {name, id}: Pick<Named, 'name' | 'id'>,
  account: Account | undefined,
): Promise<Named> {
  // The site's code has an empty generation.
  const digest = await siteKey.idFor(conversionRecords, account?.generation ?? '', name, id);
  return {name, id, digest, recordedBy: account ? 'account' : 'site'};
}

/** Names what is counted. A later conversion may have the digest again. */
export function idOf({digest}: Named, {at}: ConversionRecord): string {
  return `${digest}-${at.toString(36)}`;
}

/**
 * Runs a call, or joins the one that runs for the same digest. Calls in two processes count once without it, because the
 * store remembers the batch. But an adapter of Keyv remembers those of a few writers only.
 */
export async function once<Result>(
  {running}: ConversionServices,
  digest: string,
  count: () => Promise<Result>,
): Promise<Result> {
  const known = running.get(digest) as Promise<Result> | undefined;
  if (known !== undefined) return known;
  const call = count().finally(() => {
    running.delete(digest);
  });
  running.set(digest, call);
  return call;
}

/** Counts a conversion that has begun, and marks it as done. */
export async function complete(
  services: ConversionServices,
  record: ConversionRecord,
  named: Named,
  isNew: boolean,
): Promise<void> {
  const add = increments(services, record, named, ['count', 'value']);
  const isFirst = await addOnce(services, record, {id: idOf(named, record), add, isNew}, record.isDone, async () => {
    const outcome = {isFirst: false};
    await conversionRecords.in(services.store).update(named.digest, (before) => {
      outcome.isFirst = before.isDone !== true;
      if (planted('refunds-overwritten')) return {...record, isDone: true};
      return before.isDone ? undefined : {...before, isDone: true};
    });
    return outcome.isFirst;
  });
  if (isFirst) await announce(services, record, named);
}

/** One and the value, in total and on the day, and on a link those of the variant in the month. */
export function increments(
  {calendar}: ConversionServices,
  {at, value, currency, variant}: Pick<ConversionRecord, 'at' | 'value' | 'currency' | 'variant'>,
  {name, recordedBy}: Named,
  [count, sum]: readonly [ConversionCount, ConversionCount],
): Once['add'] {
  const conversion = {name, recordedBy, currency};
  const day = planted('conversion-day-utc') ? Math.floor(at / 86_400_000) : calendar.dayOf(at);
  const raise = (kind: ConversionCount, n: number): Increments => ({
    [conversionCounter(kind, conversion)]: n,
    [conversionCounter(kind, conversion, day)]: n,
  });
  const raiseVariant = (kind: ConversionCount, n: number): Increments =>
    variant === undefined ? {} : {[inMonth(detailCounter(variantDetail(kind, conversion), variant), monthOf(day))]: n};
  const both = (add: typeof raise): Increments => ({...add(count, 1), ...(value > 0 && add(sum, value))});
  return (key) => (key.startsWith(linkCounters.prefix) ? {...both(raise), ...both(raiseVariant)} : both(raise));
}

/**
 * Adds to the counters of a link and of its account, once, and notes that this is done.
 *
 * @returns what `note` returns; undefined if it was done before
 */
export async function addOnce<Result>(
  {store, links}: ConversionServices,
  record: ConversionRecord,
  {id, add, isNew}: Counted,
  isDone: true | undefined,
  note: () => Promise<Result>,
): Promise<Result | undefined> {
  const keys = await links.countersOf(record);
  if (!isDone) {
    await countOnce(store, {id, keys, add}, isNew);
    // A link, or an account, that was removed meanwhile must not leave counters behind.
    const left = new Set(await links.countersOf(record));
    const isKept = await links.isKept(record);
    const gone = keys.filter((key) => !isKept || !left.has(key));
    if (!planted('counters-of-removed')) await Promise.all(gone.map((key) => store.removeCounters(key)));
  }
  const result = isDone ? undefined : await note();
  // If it is done, the call that has counted it may have been killed before it removed the marks.
  await clearMarks(store, {id, keys: await links.countersOf(record)});
  return result;
}

async function announce(
  {announcer, links}: ConversionServices,
  record: ConversionRecord,
  {name, id, recordedBy}: Named,
): Promise<void> {
  if (!announcer.hasListener('conversion')) return;
  const {at, value, currency = null} = record;
  const {link, account} = await links.show(record);
  announcer.announce('conversion', {account, link, name, id, value, currency, recordedBy, at: new Date(at)});
}
