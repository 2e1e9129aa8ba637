import '../support/quick-scrypt.ts';
import {readFileSync} from 'node:fs';
import {createServer, request as ask} from 'node:http';
import {setImmediate} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import Koa from 'koa';
import {dashboard} from '../../src/dashboard.ts';
import {routes} from '../../src/dashboard/routes.ts';
import {operations} from '../../src/http/api/operations.ts';
import {shortUrl} from '../../src/index.ts';
import {dayCounter, visitsCounter} from '../../src/link/counters.ts';
import {packing} from '../../src/link/packing.ts';
import type {LinkRecord} from '../../src/link/record.ts';
import {linkCounters, linkRecords} from '../../src/link/records.ts';
import {totalsKeys} from '../../src/links/stats/totals.ts';
import type {CounterRows} from '../../src/store/driver.ts';
import {openStore} from '../../src/store/opening/open.ts';
import {range} from '../support/engines/crowd.ts';
import {tokenIn} from '../support/dashboard.ts';

/**
 * The longest piece of work in one go, in milliseconds of CPU. On a quiet machine all pieces are shorter than 20, but for those
 * of a CSV file; on a busy one the same work takes several times as long.
 */
const bound = 80;

/** How often a piece that took longer is measured again: what else the machine does only adds to the time. */
const tries = 5;

const links = 10_000;
const days = 425;
const noon = Date.UTC(2031, 4, 6, 12);
const today = Math.floor(noon / 86_400_000);

/** CPU time of this thread in milliseconds. It does not grow while the machine does something else. */
function threadTime(): number {
  if (process.platform === 'linux') {
    const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
    return Number(nanoseconds) / 1e6;
  }
  return process.cpuUsage().user / 1000;
}

/** The longest piece of work of this process in one go, while `work` runs. */
async function longestPiece(work: () => Promise<unknown>): Promise<number> {
  const state = {isOver: false, longest: 0};
  const watch = (async () => {
    await setImmediate();
    for (let last = threadTime(); !state.isOver;) {
      await setImmediate();
      const now = threadTime();
      state.longest = Math.max(state.longest, now - last);
      last = now;
    }
  })();
  await work();
  state.isOver = true;
  await watch;
  return state.longest;
}

/** A site in memory with an account of 10,000 links that have been visited for 14 months. */
async function start(t: ExecutionContext) {
  const map = new Map<string, unknown>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const origin = `http://localhost:${typeof address === 'object' ? address?.port : ''}`;
  const shortener = shortUrl({
    baseUrl: origin,
    store: map,
    now: () => noon,
    attribution: {},
    secret: 'a secret of good length, for tests',
  });
  t.teardown(() => shortener.close());
  const pages = dashboard(shortener, {account: (ctx) => ctx.get('X-User') || undefined, admin: () => true});
  const app = new Koa().use(shortener).use(pages);
  app.silent = true;
  const listener = app.callback();
  server.on('request', (request, response) => void listener(request, response));
  const {apiKey} = await shortener.accounts.create('ann');
  const inputs = range(links).map((n) => ({
    url: `https://destination.example/${n}`,
    customUrl: `link-${n}`,
    title: `Link ${n}`,
    tags: [`tag ${n % 50}`],
  }));
  for await (const {error} of shortener.links.createMany('ann', inputs)) if (error) throw error;
  await addLife(map, new URL(origin).hostname);
  return {origin, apiKey, shortener};
}

async function addLife(map: Map<string, unknown>, domain: string): Promise<void> {
  const store = openStore(map, {namespace: 'shorturl', packing: {...packing, ignoresCase: false}, now: () => noon});
  const names = range(links).map((n) => linkRecords.key({domain, slug: `link-${n}`}));
  let generation = '';
  for (let from = 0; from < links; from += 500) {
    const entries = await store.getMany<LinkRecord>(names.slice(from, from + 500));
    const rows = entries.map((entry, index): CounterRows[number] => {
      const record = entry?.value;
      if (record === undefined) throw new Error('A link is missing');
      ({generation} = record);
      const n = from + index;
      const visited = range(n % 500 === 0 ? days : 20).map(
        (day) => today - (n % 500 === 0 ? day : (day * 21 + n) % days),
      );
      const counts = new Map(visited.map((day) => [dayCounter(day), 1]));
      counts.set(visitsCounter, counts.size);
      return [linkCounters.key(record), {counts, at: noon}];
    });
    await store.setCounters(rows);
  }
  const counts = new Map(range(days).map((day) => [dayCounter(today - day), 500]));
  counts.set(visitsCounter, 500 * days);
  await store.setCounters(totalsKeys(generation).map((key) => [key, {counts, at: noon}]));
}

