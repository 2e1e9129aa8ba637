import {planted} from '../../planted.ts';
import {visitsCounter} from '../../link/counters.ts';
import {linkCounters, linkRecords} from '../../link/records.ts';
import {accountTotals} from '../../links/stats/totals.ts';
import {nanoid} from 'nanoid';
import type {Account} from '../../accounts/accounts.ts';
import {isUnavailable, ShortUrlError} from '../../errors.ts';
import type {ToolStore} from '../../store/port.ts';
import type {LinkName} from '../../link/bases.ts';
import {claim, type Claimed} from '../../links/create/claim.ts';
import {checkDestinations} from '../../links/destination-check.ts';
import {destinationsOf} from '../../link/urls.ts';
import {type brokenMark, readBroken} from '../../link/broken.ts';
import {givenNames} from '../../link/fields.ts';
import type {CreateLink} from '../../link/link.ts';
import type {LinkServices} from '../../links/services.ts';
import type {ValueOf} from '../../values/shape.ts';
import {isScheme} from '../../link/long-url.ts';
import {checkNewLink, newCounters, type NewLink} from '../../link/new-link.ts';
import type {ShortParts} from '../../link/short-part.ts';
import {hashPassword, unopenedPassword} from '../../link/password.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';
import {taken} from '../../link/refusals.ts';

/** The result for a link. It is `unchanged` if the account already has it with the same long URL. */
export type ArrivalResult = 'imported' | 'unchanged' | ShortUrlError;

/** A link from another shortener. Times are milliseconds since the epoch. */
export interface ArrivingLink extends Omit<CreateLink, 'customUrl' | 'expiryDate'> {
  readonly customUrl: string;
  readonly created: number;
  /** When it expires, or has expired. */
  readonly end?: number | undefined;
  readonly visits: number;
  readonly lastVisit?: number | undefined;
  readonly isDisabled?: boolean | undefined;
  /** Whether the operator of the other site has blocked it. */
  readonly isBlocked?: boolean | undefined;
  /** Whether its password is unknown. No password opens it until its account sets a new one. */
  readonly isLocked?: boolean | undefined;
  /** Its mark of a broken link. */
  readonly broken?: ValueOf<typeof brokenMark> | undefined;
}

const hashesAtOnce = 4;

/** A link during its import. */
interface ImportItem {
  /** Its index among the results. */
  readonly index: number;
  readonly input: ArrivingLink;
  readonly link: NewLink;
  readonly name: LinkName;
  readonly key: string;
  readonly counters: string;
}

interface WrittenItem extends ImportItem {
  readonly record: LinkRecord;
}

interface ImportServices extends LinkServices {
  readonly store: ToolStore;
}

/**
 * Imports links of another shortener with their dates and visits. The counters of a link have a random name, so its
 * visits are stored first and its record after them. A link is therefore complete from the moment it exists, and a
 * repeat of a killed import counts no visit twice. The counters that a killed run has stored without a link are never
 * read, and `check` can remove them.
 */
export class Arrivals {
  readonly #dependencies: ImportServices;
  readonly #shard: number;
  readonly #run = nanoid(12);
  #batches = 0;

  /** @param shard the number of the key for the account's totals */
  constructor(dependencies: ImportServices, shard: number) {
    this.#dependencies = dependencies;
    this.#shard = shard;
  }

  /**
   * Imports one or two hundred links, and returns the results in their order.
   *
   * @throws ShortUrlError `store_unavailable`; the next run continues
   */
  async importBatch(account: Account, inputs: readonly ArrivingLink[]): Promise<ArrivalResult[]> {
    const results: ArrivalResult[] = [];
    const together = new Map<string, ImportItem>();
    const alone: ImportItem[] = [];
    for (const [index, input] of inputs.entries()) {
      const link = this.#check(input);
      if (link instanceof ShortUrlError) {
        results[index] = link;
        continue;
      }
      const name = {domain: link.baseDomain.domain, slug: link.customUrl ?? ''};
      const item = {index, input, link, name, key: linkRecords.key(name), counters: newCounters()};
      // The result for a link that leads to another link of the batch depends on their order.
      const isAlone = this.#leadsHere(link) || together.has(item.key);
      if (isAlone) alone.push(item);
      else together.set(item.key, item);
    }
    for (const group of [Array.from(together.values()), ...alone.map((item) => [item])]) {
      await this.#importTogether(account, group, results);
    }
    return results;
  }

