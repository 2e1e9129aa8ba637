import type {Account} from '../../accounts/accounts.ts';
import {inTime, requireBoolean} from '../../host/callback.ts';
import {ShortUrlError} from '../../host/errors.ts';
import type {LinkName} from '../bases.ts';
import {confirm, readConfirmed} from './confirmation.ts';
import type {CreateLink} from '../link.ts';
import type {LinkServices, OpenAccount} from '../services.ts';
import type {LongUrl} from '../input/long-url.ts';
import {checkNewLink, type NewLink} from '../input/new-link.ts';
import {newRecord} from './new-record.ts';
import {hashPassword} from '../input/password.ts';
import {linkIds, linkKey, type LinkRecord} from '../record.ts';
import {accountRemoved, ownUrl, taken} from '../refusals.ts';
import {generateSlug, reservedSlug} from '../input/slug.ts';

/** Creates links. */
export class Creation {
  readonly #dependencies: LinkServices;

  constructor(dependencies: LinkServices) {
    this.#dependencies = dependencies;
  }

  /**
   * Creates a link.
   *
   * @throws ShortUrlError with one of the codes of bad input, `forbidden_url`, `custom_url_taken`, or
   *   `too_many_requests` if the account has used up its quota
   */
  async create(account: Account, input: CreateLink): Promise<LinkRecord> {
    const {bases, reserved, sitePages, quota, now} = this.#dependencies;
    const link = checkNewLink(input, {bases, reserved, now: now()});
    const {customUrl: slug, baseDomain} = link;
    if (slug !== undefined && sitePages.has({domain: baseDomain.domain, slug})) throw reservedSlug();
    const record = await quota.spend(account.id, () => this.#create(account, link));
    // A link that is refused now has taken its name, so it counts.
    return this.#confirm(record);
  }

  async #create(account: Account, link: NewLink): Promise<LinkRecord> {
    const {reserved, sitePages, slugLength} = this.#dependencies;
    const {url, customUrl, baseDomain} = link;
    const itself = customUrl === undefined ? undefined : {domain: baseDomain.domain, slug: customUrl};
    await this.checkDestination(account, url, itself);
    if (itself !== undefined) await this.#checkFree(account, itself);
    const password = link.password === undefined ? undefined : await hashPassword(link.password);
    for (let attempt = 0; ; attempt++) {
      // Longer after many collisions, so that even a short part of one character never runs out.
      const slug = customUrl ?? generateSlug(Math.min(64, slugLength + Math.floor(attempt / 8)));
      const isReserved = reserved.has(slug) || sitePages.has({domain: baseDomain.domain, slug});
      if (customUrl === undefined && isReserved) continue;
      const inserted = await this.#insert(account, link, slug, password);
      if (inserted !== undefined) return inserted;
      await this.#dependencies.accounts.recheck(account);
      if (customUrl !== undefined) throw taken();
    }
  }

  /**
   * Checks where a link leads.
   *
   * @param itself the link, where its name is known
   * @throws ShortUrlError `forbidden_url`
   */
  async checkDestination(account: Account, {url, target}: LongUrl, itself: LinkName | undefined): Promise<void> {
    const {bases} = this.#dependencies;
    const name = this.#linkAt(target);
    const isItself = name !== undefined && name.domain === itself?.domain && name.slug === itself.slug;
    if (isItself || bases.isApiUrl(target) || (name && (await this.#isTaken(name)))) throw ownUrl();
    if (!(await this.#isAllowed(url, account))) {
      throw new ShortUrlError('forbidden_url', 'This site does not allow short URLs for that long URL.');
    }
  }

  async #isAllowed(url: string, account: Account): Promise<boolean> {
    try {
      return requireBoolean(await inTime(this.#dependencies.allowUrl(url, account.id)));
    } catch (cause) {
      if (cause instanceof ShortUrlError) throw cause;
      const message = "The site's rule for long URLs failed; nothing was created.";
      const error = new ShortUrlError('internal_error', message, {cause});
      // Also for a call from code, whose caller may not log the rejection.
      this.#dependencies.announcer.report(error);
      throw error;
    }
  }

  async #checkFree(account: Account, name: LinkName): Promise<void> {
    const entry = await readConfirmed(this.#dependencies, name);
    if (entry !== undefined && !isVacant(entry.value, account)) throw taken();
  }

  async #isTaken(name: LinkName): Promise<boolean> {
    return (await this.#dependencies.store.get(linkKey(name))) !== undefined;
  }

  /** The link that a URL could lead to; undefined if it leads to no short URL, or to a page of the site in front of it. */
  #linkAt(target: string): LinkName | undefined {
    const {bases, sitePages} = this.#dependencies;
    const name = bases.parseShortUrl(target);
    return name !== undefined && sitePages.isPage(name) ? undefined : name;
  }

  /**
   * The slot is reserved first and the link is inserted last, so that an existing link is always in its account's list. The account is
   * read in between: if it is removed or blocked after that, the removal or the block finds the slot and takes the name, so
   * that the link can no longer be inserted.
   */
  async #insert(
    account: Account,
    link: NewLink,
    slug: string,
    password: string | undefined,
  ): Promise<LinkRecord | undefined> {
    const {store, linkIndex, accounts, now} = this.#dependencies;
    const name: LinkName = {domain: link.baseDomain.domain, slug};
    const [id, position] = await Promise.all([store.increment(linkIds), linkIndex.reserve(account.generation, name)]);
    const state = this.#linkAt(link.url.target) === undefined ? 'active' : 'pending';
    const created = now();
    const toRecord = ({blocks: accountBlocks}: OpenAccount): LinkRecord =>
      newRecord(account, name, link, {id, position, created, password, state, accountBlocks});
    const record = toRecord(await accounts.recheck(account));
    if (await store.insert(linkKey(name), record)) return record;
    const entry = await store.get<LinkRecord>(linkKey(name));
    if (entry !== undefined && isVacant(entry.value, account)) {
      // Read after the entry, because a block may have made the entry. A later block changes it.
      const replacement = toRecord(await accounts.recheck(account));
      if (await store.replace(linkKey(name), entry.revision, replacement)) return replacement;
    }
    await linkIndex.release(account.generation, position, name);
    return undefined;
  }

  /** A link whose destination could be a short URL redirects only after a second look: see `confirm`. */
  async #confirm(record: LinkRecord): Promise<LinkRecord> {
    if (record.state !== 'pending') return record;
    const confirmed = await confirm(this.#dependencies, record);
    if (confirmed?.counters === record.counters) return confirmed;
    throw confirmed?.generation === record.generation ? ownUrl() : accountRemoved();
  }
}

/** Whether the account may create the link anew: it has removed it, and the operator has not blocked it before. */
function isVacant({state, generation, isBlocked}: LinkRecord, account: Account): boolean {
  return state === 'removed' && generation === account.generation && isBlocked === undefined;
}
