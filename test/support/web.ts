import type {IncomingMessage, RequestListener} from 'node:http';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import type {Middleware} from 'koa';
import {toWebHandler, type WebHandler} from '../../src/web.ts';

/** The rest of a site, for what the middleware does not answer. */
interface Rest {
  readonly missing: string;
  readonly proxy?: boolean;
}

/** Serves a middleware as a site of requests and responses does: its framework makes both of those of Node.js. */
export function asWebSite(middleware: Middleware, {missing, proxy = false}: Rest): RequestListener {
  return webListener(toWebHandler(middleware, {proxy}), missing);
}

/** @param missing what the site answers where it has no page */
export function webListener(handle: WebHandler, missing: string): RequestListener {
  return (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) gone.abort();
    });
    void (async () => {
      const request = requestOf(incoming, gone.signal);
      const details = {address: incoming.socket.remoteAddress};
      const answer = (await handle(request, details)) ?? new Response(missing, {status: 404});
      outgoing.statusCode = answer.status;
      outgoing.setHeaders(answer.headers);
      if (answer.body === null) outgoing.end();
      else await pipeline(Readable.fromWeb(answer.body), outgoing);
    })().catch((error: unknown) => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead((error as {status?: number}).status ?? 500).end('Internal Server Error');
    });
  };
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const {method = 'GET', url = '/', rawHeaders} = incoming;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  const hasBody = !['GET', 'HEAD'].includes(method);
  const body = hasBody ? {body: Readable.toWeb(incoming), duplex: 'half'} : {};
  return new Request(url.startsWith('/') ? `http://localhost${url}` : url, {
    method,
    headers,
    signal,
    ...body,
  } as RequestInit);
}
