/** The HTTP status of each error code; a `malformed_body` may also have 413 or 415. The package uses no other codes. */
const statuses = {
  missing_parameter: 400,
  unknown_parameter: 400,
  duplicate_parameter: 400,
  malformed_parameter: 400,
  too_many_links: 400,
  malformed_body: 400,
  unsupported_format: 400,
  malformed_base64: 400,
  invalid_url: 400,
  forbidden_url: 400,
  invalid_custom_url: 400,
  invalid_password: 400,
  invalid_expiry_date: 400,
  invalid_base_domain: 400,
  unknown_base_domain: 400,
  invalid_api_key: 401,
  account_blocked: 403,
  insufficient_scope: 403,
  link_blocked: 403,
  prefetch_refused: 403,
  unknown_key: 404,
  unknown_operation: 404,
  unknown_short_url: 404,
  method_not_allowed: 405,
  custom_url_taken: 409,
  reference_taken: 409,
  link_expired: 409,
  too_many_keys: 409,
  idempotency_key_reused: 409,
  too_many_requests: 429,
  internal_error: 500,
  store_unavailable: 503,
} as const;

/** The code of an error; the HTTP API has it in `data.error`. docs/api.md lists all codes. */
export type ErrorCode = keyof typeof statuses;

/**
 * The error of every failure in the HTTP API and the programmatic interface. Match it by `code`. `message` is for
 * people; it never contains a key, a password or a stack. The `message` and `cause` of an `internal_error` or a
 * `store_unavailable` are for the site's operator: the HTTP API returns a general sentence instead.
 *
 * @example
 * try {
 *   await shortener.links.create('user-42', {url, customUrl: 'spring'});
 * } catch (error) {
 *   if (error instanceof ShortUrlError && error.code === 'custom_url_taken') { … }
 * }
 */
export class ShortUrlError extends Error {
  override readonly name = 'ShortUrlError';
  readonly code: ErrorCode;
  /** The HTTP status of the code. */
  readonly status: number;
  /** The number of seconds after which to retry. May be set for `too_many_requests` and `store_unavailable`. */
  readonly retryAfter: number | undefined;

  /**
   * Also accepts errors of another copy of the package, because a site and its dashboard may each load their own.
   *
   * @internal
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    return this === ShortUrlError && value instanceof Error && value.name === 'ShortUrlError';
  }

  /** @param options `status` only if it differs from the usual one of the code */
  constructor(
    code: ErrorCode,
    message: string,
    options: {cause?: unknown; retryAfter?: number; status?: 413 | 415} = {},
  ) {
    super(message, 'cause' in options ? {cause: options.cause} : undefined);
    this.code = code;
    this.status = options.status ?? statuses[code];
    this.retryAfter = options.retryAfter;
  }
}

/** Begins the message of a `store_unavailable` for an operation for which the user of the store lacks a right. */
export const noRight = 'The store refused an operation to which the user has no right.';

/** The store cannot serve an operation now, so the caller may retry in a second. */
export function unavailable(message: string, cause?: unknown): ShortUrlError {
  return new ShortUrlError('store_unavailable', message, {...(cause !== undefined && {cause}), retryAfter: 1});
}

export function isUnavailable(error: unknown): error is ShortUrlError & {readonly code: 'store_unavailable'} {
  return error instanceof ShortUrlError && error.code === 'store_unavailable';
}

/** Wraps an unexpected failure in an `internal_error`, with the failure as its `cause`. */
export function toShortUrlError(error: unknown): ShortUrlError {
  return error instanceof ShortUrlError
    ? error
    : new ShortUrlError('internal_error', 'The request failed because of a bug in the server.', {
        cause: error,
      });
}
