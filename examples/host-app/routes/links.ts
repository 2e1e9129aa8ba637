import type Router from '@koa/router';
import {type ErrorCode, type ShortUrl, ShortUrlError} from 'koa-short-url';
import type {Attempt, ShowAccount} from '../account-page.ts';
import {formField, readForm} from '../form.ts';
import {askedFor, linkPath} from '../link-address.ts';
import type {ShowLink} from '../link-page.ts';
import {requireUser, userOf} from '../require-user.ts';
import {checkCsrf, leaveNotice} from '../session.ts';
import type {Users} from '../users/users.ts';
import {seeOther} from './sign-in.ts';

export interface LinkDependencies {
  readonly users: Users;
  readonly shortener: ShortUrl;
  readonly showAccount: ShowAccount;
  readonly showLink: ShowLink;
}

/** The field of the form that an error of the shortener is about. */
const fieldOf: Partial<Record<ErrorCode, string>> = {
  missing_parameter: 'url',
  malformed_parameter: 'url',
  invalid_url: 'url',
  forbidden_url: 'url',
  invalid_custom_url: 'custom_url',
  custom_url_taken: 'custom_url',
  invalid_password: 'password',
  invalid_expiry_date: 'expiry_date',
  invalid_base_domain: 'base_domain',
  unknown_base_domain: 'base_domain',
};

/** What a user does with short links. */
export function addLinkRoutes(router: Router, {users, shortener, showAccount, showLink}: LinkDependencies): void {
  // A long URL may have 8,192 characters, and in a form each of them may take nine.
  const form = [requireUser(users), readForm('100kb'), checkCsrf] as const;

  router.post('/account/links', ...form, async (ctx) => {
    const field = (name: string): string => formField(ctx, name).trim();
    const password = formField(ctx, 'password');
    try {
      const link = await shortener.links.create(userOf(ctx).id, {
        url: field('url'),
        customUrl: field('custom_url') || undefined,
        password: password || undefined,
        expiryDate: field('expiry_date') || undefined,
        baseDomain: field('base_domain') || undefined,
      });
      leaveNotice(ctx, {text: 'Your new short link is', link: link.shortUrl});
      seeOther(ctx, '/account');
    } catch (error) {
      const names = ['url', 'custom_url', 'expiry_date', 'base_domain'];
      const entered = Object.fromEntries(names.map((name) => [name, field(name)]));
      // The password goes back as well: who overlooks that it is gone makes a link that is open to all.
      await showAccount(ctx, attemptOf(error, 'create', {...entered, password}));
    }
  });

  for (const operation of ['disable', 'enable'] as const) {
    router.post(`/account/links/${operation}`, ...form, async (ctx) => {
      const shortUrl = formField(ctx, 'short_url');
      const isOnLinkPage = formField(ctx, 'from') === 'link';
      try {
        await shortener.links[operation](userOf(ctx).id, shortUrl);
        seeOther(ctx, isOnLinkPage ? linkPath(shortUrl) : `/account${ctx.search}#links`);
      } catch (error) {
        const attempt = attemptOf(error, 'links', {});
        await (isOnLinkPage ? showLink(ctx, shortUrl, attempt) : showAccount(ctx, attempt));
      }
    });
  }

  router.get('/account/link', requireUser(users), (ctx) => showLink(ctx, askedFor(ctx)));
}

/**
 * @param place where to show an error that no field is to blame for
 * @throws what is no mistake of the user
 */
function attemptOf(error: unknown, place: string, entered: Record<string, string>): Attempt {
  if (!(error instanceof ShortUrlError) || error.status >= 500) throw error;
  return {status: error.status, entered, errors: {[fieldOf[error.code] ?? place]: error.message}};
}
