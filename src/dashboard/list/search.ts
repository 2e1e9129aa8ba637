import {limits} from '../generated/limits.ts';
import type {LinkQuery, LinkStatus, ListedLink} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {beginning} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {type OrderedPage, readInOrder} from './order.ts';

export const pageLength = 20;
/** How many days the small chart of a link shows. */
export const barDays = 30;
/** The maximum number of links that are counted for a filter, in one more read. */
const maxCounted = 1000;

/** The statuses that the list can be filtered by. A blocked link is a disabled one here. */
export const filterStatuses: readonly LinkStatus[] = ['active', 'disabled', 'expired', 'scheduled'];

/** The filter in the query of the list; an empty string means any. */
export interface Filter {
  readonly search: string;
  readonly status: LinkStatus | '';
  readonly tag: string;
}

export interface FoundLinks extends OrderedPage<ListedLink> {
  readonly filter: Filter;
  readonly isFiltered: boolean;
  readonly matching: Matching;
}

/** How many links match on all pages, and what they have had in all. Lower bounds if `isExact` is false. */
interface Matching {
  readonly links: number;
  readonly visits: number;
  readonly conversions: number;
  readonly isExact: boolean;
}

function filterIn(query: URLSearchParams): Filter {
  const status = filterStatuses.find((each) => each === query.get('status')) ?? '';
  // In code points, as the shortener counts.
  const text = (name: string, length: number): string => beginning((query.get(name) ?? '').trim(), length);
  return {search: text('search', limits.search), status, tag: text('tag', limits.tag)};
}

/** The parameters of the list in a query, so that a button in the list leads back to the same page of it. */
export function viewIn(query: URLSearchParams): Record<string, string | undefined> {
  const names = ['search', 'status', 'tag', 'order', 'cursor', 'newer'];
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? undefined]));
}

/** The query with the parameters of the list. */
export function viewOf(query: URLSearchParams): string {
  return withQuery('', viewIn(query));
}

/** Reads a page of the links that match the query. The work is bounded, however many links there are. */
export async function findLinks(request: DashboardRequest): Promise<FoundLinks> {
  const {shortener, account, query} = request;
  const filter = filterIn(query);
  const {search, status, tag} = filter;
  const conditions = {search: search || undefined, status: status || undefined, tag: tag || undefined};
  const isFiltered = Object.values(conditions).some((value) => value !== undefined);
  const found = await readInOrder<ListedLink>(request, pageLength, async (part) => {
    const {links: items, nextCursor} = await shortener.links.page(account, {...conditions, ...part, days: barDays});
    return {items, nextCursor};
  });
  const {items, place, nextCursor} = found;
  const isWhole = place.cursor === undefined && nextCursor === undefined;
  const matching = isWhole || !isFiltered ? sum(items, isWhole) : await count(shortener, account, conditions, items);
  return {...found, filter, isFiltered, matching};
}

async function count(
  {links}: DashboardRequest['shortener'],
  account: string,
  conditions: LinkQuery,
  shown: readonly ListedLink[],
): Promise<Matching> {
  const page = await links.page(account, {...conditions, limit: maxCounted, days: 1});
  // The page may have found older links than the ones that were counted.
  return page.links.length < shown.length
    ? sum(shown, page.nextCursor === undefined)
    : sum(page.links, page.nextCursor === undefined);
}

function sum(links: readonly ListedLink[], isExact: boolean): Matching {
  const total = (of: (link: ListedLink) => number): number => links.reduce((all, link) => all + of(link), 0);
  return {
    links: links.length,
    visits: total(({totalVisits}) => totalVisits),
    conversions: total(({conversions = []}) => conversions.reduce((all, each) => all + each.conversions, 0)),
    isExact,
  };
}
