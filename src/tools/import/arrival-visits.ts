import type {Entry, Store} from '../../store/port.ts';
import {countersKey, linkKey, type LinkRecord, totalsKey, visitsCounter} from '../../links/record.ts';
import {accountRemoved} from '../../links/refusals.ts';

/** The most additions in a batch. */
const maxAdditions = 200;

/** A pending link of a run, and its place among the results. */
interface Arrived {
  readonly key: string;
  readonly place: number;
}

/** Counts the visits of pending links, and gives the links their final state. */
export class ArrivalVisits {
  readonly #store: Store;
  readonly #run: string;
  readonly #shard: number;
  #batches = 0;

  /**
   * @param run names the import
   * @param shard the number of the key for the account's totals
   */
  constructor(store: Store, run: string, shard: number) {
    this.#store = store;
    this.#run = run;
    this.#shard = shard;
  }

  /**
   * Counts the visits of a link only if its record is the one that this run has written or claimed. So exactly one of
   * several runs counts them, even if some are killed.
   *
   * @param results gets an error in the place of a link whose account was removed meanwhile
   */
  async countAndConfirm(group: readonly Arrived[], results: unknown[]): Promise<void> {
    const store = this.#store;
    if (group.length === 0) return;
    const entries = await store.getMany<LinkRecord>(group.map(({key}) => key));
    const ours = group.flatMap((pending, index) => {
      const entry = entries[index];
      return entry?.value.arrival?.run === this.#run ? [{pending, entry}] : [];
    });
    // If the record is no longer ours, another run has claimed it and counts.
    const counters = await store.getCounters(
      ours.map(({entry}) => countersKey(entry.value)),
      [visitsCounter],
    );
    // An interrupted run may have counted them, or fewer from an earlier export.
    const uncounted = ours.map(({entry}, index) => ({
      entry,
      visits: (entry.value.arrival?.visits ?? 0) - (counters[index]?.counts.get(visitsCounter) ?? 0),
    }));
    await this.#count(uncounted.filter(({visits}) => visits > 0));
    await Promise.all(ours.map(({pending, entry}) => this.#confirm(pending, entry, results)));
    for (const [index, {place}] of group.entries()) if (isGone(entries[index])) results[place] = accountRemoved();
  }

  async #count(uncounted: ReadonlyArray<{entry: Entry<LinkRecord>; visits: number}>): Promise<void> {
    const store = this.#store;
    for (let start = 0; start < uncounted.length; start += maxAdditions) {
      this.#batches += 1;
      const additions = uncounted.slice(start, start + maxAdditions).map(({entry: {value, revision}, visits}) => {
        const add = {[visitsCounter]: visits};
        return {
          link: {key: linkKey(value), revision},
          counters: [
            {key: countersKey(value), add},
            {key: totalsKey(value.owner, this.#shard), add},
          ],
          at: value.arrival?.lastVisit ?? 0,
        };
      });
      await store.count({writer: this.#run, number: this.#batches, additions});
    }
  }

  async #confirm({key, place}: Arrived, {value, revision}: Entry<LinkRecord>, results: unknown[]): Promise<void> {
    const {arrival, ...record} = value;
    const store = this.#store;
    if (arrival === undefined) return;
    if (await store.replace(key, revision, {...record, state: arrival.state})) return;
    // Another run may have claimed the link.
    if (isGone(await store.get<LinkRecord>(key))) results[place] = accountRemoved();
  }
}

/** Whether a pending link is gone because its account was removed. */
function isGone(entry: Entry<LinkRecord> | undefined): boolean {
  return entry === undefined || entry.value.state === 'removed';
}
