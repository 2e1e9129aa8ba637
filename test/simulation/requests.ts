import {linkRecords} from '../../src/link/records.ts';
import type {Site} from './world.ts';
import type {Process, Timeline} from './timeline.ts';
import {IncomingMessage, ServerResponse} from 'node:http';
import {Socket} from 'node:net';
import Koa, {type Context} from 'koa';
import type {Account} from '../../src/accounts/accounts.ts';
import type {KeyScope} from '../../src/accounts/keys.ts';
import {verifyPassword} from '../../src/link/password.ts';
import type {CreateLink, Link, ManyResult, RemovedLink, UpdateLink} from '../../src/link/link.ts';
import {copy} from '../../src/tools/copy/copy.ts';
import {moved} from './moved.ts';
import {Arrivals} from '../../src/tools/import/arrivals.ts';
import {ask} from './questions.ts';
import {bases} from './world.ts';
import {imported, importedVisits, onceUrl, query, reference, reuseUrl, type Seen, slugs} from './seen.ts';

type OwnKey = {readonly apiKey: string; readonly id?: string; readonly scope: KeyScope};

/** The password of every link that has one. */
const right = 'right';
/** The day on which a run begins, and the next one, which begins two seconds later. */
const firstDay = '2031-05-06';
const nextDay = '2031-05-07';

/** Operations of the API, and what a key must allow for them. */
const calls = [
  ['list_urls', 'read'],
  ['create', 'create'],
  ['keys', 'full'],
] as const;

const koa = new Koa();
const shortUrlOf = (slug: string): string => `https://example.com/${slug}`;

/** How each request is made, and what its client learns from the answer. */
export class Requests {
  readonly #timeline: Timeline;
  readonly #seen: Seen[];
  /** The API keys that an account ever got; those of the registration have no id. */
  readonly #keys = new Map<string, OwnKey[]>();
  #copier: Process | undefined;
  #urls = 0;

  constructor(timeline: Timeline, seen: Seen[]) {
    this.#timeline = timeline;
    this.#seen = seen;
  }

  /** @param variant chooses among the variants of what is done */
  async ask(site: Site, seen: Seen, variant: number): Promise<void> {
    const {links, admin, keys, accounts: all} = site;
    const {slug, account} = seen;
    const own = (): ReturnType<typeof all.require> => all.requireOpen(account);
    const shortUrl = shortUrlOf(slug);
    switch (seen.do) {
      case 'create':
        return this.#create(site, seen, this.#newLink(slug, variant));
      case 'createMany':
        return this.#createMany(site, seen, variant);
      case 'createOnce':
        return this.#createOnce(site, seen, variant);
      case 'import':
        return importLinks(site, await own());
      case 'copy':
        return this.#copy(site);
      case 'export':
        await moved(site);
        return;
      case 'convert':
      case 'renew':
        return this.#convert(site, seen, variant);
      case 'refund':
        return refund(site, seen, variant);
      case 'identify':
        return this.#identify(site, seen, variant);
      case 'forget':
        return forget(site, seen, variant);
      case 'updateMany':
        return this.#updateMany(site, seen, variant);
      case 'date':
        return this.#update(site, seen, dates[variant % dates.length] ?? {});
      case 'update':
        return this.#update(site, seen, this.#changes(variant));
      case 'limit':
        return this.#update(site, seen, {maxVisits: [null, 1, null, 2][variant % 4] ?? null});
      case 'disable':
      case 'enable':
      case 'info':
        seen.link = await links[seen.do](await own(), shortUrl);
        return;
      case 'remove':
        await links.remove(await own(), shortUrl);
        return;
      case 'removeReused':
        return this.#removeReused(site, seen, await own());
      case 'block':
      case 'unblock':
        seen.link = (await admin[seen.do](shortUrl)).link;
        return;
      case 'list':
      case 'page':
        seen.listed = await listed(site, await own(), seen.do, variant);
        return;
      case 'visit':
        return this.#visit(site, seen, variant);
      case 'attempt':
        return this.#visit(site, seen, variant, variant % 4 === 0 ? right : `wrong ${variant}`);
      case 'register':
      case 'rotate':
        seen.key = seen.do === 'register' ? await all.create(account) : await all.rotate(account);
        this.#keysOf(account).push({apiKey: seen.key, scope: 'full'});
        return;
      case 'issueKey': {
        const key = await keys.create(account, {label: 'a key', scope: variant % 2 === 0 ? 'read' : 'create'});
        seen.key = key.apiKey;
        this.#keysOf(account).push(key);
        return;
      }
      case 'revokeKey': {
        const key = this.#keysOf(account).findLast(({id}) => id !== undefined);
        seen.key = key?.apiKey;
        return keys.revoke(account, key?.id ?? 'none');
      }
      case 'blockAccount':
      case 'unblockAccount':
        return admin[seen.do](account);
      case 'expel':
        await all.remove(account);
        return;
      case 'authenticate': {
        const key = this.#someKey(seen, variant);
        const access = await all.authenticate(seen.key ?? '');
        const isRight = access?.account.id === account && access.scope === key?.scope;
        seen.code = access === undefined ? 401 : isRight ? 200 : 500;
        return;
      }
      case 'call':
        return this.#call(site, seen, variant);
      case 'ask':
        return ask(site, seen, await this.#token(site, seen), variant);
    }
  }

  async #create({links, accounts: all}: Site, seen: Seen, link: CreateLink, idempotencyKey?: string): Promise<void> {
    seen.input = link;
    seen.link = await links.create(await all.requireOpen(seen.account), link, idempotencyKey ? {idempotencyKey} : {});
  }

