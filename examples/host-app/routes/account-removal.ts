import type Router from '@koa/router';
import type {ShortUrl} from 'koa-short-url';
import {formField, readForm} from '../form.ts';
import {verifyPassword} from '../passwords.ts';
import {render} from '../render.ts';
import {checkCsrf, currentUser, signOut} from '../session.ts';
import type {Users} from '../users/users.ts';
import {seeOther} from './sign-in.ts';

export interface AccountRemovalDependencies {
  readonly users: Users;
  readonly shortener: ShortUrl;
}

const path = '/account/delete';

/** Deleting an account. The path is below the dashboard, which passes paths that it does not have to the next route. */
export function addAccountRemoval(router: Router, {users, shortener}: AccountRemovalDependencies): void {
  router.get(path, async (ctx) => {
    if (await currentUser(ctx, users)) render(ctx, 'delete-account', {errors: {}});
    else seeOther(ctx, `/login?next=${encodeURIComponent(path)}`);
  });

  router.post(path, readForm(), checkCsrf, async (ctx) => {
    const user = await currentUser(ctx, users);
    if (!user) {
      seeOther(ctx, `/login?next=${encodeURIComponent(path)}`);
      return;
    }
    if (!(await verifyPassword(formField(ctx, 'password'), user.passwordHash))) {
      ctx.status = 401;
      render(ctx, 'delete-account', {errors: {password: 'The password is wrong.'}});
      return;
    }
    // The links and what is known of the customer first: if the deletion is interrupted, the user can still log in and try again.
    await shortener.accounts.remove(user.id);
    await shortener.conversions.forget(user.id);
    await users.remove(user.email);
    signOut(ctx);
    render(ctx, 'message', {
      title: 'Your account is deleted',
      text: 'Your short links no longer lead anywhere. Thank you for being with us.',
    });
  });
}
