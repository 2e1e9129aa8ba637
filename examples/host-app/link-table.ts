import type {Context} from 'koa';
import type {Link} from 'koa-short-url';

/** How many links a page of the table shows. */
const pageLength = 20;

export interface LinkTable {
  /** The links of this page. */
  readonly links: readonly Link[];
  /** What was searched for; empty when all links are shown. */
  readonly search: string;
  /** How many links the search found. */
  readonly found: number;
  readonly page: number;
  readonly pages: number;
  /** The query of this view, so that a form in the table leads back to it: empty, or `?` and parameters. */
  readonly query: string;
  /** The query of another page of the same search. */
  readonly queryOf: (page: number) => string;
}

/** The part of the links that the address asks for with `?search=…&page=…`. */
export function linkTable(ctx: Context, links: readonly Link[]): LinkTable {
  const parameters = new URLSearchParams(ctx.querystring);
  const search = (parameters.get('search') ?? '').trim().slice(0, 200);
  const found = links.filter((link) => matches(link, search.toLowerCase()));
  const pages = Math.max(1, Math.ceil(found.length / pageLength));
  const wanted = Number(parameters.get('page') ?? 1);
  const page = Number.isInteger(wanted) ? Math.min(Math.max(wanted, 1), pages) : 1;
  const queryOf = (number: number): string => {
    const query = new URLSearchParams({...(search && {search}), ...(number > 1 && {page: String(number)})});
    return query.size === 0 ? '' : `?${query.toString()}`;
  };
  return {
    links: found.slice((page - 1) * pageLength, page * pageLength),
    search,
    found: found.length,
    page,
    pages,
    query: queryOf(page),
    queryOf,
  };
}

/** Whether the text stands anywhere in the addresses of the link, or is its status. */
function matches({shortUrl, originalUrl, status}: Link, text: string): boolean {
  return [shortUrl, originalUrl].some((address) => address.toLowerCase().includes(text)) || status === text;
}
