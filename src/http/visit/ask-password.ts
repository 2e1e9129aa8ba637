import type {Context} from 'koa';
import {ShortUrlError} from '../../errors.ts';
import {isPassword, verifyPassword} from '../../link/password.ts';
import type {LinkRecord} from '../../link/record.ts';
import {linkRecords} from '../../link/records.ts';
import {addressOf, clientOf} from '../koa/client-address.ts';
import {isCutOff, readPassword} from './visitor-form.ts';
import type {VisitorServices} from './visitor-services.ts';
import type {VisitorPages} from './pages/visitor-pages.ts';

/** Resolves with true if the visitor has posted the password of the link. Otherwise answers with its form. */
export async function passesPassword(
  {announcer, attempts, bases, now}: VisitorServices,
  pages: VisitorPages,
  ctx: Context,
  {record, hash}: {readonly record: LinkRecord; readonly hash: string},
): Promise<boolean> {
  const show = async (status: 200 | 400 | 401): Promise<false> => {
    await pages.password(ctx, status, record);
    return false;
  };
  if (ctx.method !== 'POST') return show(200);
  // Read it now: Koa loses the address when the connection closes.
  const ip = addressOf(ctx);
  const password = await readPassword(ctx, (error) => {
    announcer.reportIn(ctx, error);
  });
  // Neither an incomplete request nor one without a password is counted as an attempt.
  if (isCutOff(ctx)) return false;
  if (password === undefined) return show(400);
  const deny = (reason: 'invalid_password' | 'too_many_requests'): void => {
    announcer.announce('denied', {reason, ip, shortUrl: bases.shortUrl(record), at: new Date(now())});
  };
  const visitor = {account: record.account, client: clientOf(ip)};
  const verify = (): Promise<boolean> => verifyPassword(password, hash, visitor);
  try {
    // An empty or overlong password is not counted as an attempt: no link can have it, so it costs no write.
    if (isPassword(password) && (await attempts.try(linkRecords.key(record), visitor, verify))) return true;
    deny('invalid_password');
    return await show(401);
  } catch (error) {
    if (!(error instanceof ShortUrlError) || error.code !== 'too_many_requests') throw error;
    deny(error.code);
    await pages.unavailable(ctx, error);
    return false;
  }
}