  #check(input: ArrivingLink): NewLink | ShortUrlError {
    const {bases, reserved, calendar, schemes, now} = this.#dependencies;
    const given = Object.entries(input).filter(([name]) => (givenNames as readonly string[]).includes(name));
    const asked: CreateLink = {...Object.fromEntries<unknown>(given), url: input.url};
    try {
      const broken = input.broken && readBroken(input.broken, 'broken');
      // The end may be past.
      return {...checkNewLink(asked, {bases, reserved, calendar, schemes, now: now()}), expiryDate: input.end, broken};
    } catch (error) {
      return withOption(refusal(error), input, bases.shortParts);
    }
  }

  #leadsHere(link: NewLink): boolean {
    return destinationsOf(link).some(({target}) => this.#dependencies.bases.parseShortUrl(target) !== undefined);
  }

  async #importTogether(account: Account, group: readonly ImportItem[], results: ArrivalResult[]): Promise<void> {
    const entries = await linkRecords.in(this.#dependencies.store).getMany(group.map(({name}) => name));
    const fresh: ImportItem[] = [];
    for (const [position, item] of group.entries()) {
      const record = entries[position]?.value;
      if (record === undefined) fresh.push(item);
      else results[item.index] = comparison(record, account, item.input.url);
    }
    const written = await this.#write(account, await this.#checkDestinations(account, fresh, results), results);
    await this.#addToTotals(account, written);
  }

  async #checkDestinations(
    account: Account,
    group: readonly ImportItem[],
    results: ArrivalResult[],
  ): Promise<ImportItem[]> {
    const allowed = await Promise.all(
      group.map(async ({link, name, index}) => {
        try {
          await checkDestinations(this.#dependencies, account, destinationsOf(link), name);
          return true;
        } catch (error) {
          results[index] = refusal(error);
          return false;
        }
      }),
    );
    return group.filter((_, position) => allowed[position]);
  }

  /** Stores visits, then claims the links. Returns those that are stored. */
  async #write(account: Account, group: readonly ImportItem[], results: ArrivalResult[]): Promise<WrittenItem[]> {
    if (group.length === 0) return [];
    if (!planted('links-before-visits')) await this.#storeVisits(group);
    const claimed = await this.#claim(account, group);
    if (planted('links-before-visits')) await this.#storeVisits(group);
    const reasons = claimed.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as unknown) : undefined));
    // The link of such a call may exist. The next run continues.
    const failure = reasons.find(isUnavailable) ?? reasons.find((reason) => reason !== undefined && !isOfLink(reason));
    if (isUnavailable(failure)) throw failure;
    const written: WrittenItem[] = [];
    const others: ImportItem[] = [];
    for (const [position, item] of group.entries()) {
      const outcome = claimed[position];
      const record = outcome?.status === 'fulfilled' ? outcome.value?.record : undefined;
      if (record) written.push({...item, record});
      else others.push(item);
      const reason = reasons[position] ?? failure;
      results[item.index] = record ? 'imported' : reason === undefined ? taken() : refusal(reason);
    }
    await this.#forgetVisits(others);
    // The account was removed or blocked.
    if (failure !== undefined && written.length === 0) throw failure as Error;
    return written;
  }

  async #storeVisits(items: readonly ImportItem[]): Promise<void> {
    const visited = items.filter(({input}) => input.visits > 0);
    await this.#dependencies.store.setCounters(
      visited.map(({name, counters, input: {visits, lastVisit}}) => [
        linkCounters.key({...name, counters}),
        {counts: new Map([[visitsCounter, visits]]), at: lastVisit},
      ]),
    );
  }

  async #claim(
    account: Account,
    group: readonly ImportItem[],
  ): Promise<Array<PromiseSettledResult<Claimed | undefined>>> {
    const passwords = await this.#hashPasswords(account, group);
    return Promise.allSettled(
      group.map(async ({name, link, input, counters}, index) => {
        const {visits, created, isDisabled, isBlocked} = input;
        const state = isDisabled ? 'disabled' : 'active';
        const given = {counters, created, password: passwords[index], state, visits, isBlocked} as const;
        return claim(this.#dependencies, account, {name, link, given});
      }),
    );
  }

  async #forgetVisits(items: readonly ImportItem[]): Promise<void> {
    const visited = items.filter(({input}) => input.visits > 0);
    await Promise.all(
      visited.map((item) => linkCounters.in(this.#dependencies.store).remove({...item.name, counters: item.counters})),
    );
  }

  /** Hashes a few passwords at once, because hashing is slow and its queue is bounded. */
  async #hashPasswords({id}: Account, group: readonly ImportItem[]): Promise<Array<string | undefined>> {
    const hashes: Array<string | undefined> = [];
    for (let start = 0; start < group.length; start += hashesAtOnce) {
      const some = group.slice(start, start + hashesAtOnce).map(async ({input, link: {password}}) => {
        if (input.isLocked) return unopenedPassword();
        return password === undefined ? undefined : await hashPassword(password, id);
      });
      hashes.push(...(await Promise.all(some)));
    }
    return hashes;
  }

  /** A run that is killed before this leaves the totals of the account too low by the visits of its last batch. */
  async #addToTotals(account: Account, items: readonly WrittenItem[]): Promise<void> {
    const visits = items.reduce((sum, {input}) => sum + input.visits, 0);
    if (visits === 0) return;
    this.#batches += 1;
    const at = Math.max(0, ...items.map(({input}) => input.lastVisit ?? 0));
    const addition = {
      keys: [accountTotals.key({generation: account.generation, shard: this.#shard})],
      adds: [{[visitsCounter]: visits}],
      at,
    };
    await this.#dependencies.store.count({writer: this.#run, number: this.#batches, additions: [addition]});
  }
}

/** The result for a link whose short part has a record already. */
function comparison(record: LinkRecord, account: Account, url: string): ArrivalResult {
  if (record.generation !== account.generation) return taken();
  if (record.state === 'removed') {
    return new ShortUrlError('custom_url_taken', 'The account has removed the link with this short part.');
  }
  if (isListed(record) && record.url === url) return 'unchanged';
  return new ShortUrlError('custom_url_taken', 'The account already has this short part, with another long URL.');
}

/** Whether a claim was refused for its link. Otherwise the account was removed or blocked. */
function isOfLink(error: unknown): boolean {
  return error instanceof ShortUrlError && error.code === 'reference_taken';
}

/** Errors of the link itself. All other errors end the import. */
function refusal(error: unknown): ShortUrlError {
  if (error instanceof ShortUrlError && error.status < 500) return error;
  throw error;
}

/** Names the options of the site that would allow the link. */
function withOption(error: ShortUrlError, {customUrl, url}: ArrivingLink, shortParts: ShortParts): ShortUrlError {
  const options: string[] = [];
  if (error.code === 'invalid_custom_url') options.push(...shortParts.optionsFor(customUrl));
  const [, scheme = ''] = /^([a-z][a-z\d+.-]*):/i.exec(url) ?? [];
  const isOther = isScheme(scheme.toLowerCase()) && !/^https?$/i.test(scheme);
  if (error.code === 'invalid_url' && isOther) options.push('schemes');
  if (options.length === 0) return error;
  const named = options.map((option) => `\`${option}\``).join(' and ');
  const what = options.length === 1 ? 'The option' : 'The options';
  return new ShortUrlError(error.code, `${error.message} ${what} ${named} of the site would allow it.`);
}
