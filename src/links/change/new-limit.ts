import type {Store} from '../../store/port.ts';
import {countersKey, linkKey, type LinkRecord, visitsCounter} from '../record.ts';

/** Counts the visits that a limit has granted, each in the same step as the visit. */
export const grantedCounter = 'g';

/**
 * Copies the visits so far into a record with a new limit. They include the visits that an earlier limit has granted and
 * that are not counted yet.
 *
 * @returns the new record
 */
export async function adoptCount(store: Store, record: LinkRecord): Promise<LinkRecord> {
  for (;;) {
    const entry = await store.get<LinkRecord>(linkKey(record));
    if (entry === undefined || !needsCount(entry.value)) return entry?.value ?? record;
    const [counters] = await store.getCounters([countersKey(entry.value)], [visitsCounter, grantedCounter]);
    const count = (name: string): number => counters?.counts.get(name) ?? 0;
    const uncounted = (entry.value.granted ?? 0) - count(grantedCounter);
    const adopted = {...entry.value, used: count(visitsCounter) + Math.max(uncounted, 0)};
    if (await store.replace(linkKey(record), entry.revision, adopted)) return adopted;
  }
}

/** Whether the record has a new limit without the visits so far. */
export function needsCount({maxVisits, used, state}: LinkRecord): boolean {
  return maxVisits !== undefined && used === undefined && state !== 'removed';
}
