/** A process of `scale.ts`. It fills a site, measures it, or copies it. */
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import Koa from 'koa';
import type {CreateLink, ShortUrl} from '../src/index.ts';
import {crowd, range} from '../test/support/engines/crowd.ts';
import type {EngineOptions} from '../test/support/engines/engines.ts';
import {answerParent} from './child.ts';
import {Connection} from './connection.ts';
import {fourteenMonths, giveLife} from './life.ts';
import {quantile} from './figures.ts';
import {host} from './measured-links.ts';

/** How many links a site has, how many accounts have them, and how many the largest account has. */
export interface Size {
  readonly links: number;
  readonly accounts: number;
  readonly largest: number;
}

export type Question =
  | {readonly do: 'start'; readonly options: Partial<EngineOptions>}
  | {readonly do: 'visit'; readonly shortUrl: string}
  | {readonly do: 'warm'}
  | {readonly do: 'fill'; readonly size: Size}
  | {readonly do: 'live'; readonly options: EngineOptions; readonly shortUrls: readonly string[]}
  | {readonly do: 'create'; readonly rounds: number; readonly count: number}
  | ({readonly do: 'look'} & Look)
  | {readonly do: 'copy'; readonly options: EngineOptions; readonly to: string};

export interface Look {
  /** Links that this process has not seen. */
  readonly shortUrls: readonly string[];
  /** The cursors of the middle of three lists: the largest account's links, all links, and all accounts. */
  readonly middle: {readonly ofLargest: string; readonly ofLinks: string; readonly ofAccounts: string};
}

/** In milliseconds, also for each link of `fill`, `create` and `copy`; memory is in megabytes. */
export type Figures = Readonly<Record<string, number>>;

export interface Answer {
  readonly figures: Figures;
  /** A random sample of all links, after a fill. */
  readonly shortUrls?: readonly string[];
}

/** A running site. */
interface Site {
  readonly shortener: ShortUrl;
  readonly port: number;
  readonly connection: Connection;
}

const largest = 'largest';
/** How many accounts are filled at once, beside the largest one. */
const accountsAtOnce = 7;
/** How many links of the largest account are created by one call. */
const perCall = 1000;
const sampleSize = 1000;
const limit = 50;
/** No link and no account has it. */
const absent = 'no such text';

const filled = {links: 0, accounts: 0, largest: 0};
const sample: string[] = [];
/** Where the links are if they are in memory. */
const memory = new Map<string, unknown>();
let running: Promise<Site> | undefined;
/** How far the clock of the shortener is ahead, in milliseconds. */
let ahead = 0;

answerParent(answer, async () => {
  const {shortener, connection} = (await running) ?? {};
  connection?.close();
  await shortener?.close();
});

async function answer(question: Question): Promise<Answer> {
  if (question.do === 'copy') return {figures: await copy(question.options, question.to)};
  if (question.do === 'live') {
    const {options, shortUrls} = question;
    await giveLife(options.store === 'memory:' ? memory : options.store, shortUrls, fourteenMonths);
    return {figures: {}};
  }
  if (question.do === 'start') {
    running = start(question.options);
    return {figures: {start: await timeOf(() => running), startMemory: peakMemory()}};
  }
  if (question.do === 'warm') return {figures: {warm: await warmUp()}};
  if (running === undefined) throw new Error('The site was not started');
  const site = await running;
  if (question.do === 'fill') return {figures: {fill: await fill(site, question.size)}, shortUrls: sample};
  if (question.do === 'create') return {figures: await measureCreates(site, question)};
  if (question.do === 'visit') return {figures: {firstVisit: await visit(site, [question.shortUrl])}};
  return {figures: await look(site, question)};
}

/** Hosts run the built package. */
async function packaged(name: string): Promise<unknown> {
  return import(new URL(`../dist/${name}`, import.meta.url).href);
}

