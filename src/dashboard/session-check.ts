import type {Context, Middleware} from 'koa';
import {warn} from '../warnings.ts';

/**
 * Warns, once, if the option `account` looks for a session that begins behind the dashboard. The mistake looks like a
 * visitor who is not logged in, and the login page would send the visitor back forever.
 *
 * A session is never read here: koa-session does not load it from its store any more if it was read too early.
 */
export class SessionCheck {
  #hasWarned = false;

  /** @param dashboard the middleware that answers the request */
  async ask<Account>(ctx: Context, dashboard: Middleware, account: () => Account | Promise<Account>): Promise<Account> {
    if (this.#hasWarned || hasSession(ctx)) return account();
    const session = {isRead: false};
    // koa-session defines its property on the prototype.
    const prototype = Object.getPrototypeOf(ctx) as object;
    Object.defineProperty(ctx, 'session', {
      configurable: true,
      get: () => {
        session.isRead = true;
        return Reflect.get(prototype, 'session', ctx) as unknown;
      },
      set: (value: unknown) => {
        Object.defineProperty(ctx, 'session', {value, configurable: true, enumerable: true, writable: true});
      },
    });
    const late = (): string | undefined => laterSession(ctx.app.middleware, dashboard);
    try {
      const found = await account();
      if (session.isRead && (found === undefined || found === null) && late() !== undefined) this.#warn(late());
      return found;
    } catch (error) {
      const isMissed = session.isRead && error instanceof TypeError;
      if (isMissed && (late() !== undefined || !('session' in prototype))) this.#warn(late());
      throw error;
    } finally {
      if (Object.getOwnPropertyDescriptor(ctx, 'session')?.get !== undefined) Reflect.deleteProperty(ctx, 'session');
    }
  }

  /** @param late the name of a session middleware behind the dashboard */
  #warn(late: string | undefined): void {
    this.#hasWarned = true;
    warn(
      'dashboard_before_session',
      'The option `account` of the dashboard looked for `ctx.session`, which begins behind the dashboard' +
        `${late === undefined ? '' : ` in the middleware \`${late}\``}. Mount your session and login middleware before it.`,
    );
  }
}

/** The name of a session middleware that the app calls after the dashboard, if it calls none before. */
function laterSession(all: readonly Middleware[], dashboard: Middleware): string | undefined {
  const names = all.map(({name}) => (/session/i.test(name) ? name : undefined));
  const position = all.indexOf(dashboard);
  if (position === -1 || names.slice(0, position).some((name) => name !== undefined)) return undefined;
  return names.slice(position + 1).find((name) => name !== undefined);
}

function hasSession(ctx: Context): boolean {
  const own = Object.getOwnPropertyDescriptor(ctx, 'session');
  return own !== undefined && (own.get !== undefined || (own.value !== undefined && own.value !== null));
}
