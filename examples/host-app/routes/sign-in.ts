import {randomUUID} from 'node:crypto';
import type Router from '@koa/router';
import type {Context} from 'koa';
import type {ShortUrl} from 'koa-short-url';
import {formField, readForm} from '../form.ts';
import {hashPassword, passwordProblem, verifyPassword} from '../passwords.ts';
import {render} from '../render.ts';
import {checkCsrf, currentUser, signIn, signOut, visitor} from '../session.ts';
import type {Users} from '../users/users.ts';

export interface SignInDependencies {
  readonly users: Users;
  readonly shortener: ShortUrl;
  readonly onError: (error: unknown) => void;
}

/** Registration, login and logout. */
export function addSignInRoutes(router: Router, {users, shortener, onError}: SignInDependencies): void {
  for (const page of ['register', 'login']) {
    router.get(`/${page}`, async (ctx) => {
      const next = new URLSearchParams(ctx.querystring).get('next') ?? '';
      if (await currentUser(ctx, users)) seeOther(ctx, pageAfter(next));
      else render(ctx, page, {entered: '', errors: {}, next});
    });
  }

  // `next` may be long: it may have the values of a form of the dashboard.
  router.post('/register', readForm(), checkCsrf, async (ctx) => {
    const email = enteredEmail(ctx);
    const password = formField(ctx, 'password');
    const errors = {email: emailProblem(email), password: passwordProblem(password)};
    if (errors.email !== undefined || errors.password !== undefined) {
      renderAgain(ctx, 'register', 400, errors);
      return;
    }

    const user = {id: randomUUID(), email, passwordHash: await hashPassword(password)};
    if (!(await users.add(user))) {
      // A form that is sent twice registers the user with the first one. The login answers the same to this password.
      const known = await users.find(email);
      if (known && (await verifyPassword(password, known.passwordHash))) {
        signIn(ctx, known);
        seeOther(ctx, pageAfter(formField(ctx, 'next')));
      } else {
        renderAgain(ctx, 'register', 409, {email: 'This email address is registered already. Log in instead?'});
      }
      return;
    }
    // If the process is killed before this line, the dashboard creates the account.
    await shortener.accounts.create(user.id);
    // From now on tickets of this user count for the link that brought the registration.
    await shortener.conversions.identify(ctx, user.id).catch(onError);
    signIn(ctx, {...user, logouts: 0});
    seeOther(ctx, pageAfter(formField(ctx, 'next')));
  });

  router.post('/login', readForm(), checkCsrf, async (ctx) => {
    const user = await users.find(enteredEmail(ctx));
    const isRight = await verifyPassword(formField(ctx, 'password'), user?.passwordHash);
    if (!user || !isRight) {
      renderAgain(ctx, 'login', 401, {form: 'The email address or the password is wrong.'});
      return;
    }
    signIn(ctx, user);
    seeOther(ctx, pageAfter(formField(ctx, 'next')));
  });

  // The dashboard links here. Logging out takes a form with a token, so that no other site can do it.
  router.get('/logout', async (ctx) => {
    if (await currentUser(ctx, users)) render(ctx, 'logout');
    else seeOther(ctx, '/');
  });

  router.post('/logout', readForm(), checkCsrf, async (ctx) => {
    const user = visitor(ctx);
    signOut(ctx);
    if (user) await users.logOut(user.email);
    seeOther(ctx, '/');
  });
}

function renderAgain(ctx: Context, page: string, status: number, errors: Record<string, string | undefined>): void {
  ctx.status = status;
  render(ctx, page, {entered: formField(ctx, 'email'), errors, next: formField(ctx, 'next')});
}

/** Redirects to a GET after a form, so that a reload does not send the form again. */
export function seeOther(ctx: Context, path: string): void {
  ctx.redirect(path);
  ctx.status = 303;
}

/** The page to show after a form. It must be a path of this site, which prevents an open redirect. */
export function pageAfter(next: string): string {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/account';
}

function enteredEmail(ctx: Context): string {
  return formField(ctx, 'email').trim().toLowerCase();
}

/** Catches typing errors only. Whether the address exists can be found out only by sending mail. */
function emailProblem(email: string): string | undefined {
  if (email.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) return undefined;
  return 'Enter an email address, such as ada@example.org.';
}
