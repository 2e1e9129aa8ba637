import {limits} from '../generated/limits.ts';
import type {LinkFilter, ListedLink} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {domainOptions} from '../forms/create-form.ts';
import {field} from '../forms/field.ts';
import {beginning, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import type {Texts} from '../texts/en.ts';
import {type LinkOrder, linkOrdersOf, type OrderedPage, readInOrder} from './order.ts';

export const pageLength = 20;
/** How many days the small chart of a link shows. */
export const barDays = 30;

/** How many days before its end a link is shown as expiring. */
const expiringDays = 7;

/** The statuses that the list can be filtered by, and other marks of links. A blocked link is a disabled one here. */
export const filterStatuses = ['active', 'disabled', 'expired', 'scheduled', 'expiring', 'broken'] as const;
type FilterStatus = (typeof filterStatuses)[number];

/** The filter in the query of the list; an empty string means any. */
export interface Filter {
  readonly search: string;
  readonly status: FilterStatus | '';
  readonly tag: string;
  readonly base_domain: string;
}

export interface FoundLinks extends OrderedPage<ListedLink> {
  readonly filter: Filter;
  readonly isFiltered: boolean;
}

export function filterIn(query: URLSearchParams): Filter {
  const status = filterStatuses.find((each) => each === query.get('status')) ?? '';
  // In code points, as the shortener counts.
  const text = (name: string, length: number): string => beginning((query.get(name) ?? '').trim(), length);
  const base_domain = /^[^/\\]+$/.exec(query.get('base_domain') ?? '')?.[0] ?? '';
  return {search: text('search', limits.search), status, tag: text('tag', limits.tag), base_domain};
}

/** The parameters of the list in a query, so that a button in the list leads back to the same page of it. */
export function viewIn(query: URLSearchParams): Record<string, string | undefined> {
  const names = ['search', 'status', 'tag', 'base_domain', 'order', 'cursor', 'newer'];
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? undefined]));
}

/** The query with the parameters of the list. */
export function viewOf(query: URLSearchParams): string {
  return withQuery('', viewIn(query));
}

/** The conditions of a filter, as the shortener takes them. */
export function conditionsIn({search, status, tag, base_domain}: Filter): Omit<LinkFilter, 'order'> {
  return {
    search: search || undefined,
    ...statusCondition(status || undefined),
    tag: tag || undefined,
    baseDomain: base_domain || undefined,
  };
}

/** The condition for one of the statuses that a list offers. */
export function statusCondition<Status extends string>(status: Status | undefined) {
  if (status === 'broken') return {broken: true};
  if (status === 'expiring') return {expiresWithin: expiringDays};
  return {status: status as Exclude<Status, 'broken' | 'expiring'> | undefined};
}

/** The field for one of the statuses that a list offers. */
export function statusField(
  {texts}: DashboardRequest,
  offered: ReadonlyArray<keyof Texts['statuses']>,
  value = '',
): Html {
  const {list, statuses} = texts;
  const options = [['', list.anyStatus] as const, ...offered.map((each) => [each, statuses[each]] as const)];
  return field({name: 'status', label: list.status, options, attributes: {value}});
}

/** The field for one of the domains; undefined if there is only one. */
export function listDomainField(
  {texts}: DashboardRequest,
  baseUrls: readonly string[],
  value: string,
): Html | undefined {
  if (baseUrls.length < 2) return undefined;
  const options = [['', texts.list.anyStatus] as const, ...domainOptions(baseUrls)];
  const attributes = {id: 'links-list-domain', value};
  return field({name: 'base_domain', label: texts.fields.domain, options, attributes});
}

export function isFiltered(filter: Filter): boolean {
  return Object.values(conditionsIn(filter)).some((value) => value !== undefined);
}

/** Reads a page of the links that match the query. The work is bounded, however many links there are. */
export async function findLinks(request: DashboardRequest): Promise<FoundLinks> {
  const {shortener, account, query} = request;
  const filter = filterIn(query);
  const conditions = conditionsIn(filter);
  const orders = linkOrdersOf(request);
  const found = await readInOrder<ListedLink, LinkOrder>(request, {orders, length: pageLength}, async (part) => {
    const {links: items, nextCursor} = await shortener.links.page(account, {...conditions, ...part, days: barDays});
    return {items, nextCursor};
  });
  return {...found, filter, isFiltered: isFiltered(filter)};
}
