/**
 * Measures what a link takes in the store: when it was created, visited once, and visited every day of a year, with three
 * details of each visit and conversions in two currencies. `npm run bench:sizes`
 */
import {randomBytes} from 'node:crypto';
import Koa from 'koa';
import {type ShortUrl, shortUrl} from '../src/index.ts';
import {packing} from '../src/link/packing.ts';
import {linkCounters, linkRecords} from '../src/link/records.ts';
import {openStore} from '../src/store/opening/open.ts';
import {crowd, inTurn, range} from '../test/support/engines/crowd.ts';
import {listen} from '../test/support/listen.ts';
import {type Owner, withOwner} from '../test/support/owner.ts';
import {viaOf} from '../test/support/visitor.ts';
import {Connection} from './connection.ts';
import {type Place, placeOn} from './engine-sizes.ts';
import {publishSizes, type Sizes, type SizesOfEngine} from './publish.ts';

const links = Number(process.env['SIZES_LINKS'] ?? 2000);
/** How many of them are visited every day. */
const busy = Number(process.env['SIZES_BUSY'] ?? 20);
const names = (process.env['SIZES_ENGINES'] ?? 'redis,sqlite,postgres,mysql').split(',');
const isUsual = !Object.keys(process.env).some((name) => name.startsWith('SIZES_'));
const atOnce = 50;
const domain = 'example.com';
const day = 86_400_000;
const year = 365;
/** A conversion in each currency on every tenth day. */
const betweenConversions = 10;
const currencies = ['EUR', 'USD'] as const;

/** A long URL of 60 characters. */
function longUrl(index: number): string {
  return `https://destination.example/a/page?number=${String(index).padStart(18, '0')}`;
}

async function fill(shortener: ShortUrl, account: string, count: number): Promise<string[]> {
  await shortener.accounts.create(account);
  const slugs: string[] = [];
  const inputs = range(count).map((index) => ({url: longUrl(index)}));
  for await (const {link, error} of shortener.links.createMany(account, inputs)) {
    if (error) throw error;
    slugs.push(link.shortUrlPart);
  }
  return slugs;
}

/** A site on an engine, with a clock. */
class Site {
  readonly shortener: ShortUrl;
  readonly #port: number;
  readonly #connections: readonly Connection[];
  readonly #clock: {now: number};

  private constructor(shortener: ShortUrl, port: number, connections: readonly Connection[], clock: {now: number}) {
    [this.shortener, this.#port, this.#connections, this.#clock] = [shortener, port, connections, clock];
  }

  static async start({store, namespace}: Place['options'], owner: Owner): Promise<Site> {
    const clock = {now: Date.now() - year * day};
    const shortener = shortUrl({
      ...{baseUrl: `https://${domain}`, store, namespace, storeTimeout: 20_000},
      secret: randomBytes(24).toString('base64url'),
      attribution: {maxAge: 400 * 24 * 60 * 60},
      visitDetails: ({query}) => query as Record<string, string>,
      now: () => clock.now,
    });
    owner.teardown(() => shortener.close());
    const app = new Koa();
    app.proxy = true;
    const {port} = await listen(owner, app.use(shortener));
    const connections = await Promise.all(range(atOnce).map(() => Connection.open(port)));
    owner.teardown(() => {
      for (const connection of connections) connection.close();
    });
    return new Site(shortener, port, connections, clock);
  }

  /** Visits each link once, with details in its query. */
  async visit(slugs: readonly string[], query: (index: number) => string = () => ''): Promise<void> {
    await Promise.all(
      this.#connections.map(async (connection, first) => {
        for (let index = first; index < slugs.length; index += atOnce) {
          const request = `GET /${slugs[index] ?? ''}${query(index)} HTTP/1.1\r\nUser-Agent: Mozilla/5.0 Firefox/140.0\r\nHost: x\r\nX-Forwarded-Host: ${domain}\r\n\r\n`;
          await connection.run(() => request, 0);
        }
      }),
    );
  }

  /** The value of the cookie of a visitor. */
  async #visitor(slug: string): Promise<string> {
    const headers = {'X-Forwarded-Host': domain, 'User-Agent': 'Mozilla/5.0 Firefox/140.0'};
    const answer = await fetch(`http://127.0.0.1:${this.#port}/${slug}`, {headers, redirect: 'manual'});
    await answer.arrayBuffer();
    return viaOf(answer.headers.get('set-cookie')) ?? '';
  }

  async live(slugs: readonly string[]): Promise<void> {
    const visitors = await Promise.all(slugs.map((slug) => this.#visitor(slug)));
    const {conversions} = this.shortener;
    for (const date of range(year)) {
      this.#clock.now += day;
      await this.visit(slugs, (index) => {
        const turn = date + index;
        return `?referrer=site-${turn % 10}.example&device=${inTurn(['phone', 'desktop', 'tablet'], turn)}&campaign=campaign-${turn % 5}`;
      });
      if (date % betweenConversions !== 0) continue;
      await crowd(visitors, atOnce, async (via, index) => {
        for (const currency of currencies) {
          const id = `${date} ${index} ${currency}`;
          await conversions.record({via}, {name: 'order', id, value: 20, currency});
        }
      });
    }
  }
}

/** How many counters a link has. */
async function countersOf({store: place, namespace}: Place['options'], slug: string): Promise<number> {
  const store = openStore(place, {namespace, packing: {...packing, ignoresCase: false}});
  const link = await linkRecords.in(store).get({domain, slug});
  const [counters] = link ? await linkCounters.in(store).getMany([link.value]) : [];
  await store.close();
  return counters?.counts.size ?? 0;
}

async function measure(name: string, owner: Owner): Promise<SizesOfEngine[]> {
  const place = await placeOn(name, owner);
  const site = await Site.start(place.options, owner);
  // Create tables, scripts and buffers of connections before the first measured link.
  await site.visit(await fill(site.shortener, 'first', 100));
  const empty = await place.compacted();
  const slugs = await fill(site.shortener, 'user-42', links);
  const created = await place.compacted();
  await site.visit(slugs);
  const visited = await place.compacted();
  const others = await place.rows();
  const some = slugs.slice(0, busy);
  await site.live(some);
  const lived = await place.compacted();
  const rows = (await place.rows()) - others;
  const counters = await countersOf(place.options, some[0] ?? '');
  return Object.entries(empty).map(([way, before]) => {
    const after = (sizes: Readonly<Record<string, number>>): number => sizes[way] ?? Number.NaN;
    const byVisit = (after(visited) - before) / links;
    return {
      engine: name,
      way,
      created: Math.round((after(created) - before) / links),
      visited: Math.round(byVisit),
      year: Math.round(byVisit + (after(lived) - after(visited)) / busy),
      counters,
      rows: Math.round(rows / busy),
    };
  });
}

const engines: SizesOfEngine[] = [];
for (const name of names) engines.push(...(await withOwner((owner) => measure(name, owner))));
const measured: Sizes = {date: new Date().toISOString().slice(0, 10), links, busy, betweenConversions, engines};
await publishSizes(measured, isUsual);
process.exit();
