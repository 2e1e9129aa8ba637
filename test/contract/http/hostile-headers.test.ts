import {once} from 'node:events';
import {createServer} from 'node:http';
import {connect, type AddressInfo} from 'node:net';
import test from 'ava';
import Koa from 'koa';
import {dashboard} from '../../../src/dashboard.ts';
import {shortUrl} from '../../../src/index.ts';

/** In characters: what a server with a raised `maxHeaderSize` accepts. */
const length = 100_000;

/** In milliseconds of CPU time. A quadratic loop over such a header takes several seconds. */
const maxTime = 600;

const headers = [
  ...['Accept', 'Accept-Language', 'Authorization', 'Content-Type', 'Cookie', 'Host', 'Idempotency-Key', 'Origin'],
  ...['Purpose', 'Referer', 'Sec-Purpose', 'User-Agent', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto'],
];
const units = [
  ...[',', 'a;', 'a/b,', 'a/b;q=0.1,', ' ', '/', 'a.', '"\\', '-', ':', '(', '1'],
  ...['xn--', '%C3%A4', 'Mozilla/5.0 '],
];
const values = [
  ...units.map((unit) => `a${unit.repeat(length / unit.length)}a`),
  // Commas within a quotation that never ends.
  `text/html;a="${','.repeat(length)}`,
];
const requests: ReadonlyArray<readonly [method: string, path: string, status: RegExp]> = [
  ['GET', '/active', /200|302|400|404/],
  ['GET', '/gone', /410|400|404/],
  ['POST', '/secret', /303|401|400|404|415|429/],
  ['GET', '/links/', /200|400/],
  ['POST', '/links/create', /303|4\d\d/],
  ['GET', '/api/v1/shorturl/info.json', /4\d\d/],
  ['POST', '/api/v1/shorturl/create', /4\d\d/],
];

async function ask(port: number, method: string, path: string, fields: Readonly<Record<string, string>>) {
  const socket = connect(port, '127.0.0.1');
  const all = {Host: 'localhost', Connection: 'close', 'X-User': 'ann', 'Content-Length': '10', ...fields};
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\npassword=x`);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Number(/^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(chunks).toString('latin1'))?.[1]);
}

test.serial('no header takes more than linear time, on any page', async (t) => {
  const shortener = shortUrl({baseUrl: 'http://localhost', store: 'memory:'});
  const app = new Koa();
  app.proxy = true;
  app.silent = true;
  app.use(shortener).use(dashboard(shortener, {account: (ctx) => ctx.get('X-User')}));
  const listener = app.callback();
  const server = createServer({maxHeaderSize: 4 * length}, (request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.close();
    await shortener.close();
  });
  await shortener.accounts.create('ann');
  for (const [customUrl, password] of [
    ['active', undefined],
    ['gone', undefined],
    ['secret', 'password'],
  ] as const)
    await shortener.links.create('ann', {url: 'https://destination.example/', customUrl, password});
  await shortener.links.disable('ann', 'http://localhost/gone');
  const {port} = server.address() as AddressInfo;

  for (const header of headers) {
    for (const [method, path, status] of requests) {
      const before = process.cpuUsage();
      for (const value of values) {
        const answer = await ask(port, method, path, {[header]: value});
        t.regex(String(answer), status, `${header}: ${value.slice(0, 20)}… ${path}`);
      }
      const {user, system} = process.cpuUsage(before);
      t.true((user + system) / 1000 < maxTime, `${header} ${path}: ${(user + system) / 1000} ms`);
    }
  }
});