async function start(options: Partial<EngineOptions>): Promise<Site> {
  const {shortUrl} = (await packaged('index.js')) as typeof import('../src/index.ts');
  const inMemory = options.store === 'memory:' ? {store: memory} : {};
  const shortener = shortUrl({baseUrl: `http://${host}`, now: () => Date.now() + ahead, ...options, ...inMemory});
  const app = new Koa();
  // `fetch` cannot choose another host.
  app.proxy = true;
  const respond = app.use(shortener).callback();
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  // The connection is idle while links are made, from its first moment.
  Object.assign(server, {keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0});
  await Promise.all([shortener.ready(), once(server, 'listening')]);
  const {port} = server.address() as AddressInfo;
  return {shortener, port, connection: await Connection.open(port)};
}

/** Creates links in memory, so that the code is compiled when the first links are measured. */
async function warmUp(): Promise<number> {
  const {shortUrl} = (await packaged('index.js')) as typeof import('../src/index.ts');
  const shortener = shortUrl({baseUrl: `http://${host}`, store: 'memory:'});
  const {accounts, links} = shortener;
  await accounts.create(largest);
  const time = await timeOf(async () => {
    for await (const {error} of links.createMany(largest, newLinks(30_000))) if (error) throw error;
  });
  await shortener.close();
  return time;
}

/** Creates links until the site has this size. The largest account grows together with the number of accounts. */
async function fill({shortener: {accounts, links}}: Site, size: Size): Promise<number> {
  await accounts.create(largest);
  filled.accounts ||= 1;
  const missing = size.largest - filled.largest;
  const before = filled.links;
  const inOthers = size.links - before - missing;
  const time = await timeOf(() =>
    Promise.all([
      crowd(parts(missing, Math.ceil(missing / perCall)), 1, (count) => create(links, largest, count)),
      crowd(parts(inOthers, size.accounts - filled.accounts), accountsAtOnce, async (count) => {
        const account = `account ${(filled.accounts += 1)}`;
        await accounts.create(account);
        await create(links, account, count);
      }),
    ]),
  );
  return time / (filled.links - before);
}

/** Divides a number into almost equal ones. */
function parts(total: number, count: number): number[] {
  const upTo = (part: number): number => Math.floor((part * total) / count);
  return range(count).map((part) => upTo(part + 1) - upTo(part));
}

async function create(links: ShortUrl['links'], account: string, count: number): Promise<void> {
  for await (const {link, error} of links.createMany(account, newLinks(count))) {
    if (error) throw error;
    filled.links += 1;
    if (account === largest) filled.largest += 1;
    // All links have the same chance to be in the sample.
    const place = sample.length < sampleSize ? sample.length : Math.floor(Math.random() * filled.links);
    if (place < sampleSize) sample[place] = link.shortUrl;
  }
}

function* newLinks(count: number): Generator<CreateLink> {
  for (const number of range(count)) yield {url: `https://destination.example/a/page/of/some/length?number=${number}`};
}

/** Creates links in a new account and in the largest one, in turn. */
async function measureCreates(
  {shortener: {accounts, links}}: Site,
  {rounds, count}: {readonly rounds: number; readonly count: number},
): Promise<Figures> {
  const inNew: number[] = [];
  const inLargest: number[] = [];
  for (const round of range(rounds)) {
    const account = `new ${filled.links} ${round}`;
    await accounts.create(account);
    filled.accounts += 1;
    inNew.push(await timeOf(() => create(links, account, count)));
    inLargest.push(await timeOf(() => create(links, largest, count)));
  }
  return {createInNew: quantile(inNew, 0.5) / count, createInLargest: quantile(inLargest, 0.5) / count};
}

/** Visits links, one at a time. Returns the median latency. */
async function visit({connection}: Site, shortUrls: readonly string[]): Promise<number> {
  const latencies: number[] = [];
  for (const shortUrl of shortUrls) {
    const request = `GET ${new URL(shortUrl).pathname} HTTP/1.1\r\nUser-Agent: Mozilla/5.0 Firefox/140.0\r\nHost: ${host}\r\n\r\n`;
    latencies.push(...(await connection.run(() => request, 0)));
  }
  return quantile(latencies, 0.5);
}

