/**
 * A host with Keyv 6, which prints what happens to its links as JSON. It runs in a project that has Keyv 6 installed, on
 * a Node.js that Keyv 6 needs: see keyv-6.ts.
 */
import {once as event} from 'node:events';
import type {AddressInfo} from 'node:net';
import {Writable} from 'node:stream';
import Koa from 'koa';
import {type ShortUrlOptions, shortUrl} from 'koa-short-url';
import {checkStore, exportLinks} from 'koa-short-url/tools';

type Store = NonNullable<Exclude<ShortUrlOptions['store'], string>>;

/** What is used of Keyv 6. */
interface Keyv6 {
  readonly Keyv: new (options: {store?: unknown; namespace?: string; ttl?: number}) => Store & {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<unknown>;
  };
  readonly KeyvMemoryAdapter: new (map: Map<string, unknown>) => Store;
}

/** A storage adapter that can be down. */
class Adapter {
  readonly opts = {};
  isDown = false;
  readonly #values = new Map<string, unknown>();

  async get(key: string): Promise<unknown> {
    return this.#up().get(key);
  }

  async set(key: string, value: unknown): Promise<boolean> {
    this.#up().set(key, value);
    return true;
  }

  async delete(key: string): Promise<boolean> {
    return this.#up().delete(key);
  }

  async clear(): Promise<void> {
    this.#up().clear();
  }

  async *iterator(): AsyncGenerator<[string, unknown]> {
    yield* this.#up();
  }

  on(): this {
    return this;
  }

  #up(): Map<string, unknown> {
    if (this.isDown) throw new Error('connect ECONNREFUSED');
    return this.#values;
  }
}

const {Keyv, KeyvMemoryAdapter} = (await import('keyv')) as unknown as Keyv6;
const options = {baseUrl: 'http://127.0.0.1', secret: 'a secret for this test, and for nothing else'};
const warnings: unknown[] = [];
process.on('warning', (warning) => {
  const {code} = warning as {code?: unknown};
  if (code !== undefined) warnings.push(code);
});

/** Creates a link over a store and visits it. Returns what a later process shows of it. */
async function useLinks(store: Store): Promise<object> {
  const first = shortUrl({...options, store});
  const {engine, guarantee} = await first.health();
  await first.accounts.create('ann');
  const link = {url: 'https://destination.example/', title: ':title'};
  const once = {idempotencyKey: 'k'};
  const {shortUrl: short} = await first.links.create('ann', link, once);
  const server = new Koa().use(first).listen(0, '127.0.0.1');
  await event(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(short).pathname}`;
  const {status} = await fetch(url, {redirect: 'manual', headers: {'User-Agent': 'Mozilla/5.0 Firefox/140.0'}});
  server.close();
  await first.close();
  const second = shortUrl({...options, store});
  const {title, totalVisits} = await second.links.info('ann', short);
  const isOnce = (await second.links.create('ann', link, once)).shortUrl === short;
  await second.close();
  const exported = await exportLinks({
    store,
    to: new Writable({
      write: (_part, _encoding, done) => {
        done();
      },
    }),
  });
  const {ok} = await checkStore({store});
  return {engine, guarantee, status, title, totalVisits, isOnce, exported: exported.links, ok};
}

async function refusal(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    const {name, code = name} = error as {name: string; code?: string};
    return code;
  }
}

const adapter = new Adapter();
const keyv = new Keyv({store: adapter, namespace: 'host'});
const instance = await useLinks(keyv);
await keyv.set('cached', 1);
const cached = await keyv.get('cached');
const ofOneStore = warnings.splice(0);

const site = shortUrl({...options, store: keyv});
await site.ready();
adapter.isDown = true;
const outage = [
  await refusal(() => site.links.info('ann', 'http://127.0.0.1/unknown')),
  await refusal(() => site.accounts.create('bob')),
];
await site.close();

console.log(
  JSON.stringify({
    instance,
    warnings: ofOneStore,
    cached,
    outage,
    adapter: await useLinks(new KeyvMemoryAdapter(new Map())),
    ttl: await refusal(() => shortUrl({...options, store: new Keyv({ttl: 1000})})),
  }),
);
