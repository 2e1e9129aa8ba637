import {countersKey} from '../../records.ts';
import {
  conversionCounter,
  conversionCounts,
  type ConversionName,
  dayCounter,
  visitsCounter,
} from '../../link/counters.ts';
import type {ConversionValue, TagVisits} from './statistics.ts';
import type {LinkRecord} from '../../link/record.ts';
import type {Store} from '../../store/port.ts';
import {accountList} from '../list/link-index.ts';
import {readList} from '../list/list.ts';
import {TagCount} from '../list/tag-count.ts';
import {readConversionNames} from './conversion-names.ts';
import {type Span, toStats, valuesOf} from './visit-stats.ts';

export const maxLinks = 10_000;

export const maxMost = 20;

/** The maximum number of counters that are read of a link by name. Beyond it, all of them are read. */
const maxNames = 100;

interface Compared {
  readonly record: LinkRecord;
  readonly visits: number;
  readonly conversions: number;
  readonly values: readonly ConversionValue[];
}

export interface Comparison {
  readonly links: number;
  readonly isComplete: boolean;
  readonly most: readonly Compared[];
  readonly tags: readonly TagVisits[];
}

export interface ComparisonDependencies {
  readonly store: Store;
  /** The number of the day. */
  readonly today: number;
  /** By default 10,000. */
  readonly limit?: number;
}

/** Reads the newest links of an account, in bounded memory apart from the tags. */
export async function compareLinks(
  {store, today, limit = maxLinks}: ComparisonDependencies,
  generation: string,
  span: Span | undefined,
): Promise<Comparison> {
  const names = namesOf(await readConversionNames(store, generation), span, today);
  const tags = new TagCount();
  let most: readonly Compared[] = [];
  let links = 0;
  const compare = async (records: readonly LinkRecord[]): Promise<Compared[]> => {
    const counters = await store.getCounters(records.map(countersKey), names);
    return records.map((record, index) => {
      const {stats} = toStats(counters[index] ?? {counts: new Map(), at: undefined}, today, span);
      const conversions = stats.conversions.reduce((sum, each) => sum + each.conversions, 0);
      return {record, visits: stats.totalVisits, conversions, values: valuesOf(stats.conversions)};
    });
  };
  for await (const {items} of readList(store, accountList(generation), compare, {order: 'newest'})) {
    const some = items.slice(0, limit - links);
    for (const each of some) tags.add(each.record.tags ?? [], each);
    links += some.length;
    most = [...most, ...some.filter(({visits, conversions}) => visits + conversions > 0)]
      .sort(byVisits)
      .slice(0, maxMost);
    if (some.length < items.length) return {links, isComplete: false, most, tags: tags.byVisits()};
  }
  return {links, isComplete: true, most, tags: tags.byVisits()};
}

/** The names of the counters of a span; undefined for all of a link. */
function namesOf(conversions: readonly ConversionName[], span: Span | undefined, today: number): string[] | undefined {
  const of = (day?: number): string[] => [
    day === undefined ? visitsCounter : dayCounter(day),
    ...conversions.flatMap((name) => conversionCounts.map((kind) => conversionCounter(kind, name, day))),
  ];
  if (span === undefined) return of();
  const last = Math.min(span.until, today);
  const days = last - span.from + 1;
  if (days * (conversions.length * conversionCounts.length + 1) > maxNames) return undefined;
  return Array.from({length: Math.max(0, days)}, (_, index) => of(span.from + index)).flat();
}

/** The most first; of equal ones the newest. */
function byVisits(one: Compared, other: Compared): number {
  return other.visits - one.visits || other.record.id - one.record.id;
}
