/** A server whose requests come over streams in place of sockets, so that only the program costs time. */
import {createServer, type RequestListener, type Server} from 'node:http';
import {Duplex} from 'node:stream';
import Koa, {type Middleware} from 'koa';
import {range} from '../test/support/engines/crowd.ts';
import {host} from './measured-links.ts';
import {zipf} from './zipf.ts';

/** The client's end of a connection. It sends the next request when the last one is answered. */
class Caller extends Duplex {
  override _read(): void {
    // Requests are pushed.
  }

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done();
  }

  override _writev(_chunks: unknown, done: () => void): void {
    done();
  }
}

/** A middleware as a site with Koa mounts it. */
export function underKoa(middleware: Middleware): RequestListener {
  const respond = new Koa().use(middleware).callback();
  return (request, response) => void respond(request, response);
}

export class InProcessServer {
  readonly #server: Server;
  readonly #callers: readonly Caller[];
  #next: () => string = () => '';
  #left = 0;
  #waiting = 0;
  #done: () => void = () => undefined;
  #failure: Error | undefined;

  /** @param atOnce how many requests are under way */
  constructor(respond: RequestListener, atOnce: number) {
    this.#server = createServer((request, response) => {
      response.once('finish', () => {
        if (response.statusCode !== 302) this.#failure ??= new Error(`A visit got the status ${response.statusCode}`);
        this.#ask(request.socket as unknown as Caller);
      });
      respond(request, response);
    });
    this.#server.keepAliveTimeout = 0;
    this.#callers = range(atOnce).map(() => new Caller());
    for (const caller of this.#callers) this.#server.emit('connection', caller);
  }

  /** Chooses the paths of the next runs, the first most often. */
  visit(paths: readonly string[]): void {
    const texts = paths.map(
      (path) => `GET ${path} HTTP/1.1\r\nUser-Agent: Mozilla/5.0 Firefox/140.0\r\nHost: ${host}\r\n\r\n`,
    );
    const order = zipf(paths.length, 10_000);
    let turn = 0;
    this.#next = () => texts[order[(turn += 1) % order.length] ?? 0] ?? '';
  }

  /** @throws if a visitor was not redirected */
  async run(count: number): Promise<void> {
    this.#left = count;
    this.#waiting = this.#callers.length;
    await new Promise<void>((done) => {
      this.#done = done;
      for (const caller of this.#callers) this.#ask(caller);
    });
    if (this.#failure !== undefined) throw this.#failure;
  }

  #ask(caller: Caller): void {
    if (this.#left > 0) {
      this.#left -= 1;
      caller.push(this.#next());
      return;
    }
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#done();
  }
}
