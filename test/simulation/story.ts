import {bases, outside, type Site, World} from './world.ts';
import {Luck} from './timeline.ts';
import {inspect} from 'node:util';
import type {Context} from 'koa';
import type {Account} from '../../src/accounts/accounts.ts';
import type {KeyScope} from '../../src/accounts/keys.ts';
import {ShortUrlError} from '../../src/host/errors.ts';
import {verifyPassword} from '../../src/links/input/password.ts';
import type {CreateLink, Link, LinkPage, UpdateLink} from '../../src/links/link.ts';
import {linkKey, type LinkRecord} from '../../src/links/record.ts';
import {Arrivals} from '../../src/tools/import/arrivals.ts';
import {type Action, type Plan, processes} from './plan.ts';

/** A request and what its client saw. */
export interface Seen {
  readonly do: Action['do'];
  readonly slug: string;
  readonly account: string;
  readonly ip: string;
  /** The name of the process. */
  readonly process: string;
  /** Stamps of the timeline. */
  readonly start: number;
  /** Infinity without an answer, and for a 503: what was asked for may happen later, or never. */
  end: number;
  /** When it began and ended, in milliseconds since the epoch. */
  readonly began: number;
  ended: number;
  /** The HTTP status; undefined without an answer. */
  code?: number;
  /** What was sent. */
  input?: UpdateLink & Pick<Partial<CreateLink>, 'customUrl'>;
  /** The API key that was sent, answered or revoked. */
  key?: string | undefined;
  /** What the key allows. */
  scope?: KeyScope | undefined;
  /** The idempotency key of a create. */
  once?: string;
  /** The link in the answer. */
  link?: Partial<Link>;
  /** The record that a redirect has followed. */
  followed?: LinkRecord;
  /** The short parts in a list. */
  listed?: readonly string[];
  /** Whether the process saw an outage meanwhile, in which it redirects without a look at the store. */
  isInOutage?: boolean;
}

/** Only the last of them is ever removed or blocked. */
export const accounts = ['ann', 'bob', 'eve'];
export const slugs = ['l0', 'l1', 'l2'];
/** The links that an import brings, and the visits of each. No other request creates them. */
export const imported = ['m0', 'm1', 'm2'];
export const importedVisits = 5;
export const right = 'right';
/** The day on which a run begins, and the next one, which begins two seconds later. */
const firstDay = '2031-05-06';
const nextDay = '2031-05-07';

export const shortUrlOf = (slug: string): string => `https://example.com/${slug}`;

/** Clients that follow a plan, and what they saw. */
export class Story {
  readonly world: World;
  readonly plan: Plan;
  readonly seen: Seen[] = [];
  /** Requests that neither were answered nor lost their process. */
  readonly unfinished = new Set<Action>();
  /** The API keys that an account ever got; those of the registration have no id. */
  readonly #keys = new Map<string, Array<{readonly apiKey: string; readonly id?: string; readonly scope: KeyScope}>>();
  #urls = 0;

  constructor(plan: Plan) {
    this.plan = plan;
    this.world = new World(plan);
  }

  /** Runs the plan until nothing more happens. */
  async run(): Promise<void> {
    const {world, plan} = this;
    for (let place = 0; place < processes; place += 1) world.site(place);
    for (const account of accounts.keys()) await this.calmly(world.site(0), {do: 'register', account});
    await this.calmly(world.site(0), {do: 'create', ...plan.made});
    for (const fault of plan.faults) world.plan(fault);
    for (const actions of plan.clients) void this.#follow(actions);
    await world.timeline.run();
  }

  /** Sends a request to which nothing bad happens, while nothing else does. */
  async calmly(site: Site, action: Partial<Action> & Pick<Action, 'do'>): Promise<Seen> {
    const seen = this.#begin(site, {pause: 0, process: 0, account: 0, link: 0, variant: 0, luck: 0, ...action});
    await this.world.calmly(site, () => this.#act(site, seen, action.variant ?? 0));
    return seen;
  }

  async #follow(actions: readonly Action[]): Promise<void> {
    for (const action of actions) {
      this.unfinished.add(action);
      await new Promise<void>((resolve) => {
        this.world.timeline.after(
          action.pause,
          () => {
            this.#send(action, resolve);
          },
          outside,
        );
      });
      this.unfinished.delete(action);
    }
  }

