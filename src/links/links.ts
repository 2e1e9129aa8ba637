import {setTimeout as delay} from 'node:timers/promises';
import {isDeepStrictEqual} from 'node:util';
import type {Account} from '../accounts/accounts.ts';
import {ShortUrlError} from '../errors.ts';
import type {Counters, Entry} from '../store/port.ts';
import {update} from '../store/update.ts';
import {Creation} from './creation.ts';
import type {ActivePage, CreateLink, Link, LinkStats, Page} from './link.ts';
import {formatCursor, readList, readPage} from './list.ts';
import type {LinksDependencies} from './links-dependencies.ts';
import {countersKey, isListed, linkKey, type LinkRecord, statusOf, toLink, toStats, visitsCounter} from './record.ts';
import {unknown} from './refusals.ts';
import {removeAll} from './removal.ts';

/**
 * How long it takes at least to say that a short URL is unknown, in milliseconds, and at most twice as long. To read a
 * record takes longer than to find none, so the time would tell which are somebody else's, and how long what they hold.
 */
const refusalTime = 10;

/** How often a link that keeps changing is read together with its visits. */
const maxTries = 5;

/** The operations on links (specification, section 4). Each takes the account in whose name it is done. */
export class Links {
  readonly #dependencies: LinksDependencies;
  readonly #creation: Creation;

  constructor(dependencies: LinksDependencies) {
    this.#dependencies = dependencies;
    this.#creation = new Creation(dependencies);
  }

  /** Creates a link, as `Creation.create` does. */
  async create(account: Account, input: CreateLink): Promise<Link> {
    const {bases, now} = this.#dependencies;
    const created = toLink(await this.#creation.create(account, input), undefined, bases, now());
    this.#announce('create', account, created);
    return created;
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
    const {record, visits} = await this.#findWithVisits(account, shortUrl);
    return toLink(record, visits, bases, now());
  }

  /** The visits of a link by day. */
  async stats(account: Account, shortUrl: string): Promise<LinkStats> {
    const {store, now} = this.#dependencies;
    const key = countersKey((await this.#find(account, shortUrl)).value);
    const [counters] = await store.getCounters([key]);
    const {stats, old} = toStats(counters ?? {counts: new Map(), at: undefined}, now());
    if (old.length > 0) await store.removeCounters(key, old);
    return stats;
  }

  /** All links of the account, whatever their status, oldest first, in bounded memory. */
  async *list(account: Account): AsyncGenerator<Link> {
    const {store, bases, now} = this.#dependencies;
    const toLinks = async (records: LinkRecord[]): Promise<Link[]> => {
      const counters = await store.getCounters(records.map(countersKey), [visitsCounter]);
      return records.map((record, index) => toLink(record, counters[index], bases, now()));
    };
    for await (const {items} of readList(store, account.owner, toLinks)) yield* items;
  }

  /** The short URLs of the active links of the account, oldest first, some hundreds at a time. */
  async *listActive(account: Account): AsyncGenerator<ReadonlyArray<Pick<Link, 'shortUrl'>>> {
    const toUrls = (records: LinkRecord[]): Array<Pick<Link, 'shortUrl'>> =>
      this.#active(records).map((record) => ({shortUrl: this.#dependencies.bases.shortUrl(record)}));
    for await (const {items} of readList(this.#dependencies.store, account.owner, toUrls)) yield items;
  }

  /** The same, a page at a time; `nextCursor` is there on every page but the last. */
  async pageActive(account: Account, page: Page): Promise<ActivePage> {
    const {store, bases} = this.#dependencies;
    const {limit, after} = readPage(page);
    const urls: Array<Pick<Link, 'shortUrl'>> = [];
    let last = after;
    const chunks = readList(store, account.owner, (records) => this.#active(records), {after, first: limit + 1});
    for await (const {items} of chunks) {
      for (const record of items) {
        if (urls.length === limit) return {urls, nextCursor: formatCursor(last)};
        urls.push({shortUrl: bases.shortUrl(record)});
        last = record.position;
      }
    }
    return {urls, nextCursor: undefined};
  }

  /** Takes all links of an account out of service for good. */
  removeAll(account: Account): Promise<void> {
    const {store, redirects} = this.#dependencies;
    return removeAll(store, account, redirects);
  }

  #active(records: LinkRecord[]): LinkRecord[] {
    const now = this.#dependencies.now();
    return records.filter((record) => statusOf(record, now) === 'active');
  }

  async #find(account: Account, shortUrl: string): Promise<Entry<LinkRecord>> {
    const {store, bases} = this.#dependencies;
    const refusal = delay(refusalTime * (1 + Math.random()));
    const name = bases.parseOwnUrl(shortUrl);
    const entry = name && (await store.get<LinkRecord>(linkKey(name)));
    if (entry?.value.owner === account.owner && isListed(entry.value)) return entry;
    await refusal;
    throw unknown();
  }

  /** The record and the visits of one moment: the record must be the same before and after the visits are read. */
  async #findWithVisits(
    account: Account,
    shortUrl: string,
  ): Promise<{record: LinkRecord; visits: Counters | undefined}> {
    const {store} = this.#dependencies;
    let entry = await this.#find(account, shortUrl);
    for (let tries = 1; ; tries += 1) {
      const visits = await this.#visitsOf(entry.value);
      const again = await store.get(linkKey(entry.value), entry);
      if (again === undefined || !isListed(again.value) || again.value.owner !== account.owner) throw unknown();
      if (isDeepStrictEqual(again.revision, entry.revision) || tries === maxTries) return {record: again.value, visits};
      entry = again;
    }
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
    const {value: found} = await this.#find(account, shortUrl);
    // Read before the write, so that nothing can fail after it.
    const visits = await this.#visitsOf(found);
    const outcome = {changed: false};
    const record = await update<LinkRecord>(store, linkKey(found), (link) => {
      if (!isListed(link)) throw unknown();
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
