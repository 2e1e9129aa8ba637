import type {Account} from '../../accounts/accounts.ts';
import type {Link} from '../../link/link.ts';
import {isActive, type LinkRecord} from '../../link/record.ts';
import {eachInTurn, inTurn} from '../long-reads.ts';
import type {LinkServices} from '../services.ts';
import {accountList} from './link-index.ts';
import {readList} from './list.ts';
import type {ActivePage, Page} from './listed-links.ts';
import {readPage} from './page.ts';
import {readActivePart} from './query.ts';

type ActiveServices = Pick<LinkServices, 'store' | 'bases' | 'linkIndex' | 'linkRows' | 'longReads' | 'now'>;

export async function* listActive(services: ActiveServices, account: Account): AsyncGenerator<Pick<Link, 'shortUrl'>> {
  for await (const chunk of activeChunks(services, account)) yield* chunk;
}

/** The active links of the account, oldest first, some hundreds at a time. */
export async function* activeChunks(
  services: ActiveServices,
  account: Account,
): AsyncGenerator<ReadonlyArray<Pick<Link, 'shortUrl'>>> {
  const {store, bases, now} = services;
  const toUrls = (records: LinkRecord[]): Array<Pick<Link, 'shortUrl'>> => {
    const at = now();
    return records.filter((record) => isActive(record, at)).map((record) => ({shortUrl: bases.shortUrl(record)}));
  };
  const chunks = readList(store, accountList(account.generation), toUrls);
  for await (const {items} of eachInTurn(services, account, chunks)) yield items;
}

export async function pageActive(services: ActiveServices, account: Account, page: Page = {}): Promise<ActivePage> {
  const {bases} = services;
  const part = readActivePart(page);
  const {records, nextCursor} = await inTurn(services, account, () =>
    readPage(services, accountList(account.generation), part),
  );
  return {urls: records.map((record) => ({shortUrl: bases.shortUrl(record)})), nextCursor};
}
