import type {Account} from '../../accounts/accounts.ts';
import type {Link} from '../../link/link.ts';
import {linkCounters} from '../../link/records.ts';
import {toLink} from '../../link/to-link.ts';
import {inTurn} from '../long-reads.ts';
import type {LinkServices} from '../services.ts';
import {countersFor} from '../stats/counter-names.ts';
import {removeOld} from '../stats/old-counters.ts';
import type {LinkStats, StatsQuery} from '../stats/statistics.ts';
import {toVariants} from '../stats/variants.ts';
import {readAskedStats, toStats} from '../stats/visit-stats.ts';
import {findWithVisits} from './info.ts';

type StatsServices = Pick<LinkServices, 'store' | 'bases' | 'fieldDefaults' | 'calendar' | 'longReads' | 'now'>;

export async function linkAndStats(
  services: StatsServices,
  account: Account,
  shortUrl: string,
  query?: StatsQuery,
): Promise<{link: Link; stats: LinkStats}> {
  const asked = readAskedStats(query);
  const {store, calendar, now} = services;
  const read = async () => {
    const today = calendar.dayOf(now());
    const names = countersFor(store, account.generation, today, [asked]);
    const {record, visits} = await findWithVisits(services, account, shortUrl, names);
    const {stats, variants, old} = toStats(visits, today, asked);
    await removeOld(store, linkCounters.key(record), visits, old);
    const {totalVisits} = stats;
    const ofVariants = asked.include.includes('details') ? toVariants(record, variants) : undefined;
    return {
      link: {...toLink(record, visits, services, now()), totalVisits},
      stats: {...stats, ...(ofVariants && {variants: ofVariants})},
    };
  };
  // The counters of days are few.
  return asked.include.includes('details') ? inTurn(services, account, read) : read();
}
