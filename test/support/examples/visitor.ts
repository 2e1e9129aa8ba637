import type {Agent} from 'node:http';
import type {ExecutionContext} from 'ava';
import type Koa from 'koa';
import {listen} from '../listen.ts';
import {type Ask, exchange, type Reply} from '../request.ts';

/** Opens a URL like a browser for which every domain leads to the site under test. */
export type Visit = (url: string, how?: Pick<Ask, 'method' | 'headers' | 'body'>) => Promise<Reply>;

/** Serves an app on a free port until the test is over. */
export async function visitorOf(t: ExecutionContext, app: Koa): Promise<Visit> {
  const {port, agent} = await listen(t, app);
  return visitorOn(port, agent);
}

/** The same for a site that is listening already. */
export function visitorOn(port: number, agent: Agent): Visit {
  return (url, how = {}) => {
    const {host, pathname, search} = new URL(url);
    return exchange(port, agent, {...how, host, path: pathname + search});
  };
}
