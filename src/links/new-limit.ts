import {countersKey, linkKey} from '../records.ts';
import {grantedCounter, visitsCounter} from '../link/counters.ts';
import {type LinkRecord, needsCount} from '../link/record.ts';
import type {Store} from '../store/port.ts';

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
