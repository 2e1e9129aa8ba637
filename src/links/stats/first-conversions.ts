import {countersKey} from '../../keys.ts';
import {conversionCounter} from '../../link/counters.ts';
import type {LinkRecord} from '../../link/record.ts';
import type {Store} from '../../store/port.ts';
import {readConversionNames} from './conversion-names.ts';

/**
 * How many conversions of the first name each link has had: the name that the site recorded first, or else the first of
 * the account's API calls. A sum over all names would add up steps of one sale, such as registration and order.
 */
export async function countFirstConversions(store: Store, records: readonly LinkRecord[]): Promise<number[]> {
  const generations = Array.from(new Set(records.map(({generation}) => generation)));
  const counters = new Map<string, string>();
  await Promise.all(
    generations.map(async (generation) => {
      const [name] = await readConversionNames(store, generation);
      if (name !== undefined) counters.set(generation, conversionCounter('count', name));
    }),
  );
  if (counters.size === 0) return records.map(() => 0);
  const found = await store.getCounters(records.map(countersKey), Array.from(new Set(counters.values())));
  return records.map(({generation}, index) => found[index]?.counts.get(counters.get(generation) ?? '') ?? 0);
}
