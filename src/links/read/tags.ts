import type {Account} from '../../accounts/accounts.ts';
import type {LinkRecord} from '../../link/record.ts';
import {inTurn} from '../long-reads.ts';
import type {LinkServices} from '../services.ts';
import type {TagLinks} from '../stats/statistics.ts';
import {accountList} from './link-index.ts';
import {readList} from './list.ts';
import {TagCount} from './tag-count.ts';

export function tags(services: Pick<LinkServices, 'store' | 'longReads'>, account: Account): Promise<TagLinks[]> {
  return inTurn(services, account, async () => {
    const tags = new TagCount();
    const toTags = (records: LinkRecord[]) => records.map((record) => record.tags ?? []);
    for await (const {items} of readList(services.store, accountList(account.generation), toTags)) {
      for (const each of items) tags.add(each);
    }
    return tags.sorted();
  });
}
