import {setTimeout as delay} from 'node:timers/promises';
import {nanoid} from 'nanoid';
import type {Account, Accounts} from '../accounts/accounts.ts';
import {inTime} from '../callback.ts';
import {ShortUrlError} from '../errors.ts';
import type {Announcer} from '../events.ts';
import type {Counters, Store} from '../store/port.ts';
import {update} from '../store/update.ts';
import type {Bases} from './bases.ts';
import type {CreateQuota} from './create-quota.ts';
import type {ActivePage, CreateLink, Link, LinkStats, Page} from './link.ts';
import {formatCursor, readList, readPage} from './list.ts';
import {checkNewLink, type NewLink} from './new-link.ts';
import {hashPassword} from './password.ts';
import {
  countersKey,
  linkIds,
  linkKey,
  type LinkRecord,
  type Pointer,
  pointerKey,
  positionsKey,
  statusOf,
  targetOf,
  toLink,
  toStats,
  visitsCounter,
} from './record.ts';
import {ownUrl, taken, unknown} from './refusals.ts';
import {generateSlug, type ReservedSlugs} from './slug.ts';
import type {Redirects} from './redirects.ts';

/**
 * How long it takes at least to say that a short URL is unknown, in milliseconds, and at most twice as long. To read a
 * record takes longer than to find none, so the time would tell which are somebody else's, and how long what they hold.
 */
const refusalTime = 10;

export interface LinksDependencies {
  readonly store: Store;
  readonly accounts: Pick<Accounts, 'isLive'>;
  readonly bases: Bases;
  readonly reserved: ReservedSlugs;
  readonly slugLength: number;
  readonly quota: CreateQuota;
  readonly allowUrl: (url: string, account: string) => boolean | Promise<boolean>;
  readonly redirects: Pick<Redirects, 'forget'>;
  readonly announcer: Announcer;
  readonly now: () => number;
}

/** The operations on links (specification, section 4). Each takes the account in whose name it is done. */
export class Links {
  readonly #dependencies: LinksDependencies;

