import {linkIds, linkKey} from '../../keys.ts';
import {type Account, accountRemoved} from '../../accounts/accounts.ts';
import {inTime, requireBoolean} from '../../host/callback.ts';
import {isUnavailable, ShortUrlError} from '../../host/errors.ts';
import type {LinkName} from '../../link/bases.ts';
import {type Destination, urlsOf} from '../../link/destinations.ts';
import {confirm, readConfirmed} from './confirmation.ts';
import type {CreateLink} from '../../link/link.ts';
import type {LinkServices} from '../services.ts';
import {checkNewLink, type NewLink} from '../../link/new-link.ts';
import type {IntendedLink, Intent, IntentKey} from './intents.ts';
import {newCounters, newRecord} from '../../link/new-record.ts';
import {hashPassword} from '../../link/password.ts';
import {type LinkRecord} from '../../link/record.ts';
import {ownUrl, taken} from '../../link/refusals.ts';

/** The result of a call with an idempotency key. */
export interface CreatedOnce {
  /** The link as it was created. It may have been changed or removed since. */
  readonly record: LinkRecord;
  /** When the call was first made, in milliseconds since the epoch. */
  readonly at: number;
  /** Whether this call has created it, and not an earlier one. */
  readonly isNew: boolean;
}

interface Intended {
  readonly key: IntentKey;
  readonly input: CreateLink;
  readonly intent: Intent | undefined;
  readonly at: number;
}

