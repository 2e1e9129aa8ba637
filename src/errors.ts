/**
 * The errors by their codes: the HTTP status (a `malformed_body` may also have 413 or 415), and when they occur, for people.
 * The package uses no other codes.
 */
export const errors = {
  missing_parameter: {
    status: 400,
    sentence: 'A parameter that the operation needs is missing, or an `update` has no change.',
  },
  unknown_parameter: {status: 400, sentence: 'The operation has no parameter with that name.'},
  duplicate_parameter: {status: 400, sentence: 'A parameter was given twice.'},
  malformed_parameter: {
    status: 400,
    sentence: 'A parameter has the wrong type, is out of range, or cannot be decoded.',
  },
  refund_too_large: {status: 400, sentence: 'The refund is larger than what is left of the conversion.'},
  too_many_links: {status: 400, sentence: 'There are too many links for this order.'},
  malformed_body: {
    status: 400,
    sentence: 'The body is not a JSON object in UTF-8 (400), is too large (413), or has another content type (415).',
  },
  unsupported_format: {status: 400, sentence: 'The suffix is neither `.json` nor `.xml`. This answer is in JSON.'},
  malformed_base64: {status: 400, sentence: 'The value is not base64, or its bytes are not UTF-8.'},
  invalid_url: {
    status: 400,
    sentence:
      'A URL of the link is not absolute, has a scheme that the site does not allow, is too long, or has control characters.',
  },
  forbidden_url: {
    status: 400,
    sentence: 'A URL of the link is a short URL or an API URL of this site, or the site refuses it.',
  },
  invalid_custom_url: {
    status: 400,
    sentence: 'The short part has invalid characters or an invalid length, or the site has reserved it.',
  },
  invalid_password: {status: 400, sentence: 'The password is too long.'},
  invalid_expiry_date: {status: 400, sentence: 'The date is not valid, is past, or is not after the start date.'},
  invalid_base_domain: {status: 400, sentence: 'The domain has a scheme, a path or a trailing slash.'},
  unknown_base_domain: {status: 400, sentence: "The domain is none of the site's."},
  invalid_api_key: {status: 401, sentence: 'The API key is missing or unknown, or was replaced or revoked.'},
  not_logged_in: {status: 401, sentence: 'A page of the site has called the API, and nobody is logged in.'},
  foreign_page: {status: 403, sentence: 'A page of another site has called the API of the dashboard.'},
  account_blocked: {status: 403, sentence: "The site's operator has blocked the account."},
  insufficient_scope: {status: 403, sentence: 'The scope of the API key does not allow the operation.'},
  link_blocked: {
    status: 403,
    sentence: "The site's operator has blocked the link, so its account can neither enable nor change it.",
  },
  prefetch_refused: {status: 403, sentence: 'A browser prefetches a GET that would change something.'},
  unknown_key: {status: 404, sentence: 'The account has no labelled key with that id.'},
  unknown_operation: {status: 404, sentence: 'There is no such operation.'},
  unknown_short_url: {status: 404, sentence: 'The account has no such short URL.'},
  method_not_allowed: {status: 405, sentence: 'The path does not allow the method. `Allow` has those that it does.'},
  custom_url_taken: {status: 409, sentence: 'Another link on that domain has the short part.'},
  reference_taken: {status: 409, sentence: 'Another link of the account has the reference.'},
  link_expired: {status: 409, sentence: 'The expiry date of the link is past, or its visits are used up.'},
  too_many_keys: {status: 409, sentence: 'The account has the maximum number of labelled keys.'},
  idempotency_key_reused: {
    status: 409,
    sentence: 'The account has used the idempotency key for other parameters in the last 24 hours.',
  },
  too_many_requests: {
    status: 429,
    sentence:
      'This client has sent too many wrong API keys, the account has created too many links today, too many passwords are being hashed, or too many long reads of the account are waiting.',
  },
  internal_error: {status: 500, sentence: 'The request failed because of a bug in the server.'},
  store_unavailable: {status: 503, sentence: 'The store did not answer. A change may have happened.'},
} as const satisfies Readonly<Record<string, {readonly status: number; readonly sentence: string}>>;

/** The code of an error; the HTTP API has it in `data.error`. docs/api.md lists all codes. */
export type ErrorCode = keyof typeof errors;

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
    this.status = options.status ?? errors[code].status;
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
