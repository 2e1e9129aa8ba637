import {createHmac, timingSafeEqual} from 'node:crypto';
import type {Context} from 'koa';
import type {DashboardRequest} from './request.ts';

/** The name of the field in every form that holds its token. */
export const tokenField = '_token';

/**
 * Whether a page of another site has sent a request. Browsers tell with `Sec-Fetch-Site`, and where they do not (an
 * older one, or a site without https) with `Origin`. What is no browser sends neither, and no site can make it do so.
 *
 * @param origin that of the site, for a proxy that passes on another Host than the browser asked for
 */
export function isFromElsewhere(ctx: Context, origin: string): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (site !== '') return site !== 'same-origin' && site !== 'none';
  const from = ctx.get('Origin');
  return from !== '' && from !== origin && !isHost(from, ctx.host);
}

/** The scheme is left out: a proxy speaks https to the browser, whatever it speaks to us. */
function isHost(origin: string, host: string): boolean {
  return /^https?:\/\/([^/]+)$/.exec(origin)?.[1] === host;
}

/**
 * What a form has to bring back, so that only a page made for this account can have sent it. It hangs on the API key,
 * which every process on the store knows and no other site does; a new key makes new tokens.
 */
export function formToken(apiKey: string): string {
  return createHmac('sha256', apiKey).update('koa-short-url dashboard form').digest('base64url');
}

/** Whether a form has brought back its token. */
export function hasToken({form, token}: Pick<DashboardRequest, 'form' | 'token'>): boolean {
  const given = Buffer.from(form.get(tokenField) ?? '');
  const expected = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