  /** Calls `onEnd` when the request is answered, or when its process dies. */
  #send(action: Action, onEnd: () => void): void {
    const {timeline} = this.world;
    const site = this.world.site(action.process);
    const seen = this.#begin(site, action);
    timeline.note(site.process, 'begins', action);
    site.abandoned.add(onEnd);
    void timeline
      .within({process: site.process, luck: new Luck(action.luck, this.plan.trouble)}, () =>
        this.#act(site, seen, action.variant),
      )
      .then(() => {
        site.abandoned.delete(onEnd);
        timeline.after(0, onEnd, outside);
      });
  }

  #begin({process}: Site, action: Action): Seen {
    const {timeline} = this.world;
    const seen: Seen = {
      do: action.do,
      slug: slugs[action.link % slugs.length] ?? '',
      account: (isOfOperator(action.do) ? accounts.at(-1) : accounts[action.account % accounts.length]) ?? '',
      ip: `192.0.2.${action.account}`,
      process: process.name,
      start: timeline.stamp(),
      end: Infinity,
      began: timeline.date,
      ended: Infinity,
    };
    this.seen.push(seen);
    return seen;
  }

  async #act(site: Site, seen: Seen, variant: number): Promise<void> {
    const {timeline, faults} = this.world;
    try {
      await this.#ask(site, seen, variant);
      seen.code ??= 200;
    } catch (error) {
      if (!(error instanceof ShortUrlError) || error.code === 'internal_error') faults.push(inspect(error));
      else seen.code = error.status;
    }
    if (site.process.isDead) {
      // It has died in this very moment, before its answer was sent.
      delete seen.code;
      delete seen.followed;
      delete seen.listed;
    }
    timeline.note(site.process, 'answers', seen);
    if (seen.code === undefined || seen.code === 503) return;
    seen.end = timeline.stamp();
    seen.ended = timeline.date;
  }

  async #ask(site: Site, seen: Seen, variant: number): Promise<void> {
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
        // Of some the short part is chosen, of the others it is generated.
        seen.once = `${slug} ${variant % 3}`;
        return this.#create(site, seen, this.#linkOnce(slug, variant % 3), seen.once);
      case 'import':
        return importLinks(site, await own());
      case 'updateMany':
        return this.#updateMany(site, seen, variant);
      case 'date':
        return this.#update(site, seen, variant % 2 === 0 ? {expiryDate: firstDay} : {startDate: nextDay});
      case 'update':
        return this.#update(site, seen, this.#changes(variant));
      case 'limit':
        return this.#update(site, seen, {maxVisits: variant % 3 === 0 ? null : variant});
      case 'disable':
      case 'enable':
      case 'info':
        seen.link = await links[seen.do](await own(), shortUrl);
        return;
      case 'remove':
        await links.remove(await own(), shortUrl);
        return;
      case 'block':
      case 'unblock':
        seen.link = (await admin[seen.do](shortUrl)).link;
        return;
      case 'list':
      case 'page':
        seen.listed = await listed(site, await own(), seen.do);
        return;
      case 'visit':
        return this.#visit(site, seen, undefined);
      case 'attempt':
        return this.#visit(site, seen, variant % 2 === 0 ? right : `wrong ${variant}`);
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
        const known = this.#keysOf(account);
        const key = known.at(-1 - (variant % Math.max(1, known.length)));
        seen.key = key?.apiKey;
        const access = await all.authenticate(seen.key ?? '');
        seen.scope = access?.scope;
        const isRight = access?.account.id === account && access.scope === key?.scope;
        seen.code = access === undefined ? 401 : isRight ? 200 : 500;
      }
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

  #newLink(slug: string, variant: number): CreateLink {
    const link: CreateLink = {url: `https://destination.example/${(this.#urls += 1)}`, customUrl: slug};
    switch (variant) {
      case 2:
        return {...link, maxVisits: 2};
      case 3:
        return {...link, password: right};
      case 1:
      case 4:
        return {...link, customUrl: undefined};
      case 5:
        return {...link, url: shortUrlOf(slugs[(slugs.indexOf(slug) + 1) % slugs.length] ?? '')};
      default:
        return link;
    }
  }

  /** The same parameters for the same key. */
  #linkOnce(slug: string, variant: number): CreateLink {
    const url = `https://destination.example/once/${slug}/${variant}`;
    return variant === 0 ? {url, customUrl: slug} : {url};
  }

  #changes(variant: number): UpdateLink {
    if (variant < 3) return {url: `https://destination.example/${(this.#urls += 1)}`};
    return variant === 3 ? {title: `Title ${(this.#urls += 1)}`} : {password: variant === 4 ? right : null};
  }

  /** Each link is seen as a create of its own, which begins with the call. */
  async #createMany(site: Site, seen: Seen, variant: number): Promise<void> {
    const {timeline} = this.world;
    const inputs = [seen.slug, slugs[variant % slugs.length] ?? ''].map((slug) => this.#newLink(slug, variant % 3));
    const creates = inputs.map((input): Seen => ({...seen, do: 'create', slug: input.customUrl ?? '', input}));
    this.seen.push(...creates);
    const results = site.links.createMany(await site.accounts.requireOpen(seen.account), inputs);
    for (const create of creates) {
      const next = await results.next();
      if (next.done || site.process.isDead) break;
      const {link, error} = next.value;
      create.code = error?.status ?? 200;
      if (link) create.link = link;
      if (create.code === 503) continue;
      create.end = timeline.stamp();
      create.ended = timeline.date;
    }
    await results.return(undefined);
  }

  /** Each change is seen by itself, as if it began with the call. */
  async #updateMany(site: Site, seen: Seen, variant: number): Promise<void> {
    const {timeline} = this.world;
    const next = slugs[(slugs.indexOf(seen.slug) + 1) % slugs.length] ?? '';
    const status = (['disabled', 'active', 'removed'] as const)[variant % 3] ?? 'active';
    const input = this.#changes(0);
    const deed = ({disabled: 'disable', active: 'enable', removed: 'remove'} as const)[status];
    const each: Seen[] = [
      {...seen, do: deed},
      {...seen, do: 'update', slug: next, input},
    ];
    this.seen.push(...each);
    const inputs = [
      {shortUrl: shortUrlOf(seen.slug), changes: {status}},
      {shortUrl: shortUrlOf(next), changes: input},
    ];
    const results = site.links.updateMany(await site.accounts.requireOpen(seen.account), inputs);
    for (const change of each) {
      const result = await results.next();
      if (result.done || site.process.isDead) break;
      const {link, error} = result.value;
      change.code = error?.status ?? 200;
      if (link) change.link = link as Partial<Link>;
      if (change.code === 503) continue;
      change.end = timeline.stamp();
      change.ended = timeline.date;
    }
    await results.return(undefined);
  }

  /** @param password what the visitor gives, if the link has a password */
  async #visit(site: Site, seen: Seen, password: string | undefined): Promise<void> {
    const {process, visitor, redirects, attempts, store, log} = site;
    const isAway = (): boolean => store.isAway || log.isBehind;
    const {failures} = process;
    const wasAway = isAway();
    const context = {req: {method: 'GET', headers: {}}, ip: seen.ip} as unknown as Context;
    let found = await visitor.decide(context, {domain: bases.main.domain, slug: seen.slug});
    if (found.status === 'active' && found.visitedAt === undefined) {
      const hash = found.value.password ?? '';
      // As on the page of the link.
      if (password === undefined) {
        seen.code = 200;
        return;
      }
      const isRight = await attempts.try(linkKey(found.value), seen.ip, () => verifyPassword(password, hash, seen.ip));
      seen.code = 401;
      if (!isRight) return;
      found = await redirects.visit(found, {password: hash, details: {visitor: seen.ip}});
    }
    seen.isInOutage = wasAway || isAway() || process.failures > failures;
    seen.code = {unknown: 404, unavailable: 503, gone: 410, active: 302}[found.status];
    if (found.status !== 'active') return;
    if (found.visitedAt === undefined) seen.code = 200;
    else seen.followed = found.value;
  }

  #keysOf(account: string): Array<{readonly apiKey: string; readonly id?: string; readonly scope: KeyScope}> {
    const keys = this.#keys.get(account) ?? [];
    this.#keys.set(account, keys);
    return keys;
  }
}

function isOfOperator(deed: Action['do']): boolean {
  return deed === 'expel' || deed === 'blockAccount' || deed === 'unblockAccount';
}

async function importLinks(site: Site, account: Account): Promise<void> {
  const links = imported.map((customUrl) => ({
    url: `https://destination.example/${customUrl}`,
    customUrl,
    created: Date.UTC(2030, 0, 1),
    visits: importedVisits,
  }));
  const results = await new Arrivals(site, 0).importBatch(account, links);
  const refused = results.find((result) => typeof result !== 'string');
  if (refused !== undefined) throw refused;
}

async function listed(
  {links}: Site,
  account: Parameters<typeof links.list>[0],
  way: 'list' | 'page',
): Promise<readonly string[]> {
  const slugsOf = (some: readonly Link[]): string[] => some.map(({shortUrlPart}) => shortUrlPart);
  const found: string[] = [];
  if (way === 'list') {
    for await (const link of links.list(account)) found.push(...slugsOf([link]));
    return found;
  }
  let cursor: string | undefined;
  do {
    const {links: some, nextCursor}: LinkPage = await links.page(account, {limit: 2, cursor});
    found.push(...slugsOf(some));
    cursor = nextCursor;
  } while (cursor !== undefined);
  return found;
}
