import type {Context, Middleware} from 'koa';
import {signOut, visitor} from './session.ts';
import type {User, Users} from './users/users.ts';

/** Lets only a visitor pass who is logged in, and sends everybody else to the login form. */
export function requireUser(users: Users): Middleware {
  return async (ctx, next) => {
    const user = await currentUser(ctx, users);
    if (!user) {
      signOut(ctx);
      ctx.redirect('/login');
      ctx.status = 303;
      return;
    }
    ctx.state['user'] = user;
    await next();
  };
}

async function currentUser(ctx: Context, users: Users): Promise<User | undefined> {
  const claimed = visitor(ctx);
  if (!claimed) return undefined;
  const user = await users.find(claimed.email);
  return user?.id === claimed.id && user.logouts === claimed.logouts ? user : undefined;
}

/** The user whom `requireUser` let pass. */
export function userOf(ctx: Context): User {
  return ctx.state['user'] as User;
}
