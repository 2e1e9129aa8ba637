import {createHash} from 'node:crypto';
import type {Account} from '../accounts/accounts.ts';
import type {OwnedRecords} from '../accounts/owned-records.ts';
import {ShortUrlError} from '../host/errors.ts';
import {conversionKey, countersKey, linkKey, positionsKey, totalsKey} from '../records.ts';
import {conversionCounter, type Recorder} from '../link/counters.ts';
import type {Conversion, RecordedConversion} from '../link/link.ts';
import {malformed, readFields} from '../link/readers.ts';
import {integer, patterned, someText} from '../link/shapes.ts';
import {isListed, type LinkRecord} from '../link/record.ts';
import {toVisitedLink} from '../link/to-link.ts';
import type {DailyQuota} from '../links/daily-quota.ts';
import type {LinkServices} from '../links/services.ts';
import {addConversionName} from '../links/stats/conversion-names.ts';
import type {Increments} from '../store/port.ts';
import {update} from '../store/update.ts';
import type {Attribution, Via} from './attribution.ts';
import {clearMarks, countOnce} from './once.ts';

/** How long a name and an id count once, in milliseconds. */
const life = 400 * 24 * 60 * 60_000;

/** In characters. */
const maxId = 128;

export const conversionName = patterned('^[a-z0-9_]{1,32}$');
export const conversionId = someText({maxLength: maxId}, `1 to ${maxId} characters`);
/** A day of the largest values still fits into the integers of every engine. */
export const conversionValue = integer(0, 1_000_000_000_000);

/**
 * The largest sum of the values of a name, for a link and for its account. Twice as much is still an exact number, so calls
 * at the same time, and the two sums of one name, cannot exceed that.
 */
const maxSum = 4_000_000_000_000_000;

/** How many conversions the API calls of an account may record per day. */
export const maxPerDay = 5000;

/** The totals of an account have several shards, for visits. Conversions are rare. */
const shard = 0;

/** A conversion that was begun: its link, and what is counted. A repeat finishes it, or finds it done. */
export interface ConversionRecord extends Via {
  /** That of the account of the link. */
  readonly generation: string;
  /** When it was made, in milliseconds since the epoch. */
  readonly at: number;
  readonly value: number;
  readonly isDone?: true;
}

interface Given {
  readonly name: string;
  readonly id: string;
  readonly value: number;
}

/** A conversion as it was asked for. */
interface Asked extends Given {
  readonly recordedBy: Recorder;
  /** Names its record. */
  readonly digest: string;
}

export interface ConversionsDependencies extends Pick<
  LinkServices,
  'store' | 'bases' | 'fieldDefaults' | 'calendar' | 'announcer' | 'now'
> {
  readonly attribution: Pick<Attribution, 'open'>;
  /** Limits the API calls of an account. */
  readonly conversionQuota: DailyQuota;
  readonly owned: Pick<OwnedRecords, 'note'>;
}

/** Counts what the visitors of links do, once for each name and id (docs/architecture.md, "A conversion"). */
export class Conversions {
  readonly #dependencies: ConversionsDependencies;
  /** The running calls, by the digest of their conversion, so that one process never counts one twice at once. */
  readonly #running = new Map<string, Promise<Via>>();

