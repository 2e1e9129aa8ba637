import type {Context} from 'koa';

const cookie = 'consent';

/** In milliseconds. */
const halfAYear = 182 * 24 * 60 * 60 * 1000;

/** Whether the visitor agrees to the cookie of `attribution`; undefined before the banner was answered. */
export function consentOf(ctx: Context): boolean | undefined {
  const answer = ctx.cookies.get(cookie);
  return answer === undefined ? undefined : answer === 'yes';
}

export function rememberConsent(ctx: Context, isYes: boolean): void {
  ctx.cookies.set(cookie, isYes ? 'yes' : 'no', {maxAge: halfAYear, sameSite: 'lax'});
}
