import {isDeepStrictEqual} from 'node:util';
import type {Account} from '../accounts/accounts.ts';
import {update} from '../store/update.ts';
import {applyChanges, checkChanges} from './changes.ts';
import type {Creation} from './creation.ts';
import type {Link, RemovedLink, UpdateLink} from './link.ts';
import type {LinksDependencies} from './links-dependencies.ts';
import {findOwn} from './own-link.ts';
import {hashPassword} from './password.ts';
import {
  countersKey,
  isListed,
  isOver,
  linkKey,
  type LinkRecord,
  removedRecord,
  toLink,
  visitsCounter,
} from './record.ts';
import {blocked, expired, unknown} from './refusals.ts';
import {isUnsettled, settle} from './visit-limits.ts';
import {removeVisits} from './visit-stats.ts';

/** What an account, or the site's operator, does with one link. Each change is one compare-and-set of the link's record. */
export class LinkChanges {
  readonly #dependencies: LinksDependencies;
  readonly #creation: Creation;

  constructor(dependencies: LinksDependencies, creation: Creation) {
    this.#dependencies = dependencies;
    this.#creation = creation;
  }

  /** Takes a link out of service; one that is out of service already stays so. */
  async disable(account: Account, shortUrl: string): Promise<Link> {
    const {value: found} = await findOwn(this.#dependencies, account, shortUrl);
    return this.#change('disable', found, (record) => ({...record, state: 'disabled'}));
  }

  /**
   * Puts a link into service again; one that is in service already stays so.
   *
   * @throws ShortUrlError `link_blocked`, or `link_expired` if its expiry date is past or its visits are used up
   */
  async enable(account: Account, shortUrl: string): Promise<Link> {
    const {value: found} = await findOwn(this.#dependencies, account, shortUrl);
    return this.#change('enable', found, (record) => {
      const now = this.#dependencies.now();
      if (record.isBlocked) throw blocked();
      if (isOver(record, now)) throw expired(record, now);
      return {...record, state: 'active'};
    });
  }

  /**
   * Changes a link. A new long URL passes the checks of a create.
   *
   * @throws ShortUrlError with the code of the first change that is not in order, `forbidden_url` or `link_blocked`
   */
  async update(account: Account, shortUrl: string, input: UpdateLink): Promise<Link> {
    const {now} = this.#dependencies;
    const changes = checkChanges(input, now());
    const {value: found} = await findOwn(this.#dependencies, account, shortUrl);
    if (found.isBlocked) throw blocked();
    if (changes.url !== undefined) await this.#creation.checkDestination(account, changes.url, found);
    const password = changes.password && (await hashPassword(changes.password));
    return this.#change('update', found, (record) => {
      if (record.isBlocked) throw blocked();
      return applyChanges(record, {...changes, password});
    });
  }

  /** Removes a link for good. Only its account can create the short part anew. */
  async remove(account: Account, shortUrl: string): Promise<RemovedLink> {
    const {store, places, totals} = this.#dependencies;
    const {value: found} = await findOwn(this.#dependencies, account, shortUrl);
    const before = {record: found};
    const link = await this.#change('remove', found, (record) => {
      before.record = record;
      return {...removedRecord(record, record), ...(record.isBlocked && {isBlocked: true})};
    });
    // The link is gone, whatever becomes of the rest.
    await Promise.allSettled([
      totals.leavePlace(found.owner),
      places.leave(found.owner, before.record.position, found),
      removeVisits(store, before.record),
    ]);
    return {urlId: link.urlId, shortUrl: link.shortUrl, status: 'removed'};
  }

  /** Takes a link out of service for the site's operator; one that is blocked already stays so. */
  async block(account: Account, shortUrl: string): Promise<Link> {
    const {value: found} = await findOwn(this.#dependencies, account, shortUrl);
    return this.#change('block', found, (record) => ({...record, isBlocked: true}));
  }

  /** Gives a blocked link back in the state in which its account has left it; any other stays as it is. */
  async unblock(account: Account, shortUrl: string): Promise<Link> {
    const {value: found} = await findOwn(this.#dependencies, account, shortUrl);
    return this.#change('unblock', found, unblocked);
  }

  async #change(
    kind: 'disable' | 'enable' | 'update' | 'remove' | 'block' | 'unblock',
    found: LinkRecord,
    change: (record: LinkRecord) => LinkRecord,
  ): Promise<Link> {
    const {store, bases, redirects, announcer, now} = this.#dependencies;
    // Read before the write, so that nothing can fail after it.
    const [visits] = await store.getCounters([countersKey(found)], [visitsCounter]);
    const outcome = {before: found, isChanged: false};
    let record = await update<LinkRecord>(store, linkKey(found), (link) => {
      if (!isListed(link) || link.owner !== found.owner) throw unknown();
      const next = change(link);
      outcome.before = link;
      outcome.isChanged = !isDeepStrictEqual(next, link);
      return outcome.isChanged ? next : undefined;
    }).finally(() => {
      // Where its answer is lost it may have happened, too.
      redirects.forget(found);
    });
    if (record === undefined) throw unknown();
    if (isUnsettled(record)) record = await settle(store, record);
    const link = toLink(kind === 'remove' ? outcome.before : record, visits, bases, now());
    if (outcome.isChanged) announcer.announce(kind, {account: found.account, link, at: new Date(now())});
    return link;
  }
}

function unblocked(record: LinkRecord): LinkRecord {
  const {isBlocked, ...rest} = record;
  return isBlocked ? rest : record;
}
