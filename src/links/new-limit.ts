import {linkCounters, linkRecords} from '../link/records.ts';
import {grantedCounter, visitsCounter} from '../link/counters.ts';
import {type LinkRecord, needsCount} from '../link/record.ts';
import type {Store} from '../store/port.ts';

/**
 * A record with a new limit, with the visits so far. They include the visits that an earlier limit has granted and that
 * are not counted yet. The counters of a link do not change until they are in its stored record.
 */
export async function withCount(store: Store, record: LinkRecord): Promise<LinkRecord> {
  const [counters] = await linkCounters.in(store).getMany([record], [visitsCounter, grantedCounter]);
  const count = (name: string): number => counters?.counts.get(name) ?? 0;
  const uncounted = (record.granted ?? 0) - count(grantedCounter);
  return {...record, used: count(visitsCounter) + Math.max(uncounted, 0)};
}

/** Stores the visits so far in a record with a new limit, and returns it. */
export async function adoptCount(store: Store, record: LinkRecord): Promise<LinkRecord> {
  const links = linkRecords.in(store);
  for (;;) {
    const entry = await links.get(record);
    if (entry === undefined || !needsCount(entry.value)) return entry?.value ?? record;
    const adopted = await withCount(store, entry.value);
    if (await links.replace(record, entry.revision, adopted)) return adopted;
  }
}
