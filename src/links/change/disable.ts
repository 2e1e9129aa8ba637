import {planted} from '../../planted.ts';
import type {Account} from '../../accounts/accounts.ts';
import type {Link} from '../../link/link.ts';
import {isOver} from '../../link/record.ts';
import {expired} from '../../link/refusals.ts';
import {changeLink, type ChangeServices, checkOpen} from './apply.ts';

/** Disables a link. A disabled link stays as it is. */
export async function disable(services: ChangeServices, account: Account, shortUrl: string): Promise<Link> {
  return changeLink(services, 'disable', account, shortUrl, (record) => ({...record, state: 'disabled'}));
}

/** @throws ShortUrlError `link_blocked`, or `link_expired` if its expiry date is past or its visits are used up */
export async function enable(services: ChangeServices, account: Account, shortUrl: string): Promise<Link> {
  return changeLink(services, 'enable', account, shortUrl, (record) => {
    const now = services.now();
    if (!planted('blocked-enabled')) checkOpen(record);
    if (!planted('expired-enabled') && isOver(record, now)) throw expired(record, now);
    return {...record, state: 'active'};
  });
}
