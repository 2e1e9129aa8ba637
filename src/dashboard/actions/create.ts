import {linkAddress, withQuery} from '../addresses.ts';
import {instantOf} from '../formats.ts';
import {checkForm, type Failure, failureOf, rearrangedForm, staleForm} from '../forms/failures.ts';
import {enteredIn, toCreate} from '../forms/link-fields.ts';
import {placesOf} from '../forms/rules.ts';
import {showHome} from '../pages/home.ts';
import {confirmation, hasToken} from '../forms/protection.ts';
import type {DashboardRequest, Reply} from '../request.ts';

/** Creates a link from the form on the home page. */
export async function createLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, token, root, language} = request;
  const entered = enteredIn(form);
  // The form gets all its values back. Without the password a second attempt would create an open link.
  const again = (create: Failure): Promise<Reply> => showHome(request, {create});
  const wrong = hasToken(request)
    ? (rearrangedForm(request, entered) ?? checkForm(request, entered))
    : staleForm(request, entered);
  if (wrong !== undefined) return again(wrong);
  try {
    const {shortUrl, dateCreated} = await shortener.links.create(account, toCreate(entered, placesOf(language)));
    // A link of an earlier call with `reuse` need not be in the list.
    if (instantOf(dateCreated).getTime() < Math.floor(request.now / 1000) * 1000) {
      return {location: linkAddress(root, shortUrl, confirmation(token, 'found', shortUrl))};
    }
    return {location: withQuery(root, confirmation(token, 'created', shortUrl))};
  } catch (error) {
    return again(failureOf(request, error, entered));
  }
}
