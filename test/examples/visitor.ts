import {once} from 'node:events';
import {Agent} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {ExecutionContext} from 'ava';
import type Koa from 'koa';
import {type Ask, exchange, type Reply} from '../support/request.ts';

/** Opens a URL as a browser does for which every domain leads to the site under test. */
export type Visit = (url: string, how?: Pick<Ask, 'method' | 'headers' | 'body'>) => Promise<Reply>;

/** Serves an app on a port of its own until the test is over. */
export async function visitorOf(t: ExecutionContext, app: Koa): Promise<Visit> {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({keepAlive: true});
  t.teardown(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  return visitorOn((server.address() as AddressInfo).port, agent);
}

/** The same for a site that listens already. */
export function visitorOn(port: number, agent: Agent): Visit {
  return (url, how = {}) => {
    const {host, pathname, search} = new URL(url);
    return exchange(port, agent, {...how, host, path: pathname + search});
  };
}
