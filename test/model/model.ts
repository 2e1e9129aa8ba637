import type {LinkStats} from '../../src/index.ts';

/** What to create, as the programmatic interface takes it. */
export interface NewLink {
  readonly url: string;
  readonly customUrl?: string;
  readonly password?: string;
  readonly expiryDate?: string;
  readonly baseDomain?: string;
}

/** A link as section 2 of the specification has it, under the names of the HTTP API. */
export interface Wire {
  readonly url_id: number;
  readonly short_url: string;
  readonly short_url_part: string;
  readonly original_url: string;
  readonly date_created: string;
  readonly last_accessed: string | null;
  readonly total_visits: number;
  readonly has_password: boolean;
  readonly expiry_date: string | null;
  readonly status: 'active' | 'disabled' | 'expired';
}

/** A failure is its code, and nothing else. */
export type Outcome<Value> = {readonly value: Value} | {readonly error: string};

export interface ModelLink {
  readonly account: string;
  readonly shortUrl: string;
  readonly url: string;
  readonly password: string | undefined;
  readonly id: number;
  readonly created: number;
  readonly end: number | undefined;
  disabled: boolean;
  /** With its account. */
  removed: boolean;
  visits: number;
  lastVisit: number | undefined;
  /** Visits by date. */
  readonly days: Map<string, number>;
}

const roots: Readonly<Record<string, string>> = {
  'example.com': 'https://example.com',
  'sho.rt': 'https://sho.rt',
  'go.example.org': 'https://go.example.org/x',
};

const day = 24 * 60 * 60 * 1000;

/** The whole service as the specification has it: a few maps in one process, and nothing that could go wrong. */
export class Model {
  now: number;
  /** Every link that was ever made, oldest first. */
  readonly links: ModelLink[] = [];
  readonly #keys = new Map<string, string>();
  readonly #pastKeys: Array<{account: string; key: string}> = [];

  constructor(now: number) {
    this.now = now;
  }

  key(account: string): string | undefined {
    return this.#keys.get(account);
  }

  /** A key that must not work any more. */
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
    for (const link of this.links) if (link.account === account) link.removed = true;
  }

  /** Why a link cannot be created; undefined if it can. */
  refusal(account: string, {url, customUrl, expiryDate, baseDomain}: NewLink): string | undefined {
    if (!this.#keys.has(account)) return 'invalid_api_key';
    if (expiryDate !== undefined && endOf(expiryDate) <= this.now) return 'invalid_expiry_date';
    const shortUrl = customUrl === undefined ? undefined : shortUrlOf(customUrl, baseDomain);
    if (url === shortUrl || this.links.some((link) => link.shortUrl === url)) return 'forbidden_url';
    return this.links.some((link) => link.shortUrl === shortUrl) ? 'custom_url_taken' : undefined;
  }

  /** @param given what only the service can know: the number and, of a generated link, the short part */
  create(account: string, input: NewLink, given: {url_id: number; short_url_part: string}): ModelLink {
    const link: ModelLink = {
      account,
      shortUrl: shortUrlOf(input.customUrl ?? given.short_url_part, input.baseDomain),
      url: input.url,
      password: input.password,
      id: given.url_id,
      created: this.now,
      end: input.expiryDate === undefined ? undefined : endOf(input.expiryDate),
      disabled: false,
      removed: false,
      visits: 0,
      lastVisit: undefined,
      days: new Map(),
    };
    this.links.push(link);
    return link;
  }

  disable(account: string, shortUrl: string): Outcome<Wire> {
    return this.#find(account, shortUrl, (link) => {
      link.disabled = true;
      return undefined;
    });
  }

  enable(account: string, shortUrl: string): Outcome<Wire> {
    return this.#find(account, shortUrl, (link) => {
      if (link.end !== undefined && link.end <= this.now) return 'link_expired';
      link.disabled = false;
      return undefined;
    });
  }

  info(account: string, shortUrl: string): Outcome<Wire> {
    return this.#find(account, shortUrl, () => undefined);
  }

  stats(account: string, shortUrl: string): Outcome<LinkStats> {
    const link = this.links.find((other) => other.shortUrl === shortUrl);
    const outcome = this.info(account, shortUrl);
    if ('error' in outcome || link === undefined) return outcome as {error: string};
    const {total_visits: totalVisits, last_accessed: lastAccessed} = outcome.value;
    return {value: {totalVisits, lastAccessed, days: Array.from(link.days, ([date, visits]) => ({date, visits}))}};
  }

  list(account: string): Outcome<Wire[]> {
    if (!this.#keys.has(account)) return {error: 'invalid_api_key'};
    return {
      value: this.links.filter((link) => link.account === account && !link.removed).map((link) => this.wire(link)),
    };
  }

  /** The status of the answer to a GET. */
  visit(link: ModelLink | undefined): 200 | 302 | 404 | 410 {
    if (link === undefined) return 404;
    if (link.removed || this.wire(link).status !== 'active') return 410;
    return link.password === undefined ? 302 : 200;
  }

  count(link: ModelLink, visits: number): void {
    link.visits += visits;
    link.lastVisit = this.now;
    const date = dateTime(this.now).slice(0, 10);
    link.days.set(date, (link.days.get(date) ?? 0) + visits);
  }

  wire(link: ModelLink): Wire {
    const isOver = link.end !== undefined && link.end <= this.now;
    return {
      url_id: link.id,
      short_url: link.shortUrl,
      short_url_part: link.shortUrl.slice(link.shortUrl.lastIndexOf('/') + 1),
      original_url: link.url,
      date_created: dateTime(link.created),
      last_accessed: link.lastVisit === undefined ? null : dateTime(link.lastVisit),
      total_visits: link.visits,
      has_password: link.password !== undefined,
      expiry_date: link.end === undefined ? null : dateTime(link.end - 1000),
      status: link.disabled ? 'disabled' : isOver ? 'expired' : 'active',
    };
  }

  #find(account: string, shortUrl: string, change: (link: ModelLink) => string | undefined): Outcome<Wire> {
    if (!this.#keys.has(account)) return {error: 'invalid_api_key'};
    const link = this.links.find((other) => other.shortUrl === shortUrl);
    if (link?.account !== account || link.removed) return {error: 'unknown_short_url'};
    const error = change(link);
    return error === undefined ? {value: this.wire(link)} : {error};
  }
}

export function shortUrlOf(slug: string, domain = 'example.com'): string {
  return `${roots[domain] ?? ''}/${slug}`;
}

export function dateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

function endOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) + day;
}