  constructor(dependencies: ConversionsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Records a conversion for the link of a token.
   *
   * @param account the account of an API call, which can only record conversions of its own links, and whose names and
   *   ids are its own
   * @returns undefined if the token names no such link
   * @throws ShortUrlError `missing_parameter`, `malformed_parameter`, `unknown_parameter`, `too_many_requests` or
   *   `store_unavailable`
   */
  async record(token: unknown, input: Conversion, account?: Account): Promise<RecordedConversion | undefined> {
    const {store, attribution, bases} = this.#dependencies;
    const given = readConversion(input);
    const opened = await attribution.open(token);
    // The token may be older than a copy of the store that ignores case.
    const via = opened && {...opened, slug: bases.shortParts.read(opened.slug) ?? opened.slug};
    const link = via && (await this.#find(via));
    if (via === undefined || link === undefined) return undefined;
    if (account !== undefined && link.generation !== account.generation) return undefined;
    await addConversionName(store, given.name, account?.generation);
    const asked: Asked = {
      ...given,
      recordedBy: account ? 'account' : 'site',
      digest: digestOf(account?.generation ?? '', given),
    };
    return {link: await this.#toLink(await this.#recordOnce(via, link, asked, account))};
  }

  /** Returns the link that has the conversion. */
  #recordOnce(via: Via, link: LinkRecord, asked: Asked, account: Account | undefined): Promise<Via> {
    const {digest} = asked;
    const running = this.#running.get(digest);
    if (running !== undefined) return running;
    const call = this.#finish(via, link, asked, account).finally(() => {
      this.#running.delete(digest);
    });
    this.#running.set(digest, call);
    return call;
  }