interface Inserted {
  readonly intent: Intent;
  readonly isNew: boolean;
  /** Undefined if the link was found, and is confirmed. */
  readonly record?: LinkRecord;
}

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
    const {bases, reserved, calendar, schemes, quota, now} = this.#dependencies;
    const link = checkNewLink(input, {bases, reserved, calendar, schemes, now: now()});
    this.#checkNoPage(link);
    const record = await quota.spend(account.id, () => this.#create(account, link));
    // A link that is refused now has taken its name, so it counts.
    return this.#confirm(record);
  }

  /**
   * Creates a link once for a key, even if the process is killed: its intent is stored first, and every repeat finishes
   * it or finds the link.
   *
   * @param at when the call was first made, in milliseconds since the epoch
   * @throws ShortUrlError also `idempotency_key_reused`
   */
  async createOnce(account: Account, input: CreateLink, key: IntentKey, at: number): Promise<CreatedOnce> {
    const {bases, reserved, calendar, schemes, intents} = this.#dependencies;
    const intent = await intents.find(account, key);
    // Values that were valid at the first call are valid for its repeats.
    const link = checkNewLink(input, {bases, reserved, calendar, schemes, now: intent?.at ?? at});
    if (intent !== undefined) await intents.checkSame(intent, input);
    if (intent?.isDone) return created(account, link, intent, false);
    try {
      return await this.#finish(account, key, link, await this.#intend(account, link, {key, input, intent, at}));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      // A repeat that ran at the same time may have created the link, which then takes its own short part and quota.
      const other = await intents.find(account, key);
      if (other === undefined || !(other.isDone ?? (await this.#findIntended(other)))) throw error;
      await intents.checkSame(other, input);
      return this.#finish(account, key, link, {intent: other, isNew: false});
    }
  }

  /** Inserts the link of an intent, or finds it. */
  async #intend(account: Account, link: NewLink, {key, input, intent, at}: Intended): Promise<Inserted> {
    const {intents, quota, store} = this.#dependencies;
    if (intent !== undefined && (await this.#findIntended(intent))) return {intent, isNew: false};
    this.#checkNoPage(link);
    return quota.spend(account.id, async () => {
      await this.#checkLink(account, link);
      const password = link.password === undefined ? undefined : await hashPassword(link.password);
      const first = async (): Promise<IntendedLink> => ({
        domain: link.baseDomain.domain,
        slug: link.customUrl ?? this.#freeSlug(link, 0),
        id: await store.increment(linkIds),
        counters: newCounters(),
      });
      let current = intent ?? (await intents.begin(account, key, input, {at, link: await first()}));
      for (let attempt = 1; ; attempt++) {
        const {slug = ''} = current.link ?? {};
        const inserted = await this.#insert(account, link, {slug, password, intent: current});
        if (inserted !== undefined) return {intent: current, isNew: inserted.isNew, record: inserted.record};
        await this.#dependencies.accounts.recheck(account);
        if (link.customUrl !== undefined) throw taken();
        const next = this.#freeSlug(link, attempt);
        // Another repeat may have chosen a further short part already.
        current = await intents.change(account, key, (stored) =>
          stored.link?.slug === slug ? {...stored, link: {...stored.link, slug: next}} : undefined,
        );
      }
    });
  }

  async #finish(
    account: Account,
    key: IntentKey,
    link: NewLink,
    {intent, isNew, record}: Inserted,
  ): Promise<CreatedOnce> {
    if (record !== undefined) await this.#confirm(record);
    await this.#dependencies.intents.change(account, key, (stored) =>
      stored.isDone ? undefined : {...stored, isDone: true},
    );
    return created(account, link, intent, isNew);
  }

  /** The link of an intent, also if its account has changed or removed it; undefined if it was not created yet. */
  async #findIntended({link}: Intent): Promise<LinkRecord | undefined> {
    const entry = link && (await readConfirmed(this.#dependencies, link));
    return entry?.value.counters === link?.counters ? entry?.value : undefined;
  }

  async #create(account: Account, link: NewLink): Promise<LinkRecord> {
    await this.#checkLink(account, link);
    const password = link.password === undefined ? undefined : await hashPassword(link.password);
    for (let attempt = 0; ; attempt++) {
      const slug = link.customUrl ?? this.#freeSlug(link, attempt);
      const inserted = await this.#insert(account, link, {slug, password});
      if (inserted !== undefined) return inserted.record;
      await this.#dependencies.accounts.recheck(account);
      if (link.customUrl !== undefined) throw taken();
    }
  }

  /** Longer after many collisions, so that even a short part of one character never runs out. */
  #freeSlug({baseDomain: {domain}}: NewLink, collisions: number): string {
    const {bases, reserved, sitePages, slugLength} = this.#dependencies;
    for (let attempt = collisions; ; attempt++) {
      const slug = bases.shortParts.generate(Math.min(64, slugLength + Math.floor(attempt / 8)));
      if (!reserved.has(slug) && !sitePages.has({domain, slug})) return slug;
    }
  }

  #checkNoPage({customUrl: slug, baseDomain: {domain}}: NewLink): void {
    const {bases, sitePages} = this.#dependencies;
    if (slug === undefined || !sitePages.has({domain, slug})) return;
    const {pathname} = new URL(bases.shortUrl({domain, slug}));
    throw new ShortUrlError(
      'invalid_custom_url',
      `Your site already has a page at ${pathname}. Choose another short part.`,
    );
  }

  async #checkLink(account: Account, link: NewLink): Promise<void> {
    const {customUrl, baseDomain} = link;
    const itself = customUrl === undefined ? undefined : {domain: baseDomain.domain, slug: customUrl};
    for (const url of urlsOf(link)) await this.checkDestination(account, url, itself);
    if (itself !== undefined) await this.#checkFree(account, itself);
  }

  /**
   * Checks where a link leads.
   *
   * @param itself the link, where its name is known
   * @throws ShortUrlError `forbidden_url`
   */
  async checkDestination(
    account: Account,
    {url, target, what}: Destination,
    itself: LinkName | undefined,
  ): Promise<void> {
    const {bases} = this.#dependencies;
    const name = this.#linkAt(target);
    const isItself = name !== undefined && name.domain === itself?.domain && name.slug === itself.slug;
    if (isItself || bases.isApiUrl(target) || (name && (await this.#isTaken(name)))) throw ownUrl(what);
    if (!(await this.#isAllowed(url, account))) {
      throw new ShortUrlError('forbidden_url', `This site does not allow the ${what}.`);
    }
  }

  async #isAllowed(url: string, account: Account): Promise<boolean> {
    try {
      return requireBoolean(await inTime(this.#dependencies.allowUrl(url, account.id)));
    } catch (cause) {
      if (cause instanceof ShortUrlError) throw cause;
      const message = "The site's rule for long URLs failed. No link was created.";
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
   * The slot is reserved first and the link is inserted last, so that an existing link is always in its account's list.
   * The account is read in between: if it is removed or blocked after that, the removal or the block finds the slot and
   * takes the name, so that the link can no longer be inserted.
   */
  async #insert(
    account: Account,
    link: NewLink,
    {slug, password, intent}: {slug: string; password: string | undefined; intent?: Intent},
  ): Promise<{record: LinkRecord; isNew: boolean} | undefined> {
    const {store, linkIndex, accounts, now} = this.#dependencies;
    const name: LinkName = {domain: link.baseDomain.domain, slug};
    const intended = intent?.link;
    const [id, position] = await Promise.all([
      intended?.id ?? store.increment(linkIds),
      linkIndex.reserve(account.generation, name),
    ]);
    const couldLeadHere = urlsOf(link).some(({target}) => this.#linkAt(target) !== undefined);
    const state = couldLeadHere ? 'pending' : 'active';
    const created = intent?.at ?? now();
    const counters = intended?.counters ?? newCounters();
    const recheck = async (): Promise<LinkRecord> => {
      try {
        const {blocks: accountBlocks} = await accounts.recheck(account);
        return newRecord(account, name, link, {id, position, created, password, state, accountBlocks, counters});
      } catch (error) {
        if (!isUnavailable(error)) await linkIndex.release(account.generation, position, name);
        throw error;
      }
    };
    const record = await recheck();
    if (await store.insert(linkKey(name), record)) return {record, isNew: true};
    const entry = await store.get<LinkRecord>(linkKey(name));
    const isIntended = intended !== undefined && entry?.value.counters === intended.counters;
    // A repeat may be far behind this one, so a generated short part that was taken once counts as taken for good.
    const mayReplace = !isIntended && (intended === undefined || link.customUrl !== undefined);
    if (entry !== undefined && mayReplace && isVacant(entry.value, account)) {
      // Read after the entry, because a block may have made the entry. A later block changes it.
      const replacement = await recheck();
      if (await store.replace(linkKey(name), entry.revision, replacement)) return {record: replacement, isNew: true};
    }
    await linkIndex.release(account.generation, position, name);
    return isIntended ? {record: entry.value, isNew: false} : undefined;
  }

  /** A link whose destination could be a short URL redirects only after a second check: see `confirm`. */
  async #confirm(record: LinkRecord): Promise<LinkRecord> {
    if (record.state !== 'pending') return record;
    const confirmed = await confirm(this.#dependencies, record);
    if (confirmed?.counters === record.counters) return confirmed;
    throw confirmed?.generation === record.generation ? ownUrl() : accountRemoved();
  }
}

/** Whether the account may create the link again: it has removed it, and the operator had not blocked it. */
function isVacant({state, generation, isBlocked}: LinkRecord, account: Account): boolean {
  return state === 'removed' && generation === account.generation && isBlocked === undefined;
}

/** The same for every repeat, so it is made of the intent, and not of what is stored of the link. */
function created(account: Account, link: NewLink, {link: intended, at}: Intent, isNew: boolean): CreatedOnce {
  const {domain = '', slug = '', id = 0, counters = ''} = intended ?? {};
  // A link shows only whether it has a password.
  const password = link.password === undefined ? undefined : '';
  const given = {id, position: 0, created: at, password, state: 'active', counters, accountBlocks: undefined} as const;
  return {record: newRecord(account, {domain, slug}, link, given), at, isNew};
}
