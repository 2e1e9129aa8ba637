import type {ExecutionContext} from 'ava';
import type {ErrorCode} from '../../src/errors.ts';
import type {Data, Reply} from './request.ts';
import type {Site} from './site.ts';

/** The error table of the API. */
export const statuses = {
  missing_parameter: 400,
  unknown_parameter: 400,
  duplicate_parameter: 400,
  malformed_parameter: 400,
  refund_too_large: 400,
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
  link_blocked: 403,
  account_blocked: 403,
  insufficient_scope: 403,
  not_logged_in: 401,
  foreign_page: 403,
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
} as const satisfies Record<ErrorCode, number>;

export type Failure = ErrorCode;

/** Checks the headers that every answer of the API has. */
export function carriesApiHeaders(t: ExecutionContext, {headers}: Reply): void {
  t.is(headers['cache-control'], 'no-store');
  t.is(headers['referrer-policy'], 'no-referrer');
  t.is(headers['x-content-type-options'], 'nosniff');
  t.is(headers['x-robots-tag'], 'noindex');
}

/** Checks a success in JSON, whose form the site has judged; returns its data. */
export function accepted(t: ExecutionContext, reply: Reply): Data {
  t.is(reply.status, 200, reply.text);
  return reply.json().data;
}

/** Checks a failure in JSON or XML, whose form the site has judged; returns its message. */
export function refused(
  t: ExecutionContext,
  reply: Reply,
  failure: Failure,
  status: number = statuses[failure],
): string {
  const {data} = reply.envelope;
  t.is(data['error'], failure, reply.text);
  t.is(reply.status, status);
  const message = String(data['message']);
  t.regex(message, /^\S.*\.$/s, 'a message is a sentence');
  t.notRegex(message, /\bat .*:\d+:\d+/, 'a message has no stack');
  return message;
}

/** Checks the redirect of an active link. */
export function redirects(t: ExecutionContext, reply: Reply, destination: string, status = 302): void {
  t.is(reply.status, status, reply.text);
  t.is(reply.headers.location, destination);
  t.is(reply.headers['cache-control'], 'private, no-store');
}

/** Gets each page that a visitor can see, from a site that allows one attempt at a password. */
export async function visitorPages(t: ExecutionContext, site: Site): Promise<Reply[]> {
  const link = await site.create({password: 's3cret'});
  const replies = [
    await site.visit(link.short_url),
    await site.submit(link.short_url, 'wrong'),
    await site.submit(link.short_url, 's3cret'),
  ];
  await site.api('disable', {short_url: link.short_url});
  replies.push(await site.visit(link.short_url));
  t.deepEqual(
    replies.map(({status}) => status),
    [200, 401, 429, 410],
  );
  return replies;
}

/** Checks that the host answered, also with its 404 page, without a trace of the shortener. */
export function isTheHosts(t: ExecutionContext, reply: Reply, status: number, text: string): void {
  t.is(reply.status, status, reply.text);
  t.is(reply.text, text);
  t.is(reply.headers.location, undefined);
  t.is(reply.headers['x-robots-tag'], undefined);
}