  async #finish(via: Via, link: LinkRecord, asked: Asked, account: Account | undefined): Promise<Via> {
    const {store} = this.#dependencies;
    const key = conversionKey(asked.digest);
    const found = (await store.get<ConversionRecord>(key))?.value;
    const begin = () => this.#begin(key, via, link, asked);
    const {conversionQuota: quota} = this.#dependencies;
    const begun = found
      ? {record: found, isNew: false}
      : await (account ? quota.spend(account, begin, ({isNew}) => isNew) : begin());
    const {record, isNew} = begun;
    // The account of the link was removed.
    if (record === undefined) return via;
    const id = `${asked.digest}-${record.at.toString(36)}`;
    if (record.isDone) {
      // The call that has counted it may have been killed before it removed the marks.
      await clearMarks(store, {id, keys: await this.#keysOf(record)});
      return record;
    }
    await this.#count(id, record, asked, isNew);
    const outcome = {isFirst: false};
    await update<ConversionRecord>(store, key, (before) => {
      outcome.isFirst = before.isDone !== true;
      return before.isDone ? undefined : {...before, isDone: true};
    });
    await clearMarks(store, {id, keys: await this.#keysOf(record)});
    if (outcome.isFirst) await this.#announce(record, asked);
    return record;
  }

  /**
   * Stores that a conversion has begun, or finds it. The first call decides which link brought the customer.
   *
   * @returns no record if the account of the link was removed
   */
  async #begin(
    key: string,
    {domain, slug, id}: Via,
    {generation}: LinkRecord,
    {name, value, recordedBy}: Asked,
  ): Promise<{readonly record: ConversionRecord | undefined; readonly isNew: boolean}> {
    const {store, now, owned} = this.#dependencies;
    const at = now();
    const record: ConversionRecord = {domain, slug, id, generation, at, value};
    await this.#checkSum(record, conversionCounter('value', {name, recordedBy}));
    for (;;) {
      if (!(await this.#isKept(generation))) return {record: undefined, isNew: false};
      await owned.note(generation, key, at + life);
      if (await store.insert(key, record, at + life)) break;
      const found = await store.get<ConversionRecord>(key);
      // Otherwise it has expired in between.
      if (found !== undefined) return {record: found.value, isNew: false};
    }
    // A removal of the account that begins later finds the record.
    if (await this.#isKept(generation)) return {record, isNew: true};
    await store.remove(key);
    return {record: undefined, isNew: false};
  }

  /** @throws ShortUrlError `malformed_parameter` if the sum of the values would be too large */
  async #checkSum(record: ConversionRecord, counter: string): Promise<void> {
    if (record.value === 0) return;
    const sums = await this.#dependencies.store.getCounters(await this.#keysOf(record), [counter]);
    if (sums.every(({counts}) => (counts.get(counter) ?? 0) + record.value <= maxSum)) return;
    throw malformed(
      `The sum of the values of conversions with one name must be at most ${maxSum}, for a link and for its account.`,
    );
  }

  /** Adds to the counters of the link and of its account. */
  async #count(id: string, record: ConversionRecord, asked: Asked, isNew: boolean): Promise<void> {
    const {store, calendar} = this.#dependencies;
    const keys = await this.#keysOf(record);
    await countOnce(store, {id, keys, add: increments(asked, calendar.dayOf(record.at), record.value)}, isNew);
    // A link, or an account, that was removed meanwhile must not leave counters behind.
    const left = new Set(await this.#keysOf(record));
    const isKept = await this.#isKept(record.generation);
    await Promise.all(keys.filter((key) => !isKept || !left.has(key)).map((key) => store.removeCounters(key)));
  }

  /** The keys of the counters of the account, and of the link unless it was removed. */
  async #keysOf(record: ConversionRecord): Promise<string[]> {
    const link = await this.#find(record);
    const totals = totalsKey(record.generation, shard);
    return link !== undefined && isOf(link, record) ? [countersKey(link), totals] : [totals];
  }

  /** Whether the account exists: its removal ends the sequence of its links, and then removes what else it has. */
  async #isKept(generation: string): Promise<boolean> {
    return generation !== '' && (await this.#dependencies.store.current(positionsKey(generation))) > 0;
  }

  /** The record at the name of the link. It is that of a later link, or of none, if the link was removed. */
  async #find(via: Pick<Via, 'domain' | 'slug'>): Promise<LinkRecord | undefined> {
    return (await this.#dependencies.store.get<LinkRecord>(linkKey(via)))?.value;
  }

  async #toLink(via: Via): Promise<RecordedConversion['link']> {
    const record = await this.#find(via);
    if (record !== undefined && isOf(record, via)) {
      return toVisitedLink(record, this.#dependencies, this.#dependencies.now());
    }
    return {urlId: via.id, shortUrl: this.#dependencies.bases.shortUrl(via), status: 'removed'};
  }

  async #announce(begun: ConversionRecord, {name, id, recordedBy}: Asked): Promise<void> {
    const {announcer} = this.#dependencies;
    if (!announcer.hasListener('conversion')) return;
    const record = await this.#find(begun);
    const account = record !== undefined && isOf(record, begun) ? record.account : undefined;
    const {at, value} = begun;
    const link = await this.#toLink(begun);
    announcer.announce('conversion', {account, link, name, id, value, recordedBy, at: new Date(at)});
  }
}

/** Whether a record is that of the link, and not of a later one with its name. */
function isOf(record: LinkRecord, {id}: Via): boolean {
  return isListed(record) && record.id === id;
}

function increments(name: Pick<Asked, 'name' | 'recordedBy'>, day: number, value: number): Increments {
  return {
    [conversionCounter('count', name)]: 1,
    [conversionCounter('count', name, day)]: 1,
    ...(value > 0 && {[conversionCounter('value', name)]: value, [conversionCounter('value', name, day)]: value}),
  };
}

/** Names a conversion without its id, which may name a person. The site's code has an empty generation. */
function digestOf(generation: string, {name, id}: Given): string {
  return createHash('sha256')
    .update(JSON.stringify([generation, name, id]))
    .digest('base64url')
    .slice(0, 32);
}

/** @throws ShortUrlError `missing_parameter`, `malformed_parameter` or `unknown_parameter` */
function readConversion(input: Conversion): Given {
  const readers = {
    name: (given: unknown) => {
      if (typeof given === 'string' && /^[a-z\d_]{1,32}$/.test(given)) return given;
      throw malformed('The name of a conversion must be 1 to 32 of a-z 0-9 _.');
    },
    id: (given: unknown) => {
      const text = Number.isSafeInteger(given) ? String(given) : given;
      if (typeof text === 'string' && text.length >= 1 && text.length <= maxId) return text;
      throw malformed(`The id of a conversion must be a text of 1 to ${maxId} characters, or an integer.`);
    },
    value: conversionValue.reader('value of a conversion'),
  };
  const {name, id, value = 0} = readFields(input, 'A conversion is recorded with', readers);
  if (name === undefined || id === undefined) {
    throw new ShortUrlError('missing_parameter', 'A conversion needs `name` and `id`.');
  }
  return {name, id, value};
}