interface Asked {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** Sends a request, and reads the answer. */
function send(url: string, {method = 'GET', body, headers = {}}: Asked): Promise<{status: number; text: string}> {
  return new Promise((resolve, reject) => {
    const sent = ask(
      url,
      {method, headers: {...headers, ...(body !== undefined && {'Content-Length': String(Buffer.byteLength(body))})}},
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('end', () => {
          resolve({status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString()});
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

test('no call of the API and no page of the dashboard keeps visitors waiting for long', async (t) => {
  t.timeout(300_000);
  const {origin, apiKey} = await start(t);
  const shortUrls = range(1000).map((n) => `${origin}/link-${n}`);
  const call = (operation: string, body: object) => (): ReturnType<typeof send> =>
    send(`${origin}/api/v1/shorturl/${operation}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'},
    });
  const user = {'X-User': 'ann', 'Sec-Fetch-Site': 'same-origin'};
  const page = (path: string) => (): ReturnType<typeof send> => send(`${origin}/links/${path}`, {headers: user});
  const token = tokenIn((await page('')()).text);
  const post = (path: string, fields: Record<string, string>) => (): ReturnType<typeof send> =>
    send(`${origin}/links/${path}`, {
      method: 'POST',
      body: new URLSearchParams({_token: token, ...fields}).toString(),
      headers: {...user, 'Content-Type': 'application/x-www-form-urlencoded'},
    });
  const file = (content: string): ReturnType<typeof send> => {
    const part = (name: string, text: string): string =>
      `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${text}\r\n`;
    const body = `${part('name="_token"', token)}${part('name="file"; filename="a.csv"', content)}--b--\r\n`;
    return send(`${origin}/links/read-many`, {
      method: 'POST',
      body,
      headers: {...user, 'Content-Type': 'multipart/form-data; boundary=b'},
    });
  };
  let calls = 0;
  const unique = (): string => `x${(calls += 1)}`;
  const span = {from: '2030-04-01', until: '2031-05-06'};
  const link = {short_url: shortUrls[0] ?? ''};
  const long: Record<string, () => ReturnType<typeof send>> = {
    // Of all operations with their example; those of a link that does not exist are refused.
    ...Object.fromEntries(Array.from(operations, ([name, {example}]) => [name, call(name, example)])),
    ...Object.fromEntries(['info', 'stats', 'qr'].map((name) => [`${name} of a link`, call(name, link)])),
    'all active links': () => send(`${origin}/api/v1/${apiKey}/shorturl/list_active_urls.xml`, {}),
    'a long page': call('list_urls', {limit: 1000}),
    'by visits': call('list_urls', {order: 'visits', limit: 1000}),
    'by visits, of others': call('list_urls', {order: 'last_visit', tag: 'tag 7', limit: 1000}),
    'a search for nothing': () => call('list_urls', {search: unique(), limit: 1000})(),
    'a search for all': call('list_urls', {search: 'link', limit: 1000}),
    'the sums of a tag': call('account_stats', {tag: 'tag 7', ...span}),
    'the sums of 1,000 links': call('account_stats', {search: 'link', ...span}),
    'a comparison of all': () =>
      call('compare', {...span, search: `link ${'l'.repeat((calls += 1) % 2)}`, limit: 1000})(),
    'a comparison of all time': call('compare', {limit: 1000}),
    'tags compared': call('compare_tags', {...span, limit: 1000}),
    '1,000 links at once': () =>
      call('create_many', {links: range(1000).map((n) => ({url: `https://destination.example/${n}`}))})(),
    '1,000 changes at once': call('update_many', {changes: shortUrls.map((short_url) => ({short_url, title: 'New'}))}),
    // All pages.
    ...Object.fromEntries(
      Array.from(routes.keys())
        .filter((path) => !routes.get(path)?.isAction)
        .map((path) => [
          `/${path}`,
          page(`${path}?short_url=${encodeURIComponent(link.short_url)}&from=2030-04-01&until=2031-05-06`),
        ]),
    ),
    '/ by visits': page('?order=visits'),
    '/ with a search': page('?q=link&search=link'),
    '/compare of all': page('compare?from=2030-04-01&until=2031-05-06'),
    '/links.csv of all': page('links.csv?from=2030-04-01&until=2031-05-06'),
    '200 QR codes': post('qr.zip', {short_urls: shortUrls.slice(0, 200).join('\n'), format: 'png', size: '2000'}),
    '200 QR codes as SVG': post('qr.zip', {short_urls: shortUrls.slice(0, 200).join('\n'), format: 'svg', size: '300'}),
    'a file of half a million cells': () => file(','.repeat(1_100_000)),
    'a file of short cells': () => file(`a,b,c,${'d,'.repeat(900)}\n`.repeat(600)),
  };
  const found: string[] = [];
  for (const [name, work] of Object.entries(long)) {
    let least = Infinity;
    const took: number[] = [];
    for (let turn = 0; turn < tries && least > bound; turn++) {
      let status = 0;
      const piece = await longestPiece(async () => ({status} = await work()));
      took.push(piece);
      if (status >= 500) t.fail(`${name}: ${status}`);
      least = Math.min(least, piece);
    }
    if (process.env['SHOW'] !== undefined) t.log(name, took.map((each) => each.toFixed(1)).join(' '));
    if (least > bound) found.push(`${name}: ${least.toFixed(1)} ms`);
  }
  t.deepEqual(found, []);
});
