import {once} from 'node:events';
import {Agent} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {ExecutionContext} from 'ava';
import type Koa from 'koa';

/** Serves an app on a free port of 127.0.0.1 until the test is over, with an agent for requests. */
export async function listen(t: Pick<ExecutionContext, 'teardown'>, app: Koa): Promise<{port: number; agent: Agent}> {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({keepAlive: true});
  t.teardown(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  return {port: (server.address() as AddressInfo).port, agent};
}
