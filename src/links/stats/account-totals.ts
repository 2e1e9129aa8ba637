import {totalsKeys} from '../../keys.ts';
import type {Counters, Store} from '../../store/port.ts';
import type {AccountStats, StatsQuery} from '../../link/link.ts';
import {accountList} from '../list/link-index.ts';
import {countLinks} from '../list/list.ts';
import {readSpan, removeOld, toStats} from './visit-stats.ts';

/**
 * Totals over all links of an account, without reading the links. A visit is added to them in the same step as to its
 * link, and stays when the link is removed. They are spread over several keys, so that processes that count visits of
 * one account rarely wait for each other.
 */
export class AccountTotals {
  readonly #store: Store;
  readonly #today: () => number;

  /** @param today the number of the day */
  constructor(store: Store, today: () => number) {
    this.#store = store;
    this.#today = today;
  }

  async stats(generation: string, query?: StatsQuery): Promise<AccountStats> {
    const span = readSpan(query);
    const keys = totalsKeys(generation);
    const [links, shards] = await Promise.all([
      countLinks(this.#store, accountList(generation)),
      this.#store.getCounters(keys),
    ]);
    const totals = sum(shards);
    const {stats, old} = toStats(totals, this.#today(), span);
    await Promise.all(
      keys.map((key, shard) =>
        removeOld(
          this.#store,
          key,
          old.filter((name) => shards[shard]?.counts.has(name)),
        ),
      ),
    );
    return {links, ...stats};
  }
}

function sum(parts: readonly Counters[]): Counters {
  const counts = new Map<string, number>();
  for (const part of parts) for (const [name, n] of part.counts) counts.set(name, (counts.get(name) ?? 0) + n);
  const times = parts.flatMap(({at}) => (at === undefined || at === 0 ? [] : [at]));
  return {counts, at: times.length > 0 ? Math.max(...times) : undefined};
}
