import {withQuery} from '../addresses.ts';
import {showApi} from '../pages/api.ts';
import {staleForm} from '../forms/failures.ts';
import {confirmation, formToken, hasToken} from '../forms/protection.ts';
import type {DashboardRequest, Reply} from '../request.ts';

/** Replaces the API key. The page has asked for confirmation. */
export async function replaceKey(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, root} = request;
  if (!hasToken(request)) return showApi(request, {failure: staleForm(request)});
  const {apiKey} = await shortener.accounts.rotate(account);
  return {location: withQuery(`${root}api`, confirmation(formToken(apiKey), 'key'))};
}
