import {withQuery} from '../addresses.ts';
import {
  checkForm,
  checkLimit,
  checkPassword,
  type Failure,
  failureOf,
  rearrangedForm,
  staleForm,
} from '../forms/failures.ts';
import {enteredIn, loadedIn, toUpdate} from '../forms/link-fields.ts';
import {placesOf} from '../forms/rules.ts';
import {showLink} from '../pages/link.ts';
import {confirmation, hasToken} from '../forms/protection.ts';
import {type DashboardRequest, type Reply, ownLink} from '../request.ts';

/** Changes a link from the form on its page. */
export async function updateLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, formats, token, root} = request;
  const entered = enteredIn(form);
  const link = await ownLink(request, form.get('short_url') ?? '');
  const again = (edit: Failure): Promise<Reply> => showLink(request, link.shortUrl, {edit});
  const wrong = hasToken(request)
    ? (rearrangedForm(request, entered) ??
      checkForm(request, entered) ??
      checkPassword(request, entered) ??
      checkLimit(request, entered, loadedIn(form, link, formats), link))
    : staleForm(request, entered);
  if (wrong !== undefined) return again(wrong);
  try {
    const changes = toUpdate(
      entered,
      loadedIn(form, link, formats),
      placesOf(request.language),
      form.get('clear_password') === 'yes',
    );
    if (Object.keys(changes).length > 0) await shortener.links.update(account, link.shortUrl, changes);
    return {location: withQuery(`${root}link`, confirmation(token, 'updated', link.shortUrl))};
  } catch (error) {
    return again(failureOf(request, error, entered));
  }
}
