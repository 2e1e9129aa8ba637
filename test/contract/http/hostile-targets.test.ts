import {once} from 'node:events';
import {createServer, type RequestListener} from 'node:http';
import {connect, type AddressInfo} from 'node:net';
import test from 'ava';
import Koa from 'koa';
import {dashboard} from '../../../src/dashboard.ts';
import {shortUrl} from '../../../src/index.ts';
import {toNodeHandler} from '../../../src/node.ts';

const targets = ['http://[::1/links', '//', 'http://', 'http://a:b/', 'http://%/', '/\\', '/%', '*', 'http://[/links/'];

/** Sends a request target as it is, and returns the status. */
async function statusOf(port: number, method: string, target: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`${method} ${target} HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

for (const [what, isKoa] of [
  ['Koa', true],
  ['koa-short-url/node', false],
] as const) {
  test(`a malformed request target is no fault of the program, in ${what}`, async (t) => {
    const shortener = shortUrl({baseUrl: 'https://example.com', store: new Map()});
    t.teardown(() => shortener.close());
    const faults: unknown[] = [];
    shortener.events.on('error', (error) => faults.push(error));
    const pages = dashboard(shortener, {path: '/links', account: () => 'ann'});
    const app = new Koa();
    app.on('error', (error) => faults.push(error));
    app.use(pages);
    app.use(shortener);
    const handlers = [toNodeHandler(pages), toNodeHandler(shortener)];
    const listener: RequestListener = isKoa
      ? app.callback()
      : (req, res) => {
          const next = (error?: unknown, rest = handlers): void => {
            if (error !== undefined) faults.push(error);
            const [handle, ...others] = rest;
            if (error === undefined && handle) {
              handle(req, res, (failure) => {
                next(failure, others);
              });
              return;
            }
            res.statusCode = error === undefined ? 404 : 500;
            res.end();
          };
          next();
        };
    const server = createServer(listener).listen(0);
    t.teardown(() => server.close());
    await once(server, 'listening');
    const {port} = server.address() as AddressInfo;
    for (const target of targets) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const status = await statusOf(port, method, target);
        t.true(status >= 400 && status < 500, `${method} ${target} is answered with ${status}`);
      }
    }
    t.deepEqual(faults, []);
  });
}
