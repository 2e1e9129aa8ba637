import type Router from '@koa/router';
import type {ShortUrl} from 'koa-short-url';
import type {ShowAccount} from '../account-page.ts';
import {readForm} from '../form.ts';
import {requireUser, userOf} from '../require-user.ts';
import {checkCsrf, leaveNotice} from '../session.ts';
import type {Users} from '../users/users.ts';
import {seeOther} from './sign-in.ts';

export interface AccountDependencies {
  readonly users: Users;
  readonly shortener: ShortUrl;
  readonly showAccount: ShowAccount;
}

/** The account page and the API key on it. */
export function addAccountRoutes(router: Router, {users, shortener, showAccount}: AccountDependencies): void {
  router.get('/account', requireUser(users), (ctx) => showAccount(ctx));

  router.post('/account/key', requireUser(users), readForm(), checkCsrf, async (ctx) => {
    await shortener.accounts.rotate(userOf(ctx).id);
    leaveNotice(ctx, {text: 'You have a new API key. The old one has stopped working.'});
    seeOther(ctx, '/account');
  });
}
