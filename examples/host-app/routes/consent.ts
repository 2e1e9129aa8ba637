import type Router from '@koa/router';
import type {ShortUrl} from 'koa-short-url';
import {rememberConsent} from '../consent.ts';
import {formField, readForm} from '../form.ts';
import {checkCsrf} from '../session.ts';
import {pageAfter, seeOther} from './sign-in.ts';

/** The banner of `pages/layout.eta`, which asks on the first page, after the redirect of a short link. */
export function addConsentRoutes(router: Router, {shortener}: {readonly shortener: ShortUrl}): void {
  router.post('/consent', readForm(), checkCsrf, async (ctx) => {
    const isYes = formField(ctx, 'answer') === 'yes';
    rememberConsent(ctx, isYes);
    // The page that the visitor landed on has the link in its URL, which the browser sends as the referrer.
    if (isYes) await shortener.conversions.accept(ctx);
    seeOther(ctx, pageAfter(formField(ctx, 'next')));
  });
}
