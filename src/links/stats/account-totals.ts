import {countersKey, totalsKeys} from '../../records.ts';
import type {Counters, Store} from '../../store/port.ts';
import type {LinkRecord} from '../../link/record.ts';
import type {AccountStats} from '../account-info.ts';
import type {VisitStats} from './statistics.ts';
import {accountList} from '../list/link-index.ts';
import {countLinks} from '../list/list.ts';
import {removeOld} from './old-counters.ts';
import {type Span, toStats} from './visit-stats.ts';

/**
 * Totals over all links of an account, without reading the links. A visit is added to them in the same step as to its
 * link, and stays when the link is removed. They are spread over several keys, so that processes that count visits of
 * one account rarely wait for each other.
 *
 * @param today the number of the day
 */
export async function readTotals(store: Store, generation: string, today: number, span?: Span): Promise<AccountStats> {
  const keys = totalsKeys(generation);
  const [links, shards] = await Promise.all([countLinks(store, accountList(generation)), store.getCounters(keys)]);
  const {stats, old} = toStats(sum(shards), today, span);
  await Promise.all(shards.map((counters, shard) => removeOld(store, keys[shard] ?? '', counters, old)));
  return {links, ...stats};
}

/** Of how many links all counters are read at once. A link may have some thousand. */
export const countedAtOnce = 25;

/** The visits of some links, added up. */
export async function addUp(
  store: Store,
  records: readonly LinkRecord[],
  today: number,
  span: Span | undefined,
): Promise<VisitStats> {
  let total: Counters = {counts: new Map(), at: undefined};
  for (let start = 0; start < records.length; start += countedAtOnce) {
    const some = records.slice(start, start + countedAtOnce);
    total = sum([total, ...(await store.getCounters(some.map(countersKey)))]);
  }
  return toStats(total, today, span).stats;
}

function sum(parts: readonly Counters[]): Counters {
  const counts = new Map<string, number>();
  for (const part of parts) for (const [name, n] of part.counts) counts.set(name, (counts.get(name) ?? 0) + n);
  const times = parts.flatMap(({at}) => (at === undefined || at === 0 ? [] : [at]));
  return {counts, at: times.length > 0 ? Math.max(...times) : undefined};
}
