import {type LinkStatus, type ListedLink, type ShortUrlError} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import type {DashboardRequest} from '../request.ts';

/** How many links a page shows. */
const pageLength = 20;
/** How many days the small chart of a link shows. */
export const barDays = 30;
/** A bound on the reads of one page. If the search finds little, a link lets the user continue it. */
const maxReads = 5;

/** The statuses that the list can be filtered by. A blocked link is a disabled one here. */
export const filterStatuses: readonly LinkStatus[] = ['active', 'disabled', 'expired'];

/** The filter in the query of the list; an empty string means any. */
export interface Filter {
  readonly search: string;
  readonly status: LinkStatus | '';
  readonly tag: string;
}

export interface FoundLinks {
  readonly filter: Filter;
  readonly isFiltered: boolean;
  /** The newest first. */
  readonly links: readonly ListedLink[];
  /** Whether this is the beginning of the list. */
  readonly isFirst: boolean;
  /** The cursor of the next page; undefined at the end of the list. */
  readonly nextCursor: string | undefined;
}

export function filterIn(query: URLSearchParams): Filter {
  const status = filterStatuses.find((each) => each === query.get('status')) ?? '';
  // In code points, as the shortener counts.
  const text = (name: string, length: number): string =>
    Array.from((query.get(name) ?? '').trim())
      .slice(0, length)
      .join('');
  return {search: text('search', 200), status, tag: text('tag', 50)};
}

/** The query of the list that a button is in, so that the redirect leads back to the same list. */
export function viewOf(query: URLSearchParams): string {
  const names = ['search', 'status', 'tag', 'cursor'];
  return withQuery('', Object.fromEntries(names.map((name) => [name, query.get(name) ?? undefined])));
}

/** Reads a page of the links that match the query. The work is bounded, however many links there are. */
export async function findLinks(request: DashboardRequest): Promise<FoundLinks> {
  const filter = filterIn(request.query);
  const given = request.query.get('cursor') ?? '';
  const cursor = given === '' ? undefined : given;
  try {
    return await readLinks(request, filter, cursor);
  } catch (error) {
    // Somebody has changed the cursor in the address: show the first page.
    const isRefused = (error as ShortUrlError | undefined)?.code === 'malformed_parameter';
    if (isRefused && cursor !== undefined) return readLinks(request, filter, undefined);
    throw error;
  }
}

async function readLinks(
  {shortener, account}: DashboardRequest,
  filter: Filter,
  start: string | undefined,
): Promise<FoundLinks> {
  const {search, status, tag} = filter;
  const conditions = {search: search || undefined, status: status || undefined, tag: tag || undefined};
  const links: ListedLink[] = [];
  let cursor = start;
  for (let reads = 0; reads < maxReads && links.length < pageLength; reads++) {
    const limit = pageLength - links.length;
    const page = await shortener.links.page(account, {...conditions, order: 'newest', limit, cursor, days: barDays});
    links.push(...page.links);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  const isFiltered = Object.values(conditions).some((value) => value !== undefined);
  return {filter, isFiltered, links, isFirst: start === undefined, nextCursor: cursor};
}