  async #update({links, accounts: all}: Site, seen: Seen, changes: UpdateLink): Promise<void> {
    seen.input = changes;
    seen.link = await links.update(await all.requireOpen(seen.account), shortUrlOf(seen.slug), changes);
  }

  /** Removes the link that a call with `reuse` has last found or made. */
  async #removeReused({links}: Site, seen: Seen, account: Account): Promise<void> {
    const isReused = (each: Seen): boolean => each.account === seen.account && each.link?.originalUrl === reuseUrl;
    const shortUrlPart = this.#seen.findLast(isReused)?.link?.shortUrlPart ?? 'none';
    await links.remove(account, shortUrlOf(shortUrlPart));
    seen.link = {shortUrlPart};
  }

  #newUrl(): string {
    return `https://destination.example/${(this.#urls += 1)}`;
  }

  #newLink(slug: string, variant: number): CreateLink {
    const link: CreateLink = {url: this.#newUrl(), customUrl: slug};
    switch (variant) {
      case 2:
        return {...link, maxVisits: 2};
      case 3:
        return {...link, password: right};
      case 1:
        return {...link, customUrl: undefined};
      case 4:
        return {url: reuseUrl, reuse: true};
      case 5:
        return {...link, url: shortUrlOf(slugs[(slugs.indexOf(slug) + 1) % slugs.length] ?? '')};
      case 6:
        return {...link, maxVisits: 1, expiredUrl: this.#newUrl(), tags: ['blue']};
      case 7:
        return {...link, rules: [{device: 'ios', share: 50, name: 'phone', url: this.#newUrl()}], forwardQuery: true};
      case 8:
        return {...link, customUrl: undefined, reference};
      case 9:
        return {
          ...link,
          rules: [{device: 'ios', url: shortUrlOf(slugs[(slugs.indexOf(slug) + 1) % slugs.length] ?? '')}],
        };
      default:
        return link;
    }
  }

  #changes(variant: number): UpdateLink {
    switch (variant) {
      case 1:
        return {reference};
      case 2:
        return {title: `Title ${(this.#urls += 1)}`, tags: ['blue', 'red']};
      case 3:
      case 4:
        return {password: variant === 3 ? right : null};
      case 5:
        return {rules: [{device: 'ios', url: this.#newUrl()}]};
      case 6:
        return {forwardQuery: true};
      case 7:
        return {expiredUrl: this.#newUrl()};
      case 8:
        return {tags: null, rules: null, forwardQuery: null, expiredUrl: null, reference: null};
      case 9:
        return {url: this.#newUrl(), rules: [{device: 'ios', url: this.#newUrl()}]};
      default:
        return {url: this.#newUrl()};
    }
  }

  /** The same key mostly has the same parameters. Of some links the short part is chosen, of the others it is generated. */
  async #createOnce(site: Site, seen: Seen, variant: number): Promise<void> {
    const {slug} = seen;
    seen.once = `${slug}-${variant % 3}`;
    const url = `${onceUrl}${seen.once}${variant === 9 ? '-other' : ''}`;
    return this.#create(site, seen, variant % 3 === 0 ? {url, customUrl: slug} : {url}, seen.once);
  }

  /** Somebody whom the link has brought buys something, or a known customer does. Some calls are those of the API. */
  async #convert(site: Site, seen: Seen, variant: number): Promise<void> {
    const via = seen.do === 'convert' ? await this.#token(site, seen) : undefined;
    if (seen.do === 'convert' && via === undefined) return;
    const {order, caller} = await orderOf(site, seen, variant);
    const person = seen.do === 'convert' ? {via} : {customer: customerOf(seen, variant)};
    const recorded = await site.conversions.record(person, {...order, value: order.id}, caller);
    if (recorded) seen.link = {urlId: recorded.link.urlId};
  }

  /** Somebody whom the link has brought signs up. */
  async #identify(site: Site, seen: Seen, variant: number): Promise<void> {
    const via = await this.#token(site, seen);
    if (via === undefined) return;
    const caller = await callerOf(site, seen, variant);
    const found = await site.conversions.identify({via}, customerOf(seen, variant), caller);
    if (found) seen.link = {urlId: found.link.urlId};
  }

  /** The mark of a visitor whom the link has brought; undefined if nobody has seen that link. */
  async #token({attribution, process}: Site, {slug}: Seen): Promise<string | undefined> {
    const id = this.#seen.findLast((each) => each.link?.shortUrlPart === slug && each.link.urlId !== undefined)?.link
      ?.urlId;
    return id === undefined
      ? undefined
      : attribution.token(
          {domain: 'example.com', slug, id, variant: id % 2 === 0 ? 'A' : 'phone'},
          this.#timeline.dateOf(process),
        );
  }

  /** An operator runs one copy at a time, and may run another one when the process of the first has died. */
  async #copy({process, store, openTarget}: Site): Promise<void> {
    if (this.#copier?.isDead === false) return;
    this.#copier = process;
    try {
      await copy({store, unreadable: []}, {store: openTarget(), unreadable: []}, {});
    } finally {
      this.#copier = undefined;
    }
  }

  /** Each link is seen as a create of its own, which begins with the call. Some calls have an idempotency key. */
  async #createMany(site: Site, seen: Seen, variant: number): Promise<void> {
    const once = variant >= 6 ? `${seen.slug}-many` : undefined;
    const inputs = [seen.slug, slugs[variant % slugs.length] ?? ''].map((slug, index): CreateLink => {
      return once === undefined ? this.#newLink(slug, variant % 3) : {url: `${onceUrl}${once}-${index}`};
    });
    const creates = inputs.map((input, index): Seen => {
      const own = once === undefined ? {} : {once: `${once}-${index}`};
      return {...seen, ...own, do: 'create', slug: input.customUrl ?? '', input};
    });
    const account = await site.accounts.requireOpen(seen.account);
    await this.#each(site, creates, site.links.createMany(account, inputs, once ? {idempotencyKey: once} : {}));
  }

  /** Each change is seen by itself, as if it began with the call. */
  async #updateMany(site: Site, seen: Seen, variant: number): Promise<void> {
    const next = slugs[(slugs.indexOf(seen.slug) + 1) % slugs.length] ?? '';
    const status = (['disabled', 'active', 'removed'] as const)[variant % 3] ?? 'active';
    const input = this.#changes(variant);
    const deed = ({disabled: 'disable', active: 'enable', removed: 'remove'} as const)[status];
    const changes: Seen[] = [
      {...seen, do: deed},
      {...seen, do: 'update', slug: next, input},
    ];
    const inputs = [
      {shortUrl: shortUrlOf(seen.slug), changes: {status}},
      {shortUrl: shortUrlOf(next), changes: input},
    ];
    const account = await site.accounts.requireOpen(seen.account);
    await this.#each(site, changes, site.links.updateMany(account, inputs));
  }

  /** Notes the result for each link of a call. */
  async #each(
    {process}: Site,
    each: readonly Seen[],
    results: AsyncGenerator<ManyResult<Link | RemovedLink>>,
  ): Promise<void> {
    this.#seen.push(...each);
    for (const seen of each) {
      const next = await results.next();
      if (next.done || process.isDead) break;
      const {link, error} = next.value;
      seen.code = error?.status ?? 200;
      if (error) seen.error = error.code;
      if (link) seen.link = link as Partial<Link>;
      if (seen.code === 503) continue;
      seen.end = this.#timeline.stamp();
      seen.ended = this.#timeline.date;
    }
    await results.return(undefined);
  }

  /** @param password what the visitor gives, if the link has a password; undefined for the form only */
  async #visit(site: Site, seen: Seen, variant: number, password?: string): Promise<void> {
    const {process, visitor, redirects, attempts, log} = site;
    const isAway = (): boolean => log.isKeeping;
    const {failures} = process;
    const wasAway = isAway();
    seen.isMobile = variant % 2 === 1;
    const isHead = variant >= 6 && password === undefined;
    const context = contextOf(seen, isHead ? 'HEAD' : 'GET');
    let found = await visitor.decide(context, {domain: bases.main.domain, slug: seen.slug});
    if (found.status === 'active' && found.visitedAt === undefined && password !== undefined) {
      const hash = found.value.password ?? '';
      // As on the page of the link.
      const asking = {account: found.value.account, client: seen.ip};
      const isRight = await attempts().try(linkRecords.key(found.value), asking, () =>
        verifyPassword(password, hash, asking),
      );
      seen.code = 401;
      if (!isRight) return;
      found = await redirects.visit(found, {password: hash, details: {visitor: seen.ip}});
    }
    seen.isInOutage = wasAway || isAway() || process.failures > failures;
    seen.code = {unknown: 404, unavailable: 503, gone: 410, loop: 410, active: 302}[found.status];
    if (found.status === 'unknown' || found.status === 'unavailable') return;
    if (found.status === 'active' && found.visitedAt !== undefined) seen.followed = found.value;
    else if (found.status === 'active') seen.code = 200;
    await visitor.answer(context, found);
    seen.location = context.response.get('Location') || undefined;
    if (seen.location === undefined || seen.followed !== undefined) return;
    const answered = visitor.answered.get(context) ?? found;
    seen.read = answered.value;
    if (answered.status === 'gone') seen.code = 410;
  }

  /** Calls the HTTP API with one of the account's keys. */
  async #call({api}: Site, seen: Seen, variant: number): Promise<void> {
    const [operation, needed] = calls[variant % calls.length] ?? calls[0];
    seen.scope = this.#someKey(seen, variant)?.scope;
    seen.needed = needed;
    if (operation === 'create') seen.input = {url: this.#newUrl()};
    const {envelope, error} = await api().answer(
      {apiKey: undefined, operation, format: 'json', segments: []},
      {
        method: 'POST',
        isPrefetch: false,
        ip: seen.ip,
        authorization: `Bearer ${seen.key ?? 'none'}`,
        idempotencyKey: undefined,
        readBody: () => Promise.resolve(seen.input ?? {}),
      },
    );
    if (error) throw error;
    seen.link = {urlId: envelope.data['url_id'] as number};
  }

  /** One of the keys that the account ever got. */
  #someKey(seen: Seen, variant: number): OwnKey | undefined {
    const known = this.#keysOf(seen.account);
    const key = known.at(-1 - (variant % Math.max(1, known.length)));
    seen.key = key?.apiKey;
    return key;
  }

  #keysOf(account: string): OwnKey[] {
    const keys = this.#keys.get(account) ?? [];
    this.#keys.set(account, keys);
    return keys;
  }
}

