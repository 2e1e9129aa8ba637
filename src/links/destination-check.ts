import type {Account} from '../accounts/accounts.ts';
import {inTime, requireBoolean} from '../values/callback.ts';
import {ShortUrlError} from '../errors.ts';
import type {LinkName} from '../link/bases.ts';
import type {Destination} from '../link/urls.ts';
import {ownUrl} from '../link/refusals.ts';
import {linkRecords} from '../link/records.ts';
import type {LinkServices} from './services.ts';

type CheckServices = Pick<
  LinkServices,
  'store' | 'bases' | 'userDomains' | 'sitePages' | 'allowUrl' | 'announcer' | 'now'
>;

/**
 * Checks where a link is to lead. A URL of the site may become a short URL later, so a visit asks again
 * (`Redirects.find`).
 *
 * @param itself the link, where its name is known
 * @throws ShortUrlError `forbidden_url` for a short URL of the site or a URL that `allowUrl` refuses; `internal_error` if
 *   `allowUrl` fails
 */
export async function checkDestinations(
  services: CheckServices,
  account: Account,
  destinations: readonly Destination[],
  itself: LinkName | undefined,
): Promise<void> {
  for (const destination of destinations) {
    const {target, what} = destination;
    if (await isOwn(services, target, itself)) throw ownUrl(what);
    if (!(await isAllowed(services, destination, account))) {
      const at = new Date(services.now());
      services.announcer.announce('linkRefused', {account: account.id, reason: 'forbidden_url', at});
      throw new ShortUrlError('forbidden_url', `This site does not allow the ${what}.`);
    }
  }
}

/** Whether a URL is a short URL of the site or leads into its API. A page of the site in front of the links is neither. */
async function isOwn(
  {store, bases, userDomains, sitePages}: CheckServices,
  target: string,
  itself: LinkName | undefined,
): Promise<boolean> {
  if (bases.isApiUrl(target)) return true;
  if (bases.hasUserDomains && /^https?:/.test(target)) await userDomains.learn(new URL(target).host);
  const name = bases.parseShortUrl(target);
  if (name === undefined || sitePages.isPage(name)) return false;
  const isItself = itself !== undefined && linkRecords.key(name) === linkRecords.key(itself);
  return isItself || (await linkRecords.in(store).get(name)) !== undefined;
}

async function isAllowed(
  {allowUrl, announcer}: CheckServices,
  {url, target}: Destination,
  account: Account,
): Promise<boolean> {
  try {
    return requireBoolean(await inTime(allowUrl(url, account.id, target)));
  } catch (cause) {
    if (cause instanceof ShortUrlError) throw cause;
    throw announcer.reportFailure("The site's rule for long URLs failed. No link was created.", cause);
  }
}
