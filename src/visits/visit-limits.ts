import {planted} from '../planted.ts';
import {linkRecords} from '../link/records.ts';
import {unavailable} from '../errors.ts';
import {adoptCount} from '../links/new-limit.ts';
import {isSameLink, type LinkRecord, needsCount, statusOf} from '../link/record.ts';
import {Grouper} from '../store/batching/grouper.ts';
import type {Store} from '../store/port.ts';
import type {Reading} from '../store/records.ts';

/**
 * Grants visits of links with a limit. The link's record has the number of granted visits, so a grant is a
 * compare-and-set: no two processes grant the same visit, and a disabled or changed link grants none. Visitors who
 * arrive while the record is being written are granted together. It begins with the record as the process has seen it, or
 * written it last, so a grant is one write unless another process was faster.
 *
 * A new limit is completed in a second step. A record whose limit has no `used` grants and counts nothing, so the counter
 * does not change until `adoptCount` has copied it into the record.
 */
export class VisitLimits {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #grouper = new Grouper((visitors: readonly Visitor[]) => this.#grantTogether(visitors), {isSerial: true});

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Grants one visit of a link.
   *
   * @param seen the link as the visitor's process has seen it
   * @param reading where the process keeps the entry that it has read or written last
   * @returns false if the link has changed or its visits are used up, so that the caller reads it again
   * @throws ShortUrlError `store_unavailable`
   */
  async grant(seen: LinkRecord, reading?: Reading<LinkRecord>): Promise<boolean> {
    if (this.#store.isAway) throw unavailable('The store does not answer.');
    return this.#grouper.add({seen, reading}, linkRecords.key(seen));
  }

  /** Visitors who have seen another link than the first one are refused, and read the link again. */
  async #grantTogether(visitors: readonly Visitor[]): Promise<boolean[]> {
    const [first] = visitors;
    if (first === undefined) return [];
    const isFirst = visitors.map(({seen}) => isSame(seen, first.seen));
    let left = await this.#grantMany(first, isFirst.filter(Boolean).length);
    return isFirst.map((isVisitor) => isVisitor && left-- > 0);
  }

  async #grantMany({seen, reading}: Visitor, visitors: number): Promise<number> {
    for (let known = reading; ; known = undefined) {
      let granted = 0;
      const grant = (link: LinkRecord): LinkRecord | undefined => {
        granted = 0;
        if (!isSame(link, seen) || statusOf(link, this.#now()) !== 'active') return undefined;
        if (link.maxVisits === undefined || link.used === undefined) return undefined;
        granted = planted('limit-exceeded') ? visitors : Math.min(visitors, link.maxVisits - link.used);
        return {...link, used: link.used + granted, granted: (link.granted ?? 0) + granted};
      };
      const record = await linkRecords.in(this.#store).update(seen, grant, known);
      if (record === undefined || !needsCount(record)) return granted;
      await adoptCount(this.#store, record);
    }
  }
}

interface Visitor {
  readonly seen: LinkRecord;
  readonly reading: Reading<LinkRecord> | undefined;
}

/** Whether a visitor who saw one record may follow the other: the same link, unchanged but for its visits. */
function isSame(record: LinkRecord, seen: LinkRecord): boolean {
  return isSameLink(record, seen) && record.changes === seen.changes;
}
