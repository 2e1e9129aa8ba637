import {
  conversionCounter,
  conversionCounts,
  type ConversionName,
  dayCounter,
  visitsCounter,
} from '../../link/counters.ts';
import type {Link} from '../../link/link.ts';
import type {LinkRecord} from '../../link/record.ts';
import {linkCounters} from '../../link/records.ts';
import {toLink} from '../../link/to-link.ts';
import type {Counters} from '../../store/port.ts';
import type {ListedLink, OwnedLink} from './listed-links.ts';
import type {LinkServices} from '../services.ts';
import {conversionsIn, recentDays, visitsOn} from '../stats/visit-stats.ts';

export type ShowingServices = Pick<LinkServices, 'store' | 'bases' | 'fieldDefaults' | 'sitePages' | 'now'>;

export async function showLinks(services: ShowingServices, records: readonly LinkRecord[]): Promise<Link[]> {
  const counters = await linkCounters.in(services.store).getMany(records, [visitsCounter]);
  return records.map((record, index) => showLink(services, record, counters[index]));
}

export async function showOwned(services: ShowingServices, records: readonly LinkRecord[]): Promise<OwnedLink[]> {
  const links = await showLinks(services, records);
  return links.map((link, index) => ({account: records[index]?.account ?? '', link}));
}

export function showLink(
  services: Omit<ShowingServices, 'store'>,
  record: LinkRecord,
  counters: Counters | undefined,
  at = services.now(),
): Link {
  const link = toLink(record, counters, services, at);
  return services.sitePages.isHidden(record) ? {...link, isHidden: true} : link;
}

/** Links of one account, with their conversions and the visits of the last days. */
export async function showListed(
  services: ShowingServices & Pick<LinkServices, 'calendar'>,
  records: readonly LinkRecord[],
  names: readonly ConversionName[],
  days = 0,
): Promise<ListedLink[]> {
  const {store, calendar, now} = services;
  const at = now();
  const counted = recentDays(calendar.dayOf(at), days);
  const counters = await linkCounters
    .in(store)
    .getMany(records, [
      visitsCounter,
      ...counted.map(dayCounter),
      ...names.flatMap((name) => conversionCounts.map((kind) => conversionCounter(kind, name))),
    ]);
  return records.map((record, index) => ({
    ...showLink(services, record, counters[index], at),
    ...(days > 0 && {days: visitsOn(counted, counters[index])}),
    conversions: conversionsIn(counters[index]),
  }));
}
