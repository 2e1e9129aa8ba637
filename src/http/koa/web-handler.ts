import {type ClientRequest, createServer, type IncomingMessage, request as sendRequest, type Server} from 'node:http';
import type {Socket} from 'node:net';
import {duplexPair, finished, pipeline, Readable} from 'node:stream';
import type {Middleware} from 'koa';
import {describe} from '../../values/describe.ts';
import {checkNames} from '../../values/options.ts';
import {checkGuest, guestOf, type HandlerOptions} from './guest.ts';

/** Options of `toWebHandler`. */
export type WebHandlerOptions = HandlerOptions;

/** What a `Request` does not say of itself. */
export interface WebRequestDetails {
  /**
   * The address of the client, or of the proxy before the site. Statistics and limits need it: clients without one share
   * their limits.
   */
  readonly address?: string | undefined;
  /** What the site knows of the request, such as its session. Callbacks get it as `ctx.state.context`. */
  readonly context?: unknown;
}

/** Answers a request, or resolves to undefined if it is not for the shortener: the site answers it then. */
export type WebHandler = (request: Request, details?: WebRequestDetails) => Promise<Response | undefined>;

interface Exchange {
  readonly context: unknown;
  /** Called when the program first reads the body. */
  readonly sendBody: () => void;
  readonly passOn: (failure?: {readonly error: unknown}) => void;
}

/** Headers of a connection, which the next connection has of its own. */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Turns a shortener or its dashboard into a function from a `Request` to its `Response`, for Hono, SvelteKit, Next, Nuxt
 * and other sites whose handlers are such functions (docs/frameworks.md). It runs on Node.js. Each request passes through
 * Node.js's own HTTP server over a pair of streams in memory, so it is answered as under Koa.
 *
 * @param middleware the shortener, or what `dashboard()` returns
 * @returns a function that rejects with an error of the middleware
 * @throws TypeError for anything else, and for an invalid or unknown option
 * @example
 *   const handle = toWebHandler(shortener);
 *   app.notFound(async (c) => (await handle(c.req.raw)) ?? c.text('No such page', 404)); // app is a Hono app
 */
export function toWebHandler(middleware: Middleware, options: WebHandlerOptions = {}): WebHandler {
  checkGuest(middleware, options);
  const exchanges = new WeakMap<object, Exchange>();
  const server = serverOf(middleware, options, exchanges);
  return async (request, details = {}) => {
    const {address, context} = checked(request, details);
    request.signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const [near, far] = duplexPair();
      near.once('close', () => far.destroy());
      far.once('close', () => near.destroy());
      far.on('error', ignored);
      const outgoing = outgoingOf(request, near as Socket);
      exchanges.set(far, {
        context,
        sendBody: () => {
          if (!request.bodyUsed && request.body?.locked !== true) {
            sendBody(request, outgoing);
            return;
          }
          reject(new TypeError('Expected a Request whose body nobody has read: read that of `request.clone()`'));
          near.destroy();
        },
        passOn(failure) {
          if (failure === undefined) resolve(undefined);
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- as the middleware threw it
          else reject(failure.error);
          near.destroy();
        },
      });
      const abort = (): void => {
        near.destroy(request.signal.reason as Error);
      };
      request.signal.addEventListener('abort', abort, {once: true});
      near.once('close', () => {
        request.signal.removeEventListener('abort', abort);
      });
      outgoing.on('error', reject);
      outgoing.once('response', (incoming) => {
        // The parser of Node.js refused the request before the middleware got it.
        if (exchanges.has(far)) {
          resolve(undefined);
          near.destroy();
        } else resolve(responseOf(incoming, request.method));
        // The rest of the body is not wanted.
        finished(incoming, () => near.destroy());
      });
      server.emit('connection', Object.assign(far, connectionOf(request, address)));
      if (request.body === null) outgoing.end();
      else outgoing.flushHeaders();
    });
  };
}

function checked(request: unknown, details: WebRequestDetails): WebRequestDetails {
  if (!(request instanceof Object) || !('signal' in request) || !('url' in request)) {
    throw new TypeError(`Expected the first argument to be a Request, got ${describe(request)}`);
  }
  checkNames(details, ['address', 'context'], 'details');
  const {address} = details;
  if (address !== undefined && typeof address !== 'string') {
    throw new TypeError(`Expected \`address\` to be a string, got ${describe(address)}`);
  }
  return details;
}

/** A server that listens nowhere: connections are given to it. */
function serverOf(middleware: Middleware, options: WebHandlerOptions, exchanges: WeakMap<object, Exchange>): Server {
  const current = new WeakMap<IncomingMessage, Exchange>();
  const app = guestOf(
    async (ctx, next) => {
      (ctx.state as {context?: unknown}).context = current.get(ctx.req)?.context;
      await middleware(ctx, next);
    },
    options,
    (ctx, failure) => {
      // Such as a body that is too long.
      if (failure !== undefined && isOfClient(failure.error)) ctx.onerror(failure.error);
      else current.get(ctx.req)?.passOn(failure);
    },
  );
  const answer = app.callback();
  return createServer((request, response) => {
    const {socket} = request;
    const exchange = exchanges.get(socket);
    if (exchange === undefined) return;
    exchanges.delete(socket);
    current.set(request, exchange);
    const read = request._read.bind(request);
    // The body stays unread in the hands of the site, unless it is for the middleware.
    request._read = (size) => {
      request._read = read;
      // Node.js itself reads the rest of a request that was answered.
      if (!response.writableEnded) exchange.sendBody();
      read(size);
    };
    // The server of the site adds the date.
    response.sendDate = false;
    void answer(request, response);
  });
}

/** Whether an error says what was wrong with the request. Koa answers with its message. */
function isOfClient(error: unknown): error is Error {
  return error instanceof Error && (error as {expose?: unknown}).expose === true;
}

/** What the program asks of the connection of a request. */
function connectionOf({url}: Request, address: string | undefined): object {
  return {remoteAddress: address, encrypted: url.startsWith('https:')};
}

function outgoingOf({method, url, headers, body}: Request, connection: Socket): ClientRequest {
  const {host, pathname, search} = new URL(url);
  const sent = Array.from(headers).filter(([name]) => !hopByHop.has(name) && name !== 'content-length');
  if (!headers.has('host')) sent.push(['host', host]);
  // Whatever length was announced: bytes behind it would be another request.
  if (body !== null) sent.push(['transfer-encoding', 'chunked']);
  return sendRequest({
    method,
    path: pathname + search,
    headers: Object.fromEntries(sent),
    createConnection: () => connection,
  });
}

function sendBody({body}: Request, outgoing: ClientRequest): void {
  if (body === null) return;
  // The program may answer before it has all of the body, and the rest is not read then.
  pipeline(Readable.fromWeb(body), outgoing, ignored);
}

function responseOf(incoming: IncomingMessage, method: string): Response {
  const headers = new Headers();
  const {rawHeaders, statusCode = 500} = incoming;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!hopByHop.has(name.toLowerCase())) headers.append(name, rawHeaders[index + 1] ?? '');
  }
  const isEmpty = method === 'HEAD' || [204, 205, 304].includes(statusCode) || headers.get('content-length') === '0';
  if (isEmpty) incoming.resume();
  const body = isEmpty ? null : (Readable.toWeb(incoming) as unknown as ConstructorParameters<typeof Response>[0]);
  return new Response(body, {status: statusCode, headers});
}

function ignored(): void {
  // The other end of the connection has the error too.
}
