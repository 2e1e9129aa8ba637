import type {Account} from '../../accounts/accounts.ts';
import type {Link, LinkChange, RemovedLink} from '../../link/link.ts';
import {newStatus} from '../../link/record.ts';
import {malformed, reader, readFields} from '../../values/input.ts';
import type {LinkServices} from '../services.ts';
import {disable, enable} from './disable.ts';
import {remove} from './remove.ts';
import {update} from './update.ts';

/**
 * Changes fields of a link, or its status.
 *
 * @throws ShortUrlError also `malformed_parameter` for an unknown status, or one that comes with other changes, and
 *   `unknown_parameter`
 */
export async function changeOne(
  services: LinkServices,
  account: Account,
  input: LinkChange,
): Promise<Link | RemovedLink> {
  const {shortUrl = '', changes} = readFields(input, 'A change is made of', {
    shortUrl: (value) => value as string,
    changes: (value) => value,
  });
  const {status, ...others} = Object(changes) as {readonly status?: unknown};
  if (status === undefined) return update(services, account, shortUrl, others);
  if (Object.values(others).some((other) => other !== undefined)) {
    throw malformed('Send a change of the status alone, and other changes to the link separately.');
  }
  switch (reader(newStatus, 'status')(status, 'status')) {
    case 'active':
      return enable(services, account, shortUrl);
    case 'disabled':
      return disable(services, account, shortUrl);
    case 'removed':
      return remove(services, account, shortUrl);
  }
}
