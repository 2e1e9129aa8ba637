import {isDeepStrictEqual} from 'node:util';
import type {Account} from '../../accounts/accounts.ts';
import {visitsCounter} from '../../link/counters.ts';
import type {Link, LinkIdentifier} from '../../link/link.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';
import {linkCounters, linkRecords} from '../../link/records.ts';
import {changing, unknown} from '../../link/refusals.ts';
import {type Counters, noCounters} from '../../store/port.ts';
import {findOwn} from '../own-link.ts';
import type {LinkServices} from '../services.ts';
import {showLink, type ShowingServices} from './shown-links.ts';

type InfoServices = Pick<LinkServices, 'store' | 'bases'>;

/** How often a link that keeps changing is read to get a consistent record and visits. */
const maxTries = 100;

export async function info(services: ShowingServices, account: Account, identifier: LinkIdentifier): Promise<Link> {
  const {record, visits} = await findWithVisits(services, account, identifier, [visitsCounter]);
  return showLink(services, record, visits);
}

/**
 * A consistent record and visits: the record must be the same before and after the visits are read, apart from the
 * visits that its limit has granted.
 *
 * @param counters the names of the counters to read; by default all of them
 * @throws ShortUrlError `store_unavailable` after a hundred attempts
 */
export async function findWithVisits(
  services: InfoServices,
  account: Account,
  identifier: LinkIdentifier,
  counters?: readonly string[] | Promise<readonly string[] | undefined>,
): Promise<{record: LinkRecord; visits: Counters}> {
  const {store} = services;
  const [own, names] = await Promise.all([findOwn(services, account, identifier), counters]);
  let entry = own;
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const [visits = noCounters] = await linkCounters.in(store).getMany([entry.value], names);
    const again = await linkRecords.in(store).get(entry.value, entry);
    if (again === undefined || !isListed(again.value) || again.value.generation !== account.generation) throw unknown();
    if (isDeepStrictEqual(withoutGrants(again.value), withoutGrants(entry.value))) {
      return {record: again.value, visits};
    }
    entry = again;
  }
  throw changing();
}

/** A busy link with a limit grants visits all the time. */
function withoutGrants(record: LinkRecord): LinkRecord {
  return {...record, used: 0, granted: 0};
}
