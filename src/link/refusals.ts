import {ShortUrlError, unavailable} from '../errors.ts';

export function taken(): ShortUrlError {
  return new ShortUrlError('custom_url_taken', 'The custom short part is taken on that domain. Choose another one.');
}

export function referenceTaken(): ShortUrlError {
  return new ShortUrlError('reference_taken', 'Another link of the account has the reference. Choose another one.');
}

/** @param what names the URL in the message */
export function ownUrl(what = 'long URL'): ShortUrlError {
  const message = `The ${what} must not be a short URL or an API URL of this site.`;
  return new ShortUrlError('forbidden_url', message);
}

export function expired({end}: {readonly end?: number}, now: number): ShortUrlError {
  const reason = end !== undefined && end <= now ? 'expiry date has passed' : 'visit limit is reached';
  return new ShortUrlError('link_expired', `The short URL cannot be enabled, because its ${reason}.`);
}

export function blocked({blockReason}: {readonly blockReason?: string}): ShortUrlError {
  const reason = blockReason === undefined ? '' : `: “${blockReason}”`;
  return new ShortUrlError('link_blocked', `The site's operator has blocked the short URL${reason}.`);
}

/** A later version has protected the link in a way that this one does not know. */
export function notUnderstood(): ShortUrlError {
  const message = 'A later version of koa-short-url protects the short URL. Use that version: npx koa-short-url check.';
  return new ShortUrlError('store_unavailable', message, {retryAfter: 60});
}

/** A link that does not exist and one of another account get one answer. */
export function unknown(advice = '.'): ShortUrlError {
  return new ShortUrlError('unknown_short_url', `This account has no such short URL${advice}`);
}

/** The link changed during each of many attempts to read or to visit it. */
export function changing(): ShortUrlError {
  return unavailable('The link is being changed by too many callers at once.');
}

/** The intent of an idempotency key has expired, or its account was removed, while the link was being created. */
export function repeatEnded(): ShortUrlError {
  return unavailable('The idempotency key has expired meanwhile.');
}
