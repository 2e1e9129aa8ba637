import type {Store} from '../../store/port.ts';
import type {AccountTotals} from '../../visits/account-totals.ts';
import {readList} from './list.ts';

/**
 * Corrects the number of links of an account. A killed run may have taken places in the list without creating their
 * links. A create in progress looks the same, so the list is read twice.
 *
 * @param pause the pause between the reads, longer than a create takes
 * @returns how many places were corrected
 */
export async function recount(
  store: Store,
  totals: Pick<AccountTotals, 'leavePlace' | 'stats'>,
  owner: string,
  pause: () => Promise<unknown>,
): Promise<number> {
  const first = await excess(store, totals, owner);
  if (first <= 0) return 0;
  await pause();
  const missing = Math.max(0, Math.min(first, await excess(store, totals, owner)));
  await Promise.all(Array.from({length: missing}, () => totals.leavePlace(owner)));
  return missing;
}

/** By how much the number of links is too high. */
async function excess(store: Store, totals: Pick<AccountTotals, 'stats'>, owner: string): Promise<number> {
  const {links} = await totals.stats(owner);
  // A pending link has its place too: another process may complete its creation or its import.
  const places = readList(store, owner, (records) => [records.length], {belongs: () => true});
  let found = 0;
  for await (const {items} of places) found += items[0] ?? 0;
  return links - found;
}
