import type {Account} from '../../accounts/accounts.ts';
import type {Link} from '../../link/link.ts';
import {lastPosition} from '../../store/walk.ts';
import {inTurn} from '../long-reads.ts';
import {findReferenced} from '../own-link.ts';
import type {LinkServices} from '../services.ts';
import {readConversionNames} from '../stats/conversion-names.ts';
import {accountList} from './link-index.ts';
import type {LinkFilter, LinkPage, LinkQuery} from './listed-links.ts';
import {readPage, type RecordPage} from './page.ts';
import {checkFilter, readQuery, usualLimit} from './query.ts';
import {showLinks, showListed, type ShowingServices} from './shown-links.ts';

type ListServices = ShowingServices & Pick<LinkServices, 'calendar' | 'linkIndex' | 'linkRows' | 'longReads'>;

/** How many links are in memory while the reader pauses: one fewer than the first three chunks of `readList`. */
const chunk = 500;

export async function* list(services: ListServices, account: Account, filter: LinkFilter = {}): AsyncGenerator<Link> {
  checkFilter(filter);
  const {order = 'oldest'} = {...filter};
  const query = {...filter, order, limit: chunk};
  const own = accountList(account.generation);
  let last: number | undefined;
  let cursor: string | undefined;
  do {
    const asked = readQuery({...query, cursor}, services.bases);
    const {links, nextCursor} = await inTurn(services, account, async () => {
      const page = await readRecords(services, account, asked);
      // Otherwise a reader that creates links would find more of them for ever.
      if (order === 'oldest' && page.nextCursor !== undefined) last ??= await lastPosition(services.store, own);
      const records = page.records.filter((record) => last === undefined || own.positionOf(record) <= last);
      const isOver = records.length < page.records.length;
      return {links: await showLinks(services, records), nextCursor: isOver ? undefined : page.nextCursor};
    });
    yield* links;
    cursor = nextCursor;
  } while (cursor !== undefined);
}

export async function page(services: ListServices, account: Account, query: LinkQuery = {}): Promise<LinkPage> {
  const asked = readQuery(query, services.bases);
  const {part, days} = asked;
  const read = async (): Promise<LinkPage> => {
    const [{records, nextCursor}, names] = await Promise.all([
      readRecords(services, account, asked),
      readConversionNames(services.store, account.generation),
    ]);
    return {links: await showListed(services, records, names, days), nextCursor};
  };
  const isShort = part.limit <= usualLimit && 'maxRead' in part && part.maxRead === Infinity;
  return isShort ? read() : inTurn(services, account, read);
}

async function readRecords(
  services: ListServices,
  account: Account,
  {part, reference}: ReturnType<typeof readQuery>,
): Promise<RecordPage> {
  if (reference === undefined) return readPage(services, accountList(account.generation), part);
  const found = await findReferenced(services, account, reference);
  const isMeant = found !== undefined && part.matches(found.value, services.now());
  return {records: isMeant ? [found.value] : [], nextCursor: undefined};
}
