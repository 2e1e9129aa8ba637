import {setTimeout as delay} from 'node:timers/promises';
import type {Account} from '../accounts/accounts.ts';
import type {Entry} from '../store/port.ts';
import {type ConfirmationDependencies, readConfirmed} from './create/confirmation.ts';
import {isListed, type LinkRecord} from '../link/record.ts';
import {unknown} from '../link/refusals.ts';

/**
 * The shortest time before a short URL is called unknown, in milliseconds; the longest is twice as long. Reading a record
 * takes longer than finding none. Without the delay, the time would show which short URLs belong to other accounts.
 */
const refusalTime = 10;

/**
 * The link that an account names by its short URL.
 *
 * @throws ShortUrlError `unknown_short_url` for a link that does not exist or belongs to another account
 */
export async function findOwn(
  dependencies: ConfirmationDependencies,
  account: Account,
  shortUrl: string,
): Promise<Entry<LinkRecord>> {
  const refusal = delay(refusalTime * (1 + Math.random()));
  const name = dependencies.bases.parseOwnUrl(shortUrl);
  const entry = name && (await readConfirmed(dependencies, name));
  if (entry?.value.generation === account.generation && isListed(entry.value)) return entry;
  await refusal;
  if (name === undefined) throw unknown(`: give it in full, such as ${dependencies.bases.main.root}/yh4mVKX.`);
  throw unknown();
}
