import {planted} from '../planted.ts';
import type {Account} from '../accounts/accounts.ts';
import type {SiteKey} from '../accounts/site-key.ts';
import {conversionCounter, type ConversionCount, type Recorder} from '../link/counters.ts';
import {malformed} from '../values/shape.ts';
import type {FoundCustomer, IdentifiedCustomer, RecordedConversion, RecordedRefund} from './conversion.ts';
import type {DailyQuota} from '../links/daily-quota.ts';
import type {LinkServices} from '../links/services.ts';
import {
  addConversionName,
  conversionNameRecords,
  readConversionName,
  removeConversionName,
} from '../links/stats/conversion-names.ts';
import type {Increments} from '../store/port.ts';
import type {Attribution} from './attribution.ts';
import type {Bringer, BringingLinks} from './bringing-links.ts';
import type {Customers} from './customers.ts';
import {type GivenConversion, type GivenRefund, readConversion, readCustomer, readRefund} from './input.ts';
import {clearMarks, countOnce} from '../links/once.ts';
import {type ConversionRecord, conversionRecords, refundable, type RefundRecord} from './conversion-record.ts';

/**
 * The largest sum of the values of a name, for a link and for its account. Twice as much is still an exact number, so calls
 * at the same time, and the two sums of one name, cannot exceed that.
 */
const maxSum = 4_000_000_000_000_000;

/** How many conversions and new customers the API calls of an account may record per day. */
export const maxPerDay = 5000;

/** Who a call is about: a token, a customer, or both. What is undefined is not given. */
export interface Person {
  readonly via?: unknown;
  readonly customer?: unknown;
}

/** What names a conversion. */
interface Named {
  readonly name: string;
  readonly id: string;
  readonly recordedBy: Recorder;
  /** Names its record. */
  readonly digest: string;
}

/** What is counted once: additions to the counters of a link and its account. */
interface Counted {
  /** Names it, and is the same for each repeat. */
  readonly id: string;
  readonly add: Increments;
  /** Whether nobody can have counted it before. */
  readonly isNew: boolean;
}

export interface ConversionsDependencies extends Pick<LinkServices, 'store' | 'calendar' | 'announcer' | 'now'> {
  readonly attribution: Pick<Attribution, 'open'>;
  readonly links: BringingLinks;
  readonly customers: Customers;
  /** Limits the API calls of an account. */
  readonly conversionQuota: DailyQuota;
  readonly siteKey: Pick<SiteKey, 'idFor' | 'lasting'>;
  /** Of conversions that are given without one. */
  readonly currency?: string | undefined;
}

/**
 * Counts what the visitors of links do, once for each name and id (docs/architecture.md, "A conversion"). An API call of an
 * account can only touch conversions and customers of its own links, whose names and ids are its own.
 */
