import {countersKey} from '../../keys.ts';
import {conversionCounter} from '../../link/counters.ts';
import type {LinkRecord} from '../../link/record.ts';
import type {Store} from '../../store/port.ts';
import {readConversionNames} from './conversion-names.ts';

/**
 * How many conversions each of the links has had, of all names. The links may be of several accounts, each of which has
 * names of its own besides those of the site.
 */
export async function sumConversions(store: Store, records: readonly LinkRecord[]): Promise<number[]> {
  const generations = Array.from(new Set(records.map(({generation}) => generation)));
  const lists = await Promise.all(generations.map((generation) => readConversionNames(store, generation)));
  // Most accounts have only the names of the site, so their links are read at once.
  const groups = new Map<string, {readonly names: readonly string[]; readonly records: LinkRecord[]}>();
  for (const record of records) {
    const names = lists[generations.indexOf(record.generation)] ?? [];
    const group = groups.get(names.join()) ?? {names, records: []};
    groups.set(names.join(), group);
    group.records.push(record);
  }
  const sums = new Map<LinkRecord, number>();
  const read = async ({names, records: some}: {names: readonly string[]; records: readonly LinkRecord[]}) => {
    if (names.length === 0) return;
    const counters = await store.getCounters(
      some.map(countersKey),
      names.map((name) => conversionCounter('count', name)),
    );
    for (const [index, record] of some.entries()) {
      let sum = 0;
      for (const n of counters[index]?.counts.values() ?? []) sum += n;
      sums.set(record, sum);
    }
  };
  await Promise.all(Array.from(groups.values(), read));
  return records.map((record) => sums.get(record) ?? 0);
}
