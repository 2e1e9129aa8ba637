import {createHash} from 'node:crypto';
import type {Account} from '../accounts/accounts.ts';
import {ShortUrlError} from '../host/errors.ts';
import {conversionKey, conversionMarkKey, countersKey, linkKey, totalsKey} from '../records.ts';
import {conversionCounter} from '../link/counters.ts';
import type {Conversion, RecordedConversion} from '../link/link.ts';
import {malformed, readFields} from '../link/readers.ts';
import {integer, patterned, someText} from '../link/shapes.ts';
import {isListed, type LinkRecord} from '../link/record.ts';
import {toVisitedLink} from '../link/to-link.ts';
import type {LinkServices} from '../links/services.ts';
import {addConversionName} from '../links/stats/conversion-names.ts';
import type {Addition, Increments} from '../store/port.ts';
import {update} from '../store/update.ts';
import type {Attribution, Via} from './attribution.ts';

/** How long a name and an id count once, in milliseconds. */
const life = 400 * 24 * 60 * 60_000;

/** For how long the store surely ignores a batch that it has stored, in milliseconds. */
const batchLife = 12 * 60 * 60_000;

/** In characters. */
const maxId = 128;

export const conversionName = patterned('^[a-z0-9_]{1,32}$');
export const conversionId = someText({maxLength: maxId}, `1 to ${maxId} characters`);
/** A day of the largest values still fits into the integers of every engine. */
export const conversionValue = integer(0, 1_000_000_000_000);

/** The totals of an account have several shards, for visits. Conversions are rare. */
const shard = 0;

/** A conversion that was begun: its link, and what is counted. A repeat finishes it, or finds it done. */
interface Begun extends Via {
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

export interface ConversionsDependencies extends Pick<
  LinkServices,
  'store' | 'bases' | 'fieldDefaults' | 'calendar' | 'announcer' | 'now'
> {
  readonly attribution: Pick<Attribution, 'open'>;
}

/** Counts what the visitors of links do, once for each name and id (docs/architecture.md, "A conversion"). */
export class Conversions {
  readonly #dependencies: ConversionsDependencies;
  /** The running calls, by the key of their conversion, so that one process never counts one twice at once. */
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
   * @throws ShortUrlError `missing_parameter`, `malformed_parameter`, `unknown_parameter` or `store_unavailable`
   */
  async record(token: unknown, input: Conversion, account?: Account): Promise<RecordedConversion | undefined> {
    const {store, attribution, bases} = this.#dependencies;
    const given = readConversion(input);
    const opened = await attribution.open(token);
    // The token may be older than a copy of the store that ignores case.
    let via = opened && {...opened, slug: bases.shortParts.read(opened.slug) ?? opened.slug};
    let record = via && (await this.#find(via));
    if (via === undefined || record === undefined) return undefined;
    if (account !== undefined && record.generation !== account.generation) return undefined;
    await addConversionName(store, given.name, account?.generation);
    if (account === undefined) {
      // The first call decides which link brought the customer, whatever account has it.
      via = await this.#begin(conversionKey(digestOf('', given)), via, given);
      record = await this.#find(via);
    }
    // A removed account has no totals.
    if (record !== undefined && record.generation !== '') via = await this.#countOnce(via, record, given);
    return {link: await this.#toLink(via)};
  }

  /** Counts the conversion if that was not done before. Returns the link that has it. */
  async #countOnce(via: Via, {generation}: LinkRecord, given: Given): Promise<Via> {
    const digest = digestOf(generation, given);
    const running = this.#running.get(digest);
    if (running !== undefined) return running;
    const call = this.#finish(digest, via, given).finally(() => {
      this.#running.delete(digest);
    });
    this.#running.set(digest, call);
    return call;
  }

