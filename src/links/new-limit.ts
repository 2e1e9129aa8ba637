import {countersKey, linkKey} from '../records.ts';
import {grantedCounter, visitsCounter} from '../link/counters.ts';
import {type LinkRecord, needsCount} from '../link/record.ts';
import type {Store} from '../store/port.ts';

/**
 * A record with a new limit, with the visits so far. They include the visits that an earlier limit has granted and that
 * are not counted yet. The counters of a link do not change until they are in its stored record.
 */
export async function withCount(store: Store, record: LinkRecord): Promise<LinkRecord> {
  const [counters] = await store.getCounters([countersKey(record)], [visitsCounter, grantedCounter]);
  const count = (name: string): number => counters?.counts.get(name) ?? 0;
  const uncounted = (record.granted ?? 0) - count(grantedCounter);
  return {...record, used: count(visitsCounter) + Math.max(uncounted, 0)};
}

/**
 * Stores the visits so far in a record with a new limit.
 *
 * @returns the new record
 */
export async function adoptCount(store: Store, record: LinkRecord): Promise<LinkRecord> {
  for (;;) {
    const entry = await store.get<LinkRecord>(linkKey(record));
    if (entry === undefined || !needsCount(entry.value)) return entry?.value ?? record;
    const adopted = await withCount(store, entry.value);
    if (await store.replace(linkKey(record), entry.revision, adopted)) return adopted;
  }
}
