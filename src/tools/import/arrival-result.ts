import type {Account} from '../../accounts/accounts.ts';
import {ShortUrlError} from '../../host/errors.ts';
import {isListed, type LinkRecord} from '../../links/record.ts';
import {taken} from '../../links/refusals.ts';

/** The result for a link. It is `unchanged` if the account already has it with the same long URL. */
export type ArrivalResult = 'imported' | 'unchanged' | ShortUrlError;

/** The result for a link whose short part has a record already. */
export function comparison(record: LinkRecord, account: Account, url: string): ArrivalResult {
  if (record.owner !== account.owner) return taken();
  if (record.state === 'removed') {
    return new ShortUrlError('custom_url_taken', 'The account has removed the link with this short part.');
  }
  if (isListed(record) && record.url === url) return 'unchanged';
  return new ShortUrlError('custom_url_taken', 'The account has this short part already, with another long URL.');
}

/** Errors of the link itself. All other errors end the import. */
export function refusal(error: unknown): ShortUrlError {
  if (error instanceof ShortUrlError && error.status < 500) return error;
  throw error;
}
