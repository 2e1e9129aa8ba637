import {withQuery} from '../addresses.ts';
import {checkForm, type Failure, failureOf, staleForm} from '../failures.ts';
import {enteredIn, toCreate} from '../link-fields.ts';
import {showHome} from '../pages/home.ts';
import {hasToken} from '../protection.ts';
import type {DashboardRequest, Reply} from '../request.ts';

/** Creates a link from the form of the first page. */
export async function createLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, root} = request;
  const entered = enteredIn(form);
  // What was typed goes back into the form, the password too: without it a second try would make an open link.
  const again = (create: Failure): Promise<Reply> => showHome(request, {create});
  const wrong = hasToken(request) ? checkForm(request, entered) : staleForm(request, entered);
  if (wrong !== undefined) return again(wrong);
  try {
    const {shortUrl} = await shortener.links.create(account, toCreate(entered));
    return {location: withQuery(root, {done: 'created', short_url: shortUrl})};
  } catch (error) {
    return again(failureOf(request, error, entered));
  }
}
