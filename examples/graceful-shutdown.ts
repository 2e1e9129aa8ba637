/** A server that ends without losing anything. SIGTERM or SIGINT lets requests end, then stores the visits that wait. */
import {once} from 'node:events';
import type {AddressInfo} from 'node:net';
import Koa from 'koa';
import {shortUrl} from 'koa-short-url';

const {BASE_URL = 'http://localhost:3000', PORT = '3000', STORE = 'sqlite:links.db', SECRET} = process.env;
/** How long requests may take when the process is asked to end, in milliseconds. */
const patience = 10_000;

const app = new Koa();
const shortener = shortUrl({baseUrl: BASE_URL, store: STORE, secret: SECRET});
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
  // Browsers keep connections open for requests to come.
  setInterval(() => {
    server.closeIdleConnections();
  }, 100);
  setTimeout(() => {
    server.closeAllConnections();
  }, patience);
  await once(server, 'close');
  await shortener.close();
  process.exit();
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
