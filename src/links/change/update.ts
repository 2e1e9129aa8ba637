import {planted} from '../../planted.ts';
import type {Account} from '../../accounts/accounts.ts';
import type {Link, UpdateLink} from '../../link/link.ts';
import {hashPassword} from '../../link/password.ts';
import type {LinkRecord} from '../../link/record.ts';
import {destinationsOf} from '../../link/urls.ts';
import {checkDestinations} from '../destination-check.ts';
import {findOwn} from '../own-link.ts';
import type {LinkServices} from '../services.ts';
import {applyChange, checkOpen} from './apply.ts';
import {unlistBroken} from './broken.ts';
import {applyChanges, checkChanges} from './changes.ts';

/**
 * @throws ShortUrlError with the code of the first invalid change, `forbidden_url`, `reference_taken` or `link_blocked`
 */
export async function update(
  services: LinkServices,
  account: Account,
  shortUrl: string,
  input: UpdateLink,
): Promise<Link> {
  const {bases, reserved, calendar, schemes, now} = services;
  const changes = checkChanges(input, {bases, reserved, calendar, schemes, now: now()});
  const entry = await findOwn(services, account, shortUrl);
  const {value: found} = entry;
  checkOpen(found);
  const destinations = destinationsOf(changes);
  await checkDestinations(
    services,
    account,
    planted('update-unchecked') ? destinations.slice(0, 1) : destinations,
    found,
  );
  const password = changes.password && (await hashPassword(changes.password, account.id));
  const change = (record: LinkRecord): LinkRecord => {
    checkOpen(record);
    const old = planted('update-of-old') ? {...found, changes: record.changes ?? 0} : record;
    return applyChanges(old, {...changes, password}, now());
  };
  const {before, link} = await applyChange(services, 'update', found, change, entry);
  if (before.broken && link.broken === null) await unlistBroken(services, before);
  return link;
}
