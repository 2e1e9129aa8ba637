import type {Context} from 'koa';
import type {Link, ShortUrl} from 'koa-short-url';
import {apiOperations} from './api-lines.ts';
import {linkTable} from './link-table.ts';
import {render} from './render.ts';
import {userOf} from './require-user.ts';
import {takeNotice} from './session.ts';
import {formatDate, sumOf, visitsOfEach} from './visits-chart.ts';

export interface AccountPageDependencies {
  readonly shortener: ShortUrl;
  readonly baseUrl: string;
  readonly baseDomains: readonly string[];
  readonly now: () => number;
}

/** A form that could not be done: what was entered, and what is wrong with it by field. */
export interface Attempt {
  readonly status: number;
  readonly entered: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, string>>;
}

export type ShowAccount = (ctx: Context, attempt?: Attempt) => Promise<void>;

/** The page that a user finds after login: a form for new links, the links there are, their visits, and the API. */
export function accountPage({shortener, baseUrl, baseDomains, now}: AccountPageDependencies): ShowAccount {
  const site = baseUrl.replace(/\/+$/, '');
  const domains = [baseUrl, ...baseDomains].map(describeDomain);

  return async (ctx, attempt) => {
    const {id} = userOf(ctx);
    const today = now();
    const apiKey = await apiKeyOf(shortener, id);
    const links = await newestFirst(shortener.links.list(id));
    const shortUrls = links.map(({shortUrl}) => shortUrl);
    const charts = await visitsOfEach(shortener, id, shortUrls, today);
    const example = links.find(({status}) => status === 'active') ?? links[0];

    if (attempt) ctx.status = attempt.status;
    render(ctx, 'account', {
      apiKey,
      domains,
      today: formatDate(today),
      table: linkTable(ctx, links),
      charts,
      chart: sumOf(charts.values(), today),
      counts: {
        links: links.length,
        active: links.filter(({status}) => status === 'active').length,
        visits: links.reduce((sum, link) => sum + link.totalVisits, 0),
      },
      example: example?.shortUrl,
      operations: apiOperations({
        site,
        domain: domains.at(-1)?.name ?? '',
        shortUrl: example?.shortUrl ?? `${site}/not-made-yet`,
        expiryDate: formatDate(today + 30 * 24 * 60 * 60 * 1000),
      }),
      notice: attempt ? undefined : takeNotice(ctx),
      entered: attempt?.entered ?? {},
      errors: attempt?.errors ?? {},
    });
  };
}

/** The key of the user. Where the process ended between registration and the account at the shortener, that is made now. */
export async function apiKeyOf({accounts}: ShortUrl, id: string): Promise<string> {
  return (await accounts.apiKey(id)) ?? (await accounts.create(id)).apiKey;
}

/** All links of a user. A site whose users have very many would keep an index of its own to search and page in. */
async function newestFirst(links: AsyncIterable<Link>): Promise<Link[]> {
  const all: Link[] = [];
  for await (const link of links) all.push(link);
  return all.reverse();
}

/** What a user chooses, and the name that `base_domain` takes for it. */
function describeDomain(domain: string): {name: string; label: string} {
  const {hostname, host} = new URL(domain.includes('//') ? domain : `http://${domain}`);
  return {name: hostname, label: host};
}
