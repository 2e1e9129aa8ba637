import type {AccountStats, LinkFilter, LinkStats, Rule} from '../../../src/index.ts';
import {isListed, isOver, isScheduled, type ModelLink, shortUrlOf, Tally, toWire, type Wire} from './model-link.ts';

/** The settings of a link, as the programmatic interface takes them. */
export interface Settings {
  readonly password?: string | null;
  readonly expiryDate?: string | null;
  readonly title?: string | null;
  readonly tags?: readonly string[] | null;
  readonly maxVisits?: number | null;
  readonly startDate?: string | null;
  readonly expiredUrl?: string | null;
  readonly forwardQuery?: boolean | null;
  readonly rules?: readonly Rule[] | null;
}

/** The arguments of a create. */
export interface NewLink extends Settings {
  readonly url: string;
  readonly customUrl?: string;
  readonly password?: string;
  readonly expiryDate?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly maxVisits?: number;
  readonly startDate?: string;
  readonly expiredUrl?: string;
  readonly forwardQuery?: boolean;
  readonly rules?: readonly Rule[];
  readonly baseDomain?: string;
}

/** The arguments of an update. */
export interface Changes extends Settings {
  readonly url?: string;
}

/** A failure is compared by its code alone. */
export type Outcome<Value> = {readonly value: Value} | {readonly error: string};

const day = 24 * 60 * 60 * 1000;

/** The whole service as a few maps in one process, without failures. */
export class Model {
  now: number;
  /** Every link ever created, oldest first. */
  readonly links: ModelLink[] = [];
  readonly #keys = new Map<string, string>();
  readonly #pastKeys: Array<{account: string; key: string}> = [];
  /** The visits of all links of an account. */
  readonly #tallies = new Map<string, Tally>();

  constructor(now: number) {
    this.now = now;
  }

  key(account: string): string | undefined {
    return this.#keys.get(account);
  }

  /** A key that must be invalid by now. */
  pastKey(account: string): string | undefined {
    return this.#pastKeys.findLast((past) => past.account === account)?.key;
  }

