import type {Agent} from 'node:http';
import type {ExecutionContext} from 'ava';
import type Koa from 'koa';
import type {ShortUrl} from 'koa-short-url';
import {listen} from '../listen.ts';
import type {Owner} from '../owner.ts';
import {type Ask, exchange, type Reply} from '../request.ts';

/** Opens a URL like a browser for which every domain leads to the site under test. */
export type Visit = (url: string, how?: Pick<Ask, 'method' | 'headers' | 'body'>) => Promise<Reply>;

/** Serves an app on a free port until its owner is done. */
export async function visitorOf(owner: Owner, app: Koa): Promise<Visit> {
  const {port, agent} = await listen(owner, app);
  return visitorOn(port, agent);
}

/** The same for a site that is listening already. */
export function visitorOn(port: number, agent: Agent): Visit {
  return (url, how = {}) => {
    const {host, pathname, search} = new URL(url);
    return exchange(port, agent, {...how, host, path: pathname + search});
  };
}

/** Serves an example until the test is over, with the account `ann`, whose key `call` uses. */
export async function siteOf(t: ExecutionContext, {app, shortener}: {app: Koa; shortener: ShortUrl}) {
  t.teardown(() => shortener.close());
  const visit = await visitorOf(t, app);
  const {apiKey} = await shortener.accounts.create('ann');
  const call = (rest: string, prefix = '') =>
    visit(`https://example.com${prefix}/api/v1/${apiKey}/shorturl/${rest}.json`);
  return {shortener, visit, call, apiKey};
}
