import {planted} from '../planted.ts';
import {linkRecords} from '../link/records.ts';
import {unavailable} from '../errors.ts';
import {adoptCount} from '../links/new-limit.ts';
import {isSameLink, type LinkRecord, statusOf, needsCount} from '../link/record.ts';
import {Grouper} from '../store/batching/grouper.ts';
import type {Store} from '../store/port.ts';

/**
 * Grants visits of links with a limit. The link's record has the number of granted visits, so a grant is a
 * compare-and-set: no two processes grant the same visit, and a disabled or changed link grants none. Visitors who
 * arrive while the record is being written are granted together.
 *
 * A new limit is completed in a second step. A record whose limit has no `used` grants and counts nothing, so the counter
 * does not change until `adoptCount` has copied it into the record.
 */
export class VisitLimits {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #grouper = new Grouper((visitors: readonly LinkRecord[]) => this.#grantTogether(visitors), {isSerial: true});

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Grants one visit of a link.
   *
   * @param seen the link as the visitor's process has seen it
   * @returns false if the link has changed or its visits are used up, so that the caller reads it again
   * @throws ShortUrlError `store_unavailable`
   */
  async grant(seen: LinkRecord): Promise<boolean> {
    if (this.#store.isAway) throw unavailable('The store does not answer.');
    return this.#grouper.add(seen, linkRecords.key(seen));
  }

  /** Visitors who have seen another link than the first one are refused, and read the link again. */
  async #grantTogether(visitors: readonly LinkRecord[]): Promise<boolean[]> {
    const [seen] = visitors;
    if (seen === undefined) return [];
    const isFirst = visitors.map((visitor) => isSame(visitor, seen));
    let left = await this.#grantMany(seen, isFirst.filter(Boolean).length);
    return isFirst.map((isVisitor) => isVisitor && left-- > 0);
  }

  async #grantMany(seen: LinkRecord, visitors: number): Promise<number> {
    for (;;) {
      let granted = 0;
      const record = await linkRecords.in(this.#store).update(seen, (link) => {
        granted = 0;
        if (!isSame(link, seen) || statusOf(link, this.#now()) !== 'active') return undefined;
        if (link.maxVisits === undefined || link.used === undefined) return undefined;
        granted = planted('limit-exceeded') ? visitors : Math.min(visitors, link.maxVisits - link.used);
        return {...link, used: link.used + granted, granted: (link.granted ?? 0) + granted};
      });
      if (record === undefined || !needsCount(record)) return granted;
      await adoptCount(this.#store, record);
    }
  }
}

/** Whether a visitor who saw one record may follow the other: the same link, unchanged but for its visits. */
function isSame(record: LinkRecord, seen: LinkRecord): boolean {
  return isSameLink(record, seen) && record.changes === seen.changes;
}