export class Conversions {
  readonly #dependencies: ConversionsDependencies;
  /** The running calls, by the digest of what they count, so that one process never counts it twice at once. */
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(dependencies: ConversionsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Records a conversion for the link that brought a person.
   *
   * @param input a `Conversion`, which is checked
   * @param account the account of an API call
   * @returns undefined if no link brought the person
   * @throws ShortUrlError `missing_parameter`, `malformed_parameter`, `unknown_parameter`, `too_many_requests` or
   *   `store_unavailable`
   */
  async record(person: Person, input: unknown, account?: Account): Promise<RecordedConversion | undefined> {
    const {store, links, customers} = this.#dependencies;
    const given = readConversion(input, this.#dependencies.currency);
    const customer = customerOf(person, given.customer);
    const visited = await this.#visitedBy(person, account);
    const known = customer === undefined ? undefined : await customers.use(customer, account?.generation);
    const bringer = visited ?? known;
    if (bringer === undefined) return undefined;
    await addConversionName(store, given, account?.generation);
    const named = await this.#nameOf(given, account);
    // A customer who was known, and is forgotten meanwhile, stays forgotten.
    const unknown = known === undefined || planted('forgotten-remembered') ? customer : undefined;
    const recorded = await this.#once(named.digest, () => this.#finish(bringer, given, named, account, unknown));
    return {link: (await links.show(recorded)).link};
  }

  /**
   * Records a refund of a conversion.
   *
   * @param account the account of an API call
   * @returns undefined if there is no such conversion
   * @throws ShortUrlError `refund_too_large`, or as `record`
   */
  async refund(input: unknown, account?: Account): Promise<RecordedRefund | undefined> {
    const given = readRefund(input);
    const named = await this.#nameOf(given, account);
    const digest = await this.#digest(['refund', named.digest, given.refund]);
    return this.#refund(given, named, digest);
  }

  /**
   * Remembers which link brought a customer. The first one stays.
   *
   * @param account the account of an API call
   * @returns undefined if no link brought the customer
   * @throws ShortUrlError `malformed_parameter`, `too_many_requests` or `store_unavailable`
   */
  async identify(person: Person, given: unknown, account?: Account): Promise<IdentifiedCustomer | undefined> {
    const {customers, links} = this.#dependencies;
    const customer = readCustomer(given);
    const other = customerOf(person);
    const known = await customers.use(customer, account?.generation);
    if (known !== undefined) return links.show(known);
    const bringer = await this.#bringerOf(person, other, account);
    const record = bringer && (await this.#remember(customer, bringer, account));
    return record && links.show(record);
  }

  /** The link that brought a person; undefined if none did. */
  async find(person: Person): Promise<FoundCustomer | undefined> {
    const {links} = this.#dependencies;
    const bringer = await this.#bringerOf(person, customerOf(person));
    if (bringer === undefined || !(await links.isKept(bringer))) return undefined;
    return {...(await links.show(bringer)), at: new Date(bringer.at)};
  }

  /**
   * Forgets a customer. Idempotent.
   *
   * @param account the account of an API call
   * @returns whether the customer was known
   */
  async forget(customer: unknown, account?: Account): Promise<boolean> {
    return this.#dependencies.customers.forget(readCustomer(customer), account?.generation);
  }

  /**
   * Gives up a name of conversions, so that another one can take its place. What was counted stays in statistics.
   *
   * @param account the account of an API call
   * @returns whether it was one
   * @throws ShortUrlError `malformed_parameter` or `store_unavailable`
   */
  async forgetName(name: unknown, account?: Account): Promise<boolean> {
    return removeConversionName(this.#dependencies.store, readConversionName(name), account?.generation);
  }

  /** The link of the token, or else of the customer, and the time of the visit. */
  async #bringerOf(
    person: Person,
    customer: string | undefined,
    account?: Account,
  ): Promise<(Bringer & {readonly at: number}) | undefined> {
    const visited = await this.#visitedBy(person, account);
    if (visited !== undefined || customer === undefined) return visited;
    return this.#dependencies.customers.find(customer, account?.generation);
  }

  /** The link of the token, and the time of the visit. */
  async #visitedBy(
    {via}: Person,
    account: Account | undefined,
  ): Promise<(Bringer & {readonly at: number}) | undefined> {
    const {attribution, links} = this.#dependencies;
    const visit = await attribution.open(via);
    const bringer = visit && (await links.ofToken(visit));
    if (!visit || !bringer || (account && bringer.generation !== account.generation)) return undefined;
    return {...bringer, at: visit.at};
  }

  async #remember(customer: string, bringer: Bringer, account: Account | undefined) {
    const {customers, conversionQuota: quota} = this.#dependencies;
    const add = () => customers.add(customer, bringer, account?.generation);
    const {record} = await (account ? quota.spend(account, add, ({isNew}) => isNew) : add());
    return record;
  }

  async #once<Result>(digest: string, count: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(digest) as Promise<Result> | undefined;
    if (running !== undefined) return running;
    const call = count().finally(() => {
      this.#running.delete(digest);
    });
    this.#running.set(digest, call);
    return call;
  }

