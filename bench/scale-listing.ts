/** Lists the links of an account over HTTP and measures time and memory. `scale.ts` starts it for each list. */
import {once} from 'node:events';
import {get, type IncomingMessage} from 'node:http';
import type {AddressInfo} from 'node:net';
import {finished} from 'node:stream/promises';
import Koa from 'koa';
import {shortUrl} from '../src/index.ts';
import {crowd, range} from '../test/support/engines/crowd.ts';
import type {EngineOptions} from '../test/support/engines/engines.ts';

export interface Listing {
  readonly options: EngineOptions;
  readonly account: string;
  /** How many links to create first; needed if processes cannot share the engine. */
  readonly create: number;
}

/** Sizes are in bytes. */
export interface Listed {
  readonly count: number;
  readonly bytes: number;
  readonly milliseconds: number;
  /** The maximum memory of the process. */
  readonly peak: number;
  /** The maximum growth of the heap during the list, measured after garbage collections. */
  readonly heap: number;
}

process.once('message', (listing: Listing) => void measure(listing));

const comma = 0x2c;
/** How many bytes are received between two measurements of the heap. */
const heapInterval = 16 * 1024;
const collect = (globalThis as {gc?: () => void}).gc ?? (() => undefined);

async function measure({options, account, create}: Listing): Promise<void> {
  const shortener = shortUrl({baseUrl: 'https://example.com', ...options});
  const {apiKey} = await shortener.accounts.create(account);
  await crowd(range(create), 32, (index) =>
    shortener.links.create(account, {url: `https://destination.example/a/page/of/some/length?number=${index}`}),
  );
  const server = new Koa().use(shortener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  const path = `/api/v1/${apiKey}/shorturl/list_active_urls.json`;
  const list = async (look: (chunk: Buffer) => void): Promise<void> => {
    const request = get({host: '127.0.0.1', port, path, headers: {Host: 'example.com'}});
    const [incoming] = (await once(request, 'response')) as [IncomingMessage];
    incoming.on('data', look);
    await finished(incoming);
  };

  let bytes = 0;
  let commas = 0;
  const begin = performance.now();
  await list((chunk) => {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === comma) commas += 1;
  });
  const milliseconds = performance.now() - begin;
  const peak = process.resourceUsage().maxRSS * 1024;

  collect();
  const before = process.memoryUsage().heapUsed;
  let heap = 0;
  let unseen = 0;
  await list((chunk) => {
    unseen += chunk.length;
    if (unseen < heapInterval) return;
    unseen = 0;
    // Without a collection the heap would include garbage.
    collect();
    heap = Math.max(heap, process.memoryUsage().heapUsed - before);
  });
  // The answer has one comma between two links, one after the code and one before `date_time`.
  process.send?.({count: commas - 1, bytes, milliseconds, peak, heap} satisfies Listed);
  await shortener.close();
  process.exit();
}
