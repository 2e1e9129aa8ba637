import {reasonIn} from './accounts.ts';
import {withQuery} from '../addresses.ts';
import {type Failure, failureOf, staleForm} from '../forms/failures.ts';
import {showOperator} from '../pages/operator.ts';
import {confirmation, hasToken} from '../forms/protection.ts';
import type {DashboardRequest, Reply} from '../request.ts';

/** Blocks or unblocks a link of any account; the path names the action. */
export async function blockLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, path, form, token, root} = request;
  const shortUrl = form.get('short_url') ?? '';
  const again = (failure: Failure): Promise<Reply> => showOperator(request, shortUrl, failure);
  if (!hasToken(request)) return again(staleForm(request));
  try {
    if (path === 'unblock') await shortener.admin.unblock(shortUrl);
    else await shortener.admin.block(shortUrl, reasonIn(request));
    return {location: withQuery(`${root}operator`, confirmation(token, `${path}ed`, shortUrl))};
  } catch (error) {
    return again(failureOf(request, error));
  }
}
