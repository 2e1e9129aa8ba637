import {linkAddress, withQuery} from '../addresses.ts';
import {viewOf} from '../list/search.ts';
import {type Failure, failureOf, staleForm} from '../forms/failures.ts';
import {showHome} from '../pages/home.ts';
import {showLink} from '../pages/link.ts';
import {confirmation, hasToken} from '../forms/protection.ts';
import type {DashboardRequest, Reply} from '../request.ts';

/** Disables or enables a link; the path names the action. */
export async function switchLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, path, form, root, query} = request;
  const operation = path === 'enable' ? 'enable' : 'disable';
  return change(request, async (shortUrl) => {
    await shortener.links[operation](account, shortUrl);
    return form.get('from') === 'link' ? linkAddress(root, shortUrl) : `${root}${viewOf(query)}#links-list`;
  });
}

/** Removes a link for good. The page of the link has asked for confirmation. */
export async function removeLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, token, root} = request;
  return change(request, async (shortUrl) => {
    await shortener.links.remove(account, shortUrl);
    return withQuery(root, confirmation(token, 'removed'));
  });
}

/** @param work changes the link and returns the address to redirect to */
async function change(request: DashboardRequest, work: (shortUrl: string) => Promise<string>): Promise<Reply> {
  const shortUrl = request.form.get('short_url') ?? '';
  if (!hasToken(request)) return explain(request, shortUrl, staleForm(request));
  let location: string;
  try {
    location = await work(shortUrl);
  } catch (error) {
    return explain(request, shortUrl, failureOf(request, error));
  }
  return {location};
}

/** Shows the page of the form again, with the error beside the link. */
async function explain(request: DashboardRequest, shortUrl: string, {status, errors}: Failure): Promise<Reply> {
  const failed = {shortUrl, text: errors.form ?? '', status};
  // An unknown link has no page.
  const isOnLinkPage = request.form.get('from') === 'link' && status !== 404;
  return isOnLinkPage ? showLink(request, shortUrl, {failed}) : showHome(request, {failed});
}
