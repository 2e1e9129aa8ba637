import type {Context} from 'koa';
import {ShortUrlError} from '../../errors.ts';
import {isPassword, verifyPassword} from '../../link/password.ts';
import type {LinkRecord} from '../../link/record.ts';
import type {LinkServices} from '../../links/services.ts';
import {linkRecords} from '../../link/records.ts';
import type {PasswordAttempts} from '../../visits/attempts.ts';
import {addressOf, clientOf} from '../koa/client-address.ts';
import {isCutOff, readPassword} from './visitor-form.ts';
import type {VisitorPages} from './pages/visitor-pages.ts';

export interface PasswordQuestionDependencies extends Pick<LinkServices, 'bases' | 'announcer' | 'now'> {
  readonly attempts: PasswordAttempts;
  readonly visitorPages: VisitorPages;
}

/** Asks for the password of a link. */
export class PasswordQuestion {
  readonly #dependencies: PasswordQuestionDependencies;

  constructor(dependencies: PasswordQuestionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Answers with the form, unless the visitor has posted the password. Resolves with whether he has. */
  async isPassed(ctx: Context, record: LinkRecord, hash: string): Promise<boolean> {
    const {announcer, bases, visitorPages} = this.#dependencies;
    const show = async (status: 200 | 400 | 401): Promise<false> => {
      await visitorPages.password(ctx, status, record);
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
    const shortUrl = bases.shortUrl(record);
    try {
      if (await this.#isRight(password, {hash, record, ip})) return true;
      this.#deny(ip, 'invalid_password', shortUrl);
      return await show(401);
    } catch (error) {
      if (!(error instanceof ShortUrlError) || error.code !== 'too_many_requests') throw error;
      this.#deny(ip, error.code, shortUrl);
      await visitorPages.unavailable(ctx, error);
      return false;
    }
  }

  /** An empty or overlong password is not counted as an attempt: no link can have it, so it costs no write. */
  async #isRight(
    password: string,
    {hash, record, ip}: {hash: string; record: LinkRecord; ip: string},
  ): Promise<boolean> {
    if (!isPassword(password)) return false;
    const visitor = {account: record.account, client: clientOf(ip)};
    return this.#dependencies.attempts.try(linkRecords.key(record), visitor, () =>
      verifyPassword(password, hash, visitor),
    );
  }

  #deny(ip: string, reason: 'invalid_password' | 'too_many_requests', shortUrl: string): void {
    const {announcer, now} = this.#dependencies;
    announcer.announce('denied', {reason, ip, shortUrl, at: new Date(now())});
  }
}
