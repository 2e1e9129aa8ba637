/**
 * Measures how the CPU time of an operation grows with what a site has, in memory and in one process. `scale.ts` adds its
 * table to the report.
 */
import type {ShortUrl, ShortUrlOptions} from '../src/index.ts';
import {inTurn, range} from '../test/support/engines/crowd.ts';
import {quantile} from './figures.ts';
import {InProcessServer, underKoa} from './in-process.ts';
import {fourteenMonths as life, giveLife} from './life.ts';
import {host} from './measured-links.ts';
import {table} from './report.ts';

const account = 'measured';
const limit = 50;
const atOnce = 50;
/** How long an operation is repeated, in milliseconds. */
const enough = 200;
/** From how many times as much on for ten times as many a cost has grown. Less is noise. */
const noticeable = 1.5;

/** What a site has. */
interface Size {
  readonly links: number;
  /** Other accounts, with a link each. */
  readonly accounts: number;
  /** Different tags of the links. */
  readonly tags: number;
  /** Days with visits of each link. */
  readonly days: number;
  readonly domains: number;
  /** Rules of each link. */
  readonly rules: number;
}

const usual: Size = {links: 1000, accounts: 10, tags: 10, days: life, domains: 1, rules: 0};

interface Site {
  readonly shortener: ShortUrl;
  readonly server: InProcessServer;
  /** A link. */
  readonly one: string;
  /** Moves the clock on, so that nothing is remembered. */
  readonly pass: () => void;
}

/** What is measured, and why it may grow with something; by default it should cost the same. */
interface Operation {
  readonly grows?: Partial<Record<keyof Size, string>>;
  readonly run: (site: Site) => Promise<unknown>;
  /** How many operations a run is. */
  readonly count?: number;
  /** The most links of the account with which it is measured, because it refuses more. */
  readonly most?: number;
}

const everyLink = 'reads every link';

const operations: Readonly<Record<string, Operation>> = {
  'a redirect': {run: ({server}) => server.run(500), count: 500, grows: {rules: 'looks at each rule'}},
  '`links.create`': {
    run: ({shortener}) => shortener.links.create(account, {url: 'https://destination.example/new'}),
  },
  '`links.info`': {run: ({shortener, one}) => shortener.links.info(account, one), grows: {rules: 'shows each rule'}},
  '`links.stats`': {run: ({shortener, one}) => shortener.links.stats(account, one), grows: {days: 'shows each day'}},
  'a page of 50 links': {
    run: ({shortener}) => shortener.links.page(account, {limit}),
    grows: {rules: 'shows each rule'},
  },
  '`links.tags`': {
    run: ({shortener}) => shortener.links.tags(account),
    grows: {links: everyLink, tags: 'shows each tag'},
  },
  '`links.compare`': {
    run: ({shortener, pass}) => {
      pass();
      return shortener.links.compare(account, {limit});
    },
    grows: {links: `${everyLink}, up to 10,000`, rules: 'reads each rule'},
    // `links.create` has added some.
    most: 9000,
  },
  '`accounts.stats`': {
    run: ({shortener}) => shortener.accounts.stats(account),
    grows: {links: 'reads a record of the index for each 50 links', days: 'shows each day'},
  },
  '`admin.pageAccounts`': {
    run: ({shortener}) => shortener.admin.pageAccounts({limit}),
    grows: {accounts: 'shows up to 50'},
  },
  '`admin.stats`': {
    run: ({shortener, pass}) => {
      pass();
      return shortener.admin.stats();
    },
    grows: {
      accounts: 'reads the totals of each account',
      days: 'shows each day',
      links: 'reads a record of the index for each 50 links',
    },
  },
};

const dimensions: Readonly<Record<keyof Size, readonly number[]>> = {
  links: [100, 1000, 10_000, 100_000, 1_000_000],
  accounts: [10, 100, 1000, 10_000],
  tags: [1, 10, 100, 1000],
  days: [4, 42, life],
  domains: [1, 10, 100],
  rules: [0, 1, 10],
};

/** How many links have counters: the newest ones, which pages show. All of a million would not fit into memory. */
const alive = 1000;

