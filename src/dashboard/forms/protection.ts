import {planted} from '../../planted.ts';
import {createHmac, randomBytes, timingSafeEqual} from 'node:crypto';
import type {Context} from 'koa';
import type {DashboardRequest} from '../request.ts';

export const tokenField = '_token';

/**
 * Whether a page of another site has sent the request. Browsers send `Sec-Fetch-Site`, or `Origin` if they are old or
 * the site has no https. Other clients may send neither; no site can make them send a request.
 *
 * @param origin the origin of the site, for proxies that change the Host header
 */
export function isCrossSite(ctx: Context, origin: string): boolean {
  if (planted('form-of-other-site')) return false;
  const site = ctx.get('Sec-Fetch-Site');
  if (site !== '') return site !== 'same-origin' && site !== 'none';
  const from = ctx.get('Origin');
  return from !== '' && from !== origin && !isHost(from, ctx.host);
}

/**
 * Whether a page of the site has sent the request, by a script. Browsers tell so by `Sec-Fetch-Site`, or by `Origin` if they
 * are old or the site has no https.
 */
export function isOfOwnPage(ctx: Context, origin: string): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (planted('call-of-other-site')) return true;
  return (site === '' ? ctx.get('Origin') !== '' : site === 'same-origin') && !isCrossSite(ctx, origin);
}

/** Ignores the scheme, because a proxy may use https for the browser and http for this process. */
function isHost(origin: string, host: string): boolean {
  return /^https?:\/\/([^/]+)$/.exec(origin)?.[1] === host;
}

/**
 * The token that proves that a form is from a page of this account. It is derived from the API key, which every process
 * can read and no other site knows. A new key invalidates the tokens.
 */
export function formToken(apiKey: string): string {
  return createHmac('sha256', apiKey).update('koa-short-url dashboard form').digest('base64url');
}

/** The cookie that holds the token of an account whose API key cannot be decrypted. */
const tokenCookie = 'links_token';

/** The token of an account whose API key cannot be decrypted. Browsers send its cookie only with requests of our pages. */
export function cookieToken(ctx: Context): string {
  const known = ctx.cookies.get(tokenCookie, {signed: false}) ?? '';
  if (/^[\w-]{32}$/.test(known)) return known;
  const token = randomBytes(24).toString('base64url');
  ctx.cookies.set(tokenCookie, token, {httpOnly: true, sameSite: 'strict', signed: false});
  return token;
}

export function hasToken({form, token}: Pick<DashboardRequest, 'form' | 'token'>): boolean {
  return isEqual(form.get(tokenField) ?? '', token);
}

/** The query of a page that confirms an action. It is signed, so that no other site can make up a confirmation. */
export function confirmation(token: string, done: string, shortUrl = '', count = ''): Record<string, string> {
  const proof = createHmac('sha256', token).update(`${done} ${shortUrl} ${count}`).digest('base64url').slice(0, 22);
  return {done, short_url: shortUrl, count, proof};
}

/** The action that the query confirms; undefined for none, or for a wrong proof. */
export function confirmedIn({query, token}: Pick<DashboardRequest, 'query' | 'token'>): string | undefined {
  const done = query.get('done') ?? '';
  const {proof = ''} = confirmation(token, done, query.get('short_url') ?? '', query.get('count') ?? '');
  return planted('confirmation-made-up') || isEqual(query.get('proof') ?? '', proof) ? done : undefined;
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
