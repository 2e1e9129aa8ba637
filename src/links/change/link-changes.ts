import {visitsCounter} from '../../link/counters.ts';
import {linkCounters} from '../../link/records.ts';
import {isDeepStrictEqual} from 'node:util';
import type {Account} from '../../accounts/accounts.ts';
import {ShortUrlError} from '../../errors.ts';
import {readFields} from '../../values/input.ts';
import {malformed, reader} from '../../values/shape.ts';
import {applyChanges, checkChanges} from './changes.ts';
import {Creation} from '../create/creation.ts';
import {accountList, siteList} from '../list/link-index.ts';
import {destinationsOf} from '../../link/urls.ts';
import type {Link, LinkChange, RemovedLink, UpdateLink} from '../../link/link.ts';
import {type Block, readBlock} from './block.ts';
import type {LinkServices} from '../services.ts';
import {findOwn} from '../own-link.ts';
import {hashPassword} from '../../link/password.ts';
import {closingOf, isListed, isOver, type LinkRecord, newStatus, removedRecord, present} from '../../link/record.ts';
import {blocked, expired, notUnderstood, unknown} from '../../link/refusals.ts';
import {toLink} from '../../link/to-link.ts';
import {checkDestinations} from '../destination-check.ts';
import {clearAway, writeLink} from '../write-link.ts';

type Kind = 'disable' | 'enable' | 'update' | 'remove' | 'block' | 'unblock';

/** The record before a change, and the link after it. A removed link is as it was before. */
interface Changed {
  readonly before: LinkRecord;
  readonly link: Link;
  readonly isChanged: boolean;
}

/** Changes that an account or the site's operator makes to a link. Each is one compare-and-set of the link's record. */
export class LinkChanges {
  protected readonly dependencies: LinkServices;
  protected readonly creation: Creation;

  constructor(dependencies: LinkServices) {
    this.dependencies = dependencies;
    this.creation = new Creation(dependencies);
  }

  /** Disables a link. A disabled link stays as it is. */
  async disable(account: Account, shortUrl: string): Promise<Link> {
    return this.#change('disable', account, shortUrl, (record) => ({...record, state: 'disabled'}));
  }

