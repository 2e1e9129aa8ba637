import Koa from 'koa';
import {dashboard} from '../../../src/dashboard.ts';
import {
  type Conversion,
  type CreateLink,
  type Link,
  type Refund,
  type ShortUrl,
  shortUrl,
  type ShortUrlError,
} from '../../../src/index.ts';
import type {StoreOption} from '../../../src/store/opening/option.ts';
import {checkStore} from '../../../src/tools.ts';
import {urlSafe} from '../base64.ts';
import type {Owner} from '../owner.ts';
import {visitorOf} from '../examples/visitor.ts';
import {type Reply, withPassword} from '../request.ts';
import {ofServers} from '../tools/findings.ts';
import {viaOf} from '../visitor.ts';

export interface Place {
  readonly store: StoreOption;
  readonly namespace: string;
  readonly storeTimeout: number;
}

/** A visit with a GET, or with a password. */
export interface Visit {
  readonly short: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly password?: string | undefined;
}

/** What a process needs to know of the site to read its store, and what it does there. */
export interface Inputs {
  readonly options: {
    readonly baseUrl: string;
    readonly baseDomains: readonly string[];
    readonly secret: readonly string[];
    readonly createQuota: number;
    readonly attribution: object;
  };
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** By the name of what they are for. */
  readonly apiKeys: Readonly<Record<string, string>>;
  readonly visits: readonly Visit[];
  /** Calls with an idempotency key, or with `reuse`. The first calls may have been interrupted. */
  readonly repeats: ReadonlyArray<{
    readonly account: string;
    readonly link: CreateLink;
    readonly idempotencyKey?: string;
  }>;
  readonly customers: ReadonlyArray<string | number>;
  /** Conversions and refunds. The first calls may have been interrupted. */
  readonly conversions: readonly Conversion[];
  readonly refunds: readonly Refund[];
  /** An account that was removed while it was blocked. */
  readonly removed: string;
  /** Links that are blocked, and accounts. */
  readonly blocked: {readonly links: readonly string[]; readonly accounts: readonly string[]};
  /** An account that may create one more link today. */
  readonly account: string;
  /** An account whose removal was interrupted. */
  readonly leaving: string;
}

/** Everything that the public interface shows of a store, and its answers to visits, calls and changes afterwards. */
export async function observe(owner: Owner, place: Place, inputs: Inputs): Promise<Record<string, unknown>> {
  const {options, apiKeys, visits, repeats, blocked, account, leaving, removed} = inputs;
  const siteOptions = {...options, ...place, now: () => inputs.now};
  const site = shortUrl(siteOptions);
  owner.teardown(() => site.close());
  const client = await clientOf(owner, site);
  await site.ready();
  const before = {
    accounts: await accountsOf(site),
    site: await site.admin.stats(),
    removed: (await site.admin.account(removed)) ?? null,
    shared: await Promise.all((await site.links.shares(account)).map(({url}) => client.visit({short: url}))),
  };

  const calls: Record<string, unknown> = {};
  for (const [name, apiKey] of Object.entries(apiKeys)) calls[name] = await client.scopeOf(apiKey);
  const visited: unknown[] = [];
  for (const visit of visits) visited.push(await client.visit(visit));
  const repeated: unknown[] = [];
  for (const {account: name, link, idempotencyKey} of repeats) {
    repeated.push(await site.links.create(name, link, idempotencyKey === undefined ? {} : {idempotencyKey}));
  }
  const brought = await Promise.all(inputs.customers.map((customer) => site.conversions.find({customer})));
  const [customer = ''] = inputs.customers;
  const recorded: unknown[] = [];
  for (const conversion of inputs.conversions) recorded.push(await site.conversions.record({customer}, conversion));
  for (const refund of inputs.refunds) recorded.push(await site.conversions.refund(refund));
  await site.accounts.remove(leaving);
  for (const name of blocked.accounts) await site.admin.unblockAccount(name);
  for (const short of blocked.links) await site.admin.unblock(short);
  const created = await site.links.create(account, {url: 'https://destination.example/new', customUrl: 'New'});
  const further = await site.links.create(account, {url: 'https://destination.example/'}).then(
    () => 'created',
    (error: unknown) => (error as ShortUrlError).code,
  );
  // An update writes the whole record, so every other field must outlast it.
  const updated: Link[] = [];
  for await (const {account: name} of site.admin.accounts()) {
    for await (const {shortUrl: short} of site.links.list(name)) {
      updated.push(await site.links.update(name, short, {title: 'Changed'}));
    }
  }
  const again: unknown[] = [];
  for (const visit of [...visits, {short: created.shortUrl}]) again.push(await client.visit(visit));
  await site.close();

  const reader = shortUrl(siteOptions);
  owner.teardown(() => reader.close());
  const totals = await reader.admin.stats();
  const {baseUrl, baseDomains, secret} = options;
  const {findings} = await checkStore({...place, baseUrl, baseDomains, secret});
  // A store that is read later is read by the clock of its time.
  const others = [...ofServers, 'clock_off'];
  const problems = findings.filter(({severity, code}) => severity === 'problem' && !others.includes(code));
  const after = {created, further, updated, again, totals, problems};
  return JSON.parse(JSON.stringify({before, calls, visited, repeated, brought, recorded, after})) as Record<
    string,
    unknown
  >;
}

async function accountsOf({admin, accounts, links, keys}: ShortUrl): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const {account} of admin.accounts()) {
    const isBlocked = (await admin.account(account))?.isBlocked === true;
    // The first reading of a list finds out which of its links do not exist.
    const open = isBlocked
      ? {}
      : {
          keys: await keys.list(account),
          tags: await links.tags(account),
          shares: await links.shares(account),
          stats: await accounts.stats(account),
        };
    const info = await admin.account(account);
    const page = await admin.pageLinks({account, limit: 1000, order: 'oldest'});
    const shown = await Promise.all(
      page.links.map(async ({link}) => {
        if (isBlocked) return link;
        const {days, details, conversions, variants} = await links.stats(account, link.shortUrl);
        return {...link, days, details, conversions, variants};
      }),
    );
    all.push({...info, apiKey: await accounts.apiKey(account), ...open, shown});
  }
  return all;
}

/** A client of the site on a free port. */
interface Client {
  readonly visit: (visit: Visit) => Promise<{readonly status: number; readonly location: string | undefined}>;
  /** The statuses of a call that reads, and of one that would change a link if there was one. */
  readonly scopeOf: (apiKey: string) => Promise<readonly number[]>;
  /** Visits a link, and returns the token with which the site records what the visitor does. */
  readonly via: (short: string, password?: string) => Promise<string | undefined>;
}

export async function clientOf(owner: Owner, site: ShortUrl): Promise<Client> {
  // It shows the shared pages.
  const pages = dashboard(site, {path: '/links', account: () => undefined});
  const open = await visitorOf(owner, new Koa().use(site).use(pages));
  const visit = ({short, headers = {}, password}: Visit): Promise<Reply> =>
    open(short, password === undefined ? {headers} : withPassword(password, headers));
  const call = async (apiKey: string, rest: string): Promise<number> =>
    (await open(`https://example.com/api/v1/${apiKey}/shorturl/${rest}.json`)).status;
  return {
    visit: async (how) => {
      const {status, headers} = await visit(how);
      return {status, location: headers.location};
    },
    via: async (short, password) => viaOf((await visit({short, password})).headers['set-cookie']),
    scopeOf: async (apiKey) => [
      await call(apiKey, 'list_active_urls'),
      await call(apiKey, `disable/short_url/${urlSafe('https://example.com/no-such-link')}`),
    ],
  };
}
