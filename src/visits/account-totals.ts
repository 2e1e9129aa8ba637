import type {Counters, Store} from '../store/port.ts';
import type {AccountStats} from '../links/link.ts';
import {positionsKey, totalsKey, totalsKeys} from '../links/record.ts';
import type {VisitLog} from './visit-log.ts';
import {removeOld, toStats} from './visit-stats.ts';

/** Counts the slots of an account's index without a link. */
const emptyCounter = 'empty';

/**
 * Totals over all links of an account, without reading the links. A visit is added to them in the same step as to its
 * link, and stays when the link is removed. They are spread over several keys, so that processes that count visits of
 * one account rarely wait for each other.
 */
export class AccountTotals {
  readonly #store: Store;
  readonly #log: VisitLog;
  readonly #now: () => number;

  constructor(store: Store, log: VisitLog, now: () => number) {
    this.#store = store;
    this.#log = log;
    this.#now = now;
  }

  /**
   * Counts a slot without a link, because the link was removed or not created. During an outage the count
   * is kept like a visit.
   *
   * @param generation of the account
   */
  async releaseSlot(generation: string): Promise<void> {
    // This is not a visit, so the time of the last visit stays.
    await this.#log.add({
      keys: [totalsKey(generation, this.#log.shard)],
      adds: [{[emptyCounter]: 1}],
      at: 0,
      isRelease: true,
    });
  }

  async stats(generation: string): Promise<AccountStats> {
    const keys = totalsKeys(generation);
    const [last, shards] = await Promise.all([
      this.#store.current(positionsKey(generation)),
      this.#store.getCounters(keys),
    ]);
    const totals = sum(shards);
    const {stats, old} = toStats(totals, this.#now());
    await Promise.all(
      keys.map((key, shard) =>
        removeOld(
          this.#store,
          key,
          old.filter((name) => shards[shard]?.counts.has(name)),
        ),
      ),
    );
    return {links: Math.max(last - (totals.counts.get(emptyCounter) ?? 0), 0), ...stats};
  }
}

function sum(parts: readonly Counters[]): Counters {
  const counts = new Map<string, number>();
  for (const part of parts) for (const [name, n] of part.counts) counts.set(name, (counts.get(name) ?? 0) + n);
  const times = parts.flatMap(({at}) => (at === undefined || at === 0 ? [] : [at]));
  return {counts, at: times.length > 0 ? Math.max(...times) : undefined};
}
