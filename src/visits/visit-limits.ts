import {unavailable} from '../host/errors.ts';
import type {Store} from '../store/port.ts';
import {update} from '../store/update.ts';
import {countersKey, linkKey, type LinkRecord, statusOf, targetOf, visitsCounter} from '../links/record.ts';

/** Visitors of one link who have the same record and wait for their grants. */
interface Group {
  readonly seen: LinkRecord;
  visitors: number;
  readonly granted: Promise<number>;
}

/**
 * Grants visits of links with a limit. The link's record has the number of granted visits, so a grant is a
 * compare-and-set: no two processes grant the same visit, and a disabled or changed link grants none. Visitors who
 * arrive while the record is being written are granted together.
 *
 * A new limit is completed in a second step. A record whose limit has no `used` grants and counts nothing, so the counter
 * does not change until `settle` has copied it into the record.
 */
export class VisitLimits {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #open = new Map<string, Group>();
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Grants one visit of a link.
   *
   * @returns false if the link has changed or its visits are used up, so that the caller reads it again
   * @throws ShortUrlError `store_unavailable`
   */
  async grant(seen: LinkRecord): Promise<boolean> {
    if (this.#store.isAway) {
      throw unavailable('The store does not answer.');
    }
    const key = linkKey(seen);
    let group = this.#open.get(key);
    if (group === undefined || !isSame(group.seen, seen)) group = this.#begin(key, seen);
    group.visitors += 1;
    const place = group.visitors;
    return place <= (await group.granted);
  }

  #begin(key: string, seen: LinkRecord): Group {
    const turn = Promise.resolve(this.#underWay.get(key)).catch(() => undefined);
    const granted = turn.then(() => {
      if (this.#open.get(key) === group) this.#open.delete(key);
      return this.#take(key, group);
    });
    const group: Group = {seen, visitors: 0, granted};
    this.#open.set(key, group);
    const end = granted.finally(() => {
      if (this.#underWay.get(key) === end) this.#underWay.delete(key);
    });
    end.catch(() => undefined);
    this.#underWay.set(key, end);
    return group;
  }

  async #take(key: string, {seen, visitors}: Group): Promise<number> {
    for (;;) {
      let granted = 0;
      const record = await update<LinkRecord>(this.#store, key, (link) => {
        granted = 0;
        if (!isSame(link, seen) || statusOf(link, this.#now()) !== 'active') return undefined;
        if (link.maxVisits === undefined || link.used === undefined) return undefined;
        granted = Math.min(visitors, link.maxVisits - link.used);
        return {...link, used: link.used + granted};
      });
      if (record === undefined || !isUnsettled(record)) return granted;
      await settle(this.#store, record);
    }
  }
}

/**
 * Copies the visits so far into a record with a new limit.
 *
 * @returns the new record
 */
export async function settle(store: Store, record: LinkRecord): Promise<LinkRecord> {
  for (;;) {
    const entry = await store.get<LinkRecord>(linkKey(record));
    if (entry === undefined || !isUnsettled(entry.value)) return entry?.value ?? record;
    const [counters] = await store.getCounters([countersKey(entry.value)], [visitsCounter]);
    const settled = {...entry.value, used: counters?.counts.get(visitsCounter) ?? 0};
    if (await store.replace(linkKey(record), entry.revision, settled)) return settled;
  }
}

/** Whether the record has a new limit without the visits so far. */
export function isUnsettled({maxVisits, used, state}: LinkRecord): boolean {
  return maxVisits !== undefined && used === undefined && state !== 'removed';
}

/** Whether a visitor who saw one record may follow the other: the same link, destination and password. */
function isSame(record: LinkRecord, seen: LinkRecord): boolean {
  return record.counters === seen.counters && record.password === seen.password && targetOf(record) === targetOf(seen);
}
