/** Measures the size of a link in the store, in bytes: `npm run bench:sizes`. */
import {randomBytes} from 'node:crypto';
import Koa from 'koa';
import {type ShortUrl, shortUrl} from '../src/index.ts';
import {range, crowd} from '../test/support/engines/crowd.ts';
import {listen} from '../test/support/listen.ts';
import {type Owner, withOwner} from '../test/support/owner.ts';
import {placeOn} from './engine-sizes.ts';

const links = Number(process.env['SIZES_LINKS'] ?? 20_000);
const names = (process.env['SIZES_ENGINES'] ?? 'redis,sqlite,postgres,mysql').split(',');
const atOnce = 50;
const domain = 'example.com';

/** A long URL of 60 characters. */
function longUrl(index: number): string {
  return `https://destination.example/a/page?number=${String(index).padStart(18, '0')}`;
}

async function fill(shortener: ShortUrl, account: string, count: number): Promise<string[]> {
  await shortener.accounts.create(account);
  const slugs: string[] = [];
  const inputs = Array.from({length: count}, (_, index) => ({url: longUrl(index)}));
  for await (const {link, error} of shortener.links.createMany(account, inputs)) {
    if (error) throw error;
    slugs.push(link.shortUrlPart);
  }
  return slugs;
}

/** Visits each link once, without a `Referer`. */
async function visit(shortener: ShortUrl, slugs: readonly string[], owner: Owner): Promise<void> {
  const app = new Koa();
  app.proxy = true;
  const {port} = await listen(owner, app.use(shortener));
  // The agent of `fetch` is known as a bot, whose visits do not count.
  const headers = {'X-Forwarded-Host': domain, 'User-Agent': 'Mozilla/5.0 Firefox/140.0'};
  await crowd(range(slugs.length), atOnce, async (index) => {
    const url = `http://127.0.0.1:${port}/${slugs[index]}`;
    const answer = await fetch(url, {headers, redirect: 'manual'});
    await answer.arrayBuffer();
    if (answer.status !== 302) throw new Error(`A visit was answered with the status ${answer.status}`);
  });
}

for (const name of names) {
  await withOwner(async (owner) => {
    const place = await placeOn(name, owner);
    const {store, namespace} = place.options;
    const secret = randomBytes(24).toString('base64url');
    const shortener = shortUrl({baseUrl: `https://${domain}`, store, namespace, secret, storeTimeout: 20_000});
    owner.teardown(() => shortener.close());
    // Create tables, scripts and buffers of connections before the first measured link.
    await visit(shortener, await fill(shortener, 'first', 100), owner);
    const empty = await place.compacted();
    const slugs = await fill(shortener, 'user-42', links);
    const created = await place.compacted();
    await visit(shortener, slugs, owner);
    const visited = await place.compacted();
    for (const [way, before] of Object.entries(empty)) {
      const each = (bytes = 0): number => Math.round((bytes - before) / links);
      console.log(`${name}, ${way}: ${each(created[way])} bytes a link, ${each(visited[way])} after its first visit`);
    }
  });
}