/** The account of a call of the API; undefined for the code of the site. */
async function callerOf({accounts: all}: Site, {account}: Seen, variant: number): Promise<Account | undefined> {
  return variant >= 8 ? all.requireOpen(account) : undefined;
}

async function orderOf(site: Site, seen: Seen, variant: number) {
  const number = variant % 4;
  seen.order = `${variant >= 8 ? seen.account : 'the site'} ${number}`;
  return {order: {name: 'order', id: number}, caller: await callerOf(site, seen, variant)};
}

function customerOf(seen: Seen, variant: number): number {
  const number = variant % 2;
  seen.customer = `${variant >= 8 ? seen.account : 'the site'} ${number}`;
  return number;
}

/** Refunds a part of an order, whose value is its number. An order of nothing is refunded as a whole. */
async function refund(site: Site, seen: Seen, variant: number): Promise<void> {
  const {order, caller} = await orderOf(site, seen, variant);
  seen.refund = variant >= 4 ? 'a' : 'b';
  const value = order.id === 0 ? undefined : Math.max(1, order.id - 1);
  const refunded = await site.conversions.refund({...order, refund: seen.refund, value}, caller);
  if (refunded === undefined) return;
  seen.link = {urlId: refunded.link.urlId};
  seen.value = refunded.value;
}

