import {ShortUrlError} from '../errors.ts';
import type {Store} from '../store/port.ts';
import {update} from '../store/update.ts';
import {countersKey, linkKey, type LinkRecord, statusOf, targetOf, visitsCounter} from './record.ts';

/** Visitors of one link who were sent to it by the same record, and wait for their grants. */
interface Group {
  readonly seen: LinkRecord;
  visitors: number;
  readonly granted: Promise<number>;
}

/**
 * Grants visits of links with a limit. The visits that were granted stand in the link's record, so granting one is a
 * compare-and-set: of any number of processes no two grant the same visit, and a link that was disabled or changed
 * grants none. Visitors who come while the record is being written are granted together.
 *
 * A limit that is set on a link without one is completed in a second step: a record whose limit has no `used` grants
 * nothing and counts no visit, so its counter stands still until `settle` has put the sum into the record.
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
   * Grants one visit of the link as it was seen.
   *
   * @returns false if the link has changed or its visits are used up: look again
   * @throws ShortUrlError `store_unavailable`
   */
  async grant(seen: LinkRecord): Promise<boolean> {
    if (this.#store.isAway) {
      throw new ShortUrlError('store_unavailable', 'The store does not answer.', {retryAfter: 1});
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
 * Puts the visits that were counted so far into a record whose limit was just set.
 *
 * @returns the record as it is afterwards
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

/** Whether the record has a limit, and it is not yet known how many visits there were before. */
export function isUnsettled({maxVisits, used, state}: LinkRecord): boolean {
  return maxVisits !== undefined && used === undefined && state !== 'removed';
}

/** Whether a visitor who saw one record may follow the other: the same link, destination and password. */
function isSame(record: LinkRecord, seen: LinkRecord): boolean {
  return record.counters === seen.counters && record.password === seen.password && targetOf(record) === targetOf(seen);
}
