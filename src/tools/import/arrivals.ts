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
import {brokenMark, readBroken} from '../../link/broken.ts';
import type {LinkServices} from '../../links/services.ts';
import {isScheme} from '../../link/long-url.ts';
import {checkNewLink, newCounters, type NewLink} from '../../link/new-link.ts';
import type {ShortParts} from '../../link/short-part.ts';
import {hashPassword, unopenedPassword} from '../../link/password.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';
import {taken} from '../../link/refusals.ts';
import type {Note, SourceLink} from '../../tables/source-link.ts';
import {fit} from './fit.ts';

/** The result for a link. It is `unchanged` if the account already has it with the same long URL. */
export type ArrivalResult = 'imported' | 'unchanged' | ShortUrlError;

/** The result for a link, and how it was changed. */
export interface Arrival {
  readonly notes: readonly Note[];
  result?: ArrivalResult;
}

/** A link during its import. */
interface Item extends Arrival {
  readonly source: SourceLink;
  readonly link: NewLink;
  readonly isDisabled: boolean;
  readonly name: LinkName;
  readonly counters: string;
}

const hashesAtOnce = 4;

/**
 * Imports links of another shortener with their dates and visits. The counters of a link have a random name, so its
 * visits are stored first and its record after them. A link is therefore complete from the moment it exists, and a
 * repeat of a killed import counts no visit twice. The counters that a killed run has stored without a link are never
 * read, and `check` can remove them.
 */
export class Arrivals {
  readonly #dependencies: LinkServices & {readonly store: ToolStore};
  readonly #shard: number;
  readonly #baseDomain: string;
  readonly #run = nanoid(12);
  #batches = 0;

  /**
   * @param shard the number of the key for the account's totals
   * @param baseDomain the domain of links that have none, or one that the site does not have
   */
  constructor(
    dependencies: LinkServices & {readonly store: ToolStore},
    shard: number,
    baseDomain = dependencies.bases.main.domain,
  ) {
    this.#dependencies = dependencies;
    this.#shard = shard;
    this.#baseDomain = baseDomain;
  }

  /**
   * Imports one or two hundred links, and returns the results in their order.
   *
   * @throws ShortUrlError `store_unavailable`; the next run continues
   */
  async importBatch(account: Account, sources: readonly SourceLink[]): Promise<Arrival[]> {
    const arrivals = sources.map((source) => this.#read(source));
    const together = new Map<string, Item>();
    const alone: Item[] = [];
    for (const item of arrivals) {
      if (!('link' in item)) continue;
      const key = linkRecords.key(item.name);
      // The result for a link that leads to another link of the batch depends on their order.
      if (this.#leadsHere(item.link) || together.has(key)) alone.push(item);
      else together.set(key, item);
    }
    for (const group of [Array.from(together.values()), ...alone.map((item) => [item])]) {
      await this.#importTogether(account, group);
    }
    return arrivals;
  }

  #read(source: SourceLink): Item | Arrival {
    const {bases, reserved, calendar, schemes, now} = this.#dependencies;
    const rules = {bases, reserved, calendar, schemes, now: now()};
    const {asked, ...fitted} = fit(source, this.#baseDomain, rules);
    // Another shortener may mean something else by the mark.
    const {broken} = source.fields;
    try {
      const link = {
        ...checkNewLink(asked, rules),
        // The end may be past.
        expiryDate: source.end,
        broken: brokenMark.holds(broken) ? readBroken(broken, 'broken') : undefined,
      };
      const name = {domain: link.baseDomain.domain, slug: link.customUrl ?? ''};
      return {...fitted, source, link, name, counters: newCounters()};
    } catch (error) {
      return {...fitted, result: withOption(refusal(error), source, bases.shortParts)};
    }
  }

  #leadsHere(link: NewLink): boolean {
    return destinationsOf(link).some(({target}) => this.#dependencies.bases.parseShortUrl(target) !== undefined);
  }

  async #importTogether(account: Account, items: readonly Item[]): Promise<void> {
    const entries = await linkRecords.in(this.#dependencies.store).getMany(items.map(({name}) => name));
    for (const [index, item] of items.entries()) {
      const record = entries[index]?.value;
      if (record !== undefined) item.result = comparison(record, account, item.source.url);
    }
    await Promise.all(
      items.filter(isOpen).map(async (item) => {
        try {
          await checkDestinations(this.#dependencies, account, destinationsOf(item.link), item.name);
        } catch (error) {
          item.result = refusal(error);
        }
      }),
    );
    await this.#write(account, items.filter(isOpen));
  }

  /** Stores visits, then claims the links. */
  async #write(account: Account, items: readonly Item[]): Promise<void> {
    if (items.length === 0) return;
    const visited = items.filter(({source: {visits = 0}}) => visits > 0);
    if (!planted('links-before-visits')) await this.#storeVisits(visited);
    const claimed = await this.#claim(account, items);
    if (planted('links-before-visits')) await this.#storeVisits(visited);
    const reasons = claimed.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as unknown) : undefined));
    // The link of such a call may exist. The next run continues.
    const failure = reasons.find(isUnavailable) ?? reasons.find((reason) => reason !== undefined && !isOfLink(reason));
    if (isUnavailable(failure)) throw failure;
    for (const [index, item] of items.entries()) {
      const outcome = claimed[index];
      const reason = reasons[index] ?? failure;
      if (outcome?.status === 'fulfilled' && outcome.value) item.result = 'imported';
      else item.result = reason === undefined ? taken() : refusal(reason);
    }
    const left = visited.filter(({result}) => result !== 'imported');
    await Promise.all(left.map((item) => linkCounters.in(this.#dependencies.store).remove(countersOf(item))));
    const written = items.filter(({result}) => result === 'imported');
    // The account was removed or blocked.
    if (failure !== undefined && written.length === 0) throw failure as Error;
    await this.#addToTotals(account, written);
  }

  async #storeVisits(items: readonly Item[]): Promise<void> {
    await this.#dependencies.store.setCounters(
      items.map((item) => [
        linkCounters.key(countersOf(item)),
        {counts: new Map([[visitsCounter, item.source.visits ?? 0]]), at: item.source.lastVisit},
      ]),
    );
  }