  /**
   * Returns the link that has the conversion.
   *
   * @param customer who is identified first: the repeat of a job does not know that the customer was forgotten since
   */
  async #finish(
    bringer: Bringer,
    given: GivenConversion,
    named: Named,
    account: Account | undefined,
    customer: string | undefined,
  ): Promise<Bringer> {
    const {store, links, conversionQuota: quota} = this.#dependencies;
    const found = (await links.kept(conversionRecords.in(store), named.digest))?.value;
    if (found === undefined && customer !== undefined) await this.#remember(customer, bringer, account);
    const begin = () => this.#begin(bringer, given, named);
    const begun = found
      ? {record: found, isNew: false}
      : await (account ? quota.spend(account, begin, ({isNew}) => isNew) : begin());
    const {record, isNew} = begun;
    // The account of the link was removed.
    if (record === undefined) return bringer;
    await this.#complete(record, named, isNew);
    return record;
  }

  /** Counts a conversion that has begun, and marks it as done. */
  async #complete(record: ConversionRecord, named: Named, isNew: boolean): Promise<void> {
    const add = this.#increments(record, named, ['count', 'value']);
    const isFirst = await this.#count(record, {id: idOf(named, record), add, isNew}, record.isDone, async () => {
      const outcome = {isFirst: false};
      await conversionRecords.in(this.#dependencies.store).update(named.digest, (before) => {
        outcome.isFirst = before.isDone !== true;
        if (planted('refunds-overwritten')) return {...record, isDone: true};
        return before.isDone ? undefined : {...before, isDone: true};
      });
      return outcome.isFirst;
    });
    if (isFirst) await this.#announce(record, named);
  }

  /**
   * Stores that a conversion has begun, or finds it. The first call decides which link brought the customer.
   *
   * @returns no record if the account of the link was removed
   */
  async #begin(
    {domain, slug, id, generation}: Bringer,
    {value, currency}: GivenConversion,
    named: Named,
  ): Promise<{readonly record: ConversionRecord | undefined; readonly isNew: boolean}> {
    const {store, now, links} = this.#dependencies;
    const conversions = conversionRecords.in(store);
    const at = now();
    const record: ConversionRecord = {domain, slug, id, generation, at, value, ...(currency && {currency})};
    await this.#checkSum(record, conversionCounter('value', {...named, currency}));
    for (;;) {
      if (!(await links.isKept(record))) break;
      const stored = planted('conversion-done-early') ? ({...record, isDone: true} as const) : record;
      const isInserted = await conversions.insert(named.digest, stored);
      if (isInserted || planted('conversion-begun-twice')) return {record: stored, isNew: true};
      const found = await links.kept(conversions, named.digest);
      // Otherwise it has expired in between, or its account was removed.
      if (found !== undefined) return {record: found.value, isNew: false};
    }
    // Of an API call: this account has the names.
    await conversionNameRecords.in(store).remove(generation);
    return {record: undefined, isNew: false};
  }

  async #refund(given: GivenRefund, named: Named, digest: string): Promise<RecordedRefund | undefined> {
    const {store, links, now} = this.#dependencies;
    const conversions = conversionRecords.in(store);
    const conversion = (await links.kept(conversions, named.digest))?.value;
    if (conversion === undefined) return undefined;
    await this.#once(named.digest, async () => {
      await this.#complete(conversion, named, false);
      return conversion;
    });
    const begun: {refund?: RefundRecord; isNew: boolean} = {isNew: false};
    const record = await conversions.update(named.digest, (before) => {
      const {refunds = []} = before;
      const found = refunds.find((each) => each.digest === digest);
      begun.isNew = found === undefined;
      const latest = planted('refunds-unseen') ? conversion : before;
      begun.refund = found ?? {digest, at: now(), value: refundable(latest, given.value)};
      if (planted('refund-done-early')) begun.refund = {...begun.refund, isDone: true};
      return found ? undefined : {...before, refunds: [...refunds, begun.refund]};
    });
    const {refund, isNew} = begun;
    // The record has expired, or the account of the link was removed.
    if (record === undefined || refund === undefined) return undefined;
    const paid = planted('refund-in-todays-currency')
      ? {currency: this.#dependencies.currency ?? '', ...record}
      : record;
    const add = this.#increments({...paid, ...refund}, named, ['refunds', 'refunded']);
    await this.#once(`${named.digest} ${digest}`, () =>
      this.#count(record, {id: `${idOf(named, record)}-${digest}`, add, isNew}, refund.isDone, async () => {
        await conversions.update(named.digest, (before) => {
          const refunds = (before.refunds ?? []).map((each) =>
            each.digest === digest ? ({...each, isDone: true} as const) : each,
          );
          return {...before, refunds};
        });
      }),
    );
    return {link: (await links.show(record)).link, value: refund.value};
  }

  /** One and the value, in total and on the day. */
  #increments(
    {at, value, currency}: Pick<ConversionRecord, 'at' | 'value' | 'currency'>,
    {name, recordedBy}: Named,
    [count, sum]: readonly [ConversionCount, ConversionCount],
  ): Increments {
    const counter = (kind: ConversionCount, on?: number): string =>
      conversionCounter(kind, {name, recordedBy, currency}, on);
    const day = planted('conversion-day-utc') ? Math.floor(at / 86_400_000) : this.#dependencies.calendar.dayOf(at);
    return {
      [counter(count)]: 1,
      [counter(count, day)]: 1,
      ...(value > 0 && {[counter(sum)]: value, [counter(sum, day)]: value}),
    };
  }

  /** @throws ShortUrlError `malformed_parameter` if the sum of the values would be too large */
  async #checkSum(record: ConversionRecord, counter: string): Promise<void> {
    const {store, links} = this.#dependencies;
    if (record.value === 0) return;
    const sums = await store.getCounters(await links.countersOf(record), [counter]);
    if (sums.every(({counts}) => (counts.get(counter) ?? 0) + record.value <= maxSum)) return;
    throw malformed(
      `The sum of the values of conversions with one name must be at most ${maxSum}, for a link and for its account.`,
    );
  }

  /**
   * Adds to the counters of a link and of its account, once, and notes that this is done.
   *
   * @returns what `note` returns; undefined if it was done before
   */
  async #count<Result>(
    record: ConversionRecord,
    {id, add, isNew}: Counted,
    isDone: true | undefined,
    note: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const {store, links} = this.#dependencies;
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

  async #nameOf({name, id}: Pick<Named, 'name' | 'id'>, account: Account | undefined): Promise<Named> {
    // The site's code has an empty generation.
    const digest = await this.#dependencies.siteKey.idFor(conversionRecords, account?.generation ?? '', name, id);
    return {name, id, digest, recordedBy: account ? 'account' : 'site'};
  }

  /** Names something without its id, which may name a person. */
  async #digest(parts: readonly string[]): Promise<string> {
    return (await this.#dependencies.siteKey.lasting(JSON.stringify(parts))).slice(0, 32);
  }

  async #announce(record: ConversionRecord, {name, id, recordedBy}: Named): Promise<void> {
    const {announcer, links} = this.#dependencies;
    if (!announcer.hasListener('conversion')) return;
    const {at, value, currency = null} = record;
    const {link, account} = await links.show(record);
    announcer.announce('conversion', {account, link, name, id, value, currency, recordedBy, at: new Date(at)});
  }
}

/** @throws ShortUrlError `malformed_parameter` if two customers are given */
function customerOf(person: Person, own?: string): string | undefined {
  const customer = person.customer === undefined ? own : readCustomer(person.customer);
  if (own === undefined || own === customer) return customer;
  throw malformed('A conversion has one customer, and two were given.');
}

/** Names what is counted. A later conversion may have the digest again. */
function idOf({digest}: Named, {at}: ConversionRecord): string {
  return `${digest}-${at.toString(36)}`;
}
