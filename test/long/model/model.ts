import {isDeepStrictEqual} from 'node:util';
import type {AccountStats, ApiKey, KeyScope, LinkFilter, LinkStats, Rule} from '../../../src/index.ts';
import {
  dateTime,
  isListed,
  isOn,
  isOver,
  isScheduled,
  type ModelLink,
  shortUrlOf,
  Tally,
  toWire,
  type Wire,
} from './model-link.ts';

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

export type RemovedWire = Pick<Wire, 'url_id' | 'short_url'> & {readonly status: 'removed'};

/** A change among many. */
export interface LinkChange {
  readonly shortUrl: string;
  readonly changes: Changes & {readonly status?: 'active' | 'disabled' | 'removed'};
}

/** The arguments of a create that is made once. */
interface Once {
  readonly account: string;
  readonly input: NewLink;
  readonly key: string;
}

export interface ModelKey extends ApiKey {
  readonly apiKey: string;
}

const day = 24 * 60 * 60 * 1000;
/** The most labelled keys of an account. */
const maxKeys = 20;
const scopes: readonly KeyScope[] = ['read', 'create', 'full'];

/** The whole service as a few maps in one process, without failures. */
export class Model {
  now: number;
  /** Every link ever created, oldest first. */
  readonly links: ModelLink[] = [];
  readonly #keys = new Map<string, string>();
  readonly #pastKeys: Array<{account: string; key: string}> = [];
  readonly #labelled = new Map<string, ModelKey[]>();
  readonly #blocked = new Set<string>();
  readonly #created: Array<Once & {readonly at: number; readonly wire: Wire}> = [];
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
    const labelled = Array.from(this.#labelled.values()).flat();
    const given = [
      ...this.#keys.values(),
      ...labelled.map(({apiKey}) => apiKey),
      ...this.#pastKeys.map((past) => past.key),
    ];
    return !given.includes(key);
  }

  setKey(account: string, key: string | undefined): void {
    const past = this.#keys.get(account);
    if (past !== undefined) this.#pastKeys.push({account, key: past});
    if (key === undefined) this.#keys.delete(account);
    else this.#keys.set(account, key);
  }

  remove(account: string): void {
    for (const {apiKey} of this.labelled(account)) this.#pastKeys.push({account, key: apiKey});
    this.#labelled.delete(account);
    this.setKey(account, undefined);
    this.#tallies.delete(account);
    this.#blocked.delete(account);
    this.#created.splice(0, Infinity, ...this.#created.filter((once) => once.account !== account));
    for (const link of this.links) if (link.account === account) link.state = 'removed';
  }

  labelled(account: string): readonly ModelKey[] {
    return this.#labelled.get(account) ?? [];
  }

  /** Why an account's call with a key of this scope is refused, whatever its parameters. */
  refusedCall(account: string, scope: KeyScope, needed: KeyScope): string | undefined {
    const isWithin = scopes.indexOf(needed) <= scopes.indexOf(scope);
    return this.#closed(account) ?? (isWithin ? undefined : 'insufficient_scope');
  }

  /** @param given the values that only the service knows; undefined if it has refused */
  makeKey(
    account: string,
    key: Pick<ApiKey, 'label' | 'scope'>,
    given: Pick<ModelKey, 'id' | 'apiKey'> | undefined,
  ): Outcome<ModelKey> {
    const labelled = this.labelled(account);
    if (labelled.length >= maxKeys) return {error: 'too_many_keys'};
    const made = {id: '', apiKey: '', ...given, ...key, created: dateTime(this.now)};
    if (given !== undefined) this.#labelled.set(account, [...labelled, made]);
    return {value: made};
  }