  constructor(dependencies: LinksDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Creates a link (sections 4.1 and 4.2).
   *
   * @throws ShortUrlError with one of the codes of bad input, `forbidden_url`, `custom_url_taken`, or
   *   `too_many_requests` if the account has used up its quota
   */
  async create(account: Account, input: CreateLink): Promise<Link> {
    const {bases, reserved, quota, now} = this.#dependencies;
    const link = checkNewLink(input, {bases, reserved, now: now()});
    return quota.spend(account.id, () => this.#create(account, link));
  }

  async #create(account: Account, link: NewLink): Promise<Link> {
    const {bases, reserved, slugLength, now} = this.#dependencies;
    await this.#checkDestination(account, link);
    if (link.slug !== undefined) await this.#checkFree(link.slug, link.base.domain);
    const password = link.password === undefined ? undefined : await hashPassword(link.password);
    for (let attempt = 0; ; attempt++) {
      // Longer after many collisions, so that even a short part of one character never runs out.
      const slug = link.slug ?? generateSlug(Math.min(64, slugLength + Math.floor(attempt / 8)));
      if (link.slug === undefined && reserved.has(slug)) continue;
      const record = await this.#insert(account, link, slug, password);
      if (record === undefined && link.slug !== undefined) throw taken();
      if (record === undefined) continue;
      await this.#confirmOwner(account, record);
      await this.#confirmDestination(record);
      const created = toLink(record, undefined, bases, now());
      this.#announce('create', account, created);
      return created;
    }
  }

  /** Takes a link out of service (section 4.3); one that is out of service already stays so. */
  async disable(account: Account, shortUrl: string): Promise<Link> {
    return this.#change('disable', account, shortUrl, (record) => ({...record, state: 'disabled'}));
  }

  /**
   * Puts a link into service again (section 4.4); one that is in service already stays so.
   *
   * @throws ShortUrlError `link_expired` if its expiry date is past
   */
  async enable(account: Account, shortUrl: string): Promise<Link> {
    const {now} = this.#dependencies;
    return this.#change('enable', account, shortUrl, (record) => {
      if (record.end !== undefined && record.end <= now()) {
        throw new ShortUrlError('link_expired', 'The expiry date of the short URL is past, so it cannot be enabled.');
      }
      return {...record, state: 'active'};
    });
  }

  /** Everything there is to say of a link (section 4.5). */
  async info(account: Account, shortUrl: string): Promise<Link> {
    const {bases, now} = this.#dependencies;
    const record = await this.#find(account, shortUrl);
    return toLink(record, await this.#visitsOf(record), bases, now());
  }

  /** The visits of a link by day. */
  async stats(account: Account, shortUrl: string): Promise<LinkStats> {
    const {store, now} = this.#dependencies;
    const key = countersKey(await this.#find(account, shortUrl));
    const [counters] = await store.getCounters([key]);
    const {stats, old} = toStats(counters ?? {counts: new Map(), at: undefined}, now());
    if (old.length > 0) await store.removeCounters(key, old);
    return stats;
  }

  /** All links of the account, whatever their status, oldest first, in bounded memory. */
  async *list(account: Account): AsyncGenerator<Link> {
    const {store, bases, now} = this.#dependencies;
    for await (const records of readList(store, account.owner)) {
      const counters = await store.getCounters(records.map(countersKey), [visitsCounter]);
      for (const [index, record] of records.entries()) yield toLink(record, counters[index], bases, now());
    }
  }

  /** The short URLs of the active links of the account (section 4.6), oldest first, some hundreds at a time. */
  async *listActive(account: Account): AsyncGenerator<Array<Pick<Link, 'shortUrl'>>> {
    const {bases} = this.#dependencies;
    for await (const records of this.#active(account, 0)) {
      yield records.map((record) => ({shortUrl: bases.shortUrl(record)}));
    }
  }

  /** The same, a page at a time; `nextCursor` is there on every page but the last. */
  async pageActive(account: Account, page: Page): Promise<ActivePage> {
    const {bases} = this.#dependencies;
    const {limit, after} = readPage(page);
    const urls: Array<Pick<Link, 'shortUrl'>> = [];
    let last = 0;
    for await (const records of this.#active(account, after)) {
      for (const record of records) {
        if (urls.length === limit) return {urls, nextCursor: formatCursor(last)};
        urls.push({shortUrl: bases.shortUrl(record)});
        last = record.position;
      }
    }
    return {urls, nextCursor: undefined};
  }

  /** Takes all links of an owner out of service for good. */
  async removeAll(owner: string): Promise<void> {
    for await (const records of readList(this.#dependencies.store, owner)) {
      await Promise.all(records.map((record) => this.#remove(record)));
    }
  }

  async *#active(account: Account, after: number): AsyncGenerator<LinkRecord[]> {
    const {store, now} = this.#dependencies;
    for await (const records of readList(store, account.owner, after)) {
      yield records.filter((record) => statusOf(record, now()) === 'active');
    }
  }

  async #checkDestination(account: Account, {url, target, base, slug}: NewLink): Promise<void> {
    const {bases} = this.#dependencies;
    const name = bases.parseShortUrl(target);
    const isItself = name?.domain === base.domain && name.slug === slug;
    if (isItself || bases.isApiUrl(target) || (await this.#isShortUrl(target))) throw ownUrl();
    if (!(await this.#isAllowed(url, account))) {
      throw new ShortUrlError('forbidden_url', 'This site does not allow short URLs for that long URL.');
    }
  }

  async #isAllowed(url: string, account: Account): Promise<boolean> {
    try {
      return await inTime(this.#dependencies.allowUrl(url, account.id));
    } catch (cause) {
      if (cause instanceof ShortUrlError) throw cause;
      throw new ShortUrlError('internal_error', "The site's rule for long URLs failed; nothing was created.", {cause});
    }
  }

  async #checkFree(slug: string, domain: string): Promise<void> {
    if ((await this.#dependencies.store.get(linkKey({domain, slug}))) !== undefined) throw taken();
  }

  /** The pointer goes first and the link last, so that a link that is there is always in its owner's list. */
  async #insert(
    account: Account,
    {url, target, base, end}: NewLink,
    slug: string,
    password: string | undefined,
  ): Promise<LinkRecord | undefined> {
    const {store, now} = this.#dependencies;
    const [id, position] = await Promise.all([store.increment(linkIds), store.increment(positionsKey(account.owner))]);
    const pointer: Pointer = {domain: base.domain, slug};
    const record: LinkRecord = {
      ...pointer,
      id,
      account: account.id,
      owner: account.owner,
      position,
      url,
      ...(target !== url && {target}),
      created: now(),
      counters: nanoid(8),
      ...(end !== undefined && {end}),
      ...(password !== undefined && {password}),
      state: 'active',
    };
    await store.insert(pointerKey(account.owner, position), pointer);
    if (await store.insert(linkKey(pointer), record)) return record;
    await store.remove(pointerKey(account.owner, position));
    return undefined;
  }

  async #isShortUrl(target: string): Promise<boolean> {
    const {store, bases} = this.#dependencies;
    const name = bases.parseShortUrl(target);
    if (name === undefined) return false;
    return (await store.get(linkKey(name))) !== undefined;
  }

  /** Two links that lead to one another can both have been on their way: neither saw the other before it was there. */
  async #confirmDestination(record: LinkRecord): Promise<void> {
    if (!(await this.#isShortUrl(targetOf(record)))) return;
    const {store} = this.#dependencies;
    await store.remove(linkKey(record));
    await store.remove(pointerKey(record.owner, record.position));
    throw ownUrl();
  }

  /** An account that was removed meanwhile may have had its links removed before this one was there. */
  async #confirmOwner(account: Account, record: LinkRecord): Promise<void> {
    if (await this.#dependencies.accounts.isLive(account)) return;
    await this.#remove(record);
    throw new ShortUrlError('invalid_api_key', 'The account was removed.');
  }

  async #remove(record: LinkRecord): Promise<void> {
    const {store, redirects} = this.#dependencies;
    await update<LinkRecord>(store, linkKey(record), (link) => ({...link, state: 'removed'})).finally(() => {
      redirects.forget(record);
    });
  }

  async #find(account: Account, shortUrl: string): Promise<LinkRecord> {
    const {store, bases} = this.#dependencies;
    const refusal = delay(refusalTime * (1 + Math.random()));
    const name = bases.parseShortUrl(shortUrl);
    const record = name && (await store.get<LinkRecord>(linkKey(name)))?.value;
    if (record?.owner === account.owner && record.state !== 'removed') return record;
    await refusal;
    throw unknown();
  }

  async #visitsOf(record: LinkRecord): Promise<Counters | undefined> {
    const [counters] = await this.#dependencies.store.getCounters([countersKey(record)], [visitsCounter]);
    return counters;
  }

  async #change(
    kind: 'disable' | 'enable',
    account: Account,
    shortUrl: string,
    change: (record: LinkRecord) => LinkRecord,
  ): Promise<Link> {
    const {store, bases, redirects, now} = this.#dependencies;
    const found = await this.#find(account, shortUrl);
    // Read before the write, so that nothing can fail after it.
    const visits = await this.#visitsOf(found);
    const outcome = {changed: false};
    const record = await update<LinkRecord>(store, linkKey(found), (link) => {
      if (link.state === 'removed') throw unknown();
      const next = change(link);
      outcome.changed = next.state !== link.state;
      return outcome.changed ? next : undefined;
    }).finally(() => {
      // Where its answer is lost it may have happened, too.
      redirects.forget(found);
    });
    if (record === undefined) throw unknown();
    const link = toLink(record, visits, bases, now());
    if (outcome.changed) this.#announce(kind, account, link);
    return link;
  }

  #announce(kind: 'create' | 'disable' | 'enable', account: Account, link: Link): void {
    const {announcer, now} = this.#dependencies;
    announcer.announce(kind, {account: account.id, link, at: new Date(now())});
  }
}
