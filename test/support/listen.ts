import {once} from 'node:events';
import {Agent, createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import type Koa from 'koa';
import type {Owner} from './owner.ts';

/**
 * A server on a free port, until its owner is done. It does not answer yet, because a site may have to know its origin
 * before it is made.
 */
export async function serve(owner: Owner, host?: string): Promise<{server: Server; port: number; origin: string}> {
  const server = createServer().listen(0, host);
  // On a busy machine a client may reuse an idle connection just as the server closes it.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  owner.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const {port} = server.address() as AddressInfo;
  return {server, port, origin: `http://localhost:${port}`};
}

/** Serves an app on a free port of 127.0.0.1 until its owner is done, with an agent for requests. */
export async function listen(owner: Owner, app: Pick<Koa, 'callback'>): Promise<{port: number; agent: Agent}> {
  const {server, port} = await serve(owner, '127.0.0.1');
  const handle = app.callback();
  server.on('request', (request, response) => void handle(request, response));
  const agent = new Agent({keepAlive: true});
  owner.teardown(() => {
    agent.destroy();
  });
  return {port, agent};
}