async function look(site: Site, {shortUrls, middle}: Look): Promise<Figures> {
  const {admin, accounts, links} = site.shortener;
  const [one = '', other = ''] = shortUrls;
  const owner = (await admin.find(one))?.account ?? '';
  const slug = new URL(other).pathname.slice(1);
  const {apiKey} = await accounts.create(largest);
  const activeUrls = `http://127.0.0.1:${site.port}/api/v1/${apiKey}/shorturl/list_active_urls.json`;

  // With one half the code is compiled, and the other half is measured.
  const half = Math.ceil(shortUrls.length / 2);
  for (let round = 0; round < 3; round += 1) await visit(site, shortUrls.slice(0, half));
  const figures = {
    unseen: await visit(site, shortUrls.slice(half)),
    seen: await visit(site, shortUrls.slice(half)),
    info: await median(() => links.info(owner, one)),
    find: await median(() => admin.find(other)),
    newest: await median(() => links.page(largest, {limit})),
    middle: await median(() => links.page(largest, {limit, cursor: middle.ofLargest})),
    searchCall: await median(() => links.page(largest, {limit, search: absent})),
    search: await toEnd((cursor) => links.page(largest, {limit, search: absent, cursor})),
    accountStats: await median(() => accounts.stats(largest), 5),
    activeUrls: await median(async () => {
      const response = await fetch(activeUrls, {headers: {'X-Forwarded-Host': host}});
      if (!response.ok) throw new Error(`The list was answered with the status ${response.status}`);
      await response.arrayBuffer();
    }, 1),
    ofAll: await median(() => admin.pageLinks({limit})),
    middleOfAll: await median(() => admin.pageLinks({limit, cursor: middle.ofLinks})),
    searchName: await median(() => admin.pageLinks({limit, search: slug}), 10),
    searchAllCall: await median(() => admin.pageLinks({limit, search: absent}), 10),
    searchAll: await toEnd((cursor) => admin.pageLinks({limit, search: absent, cursor})),
    ofAccounts: await median(() => admin.pageAccounts({limit})),
    middleOfAccounts: await median(() => admin.pageAccounts({limit, cursor: middle.ofAccounts})),
    searchAccounts: await toEnd((cursor) => admin.pageAccounts({limit, search: absent, cursor})),
    siteStats: await median(() => {
      // The result is remembered for a minute.
      ahead += 60_000;
      return admin.stats();
    }, 1),
  };
  return {...figures, peak: peakMemory()};
}

/** Copies the whole site. */
async function copy({store: from, namespace}: EngineOptions, to: string): Promise<Figures> {
  const {copyStore} = (await packaged('tools.js')) as typeof import('../src/tools.ts');
  let links = Number.NaN;
  const time = await timeOf(async () => {
    ({links} = await copyStore({from, to, namespace}));
  });
  return {copy: time / links, copyPeak: peakMemory()};
}

/** The time for all pages. */
function toEnd(page: (cursor?: string) => Promise<{readonly nextCursor: string | undefined}>): Promise<number> {
  return timeOf(async () => {
    let {nextCursor} = await page();
    while (nextCursor !== undefined) ({nextCursor} = await page(nextCursor));
  });
}

async function timeOf(act: () => Promise<unknown> | undefined): Promise<number> {
  const begin = performance.now();
  await act();
  return performance.now() - begin;
}

/** The median time of some runs, after as many that are not measured. */
async function median(act: () => Promise<unknown>, runs = 50): Promise<number> {
  const times: number[] = [];
  while (times.length < 2 * runs) times.push(await timeOf(act));
  return quantile(times.slice(runs), 0.5);
}

/** The maximum memory of this process. */
function peakMemory(): number {
  return (process.resourceUsage().maxRSS * 1024) / 1e6;
}