  async #claim(account: Account, items: readonly Item[]): Promise<Array<PromiseSettledResult<Claimed | undefined>>> {
    const passwords = await this.#hashPasswords(account, items);
    return Promise.allSettled(
      items.map(async ({name, link, source, counters, isDisabled}, index) => {
        const {visits = 0, created = this.#dependencies.now(), isBlocked} = source;
        const state = isDisabled ? 'disabled' : 'active';
        const given = {counters, created, password: passwords[index], state, visits, isBlocked} as const;
        return claim(this.#dependencies, account, {name, link, given});
      }),
    );
  }

  /** Hashes a few passwords at once, because hashing is slow and its queue is bounded. */
  async #hashPasswords({id}: Account, items: readonly Item[]): Promise<Array<string | undefined>> {
    const hashes: Array<string | undefined> = [];
    for (let start = 0; start < items.length; start += hashesAtOnce) {
      const some = items.slice(start, start + hashesAtOnce).map(async ({source, link: {password}}) => {
        if (source.isLocked) return unopenedPassword();
        return password === undefined ? undefined : await hashPassword(password, id);
      });
      hashes.push(...(await Promise.all(some)));
    }
    return hashes;
  }

  /** A run that is killed before this leaves the totals of the account too low by the visits of its last batch. */
  async #addToTotals(account: Account, items: readonly Item[]): Promise<void> {
    const visits = items.reduce((sum, {source}) => sum + (source.visits ?? 0), 0);
    if (visits === 0) return;
    this.#batches += 1;
    const at = Math.max(0, ...items.map(({source}) => source.lastVisit ?? 0));
    const addition = {
      keys: [accountTotals.key({generation: account.generation, shard: this.#shard})],
      adds: [{[visitsCounter]: visits}],
      at,
    };
    await this.#dependencies.store.count({writer: this.#run, number: this.#batches, additions: [addition]});
  }
}

const isOpen = ({result}: Arrival): boolean => result === undefined;
const countersOf = ({name, counters}: Item): LinkName & Pick<Item, 'counters'> => ({...name, counters});

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
function withOption(error: ShortUrlError, {shortPart, url}: SourceLink, shortParts: ShortParts): ShortUrlError {
  const options: string[] = [];
  if (error.code === 'invalid_custom_url') options.push(...shortParts.optionsFor(shortPart));
  const [, scheme = ''] = /^([a-z][a-z\d+.-]*):/i.exec(url) ?? [];
  const isOther = isScheme(scheme.toLowerCase()) && !/^https?$/i.test(scheme);
  if (error.code === 'invalid_url' && isOther) options.push('schemes');
  if (options.length === 0) return error;
  const named = options.map((option) => `\`${option}\``).join(' and ');
  const what = options.length === 1 ? 'The option' : 'The options';
  return new ShortUrlError(error.code, `${error.message} ${what} ${named} of the site would allow it.`);
}
