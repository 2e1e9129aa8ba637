import {withQuery} from '../addresses.ts';
import {failureOf, staleForm} from '../forms/failures.ts';
import {confirmation, hasToken} from '../forms/protection.ts';
import {showAccount} from '../pages/account.ts';
import type {DashboardRequest, Reply} from '../request.ts';

/** Blocks, unblocks or removes an account; the path names the action. The page has asked for confirmation. */
export async function changeAccount(request: DashboardRequest): Promise<Reply> {
  const {shortener, path, form, token, root} = request;
  const name = form.get('account') ?? '';
  if (!hasToken(request)) return showAccount(request, name, staleForm(request));
  try {
    if (path === 'block-account') await shortener.admin.blockAccount(name, reasonIn(request));
    else if (path === 'unblock-account') await shortener.admin.unblockAccount(name);
    else {
      await shortener.accounts.remove(name);
      return {location: withQuery(`${root}accounts`, confirmation(token, 'account-removed'))};
    }
    const done = path === 'block-account' ? 'account-blocked' : 'account-unblocked';
    return {location: withQuery(`${root}account`, {account: name, ...confirmation(token, done)})};
  } catch (error) {
    return showAccount(request, name, failureOf(request, error));
  }
}

/** The reason that the operator has entered for a block. */
export function reasonIn({form}: DashboardRequest): {readonly reason?: string} {
  const reason = (form.get('reason') ?? '').trim();
  return reason === '' ? {} : {reason};
}
