/** The HTTP status of each error code. The set is closed: nothing that leaves this package carries another code. */
const statuses = {
  missing_parameter: 400,
  unknown_parameter: 400,
  duplicate_parameter: 400,
  malformed_parameter: 400,
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
  link_blocked: 403,
  prefetch_refused: 403,
  unknown_operation: 404,
  unknown_short_url: 404,
  method_not_allowed: 405,
  custom_url_taken: 409,
  link_expired: 409,
  too_many_requests: 429,
  internal_error: 500,
  store_unavailable: 503,
} as const;

/** What went wrong, as the HTTP API says it in `data.error`. */
export type ErrorCode = keyof typeof statuses;

/**
 * Every failure that the HTTP API and the programmatic interface report. Match it by `code`; `message` is one sentence
 * for people, and holds no key, password or stack. With `internal_error` and `store_unavailable` it is for the site's
 * operator, as `cause` is: the HTTP API answers a general sentence instead.
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
  /** The HTTP status that goes with the code. */
  readonly status: number;
  /** Seconds after which another try makes sense; set with `too_many_requests` and `store_unavailable`. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, options: {cause?: unknown; retryAfter?: number} = {}) {
    super(message, 'cause' in options ? {cause: options.cause} : undefined);
    this.code = code;
    this.status = statuses[code];
    this.retryAfter = options.retryAfter;
  }
}

/** Gives an unforeseen failure the shape of every other one; what it was stays in `cause`. */
export function toShortUrlError(error: unknown): ShortUrlError {
  return error instanceof ShortUrlError
    ? error
    : new ShortUrlError('internal_error', 'The request could not be completed because of a fault in the program.', {
        cause: error,
      });
}
