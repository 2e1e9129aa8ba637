import {totalsKeys} from '../../records.ts';
import type {Counters, Store} from '../../store/port.ts';
import type {AccountStats} from '../account-info.ts';
import type {StatsQuery} from './statistics.ts';
import {accountList} from '../list/link-index.ts';
import {countLinks} from '../list/list.ts';
import {readSpan, removeOld, toStats} from './visit-stats.ts';

/**
 * Totals over all links of an account, without reading the links. A visit is added to them in the same step as to its
 * link, and stays when the link is removed. They are spread over several keys, so that processes that count visits of
 * one account rarely wait for each other.
 *
 * @param today the number of the day
 */
export async function readTotals(
  store: Store,
  generation: string,
  today: number,
  query?: StatsQuery,
): Promise<AccountStats> {
  const span = readSpan(query);
  const keys = totalsKeys(generation);
  const [links, shards] = await Promise.all([countLinks(store, accountList(generation)), store.getCounters(keys)]);
  const {stats, old} = toStats(sum(shards), today, span);
  await Promise.all(
    keys.map((key, shard) => {
      const {counts} = shards[shard] ?? {};
      return removeOld(
        store,
        key,
        old.filter((name) => counts?.has(name)),
      );
    }),
  );
  return {links, ...stats};
}

function sum(parts: readonly Counters[]): Counters {
  const counts = new Map<string, number>();
  for (const part of parts) for (const [name, n] of part.counts) counts.set(name, (counts.get(name) ?? 0) + n);
  const times = parts.flatMap(({at}) => (at === undefined || at === 0 ? [] : [at]));
  return {counts, at: times.length > 0 ? Math.max(...times) : undefined};
}
