import {type Link, type LinkStatus, type ShortUrlError} from '../index.ts';
import type {DashboardRequest} from './request.ts';

/** How many links a page shows. */
const pageLength = 20;
/** How often the list is read on for one page: a search that finds little goes on at the user's word. */
const maxReads = 5;

const statuses: readonly LinkStatus[] = ['active', 'disabled', 'expired'];

/** What the query of the list asks for; empty strings for nothing. */
export interface Filter {
  readonly search: string;
  readonly status: LinkStatus | '';
  readonly tag: string;
}

export interface FoundLinks {
  readonly filter: Filter;
  readonly isFiltered: boolean;
  /** The newest first. */
  readonly links: readonly Link[];
  /** Whether this is the beginning of the list. */
  readonly isFirst: boolean;
  /** Where to read on; undefined at the end of the list. */
  readonly nextCursor: string | undefined;
}

export function filterIn(query: URLSearchParams): Filter {
  const status = statuses.find((each) => each === query.get('status')) ?? '';
  const text = (name: string, length: number): string => (query.get(name) ?? '').trim().slice(0, length);
  return {search: text('search', 200), status, tag: text('tag', 50)};
}

/** Reads the part of the links that the query asks for: a bounded part, however many there are. */
export async function findLinks(request: DashboardRequest): Promise<FoundLinks> {
  const filter = filterIn(request.query);
  const given = request.query.get('cursor') ?? '';
  const cursor = given === '' ? undefined : given;
  try {
    return await readLinks(request, filter, cursor);
  } catch (error) {
    // A cursor that is none, from an address that somebody has changed.
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
  const links: Link[] = [];
  let cursor = start;
  for (let reads = 0; reads < maxReads && links.length < pageLength; reads++) {
    const limit = pageLength - links.length;
    const page = await shortener.links.page(account, {...conditions, order: 'newest', limit, cursor});
    links.push(...page.links);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  const isFiltered = Object.values(conditions).some((value) => value !== undefined);
  return {filter, isFiltered, links, isFirst: start === undefined, nextCursor: cursor};
}