async function forget(site: Site, seen: Seen, variant: number): Promise<void> {
  const caller = await callerOf(site, seen, variant);
  seen.wasKnown = await site.conversions.forget(customerOf(seen, variant), caller);
}

const dates: readonly UpdateLink[] = [
  {expiryDate: firstDay},
  {startDate: nextDay},
  {expiryDate: firstDay, expiredUrl: 'https://destination.example/expired'},
  {expiryDate: null, startDate: null},
];

function contextOf({slug, ip, isMobile}: Seen, method: string): Context {
  const request = new IncomingMessage(new Socket());
  request.method = method;
  request.url = `/${slug}${query}`;
  request.headers['user-agent'] = isMobile ? 'iPhone' : 'X11';
  const context = koa.createContext(request, new ServerResponse(request));
  context.request.ip = ip;
  return context;
}

async function importLinks(site: Site, account: Account): Promise<void> {
  const links = imported.map((shortPart) => ({
    line: 1,
    url: `https://destination.example/${shortPart}`,
    shortPart,
    fields: {},
    created: Date.UTC(2030, 0, 1),
    visits: importedVisits,
  }));
  const results = await new Arrivals(site, 0).importBatch(account, links);
  for (const {result} of results) if (typeof result === 'object') throw result;
}

/** The short parts of all links of the account, in one list or page by page. */
async function listed(
  {links, admin}: Site,
  account: Account,
  way: 'list' | 'page',
  variant: number,
): Promise<readonly string[]> {
  const found: string[] = [];
  if (way === 'list') {
    for await (const {shortUrlPart} of links.list(account)) found.push(shortUrlPart);
    return found;
  }
  const order = variant % 2 === 0 ? 'newest' : 'oldest';
  let cursor: string | undefined;
  do {
    const page: {readonly links: readonly Link[]; readonly nextCursor: string | undefined} =
      variant < 6
        ? await links.page(account, {limit: 2, cursor, order})
        : await admin
            .pageLinks({account: account.id, limit: 2, cursor, order})
            .then(({links: owned, nextCursor}) => ({links: owned.map(({link}) => link), nextCursor}));
    found.push(...page.links.map(({shortUrlPart}) => shortUrlPart));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}
