import type {Account} from '../../accounts/accounts.ts';
import type {Link} from '../../link/link.ts';
import type {LinkRecord} from '../../link/record.ts';
import {eachInTurn, inTurn} from '../long-reads.ts';
import {findReferenced} from '../own-link.ts';
import type {LinkServices} from '../services.ts';
import {readConversionNames} from '../stats/conversion-names.ts';
import {accountList} from './link-index.ts';
import {readList} from './list.ts';
import type {LinkFilter, LinkPage, LinkQuery} from './listed-links.ts';
import {readPage, type RecordPage} from './page.ts';
import {type Matches, readFilter, readQuery, usualLimit} from './query.ts';
import {readSearch} from './search.ts';
import {showLinks, showListed, type ShowingServices} from './shown-links.ts';

type ListServices = ShowingServices & Pick<LinkServices, 'calendar' | 'linkIndex' | 'linkRows' | 'longReads'>;

export async function* list(services: ListServices, account: Account, filter: LinkFilter = {}): AsyncGenerator<Link> {
  const {store, bases, now} = services;
  const {order, matches, reference, word, isBroken} = readFilter(filter, 'oldest', bases);
  if (reference !== undefined || (order !== 'newest' && order !== 'oldest')) {
    let cursor: string | undefined;
    do {
      const part = await page(services, account, {...filter, limit: 1000, cursor});
      yield* part.links;
      cursor = part.nextCursor;
    } while (cursor !== undefined);
    return;
  }
  const toLinks = (records: LinkRecord[]): Promise<Link[]> => {
    const at = now();
    return showLinks(
      services,
      records.filter((record) => matches(record, at)),
    );
  };
  const chunks = readList(store, accountList(account.generation), toLinks, {order, word, isBroken});
  for await (const {items} of eachInTurn(services, account, chunks)) yield* items;
}

export async function page(services: ListServices, account: Account, query: LinkQuery = {}): Promise<LinkPage> {
  const {matches, days, part, reference} = readQuery(query, services.bases);
  const list = accountList(account.generation);
  const readRecords = (): Promise<RecordPage> => {
    if (reference !== undefined) return referenced(services, account, reference, matches);
    if ('ranking' in part) return readPage(services, list, part, matches);
    return readSearch(services, list, part, matches);
  };
  const read = async (): Promise<LinkPage> => {
    const [{records, nextCursor}, names] = await Promise.all([
      readRecords(),
      readConversionNames(services.store, account.generation),
    ]);
    return {links: await showListed(services, records, names, days), nextCursor};
  };
  const isShort = part.limit <= usualLimit && 'maxRead' in part && part.maxRead === Infinity;
  return isShort ? read() : inTurn(services, account, read);
}

/** The only link with a reference, if it meets the other conditions. */
async function referenced(
  services: ListServices,
  account: Account,
  reference: string,
  matches: Matches,
): Promise<RecordPage> {
  const found = await findReferenced(services, account, reference);
  const isMeant = found !== undefined && matches(found.value, services.now());
  return {records: isMeant ? [found.value] : [], nextCursor: undefined};
}
