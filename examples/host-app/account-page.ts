import type {Context} from 'koa';
import type {Link, ShortUrl} from 'koa-short-url';
import {render} from './render.ts';
import {userOf} from './require-user.ts';
import {takeNotice} from './session.ts';

/** The links that the table shows at most. */
const tableLength = 100;

export interface AccountPageDependencies {
  readonly shortener: ShortUrl;
  readonly baseUrl: string;
  readonly baseDomains: readonly string[];
}

/** A form that could not be done: what was entered, and what is wrong with it by field. */
export interface Attempt {
  readonly status: number;
  readonly entered: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, string>>;
}

export type ShowAccount = (ctx: Context, attempt?: Attempt) => Promise<void>;

/** The page that a user finds after login: the API key, a form for new links, and the links there are. */
export function accountPage({shortener, baseUrl, baseDomains}: AccountPageDependencies): ShowAccount {
  const site = baseUrl.replace(/\/+$/, '');
  const domains = [baseUrl, ...baseDomains].map(describeDomain);

  return async (ctx, attempt) => {
    const {id} = userOf(ctx);
    const apiKey = await apiKeyOf(shortener, id);
    const {links, total} = await newest(shortener.links.list(id), tableLength);
    if (attempt) ctx.status = attempt.status;
    render(ctx, 'account', {
      apiKey,
      site,
      domains,
      today: new Date().toISOString().slice(0, 10),
      example: `${site}/api/v1/${apiKey}/shorturl/create/url/${base64('https://example.com/programme')}.json`,
      links,
      total,
      notice: attempt ? undefined : takeNotice(ctx),
      entered: attempt?.entered ?? {},
      errors: attempt?.errors ?? {},
    });
  };
}

/** The key of the user. Where the process ended between registration and the account at the shortener, that is made now. */
async function apiKeyOf({accounts}: ShortUrl, id: string): Promise<string> {
  return (await accounts.apiKey(id)) ?? (await accounts.create(id)).apiKey;
}

/** The last so many links, the newest first. */
async function newest(links: AsyncIterable<Link>, count: number): Promise<{links: Link[]; total: number}> {
  const kept: Link[] = [];
  let total = 0;
  for await (const link of links) {
    total += 1;
    kept.push(link);
    if (kept.length > count) kept.shift();
  }
  return {links: kept.reverse(), total};
}

/** What a user chooses, and the name that `base_domain` takes for it. */
function describeDomain(domain: string): {name: string; label: string} {
  const {hostname, host} = new URL(domain.includes('//') ? domain : `http://${domain}`);
  return {name: hostname, label: host};
}

/** In the alphabet that needs no escaping in a path. */
function base64(text: string): string {
  return Buffer.from(text).toString('base64url');
}
