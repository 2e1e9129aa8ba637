import type {ErrorCode} from '../errors.ts';
import type {Client} from './generated/calls.ts';
import {names} from './generated/names.ts';
import type {CallOptions, ClientOptions} from './options.ts';

/**
 * A call that failed. `code` is that of the API (docs/api.md); `no_answer` if the site was not reached or the connection was
 * cut; `unexpected_answer` if something else has answered, such as a proxy, or a login page to which the site redirects.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode | 'no_answer' | 'unexpected_answer';
  /** The HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  /** When to retry, in seconds; undefined if the answer does not say. */
  readonly retryAfter: number | undefined;

  constructor(code: ApiError['code'], message: string, response?: Response, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = response?.status;
    this.retryAfter = Number(response?.headers.get('Retry-After')) || undefined;
  }
}

/**
 * Makes a client of the API, for browsers and servers (docs/client.md). Each call resolves with the `data` of the answer, or
 * rejects with an `ApiError`.
 *
 * @throws TypeError for a `url` or an `apiKey` that is no string or is empty, and for an unknown option
 * @example
 * const links = createClient({url: '/links/api'});
 * const {short_url} = await links.create({url: location.href});
 */
export function createClient(options: ClientOptions): Client {
  checkNames(options, 'url', 'apiKey');
  for (const [name, value] of Object.entries({...options, url: options.url})) {
    if (typeof value !== 'string' || value === '') throw new TypeError(`Expected \`${name}\` to be a non-empty string`);
  }
  const {url, apiKey} = options;
  const root = url.replace(/\/+$/, '') + (apiKey === undefined ? '/' : '/api/v1/shorturl/');
  const methods = Object.entries(names).map(([method, operation]) => [
    method,
    async (parameters: object = {}, ofCall: CallOptions = {}): Promise<unknown> => {
      checkNames(ofCall, 'idempotencyKey', 'signal');
      const {idempotencyKey, signal} = ofCall;
      const headers = {
        'Content-Type': 'application/json',
        ...(apiKey !== undefined && {Authorization: `Bearer ${apiKey}`}),
        ...(idempotencyKey !== undefined && {'Idempotency-Key': idempotencyKey}),
      };
      // A redirected POST would become a GET.
      const call = {method: 'POST', headers, redirect: 'manual', signal: signal ?? null} as const;
      const request = new Request(root + operation, {...call, body: JSON.stringify(parameters)});
      let response: Response | undefined;
      try {
        response = await fetch(request);
        if (response.ok && response.headers.get('Content-Type')?.startsWith('image/')) return await response.blob();
        return read(response, await response.text());
      } catch (cause) {
        if (cause instanceof ApiError || signal?.aborted) throw cause;
        throw new ApiError('no_answer', 'The site did not answer, or the connection was cut.', response, {cause});
      }
    },
  ]);
  return Object.fromEntries(methods) as Client;
}

/** @throws TypeError for another option, which would be ignored. A text has a name for each character */
function checkNames(options: object, ...known: readonly string[]): void {
  const other = Object.keys(options).find((name) => !known.includes(name));
  if (other !== undefined) throw new TypeError(`Expected only \`${known.join('` and `')}\`, got \`${other}\``);
}

/** The `data` of an answer. */
function read(response: Response, text: string): unknown {
  let data: {readonly error?: ErrorCode; readonly message: string; readonly date_time?: unknown} | undefined;
  try {
    ({data} = JSON.parse(text) as {data?: typeof data});
  } catch {
    // It is no answer of the API.
  }
  if (data?.date_time === undefined || response.ok === (data.error !== undefined)) {
    throw new ApiError(
      'unexpected_answer',
      `Something else than the API has answered, with the status ${response.status}.`,
      response,
    );
  }
  if (data.error !== undefined) throw new ApiError(data.error, data.message, response);
  return data;
}
