import type {Context, Middleware} from 'koa';
import {warn} from '../host/warnings.ts';

/**
 * Warns, once, if the option `account` finds nobody because the session begins behind the dashboard. The mistake looks
 * like a visitor who is not logged in, and the login page would send the visitor back forever.
 */
export class SessionCheck {
  #hasWarned = false;

  /**
   * @param dashboard the middleware that answers the request
   * @param failure what `account` has thrown; undefined if it returned no account
   */
  check(ctx: Context, dashboard: Middleware, failure?: unknown): void {
    if (this.#hasWarned || hasSession(ctx)) return;
    const late = laterSession(ctx.app.middleware, dashboard);
    const isSessionMissing = failure instanceof TypeError && /\b(?:undefined|null)\b/.test(failure.message);
    if (late === undefined && !isSessionMissing) return;
    this.#hasWarned = true;
    const where = late === undefined ? '' : `: the middleware \`${late}\` comes behind the dashboard`;
    warn(
      'dashboard_before_session',
      `The option \`account\` of the dashboard ${failure === undefined ? 'found no account' : 'failed'}, and there was ` +
        `no \`ctx.session\`${where}. Mount your session and login middleware before the dashboard.`,
    );
  }
}

/** The name of a session middleware that the app calls after the dashboard. */
function laterSession(all: readonly Middleware[], dashboard: Middleware): string | undefined {
  const position = all.indexOf(dashboard);
  if (position === -1) return undefined;
  return all.slice(position + 1).find(({name}) => /session|passport/i.test(name))?.name;
}

function hasSession(ctx: Context): boolean {
  const {session} = ctx as {readonly session?: unknown};
  return session !== undefined && session !== null;
}
