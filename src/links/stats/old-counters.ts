import {createHash} from 'node:crypto';
import {withoutMonth} from '../../link/counters.ts';
import {isUnavailable} from '../../errors.ts';
import type {Counters, Store} from '../../store/port.ts';
import {clearMarks, countOnce} from '../once.ts';

export interface OldCounters {
  readonly ofDays: readonly string[];
  /** The names of those of details, by month. */
  readonly ofMonths: ReadonlyMap<number, readonly string[]>;
}

/**
 * Removes the old counters of a key. Those of details are added to the sums without a month, once, so the totals stay. If
 * the store refuses that, for example because its disk is full, they stay until they are read again. What is added to a
 * counter between its reading and its removal is lost. Only a process whose clock is a year behind adds to one.
 */
export async function removeOld(
  store: Store,
  key: string,
  {counts}: Counters,
  {ofDays, ofMonths}: OldCounters,
): Promise<void> {
  const own = (names: readonly string[]): string[] => names.filter((name) => counts.has(name));
  try {
    await store.removeCounters(key, own(ofDays));
    for (const [month, names] of ofMonths) {
      const present = own(names);
      if (present.length === 0) continue;
      const digest = createHash('sha256').update(`${month} ${key}`).digest('base64url').slice(0, 22);
      const once = {id: `month-${digest}`, keys: [key]};
      const add = Object.fromEntries(present.map((name) => [withoutMonth(name), counts.get(name) ?? 0]));
      await countOnce(store, {...once, add: () => add}, false);
      await store.removeCounters(key, present);
      await clearMarks(store, once);
    }
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
}
