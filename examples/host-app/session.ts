import {hkdfSync, randomBytes, timingSafeEqual} from 'node:crypto';
import type Koa from 'koa';
import type {Context, Middleware} from 'koa';
import session from 'koa-session';
import {formField} from './form.ts';
import type {User, Users} from './users/users.ts';

/** What the signed cookie holds. The visitor can read it and cannot change it. */
interface SessionData {
  csrf?: string;
  user?: Pick<User, 'id' | 'email' | 'logouts'>;
}

declare module 'koa' {
  interface ExtendableContext {
    session: SessionData | null;
  }
}

const twoWeeks = 14 * 24 * 60 * 60 * 1000;

export interface SessionSettings {
  readonly secret: string;
  readonly https: boolean;
}

/** Sessions in signed cookies. Behind https their name starts with `__Host-`, so that no other domain can plant one. */
export function sessions(app: Koa, {secret, https}: SessionSettings): Middleware {
  app.keys = [Buffer.from(hkdfSync('sha256', secret, '', 'host-app session cookies', 32)).toString('base64url')];
  const key = https ? '__Host-festival' : 'festival';
  const middleware = session({key, maxAge: twoWeeks, renew: true, httpOnly: true, sameSite: 'lax', secure: https}, app);
  return async (ctx, next) => {
    // The proxy speaks https to the visitor, whatever it speaks to us.
    if (https) ctx.cookies.secure = true;
    await middleware(ctx, next);
  };
}

function sessionOf(ctx: Context): SessionData {
  // Koa-session keeps a copy of what it is given, so the value of an assignment would not do.
  ctx.session ??= {};
  return ctx.session;
}

/** Starts a new session: nothing of the one before is left, so nobody can have prepared it. */
export function signIn(ctx: Context, {id, email, logouts}: User): void {
  ctx.session = {user: {id, email, logouts}, csrf: newToken()};
}

/** The visitor as the cookie has it. Only `currentUser` finds out whether the session still counts. */
export function visitor(ctx: Context): SessionData['user'] {
  return ctx.session?.user;
}

export function signOut(ctx: Context): void {
  ctx.session = null;
}

/** Who the visitor is. A session that ended with a logout elsewhere is over here too. */
export async function currentUser(ctx: Context, users: Users): Promise<User | undefined> {
  const claimed = visitor(ctx);
  if (!claimed) return undefined;
  const user = await users.find(claimed.email);
  if (user?.id === claimed.id && user.logouts === claimed.logouts) return user;
  signOut(ctx);
  return undefined;
}

/** The token that every form of this session carries in its field `_csrf`. */
export function csrfToken(ctx: Context): string {
  return (sessionOf(ctx).csrf ??= newToken());
}

/**
 * Refuses a form that did not come from a page of this session. It stands on the site's own routes and not before all of
 * them: `POST /<short part>` is the shortener's password form, which needs none.
 */
export const checkCsrf: Middleware = async (ctx, next) => {
  const expected = Buffer.from(ctx.session?.csrf ?? '');
  const given = Buffer.from(formField(ctx, '_csrf'));
  if (expected.length === 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) ctx.throw(403);
  await next();
};

function newToken(): string {
  return randomBytes(24).toString('base64url');
}
