import {linkCounters} from '../../link/records.ts';
import {type Counters, noCounters, type Store} from '../../store/port.ts';
import type {LinkRecord} from '../../link/record.ts';
import type {AccountStats} from '../account-info.ts';
import {accountList} from '../read/link-index.ts';
import {countLinks} from '../read/list.ts';
import {removeOld} from './old-counters.ts';
import {countersFor} from './counter-names.ts';
import {totalsKeys} from './totals.ts';
import {type AskedStats, toStats} from './visit-stats.ts';

/**
 * Totals over all links of an account, without reading the links. A visit is added to them in the same step as to its
 * link, and stays when the link is removed. They are spread over several keys, so that processes that count visits of
 * one account rarely wait for each other.
 *
 * @param today the number of the day
 * @returns those that were asked for, which are read at once
 */
export async function readTotals(
  store: Store,
  generation: string,
  today: number,
  asked: readonly AskedStats[],
): Promise<AccountStats[]> {
  const keys = totalsKeys(generation);
  const readShards = async (): Promise<readonly Counters[]> =>
    store.getCounters(keys, await countersFor(store, generation, today, asked));
  const [{links, broken}, shards] = await Promise.all([countLinks(store, accountList(generation)), readShards()]);
  const counters = sum(shards);
  const read = asked.map((each) => toStats(counters, today, each));
  const old = read.find((_, index) => asked[index]?.include.includes('details'))?.old;
  if (old) await Promise.all(shards.map((shard, index) => removeOld(store, keys[index] ?? '', shard, old)));
  return read.map(({stats}) => ({links, brokenLinks: broken, ...stats}));
}

/** Of how many links all counters are read at once. A link may have some thousand. */
export const countedAtOnce = 25;

/** @param names the counters to read; undefined for all of them */
export async function addUp(
  store: Store,
  records: readonly LinkRecord[],
  names: readonly string[] | undefined,
): Promise<Counters> {
  let total = noCounters;
  for (let start = 0; start < records.length; start += countedAtOnce) {
    const some = records.slice(start, start + countedAtOnce);
    total = sum([total, ...(await linkCounters.in(store).getMany(some, names))]);
  }
  return total;
}

function sum(parts: readonly Counters[]): Counters {
  const counts = new Map<string, number>();
  for (const part of parts) for (const [name, n] of part.counts) counts.set(name, (counts.get(name) ?? 0) + n);
  const times = parts.flatMap(({at}) => (at === undefined || at === 0 ? [] : [at]));
  return {counts, at: times.length > 0 ? Math.max(...times) : undefined};
}