  /**
   * Enables a link. An enabled link stays as it is.
   *
   * @throws ShortUrlError `link_blocked`, or `link_expired` if its expiry date is past or its visits are used up
   */
  async enable(account: Account, shortUrl: string): Promise<Link> {
    return this.#change('enable', account, shortUrl, (record) => {
      const now = this.dependencies.now();
      checkOpen(record);
      if (isOver(record, now)) throw expired(record, now);
      return {...record, state: 'active'};
    });
  }

  /**
   * Changes a link. A new long URL passes the checks of a create.
   *
   * @throws ShortUrlError with the code of the first invalid change, `forbidden_url`, `reference_taken` or `link_blocked`
   */
  async update(account: Account, shortUrl: string, input: UpdateLink): Promise<Link> {
    const {bases, reserved, calendar, schemes, now} = this.dependencies;
    const changes = checkChanges(input, {bases, reserved, calendar, schemes, now: now()});
    const {value: found} = await findOwn(this.dependencies, account, shortUrl);
    checkOpen(found);
    await checkDestinations(this.dependencies, account, destinationsOf(changes), found);
    const password = changes.password && (await hashPassword(changes.password, account.id));
    const {link} = await this.#apply('update', found, (record) => {
      checkOpen(record);
      return applyChanges(record, {...changes, password});
    });
    return link;
  }

  /** Removes a link for good. Only its account can create the short part again. */
  async remove(account: Account, shortUrl: string): Promise<RemovedLink> {
    return this.#remove(account, shortUrl, () => true);
  }

  /** Removes a link unless it was changed since it was read. Does nothing if it was removed. */
  protected async removeUnchanged(account: Account, shortUrl: string, seen: LinkRecord): Promise<boolean> {
    let isRemoved = false;
    try {
      await this.#remove(account, shortUrl, (record) => (isRemoved = isDeepStrictEqual(record, seen)));
    } catch (error) {
      if (!(error instanceof ShortUrlError) || error.code !== 'unknown_short_url') throw error;
    }
    return isRemoved;
  }

  async #remove(account: Account, shortUrl: string, isMeant: (record: LinkRecord) => boolean): Promise<RemovedLink> {
    const {value: found} = await findOwn(this.dependencies, account, shortUrl);
    const {before, link, isChanged} = await this.#apply('remove', found, (record) =>
      isMeant(record)
        ? {
            ...removedRecord(record, record.generation),
            // A repeated creation finds by them that it has created the link.
            counters: record.counters,
            ...(record.isBlocked && {isBlocked: true}),
          }
        : record,
    );
    const removed = {urlId: link.urlId, shortUrl: link.shortUrl, status: 'removed'} as const;
    if (!isChanged) return removed;
    // The link is removed already, so a failure of the rest is not the caller's.
    await clearAway(this.dependencies, before, [accountList(account.generation), siteList]).catch(() => undefined);
    return removed;
  }

  /**
   * Changes fields of a link, or its status.
   *
   * @throws ShortUrlError also `malformed_parameter` for an unknown status, or one that comes with other changes, and
   *   `unknown_parameter`
   */
  protected async run(account: Account, input: LinkChange): Promise<Link | RemovedLink> {
    const {shortUrl = '', changes} = readFields(input, 'A change is made of', {
      shortUrl: (value) => value as string,
      changes: (value) => value,
    });
    const {status, ...others} = Object(changes) as {readonly status?: unknown};
    if (status === undefined) return this.update(account, shortUrl, others);
    if (Object.values(others).some((other) => other !== undefined)) {
      throw malformed('Send a change of the status alone, and other changes to the link separately.');
    }
    switch (reader(newStatus, 'status')(status, 'status')) {
      case 'active':
        return this.enable(account, shortUrl);
      case 'disabled':
        return this.disable(account, shortUrl);
      case 'removed':
        return this.remove(account, shortUrl);
    }
  }

  /**
   * Blocks a link for the site's operator. A blocked link stays blocked, and gets the new reason, if there is one.
   *
   * @throws ShortUrlError `malformed_parameter` or `unknown_parameter`
   */
  async block(account: Account, shortUrl: string, block?: Block): Promise<Link> {
    const reason = readBlock(block);
    return this.#change('block', account, shortUrl, (record) => ({
      ...record,
      isBlocked: true,
      ...(reason !== undefined && {blockReason: reason}),
    }));
  }

  /** Unblocks a link and restores the state that its account gave it. Any other link stays as it is. */
  async unblock(account: Account, shortUrl: string): Promise<Link> {
    return this.#change('unblock', account, shortUrl, unblocked);
  }

  async #change(
    kind: Kind,
    account: Account,
    shortUrl: string,
    change: (record: LinkRecord) => LinkRecord,
  ): Promise<Link> {
    const {value: found} = await findOwn(this.dependencies, account, shortUrl);
    return (await this.#apply(kind, found, change)).link;
  }

  async #apply(kind: Kind, found: LinkRecord, change: (record: LinkRecord) => LinkRecord): Promise<Changed> {
    const {store, announcer, now} = this.dependencies;
    // Read before the write, so that nothing can fail after it.
    const [visits] = await linkCounters.in(store).getMany([found], [visitsCounter]);
    const {
      before = found,
      after,
      isChanged,
    } = await writeLink(this.dependencies, found, (link) => {
      if (!isListed(link) || link.generation !== found.generation) throw unknown();
      const next = change(link);
      return isDeepStrictEqual(next, link) ? undefined : next;
    });
    if (after === undefined) throw unknown();
    const link = toLink(kind === 'remove' ? before : after, visits, this.dependencies, now());
    if (isChanged) announcer.announce(kind, {account: found.account, link, at: new Date(now())});
    return {before, link, isChanged};
  }
}

/** @throws ShortUrlError `link_blocked`, or `store_unavailable` for a link that this version does not understand */
function checkOpen(record: LinkRecord): void {
  if (record.isBlocked) throw blocked(record);
  if (closingOf(record) !== undefined) throw notUnderstood();
}

function unblocked(record: LinkRecord): LinkRecord {
  return record.isBlocked ? present({...record, isBlocked: undefined, blockReason: undefined}) : record;
}
