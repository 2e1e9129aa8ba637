import type {ExecutionContext} from 'ava';
import Koa from 'koa';
import {type ShortUrl, shortUrl} from '../../../src/index.ts';
import {packing} from '../../../src/link/packing.ts';
import type {ShortPartOptions} from '../../../src/link/generated/short-part-options.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import type {StoreOption} from '../../../src/store/opening/option.ts';
import {visitorOf} from '../examples/visitor.ts';
import {type Reply, withPassword} from '../request.ts';

export const secret = 'what seals the keys of these tests';
export const noon = Date.parse('2031-05-06T12:00:00Z');

/** The store and namespace of a site. */
export interface Place {
  readonly store: StoreOption;
  readonly namespace?: string;
  readonly secret?: string;
  readonly storeTimeout?: number;
  readonly createQuota?: number | undefined;
  readonly schemes?: readonly string[];
  readonly shortParts?: ShortPartOptions;
  readonly attribution?: object;
}

/** A site on a store, with functions that visit it. */
export interface RunningSite {
  readonly shortener: ShortUrl;
  readonly clock: {now: number};
  readonly ask: Awaited<ReturnType<typeof visitorOf>>;
  readonly visit: (shortUrl: string, referrer?: string) => Promise<Reply>;
  readonly open: (shortUrl: string, password: string) => Promise<Reply>;
}

export async function runSite(t: ExecutionContext, place: Place): Promise<RunningSite> {
  const clock = {now: noon};
  const shortener = shortUrl({
    baseUrl: 'https://example.com',
    baseDomains: ['sho.rt'],
    secret,
    createQuota: 1000,
    storeTimeout: 20_000,
    ...place,
    now: () => clock.now,
  });
  t.teardown(() => shortener.close());
  const ask = await visitorOf(t, new Koa().use(shortener));
  return {
    shortener,
    clock,
    ask,
    visit: (short, referrer) => ask(short, referrer === undefined ? {} : {headers: {Referer: referrer}}),
    open: (short, password) => ask(short, withPassword(password)),
  };
}

/** What `fill` has put into a site. */
interface Filled {
  /** API keys by account. */
  readonly keys: Readonly<Record<string, string>>;
  /** Short URLs by state. */
  readonly urls: Readonly<
    Record<'plain' | 'protected' | 'disabled' | 'blocked' | 'limited' | 'elsewhere' | 'removed', string>
  >;
}

const accounts = ['ann', 'bob', 'jürgen:%'];
export const password = 's3cret';

/** Fills a site with every state of links and accounts, and with visits, details, quotas and attempts. */
export async function fill({shortener, visit, open, clock}: RunningSite, plain = 30): Promise<Filled> {
  const {links, admin} = shortener;
  const keys: Record<string, string> = {};
  for (const account of [...accounts, 'gone']) keys[account] = (await shortener.accounts.create(account)).apiKey;
  const url = 'https://destination.example/page';
  const make = async (account: string, more: object): Promise<string> =>
    (await links.create(account, {url, ...more})).shortUrl;
  const urls = {
    plain: await make('ann', {customUrl: 'Plain', title: 'Plain "one", ünd\u2028so', tags: ['mail', 'été']}),
    protected: await make('ann', {password}),
    disabled: await make('ann', {expiryDate: '2031-12-31'}),
    blocked: await make('bob', {url: 'https://müller.example/ä?b=c#d'}),
    limited: await make('bob', {maxVisits: 2}),
    elsewhere: await make('jürgen:%', {baseDomain: 'sho.rt', customUrl: 'Plain'}),
    removed: await make('ann', {customUrl: 'removed'}),
  };
  const goneUrl = await make('gone', {});
  for (let number = 0; number < plain; number += 1) {
    const short = await make(accounts[number % accounts.length] ?? '', {url: `${url}?number=${number}`});
    if (number % 3 === 0) await visit(short);
  }
  await visit(goneUrl);
  for (const short of [urls.plain, urls.plain, urls.elsewhere, urls.limited, urls.removed]) await visit(short, url);
  clock.now += 86_400_000;
  for (const referrer of ['https://a.example/', 'https://b.example/']) await visit(urls.plain, referrer);
  await open(urls.protected, password);
  await open(urls.protected, 'wrong');
  await links.disable('ann', urls.disabled);
  await admin.block(urls.blocked);
  await links.remove('ann', urls.removed);
  await shortener.accounts.remove('gone');
  return {keys, urls};
}

/** Everything in a namespace, sorted. */
export async function dump({store: option, namespace = 'shorturl'}: Place): Promise<Array<[string, unknown]>> {
  const store = openStore(option, {namespace, packing, timeout: 20_000});
  const rows = new Map<string, unknown>();
  try {
    for (const kind of ['records', 'counters'] as const) {
      for await (const keys of store.keys(kind)) {
        if (kind === 'records') {
          const entries = await store.getMany(keys);
          for (const [index, key] of keys.entries()) rows.set(key, entries[index]?.value);
        } else {
          const counters = await store.getCounters(keys);
          for (const [index, key] of keys.entries()) {
            const {counts, at} = counters[index] ?? {counts: new Map<string, number>(), at: undefined};
            if (counts.size > 0) rows.set(key, {counts: Array.from(counts).sort(), at: at === 0 ? undefined : at});
          }
        }
      }
    }
  } finally {
    await store.close();
  }
  return Array.from(rows).sort(([one], [other]) => (one < other ? -1 : 1));
}