  /** Whether this key was never given before. */
  isNewKey(key: string): boolean {
    return !Array.from(this.#keys.values()).includes(key) && !this.#pastKeys.some((past) => past.key === key);
  }

  setKey(account: string, key: string | undefined): void {
    const past = this.#keys.get(account);
    if (past !== undefined) this.#pastKeys.push({account, key: past});
    if (key === undefined) this.#keys.delete(account);
    else this.#keys.set(account, key);
  }

  remove(account: string): void {
    this.setKey(account, undefined);
    this.#tallies.delete(account);
    for (const link of this.links) if (link.account === account) link.state = 'removed';
  }

  /** The link that has a short URL now, or had it last. */
  at(shortUrl: string): ModelLink | undefined {
    return this.links.findLast((link) => link.shortUrl === shortUrl);
  }

  /** The error code of a refused create; undefined if it succeeds. */
  refusal(account: string, {url, customUrl, expiryDate, baseDomain}: NewLink): string | undefined {
    if (!this.#keys.has(account)) return 'invalid_api_key';
    if (this.#isPast(expiryDate)) return 'invalid_expiry_date';
    const shortUrl = customUrl === undefined ? undefined : shortUrlOf(customUrl, baseDomain);
    if (url === shortUrl || this.at(url) !== undefined) return 'forbidden_url';
    const before = shortUrl === undefined ? undefined : this.at(shortUrl);
    const isFree = before === undefined || (before.state === 'discarded' && before.account === account);
    return isFree ? undefined : 'custom_url_taken';
  }

  /** @param given the values that only the service knows: the id and a generated short part */
  create(account: string, input: NewLink, given: {url_id: number; short_url_part: string}): ModelLink {
    const link: ModelLink = {
      account,
      shortUrl: shortUrlOf(input.customUrl ?? given.short_url_part, input.baseDomain),
      id: given.url_id,
      created: this.now,
      tally: new Tally(),
      url: input.url,
      password: input.password,
      end: input.expiryDate === undefined ? undefined : endOf(input.expiryDate),
      title: input.title ?? null,
      tags: input.tags ?? [],
      maxVisits: input.maxVisits ?? null,
      start: beginOf(input.startDate),
      expiredUrl: input.expiredUrl ?? null,
      forwardQuery: input.forwardQuery ?? false,
      rules: input.rules ?? [],
      state: 'active',
    };
    this.links.push(link);
    return link;
  }

  disable(account: string, shortUrl: string): Outcome<Wire> {
    return this.#find(account, shortUrl, (link) => {
      link.state = 'disabled';
      return undefined;
    });
  }

  enable(account: string, shortUrl: string): Outcome<Wire> {
    return this.#find(account, shortUrl, (link) => {
      if (isOver(link, this.now)) return 'link_expired';
      link.state = 'active';
      return undefined;
    });
  }

  update(account: string, shortUrl: string, changes: Changes): Outcome<Wire> {
    if (!this.#keys.has(account)) return {error: 'invalid_api_key'};
    if (Object.keys(changes).length === 0) return {error: 'missing_parameter'};
    if (this.#isPast(changes.expiryDate)) return {error: 'invalid_expiry_date'};
    return this.#find(account, shortUrl, (link) => {
      const {url, password, expiryDate, title, tags, maxVisits, startDate, expiredUrl, forwardQuery, rules} = changes;
      if (url !== undefined && this.at(url) !== undefined) return 'forbidden_url';
      link.url = url ?? link.url;
      if (password !== undefined) link.password = password ?? undefined;
      if (expiryDate !== undefined) link.end = expiryDate === null ? undefined : endOf(expiryDate);
      if (title !== undefined) link.title = title;
      if (tags !== undefined) link.tags = tags ?? [];
      if (maxVisits !== undefined) link.maxVisits = maxVisits;
      if (startDate !== undefined) link.start = beginOf(startDate);
      if (expiredUrl !== undefined) link.expiredUrl = expiredUrl;
      if (forwardQuery !== undefined) link.forwardQuery = forwardQuery ?? false;
      if (rules !== undefined) link.rules = rules ?? [];
      return undefined;
    });
  }

  discard(account: string, shortUrl: string): Outcome<Pick<Wire, 'url_id' | 'short_url'> & {status: 'removed'}> {
    const found = this.info(account, shortUrl);
    const link = this.at(shortUrl);
    if ('error' in found || link === undefined) return found as {error: string};
    link.state = 'discarded';
    return {value: {url_id: link.id, short_url: shortUrl, status: 'removed'}};
  }

  info(account: string, shortUrl: string): Outcome<Wire> {
    return this.#find(account, shortUrl, () => undefined);
  }

  stats(account: string, shortUrl: string): Outcome<LinkStats> {
    const found = this.info(account, shortUrl);
    const link = this.at(shortUrl);
    return 'error' in found || link === undefined ? (found as {error: string}) : {value: link.tally.stats};
  }

  accountStats(account: string): Outcome<AccountStats> {
    const list = this.list(account);
    if ('error' in list) return list;
    return {value: {links: list.value.length, ...(this.#tallies.get(account) ?? new Tally()).stats}};
  }

  list(account: string): Outcome<Wire[]> {
    if (!this.#keys.has(account)) return {error: 'invalid_api_key'};
    return {
      value: this.links
        .filter((link) => link.account === account && isListed(link))
        .map((link) => toWire(link, this.now)),
    };
  }

  find(account: string, {status, tag, search, order = 'newest'}: LinkFilter): Outcome<Wire[]> {
    const list = this.list(account);
    if ('error' in list) return list;
    const found = list.value.filter(
      (link) =>
        (status === undefined || link.status === status) &&
        (tag === undefined || link.tags.some((each) => each.toLowerCase() === tag.toLowerCase())) &&
        (search === undefined ||
          `${link.original_url}\n${link.short_url_part}\n${link.title ?? ''}`
            .toLowerCase()
            .includes(search.toLowerCase())),
    );
    return {value: order === 'newest' ? found.toReversed() : found};
  }

  /** How many of these concurrent visitors are redirected, or shown a form. */
  room(link: ModelLink | undefined, visitors: number): number {
    if (link?.state !== 'active' || isOver(link, this.now) || isScheduled(link, this.now)) return 0;
    return link.maxVisits === null ? visitors : Math.min(visitors, link.maxVisits - link.tally.visits);
  }

  count(link: ModelLink, visits: number): void {
    link.tally.add(visits, this.now);
    let tally = this.#tallies.get(link.account);
    if (tally === undefined) this.#tallies.set(link.account, (tally = new Tally()));
    tally.add(visits, this.now);
  }

  wire(link: ModelLink): Wire {
    return toWire(link, this.now);
  }

  #isPast(expiryDate: string | null | undefined): boolean {
    return typeof expiryDate === 'string' && endOf(expiryDate) <= this.now;
  }

  #find(account: string, shortUrl: string, change: (link: ModelLink) => string | undefined): Outcome<Wire> {
    if (!this.#keys.has(account)) return {error: 'invalid_api_key'};
    const link = this.at(shortUrl);
    if (link?.account !== account || !isListed(link)) return {error: 'unknown_short_url'};
    const error = change(link);
    return error === undefined ? {value: this.wire(link)} : {error};
  }
}

function beginOf(date: string | null | undefined): number | undefined {
  return typeof date === 'string' ? Date.parse(`${date}T00:00:00Z`) : undefined;
}

function endOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) + day;
}
