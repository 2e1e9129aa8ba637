import {hkdfSync, randomBytes, timingSafeEqual} from 'node:crypto';
import type Koa from 'koa';
import type {Context, Middleware} from 'koa';
import session from 'koa-session';
import {formField} from './form.ts';
import type {User, Users} from './users/users.ts';

/** The content of the signed cookie. The visitor can read it but not change it. */
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

/** Sessions in signed cookies. With https their name starts with `__Host-`, so that no other domain can set one. */
export function sessions(app: Koa, {secret, https}: SessionSettings): Middleware {
  app.keys = [Buffer.from(hkdfSync('sha256', secret, '', 'host-app session cookies', 32)).toString('base64url')];
  const key = https ? '__Host-festival' : 'festival';
  const middleware = session({key, maxAge: twoWeeks, renew: true, httpOnly: true, sameSite: 'lax', secure: https}, app);
  return async (ctx, next) => {
    // A proxy may use https for the visitor and http for this process.
    if (https) ctx.cookies.secure = true;
    await middleware(ctx, next);
  };
}

function sessionOf(ctx: Context): SessionData {
  // Koa-session stores a copy, so return its object and not the assigned one.
  ctx.session ??= {};
  return ctx.session;
}

/** Starts a new session without the data of the old one, which prevents session fixation. */
export function signIn(ctx: Context, {id, email, logouts}: User): void {
  ctx.session = {user: {id, email, logouts}, csrf: newToken()};
}

/** The user in the cookie. `currentUser` also checks whether the session is still valid. */
export function visitor(ctx: Context): SessionData['user'] {
  return ctx.session?.user;
}

export function signOut(ctx: Context): void {
  ctx.session = null;
}

/** The logged-in user. A logout on one device ends the sessions on all devices. */
export async function currentUser(ctx: Context, users: Users): Promise<User | undefined> {
  const claimed = visitor(ctx);
  if (!claimed) return undefined;
  const user = await users.find(claimed.email);
  if (user?.id === claimed.id && user.logouts === claimed.logouts) return user;
  signOut(ctx);
  return undefined;
}

/** The token for the field `_csrf` of every form in this session. */
export function csrfToken(ctx: Context): string {
  return (sessionOf(ctx).csrf ??= newToken());
}

/**
 * Refuses a form that is not from a page of this session. Use it on the site's own routes only: the shortener's password
 * form, `POST /<short part>`, has no token and needs none.
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
