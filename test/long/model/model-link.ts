import type {Rule} from '../../../src/index.ts';
import type {Visitor} from './actions.ts';

/** A link with the fields of the HTTP API. */
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
  readonly status: 'active' | 'disabled' | 'expired' | 'scheduled';
  readonly title: string | null;
  readonly tags: readonly string[];
  readonly max_visits: number | null;
  readonly start_date: string | null;
  readonly expired_url: string | null;
  readonly forward_query: boolean;
  readonly rules: readonly Rule[];
  /** Only the programmatic interface has these two, and only if they are true. */
  readonly is_blocked?: true;
  readonly is_account_blocked?: true;
}

/** Visits in total and by date. */
export class Tally {
  visits = 0;
  lastVisit: number | undefined;
  readonly #days = new Map<string, number>();

  add(visits: number, now: number): void {
    const date = dateTime(now).slice(0, 10);
    this.visits += visits;
    this.lastVisit = now;
    this.#days.set(date, (this.#days.get(date) ?? 0) + visits);
  }

  /** Every visitor of a story comes without a referrer. */
  get byDay() {
    return {
      days: Array.from(this.#days, ([date, visits]) => ({date, visits, conversions: 0})),
      details: this.visits > 0 ? {referrer: [{value: 'direct', visits: this.visits}]} : {},
      conversions: [],
    };
  }

  get stats() {
    return {totalVisits: this.visits, lastAccessed: dateTimeOrNull(this.lastVisit), ...this.byDay};
  }
}

export interface ModelLink {
  readonly account: string;
  readonly shortUrl: string;
  readonly id: number;
  readonly created: number;
  readonly tally: Tally;
  url: string;
  password: string | undefined;
  end: number | undefined;
  title: string | null;
  tags: readonly string[];
  maxVisits: number | null;
  start: number | undefined;
  expiredUrl: string | null;
  forwardQuery: boolean;
  rules: readonly Rule[];
  /** `discarded` by its account, which may create it again; `removed` with its account. */
  state: 'active' | 'disabled' | 'discarded' | 'removed';
  /** By the operator. */
  isBlocked: boolean;
  isAccountBlocked: boolean;
}

/** Whether neither its account nor the operator has taken it out of service. */
export function isOn({state, isBlocked, isAccountBlocked}: ModelLink): boolean {
  return state === 'active' && !isBlocked && !isAccountBlocked;
}

export function isListed({state}: ModelLink): boolean {
  return state === 'active' || state === 'disabled';
}

/** Whether the link is expired or its visits are used up. */
export function isOver({end, maxVisits, tally}: ModelLink, now: number): boolean {
  return (end !== undefined && end <= now) || (maxVisits !== null && tally.visits >= maxVisits);
}

/** Whether the first day of the link is still to come. */
export function isScheduled(link: ModelLink, now: number): boolean {
  return isOn(link) && link.start !== undefined && link.start > now;
}

/** Where a visitor is redirected. */
export function targetOf({url, rules, forwardQuery}: ModelLink, now: number, visitor: Visitor): string {
  const today = dateTime(now).slice(0, 10);
  const rule = rules.find(
    ({from = today, until = today, device = visitor.device, language = visitor.language}) =>
      from <= today && today <= until && device === visitor.device && language === visitor.language,
  );
  const target = new URL(rule?.url ?? url);
  if (!forwardQuery) return target.href;
  const given = new URLSearchParams(visitor.query);
  const own = new Set(target.searchParams.keys());
  const pairs = visitor.query.slice(1).split('&');
  const added = Array.from(given.keys(), (name, index) => (own.has(name) ? '' : (pairs[index] ?? '')));
  for (const pair of added) if (pair !== '') target.search += (target.search === '' ? '' : '&') + pair;
  return target.href;
}

function statusOf(link: ModelLink, now: number): Wire['status'] {
  if (!isOn(link)) return 'disabled';
  if (isOver(link, now)) return 'expired';
  return isScheduled(link, now) ? 'scheduled' : 'active';
}

export function toWire(link: ModelLink, now: number): Wire {
  return {
    url_id: link.id,
    short_url: link.shortUrl,
    short_url_part: link.shortUrl.slice(link.shortUrl.lastIndexOf('/') + 1),
    original_url: link.url,
    date_created: dateTime(link.created),
    last_accessed: dateTimeOrNull(link.tally.lastVisit),
    total_visits: link.tally.visits,
    has_password: link.password !== undefined,
    expiry_date: link.end === undefined ? null : dateTime(link.end - 1000),
    status: statusOf(link, now),
    title: link.title,
    tags: link.tags,
    max_visits: link.maxVisits,
    start_date: link.start === undefined ? null : dateTime(link.start),
    expired_url: link.expiredUrl,
    forward_query: link.forwardQuery,
    rules: link.rules,
    ...(link.isBlocked && {is_blocked: true}),
    ...(link.isAccountBlocked && {is_account_blocked: true}),
  };
}

const roots: Readonly<Record<string, string>> = {
  'example.com': 'https://example.com',
  'sho.rt': 'https://sho.rt',
  'go.example.org': 'https://go.example.org/x',
};

export function shortUrlOf(slug: string, domain = 'example.com'): string {
  return `${roots[domain] ?? ''}/${slug}`;
}

export function dateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

function dateTimeOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : dateTime(milliseconds);
}