async function siteOf(size: Size, shortUrl: (options: ShortUrlOptions) => ShortUrl): Promise<Site> {
  const map = new Map<string, unknown>();
  const clock = {ahead: 0};
  const baseDomains = range(size.domains - 1).map((n) => `domain-${n}.example`);
  const shortener = shortUrl({
    ...{baseUrl: `http://${host}`, baseDomains, store: map, secret: 'a secret of good length, for a bench'},
    ...{attribution: {}, now: () => Date.now() + clock.ahead},
  });
  await shortener.accounts.create(account);
  const rules = range(size.rules).map((n) => ({language: 'fr' as const, url: `https://destination.example/${n}`}));
  const inputs = range(size.links).map((n) => ({
    ...{url: `https://destination.example/${n}`, tags: [`tag ${n % size.tags}`]},
    ...(rules.length > 0 && {rules}),
  }));
  const made: string[] = [];
  for await (const {link, error} of shortener.links.createMany(account, inputs)) {
    if (error) throw error;
    made.push(link.shortUrl);
  }
  const others: string[] = [];
  for (const n of range(size.accounts)) {
    await shortener.accounts.create(`other ${n}`);
    others.push((await shortener.links.create(`other ${n}`, {url: 'https://destination.example/'})).shortUrl);
  }
  await giveLife(map, [...made.slice(-alive), ...others.slice(-alive)], size.days);
  const server = new InProcessServer(underKoa(shortener), atOnce);
  server.visit(made.map((link) => new URL(link).pathname));
  const pass = (): void => {
    clock.ahead += 60_000;
  };
  return {shortener, server, one: inTurn(made, -1 + made.length), pass};
}

/** CPU time of an operation in microseconds. The lower quartile, because noise only adds time. */
async function timeOf({run, count = 1}: Operation, site: Site): Promise<number> {
  const times: number[] = [];
  const begin = performance.now();
  while (times.length < 4 || performance.now() - begin < enough) {
    const before = process.cpuUsage();
    await run(site);
    const {user, system} = process.cpuUsage(before);
    times.push((user + system) / count);
  }
  return quantile(times.slice(Math.floor(times.length / 2)), 0.25);
}

/** The cost of each operation at each size of one dimension. */
type Costs = Readonly<Record<string, readonly number[]>>;

export interface Growth {
  readonly dimension: keyof Size;
  readonly sizes: readonly number[];
  readonly costs: Costs;
}

/** @param most sites with more of anything are left out */
export async function measureGrowth(most: number): Promise<Growth[]> {
  const built = new URL('../dist/index.js', import.meta.url).href;
  const {shortUrl} = (await import(built)) as typeof import('../src/index.ts');
  const found: Growth[] = [];
  for (const [name, all] of Object.entries(dimensions)) {
    const dimension = name as keyof Size;
    const sizes = all.filter((size) => size <= most || dimension === 'days');
    const costs: Record<string, number[]> = {};
    for (const size of sizes) {
      const site = await siteOf({...usual, [dimension]: size}, shortUrl);
      for (const [title, operation] of Object.entries(operations)) {
        const isRefused = dimension === 'links' && size > (operation.most ?? size);
        if (!isRefused) (costs[title] ??= []).push(await timeOf(operation, site));
      }
      await site.shortener.close();
      console.log(`${dimension}: ${size}`);
    }
    found.push({dimension, sizes, costs});
  }
  return found;
}

export function growthReport(found: readonly Growth[]): string {
  const number = (value: number): string => value.toLocaleString('en', {maximumSignificantDigits: 3});
  const unexpected: string[] = [];
  const tables = found.map(({dimension, sizes, costs}) => {
    const rows = Object.entries(costs).map(([title, times]) => {
      const [last = Number.NaN, before = Number.NaN] = times.toReversed();
      const ratio = last / before;
      const reason = operations[title]?.grows?.[dimension];
      if (ratio > noticeable && reason === undefined) unexpected.push(`${title} with ${dimension}: ${number(ratio)}`);
      const cells = sizes.map((_, index) => (times[index] === undefined ? '' : number(times[index])));
      return [title, ...cells, times.length > 1 ? ratio.toFixed(2) : '', reason ?? ''];
    });
    return `### ${dimension}

${table(['µs', ...sizes.map((size) => size.toLocaleString('en')), 'the last step', 'because it'], rows)}`;
  });
  return `## What grows with what

CPU time in memory, of a site with ${Object.entries(usual)
    .map(([name, size]) => `${size} ${name}`)
    .join(
      ', ',
    )}, in which one of these grows. The ${alive} newest links, and their accounts, have ${life} days of visits and conversions.

${tables.join('\n\n')}

Grown without a known reason: ${unexpected.join('; ') || 'nothing'}.`;
}
