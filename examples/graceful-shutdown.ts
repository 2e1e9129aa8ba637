/** On SIGTERM or SIGINT this server answers open requests, stores pending visits and ends. */
import {once} from 'node:events';
import type {ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import Koa from 'koa';
import {shortUrl} from 'koa-short-url';

const {BASE_URL = 'http://localhost:3000', PORT = '3000', STORE = 'sqlite:links.db', SHORT_URL_SECRET} = process.env;
/** How long open requests may take during the shutdown, in milliseconds. */
const shutdownTimeout = 10_000;

const app = new Koa();
const shortener = shortUrl({baseUrl: BASE_URL, store: STORE, secret: SHORT_URL_SECRET});
app.use(shortener);
app.use((ctx) => {
  if (ctx.path === '/') ctx.body = `Process ${process.pid} answers.`;
});

await shortener.ready();
const server = app.listen(Number(PORT));
await once(server, 'listening');
console.log(`Process ${process.pid} listens on port ${(server.address() as AddressInfo).port}`);
process.send?.('ready'); // what PM2 waits for

let isEnding = false;
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  server.close();
  // A proxy may keep a connection busy.
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
  });
  // Browsers keep idle connections open, which would delay the end.
  setInterval(() => {
    server.closeIdleConnections();
  }, 100);
  setTimeout(() => {
    server.closeAllConnections();
  }, shutdownTimeout);
  await once(server, 'close');
  await shortener.close();
  process.exit();
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