  revokeKey(account: string, id: string): Outcome<{readonly id: string; readonly status: 'revoked'}> {
    const labelled = this.labelled(account);
    const revoked = labelled.find((key) => key.id === id);
    if (revoked === undefined) return {error: 'unknown_key'};
    this.#pastKeys.push({account, key: revoked.apiKey});
    this.#labelled.set(
      account,
      labelled.filter((key) => key !== revoked),
    );
    return {value: {id, status: 'revoked'}};
  }

  block(shortUrl: string, isBlocked: boolean): Outcome<{readonly account: string; readonly link: Wire}> {
    const link = this.at(shortUrl);
    if (link === undefined || !isListed(link)) return {error: 'unknown_short_url'};
    link.isBlocked = isBlocked;
    return {value: {account: link.account, link: this.wire(link)}};
  }

  blockAccount(account: string, isBlocked: boolean): Outcome<undefined> {
    if (!this.#keys.has(account)) return {error: 'invalid_api_key'};
    if (isBlocked) this.#blocked.add(account);
    else this.#blocked.delete(account);
    for (const link of this.links) if (link.account === account && isListed(link)) link.isAccountBlocked = isBlocked;
    return {value: undefined};
  }

  /** The link that has a short URL now, or had it last. */
  at(shortUrl: string): ModelLink | undefined {
    return this.links.findLast((link) => link.shortUrl === shortUrl);
  }

  /**
   * The outcome of a create as far as it is known: an error, or the answer to the call that it repeats. Undefined if it
   * creates a link.
   *
   * @param key its idempotency key
   */
  known(account: string, input: NewLink, key: string | undefined): Outcome<Wire> | undefined {
    const once = this.#created.find(
      (each) => each.account === account && each.key === key && each.at > this.now - day && each.at <= this.now,
    );
    // What was in order at the first call is in order for its repeats.
    if (isPast(input.expiryDate, once?.at ?? this.now)) return {error: 'invalid_expiry_date'};
    if (isEmpty(beginOf(input.startDate), input.expiryDate === undefined ? undefined : endOf(input.expiryDate))) {
      return {error: 'invalid_expiry_date'};
    }
    if (once !== undefined) {
      return isDeepStrictEqual(once.input, input) ? {value: once.wire} : {error: 'idempotency_key_reused'};
    }
    const error = this.#refusal(account, input);
    return error === undefined ? undefined : {error};
  }

  #refusal(account: string, {url, customUrl, baseDomain}: NewLink): string | undefined {
    const shortUrl = customUrl === undefined ? undefined : shortUrlOf(customUrl, baseDomain);
    if (url === shortUrl || this.at(url) !== undefined) return 'forbidden_url';
    const before = shortUrl === undefined ? undefined : this.at(shortUrl);
    const isFree =
      before === undefined || (before.state === 'discarded' && before.account === account && !before.isBlocked);
    return isFree ? undefined : 'custom_url_taken';
  }

  /**
   * @param key its idempotency key
   * @param given the values that only the service knows: the id and a generated short part
   */
  create(
    account: string,
    input: NewLink,
    key: string | undefined,
    given: {url_id: number; short_url_part: string},
  ): ModelLink {
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
      isBlocked: false,
      isAccountBlocked: false,
    };
    this.links.push(link);
    if (key !== undefined) this.#created.unshift({account, input, key, at: this.now, wire: this.wire(link)});
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
      if (link.isBlocked) return 'link_blocked';
      if (isOver(link, this.now)) return 'link_expired';
      link.state = 'active';
      return undefined;
    });
  }

  /** The outcome of each change, made in order. */
  updateMany(account: string, many: readonly LinkChange[]): Outcome<Array<Outcome<Wire | RemovedWire>>> {
    const closed = this.#closed(account);
    if (closed !== undefined) return {error: closed};
    return {
      value: many.map(({shortUrl, changes: {status, ...changes}}) => {
        if (status === undefined) return this.update(account, shortUrl, changes);
        if (status === 'removed') return this.discard(account, shortUrl);
        return status === 'active' ? this.enable(account, shortUrl) : this.disable(account, shortUrl);
      }),
    };
  }

  update(account: string, shortUrl: string, changes: Changes): Outcome<Wire> {
    const closed = this.#closed(account);
    if (closed !== undefined) return {error: closed};
    if (Object.keys(changes).length === 0) return {error: 'missing_parameter'};
    if (isPast(changes.expiryDate, this.now)) return {error: 'invalid_expiry_date'};
    return this.#find(account, shortUrl, (link) => {
      const {url, password, expiryDate, title, tags, maxVisits, startDate, expiredUrl, forwardQuery, rules} = changes;
      if (link.isBlocked) return 'link_blocked';
      if (url !== undefined && this.at(url) !== undefined) return 'forbidden_url';
      const start = startDate === undefined ? link.start : beginOf(startDate);
      const end = expiryDate === undefined ? link.end : expiryDate === null ? undefined : endOf(expiryDate);
      if ((start !== link.start || end !== link.end) && isEmpty(start, end)) return 'invalid_expiry_date';
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

  discard(account: string, shortUrl: string): Outcome<RemovedWire> {
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
    if (!this.#keys.has(account)) return {error: 'invalid_api_key'};
    const links = this.links.filter((link) => link.account === account && isListed(link)).length;
    return {value: {links, ...(this.#tallies.get(account) ?? new Tally()).stats}};
  }

  list(account: string): Outcome<Wire[]> {
    const closed = this.#closed(account);
    if (closed !== undefined) return {error: closed};
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
    if (link === undefined || !isOn(link) || isOver(link, this.now) || isScheduled(link, this.now)) return 0;
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

  /** Why every call of an account is refused. */
  #closed(account: string): string | undefined {
    if (!this.#keys.has(account)) return 'invalid_api_key';
    return this.#blocked.has(account) ? 'account_blocked' : undefined;
  }

  #find(account: string, shortUrl: string, change: (link: ModelLink) => string | undefined): Outcome<Wire> {
    const closed = this.#closed(account);
    if (closed !== undefined) return {error: closed};
    const link = this.at(shortUrl);
    if (link?.account !== account || !isListed(link)) return {error: 'unknown_short_url'};
    const error = change(link);
    return error === undefined ? {value: this.wire(link)} : {error};
  }
}

function beginOf(date: string | null | undefined): number | undefined {
  return typeof date === 'string' ? Date.parse(`${date}T00:00:00Z`) : undefined;
}

/** Whether a link would end before it begins. */
function isEmpty(start: number | undefined, end: number | undefined): boolean {
  return start !== undefined && end !== undefined && start >= end;
}

function isPast(expiryDate: string | null | undefined, now: number): boolean {
  return typeof expiryDate === 'string' && endOf(expiryDate) <= now;
}

function endOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) + day;
}