  async #finish(digest: string, via: Via, given: Given): Promise<Via> {
    const {store} = this.#dependencies;
    const key = conversionKey(digest);
    const begun = await this.#begin(key, via, given);
    if (begun.isDone) return begun;
    await this.#count(digest, begun, given.name);
    const outcome = {isFirst: false};
    await update<Begun>(store, key, (before) => {
      outcome.isFirst = before.isDone !== true;
      return before.isDone ? undefined : {...before, isDone: true};
    });
    if (outcome.isFirst) {
      await store.removeCounters(conversionMarkKey(begun, digest));
      await this.#announce(begun, given);
    }
    return begun;
  }

  /** Stores that a conversion has begun, or finds it. */
  async #begin(key: string, {domain, slug, id}: Via, {value}: Given): Promise<Begun> {
    const {store, now} = this.#dependencies;
    const at = now();
    for (;;) {
      const begun: Begun = {domain, slug, id, at, value};
      if (await store.insert(key, begun, at + life)) return begun;
      const entry = await store.get<Begun>(key);
      // Otherwise it has expired in between.
      if (entry !== undefined) return entry.value;
    }
  }

  /**
   * Adds to the counters of the link and its account, and a mark in the same step. The store ignores a batch that it has
   * stored in the last day. A later repeat finds the mark, which is removed once the conversion is done.
   */
  async #count(digest: string, begun: Begun, name: string): Promise<void> {
    const {store, calendar, now} = this.#dependencies;
    const mark = conversionMarkKey(begun, digest);
    if (now() - begun.at >= batchLife) {
      const [found] = await store.getCounters([mark]);
      if (found !== undefined && found.counts.size > 0) return;
    }
    const record = await this.#find(begun);
    if (record === undefined || record.generation === '') return;
    const add = increments(name, calendar.dayOf(begun.at), begun.value);
    const totals = totalsKey(record.generation, shard);
    // No time, because that of the counters is the time of the last visit.
    const additions: Addition[] = isOf(record, begun)
      ? [
          {keys: [countersKey(record), totals], adds: [add, add], at: 0},
          {keys: [mark], adds: [{n: 1}], at: 0},
        ]
      : [{keys: [mark, totals], adds: [{n: 1}, add], at: 0}];
    await store.count({writer: `${digest}-${begun.at.toString(36)}`, number: 1, additions});
    await this.#forget(record, begun);
  }

  /** A link that was removed meanwhile must not leave counters behind. */
  async #forget(counted: LinkRecord, via: Via): Promise<void> {
    const {store} = this.#dependencies;
    const record = await this.#find(via);
    if (record !== undefined && isOf(record, via)) return;
    if (isOf(counted, via)) await store.removeCounters(countersKey(counted));
    if (record?.generation !== counted.generation) await store.removeCounters(totalsKey(counted.generation, shard));
  }

  /** The record at the name of the link. It is that of a later link, or of none, if the link was removed. */
  async #find(via: Via): Promise<LinkRecord | undefined> {
    return (await this.#dependencies.store.get<LinkRecord>(linkKey(via)))?.value;
  }

  async #toLink(via: Via): Promise<RecordedConversion['link']> {
    const record = await this.#find(via);
    if (record !== undefined && isOf(record, via)) {
      return toVisitedLink(record, this.#dependencies, this.#dependencies.now());
    }
    return {urlId: via.id, shortUrl: this.#dependencies.bases.shortUrl(via), status: 'removed'};
  }

  async #announce(begun: Begun, {name, id}: Given): Promise<void> {
    const {announcer} = this.#dependencies;
    if (!announcer.hasListener('conversion')) return;
    const record = await this.#find(begun);
    const account = record !== undefined && isOf(record, begun) ? record.account : undefined;
    const {at, value} = begun;
    announcer.announce('conversion', {account, link: await this.#toLink(begun), name, id, value, at: new Date(at)});
  }
}

/** Whether a record is that of the link, and not of a later one with its name. */
function isOf(record: LinkRecord, {id}: Via): boolean {
  return isListed(record) && record.id === id;
}

function increments(name: string, day: number, value: number): Increments {
  return {
    [conversionCounter('count', name)]: 1,
    [conversionCounter('count', name, day)]: 1,
    ...(value > 0 && {[conversionCounter('value', name)]: value, [conversionCounter('value', name, day)]: value}),
  };
}

/** Names a conversion without its id, which may name a person. */
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
