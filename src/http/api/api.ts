import {planted} from '../../planted.ts';
import {type Access, checkOpen} from '../../accounts/accounts.ts';
import {isWithin, type KeyScope} from '../../accounts/keys.ts';
import type {KeyAttempts} from '../../accounts/key-attempts.ts';
import {type ErrorCode, ShortUrlError, toShortUrlError} from '../../errors.ts';
import {formatDateTime} from '../../values/calendar.ts';
import type {DeniedEvent} from '../../links/events.ts';
import {readBearer} from './bearer.ts';
import type {Call} from '../call.ts';
import {clientOf} from '../koa/client-address.ts';
import type {Answer} from '../envelope.ts';
import type {Operation, OperationServices, Result, Values} from './operation.ts';
import {operations} from './operations.ts';
import {hasPlainUrl, readMembers, readParameters} from './parameters.ts';
import {publicMessage} from '../public-message.ts';

/** The parts of a request that the API needs besides the path. */
export interface Caller {
  readonly method: string;
  /** Whether a browser sent the request before its user opened the page. */
  readonly isPrefetch: boolean;
  readonly ip: string;
  /**
   * The account of a page of the site, which calls by POST without a key. It may reject, with any error. Undefined if the
   * call has a key.
   */
  readonly access?: (() => Promise<Access>) | undefined;
  /** The `Authorization` header; empty if there is none. It is read only if the path has no key. */
  readonly authorization: string;
  /** The `Idempotency-Key` header; undefined if there is none. */
  readonly idempotencyKey: string | undefined;
  /**
   * The JSON object in the body of a POST. Called once the key is known to be valid.
   *
   * @throws ShortUrlError `malformed_body`
   */
  readonly readBody: () => Promise<object>;
}

export interface ApiDependencies extends OperationServices {
  readonly keyAttempts: KeyAttempts;
  readonly now: () => number;
}

/** The HTTP API without Koa: it takes and returns plain values. docs/api.md describes its answers. */
export class Api {
  readonly #dependencies: ApiDependencies;

  constructor(dependencies: ApiDependencies) {
    this.#dependencies = dependencies;
  }

  /** Never rejects: a failure is returned as an answer with `error`. */
  async answer(call: Call, caller: Caller): Promise<Answer> {
    const format = call.format ?? 'json';
    const date_time = formatDateTime(this.#dependencies.now());
    try {
      const {data, stream, picture, dateTime} = await this.#run(call, caller);
      return {envelope: {code: 200, data: {...data, date_time: dateTime ?? date_time}}, format, stream, picture};
    } catch (failure) {
      const error = toShortUrlError(failure);
      const data = {error: error.code, message: publicMessage(error), date_time};
      const allow = error.code === 'method_not_allowed' ? allowedMethods(call, caller).join(', ') : undefined;
      return {envelope: {code: error.status, data}, format, error, ...(allow !== undefined && {allow})};
    }
  }

  async #run(call: Call, caller: Caller): Promise<Result> {
    checkMethod(call, caller);
    const access = await this.#authenticate(call, caller).catch((error: unknown) => this.#deny(error, caller));
    const operation = operations.get(call.operation);
    if (operation === undefined) {
      throw new ShortUrlError(
        'unknown_operation',
        `Unknown operation. The operations are ${[...operations.keys()].join(', ')}.`,
      );
    }
    try {
      authorize(access, operation.scope);
    } catch (error) {
      this.#deny(error, caller, access);
    }
    if (call.format === undefined && !hasPlainUrl(call.segments, operation.parameters)) {
      const message = 'The suffix of the path must be .json or .xml. Write a dot in the last value as %2E.';
      throw new ShortUrlError('unsupported_format', message);
    }
    const values = await readValues(call, caller, operation);
    // Calls with the key in the path are those of the specification, which has no such header.
    const idempotencyKey = call.apiKey === undefined ? caller.idempotencyKey : undefined;
    return operation.run(this.#dependencies, {account: access.account, values, idempotencyKey});
  }

  /** @throws ShortUrlError `invalid_api_key` or `too_many_requests` */
  async #authenticate({apiKey}: Call, {ip, authorization, access: ofPage}: Caller): Promise<Access> {
    if (ofPage !== undefined) return ofPage();
    const {keyAttempts} = this.#dependencies;
    const key = apiKey ?? readBearer(authorization);
    const access = key === undefined ? undefined : await keyAttempts.authenticate(key, clientOf(ip));
    if (access !== undefined) return access;
    const message =
      key === undefined
        ? 'The API key is missing: send it in the header `Authorization: Bearer <API_KEY>`; the account page of the site shows it.'
        : 'The API key is invalid. The account page of the site shows the right one.';
    throw new ShortUrlError('invalid_api_key', message);
  }

  /** Tells the host of a refused key, and throws the error. */
  #deny(error: unknown, {ip}: Caller, access?: Access): never {
    const {announcer, now} = this.#dependencies;
    if (error instanceof ShortUrlError && isDenial(error.code)) {
      const denied = {reason: error.code, ip, shortUrl: undefined, at: new Date(now())};
      const {account, key} = access ?? {};
      announcer.announce('denied', {...denied, ...(account && {account: account.id}), ...(key && {key})});
    }
    throw error;
  }
}

function isDenial(code: ErrorCode): code is DeniedEvent['reason'] {
  return ['invalid_api_key', 'too_many_requests', 'account_blocked', 'insufficient_scope'].includes(code);
}

/** @throws ShortUrlError `account_blocked` or `insufficient_scope` */
function authorize({account, scope}: Access, needed: KeyScope): void {
  checkOpen(account);
  if (isWithin(planted('create-key-changes') && needed === 'full' ? 'create' : needed, scope)) return;
  const message = `The operation needs a key with the scope \`${needed}\`. This key has the scope \`${scope}\`.`;
  throw new ShortUrlError('insufficient_scope', message);
}

/** Reads the values from the path of a GET or from the body of a POST. */
async function readValues({segments}: Call, caller: Caller, operation: Operation): Promise<Values> {
  if (caller.method === 'POST') {
    if (segments.length > 0) {
      throw new ShortUrlError('unknown_parameter', 'Send the parameters of a POST in the body, not in the path.');
    }
    return readMembers(await caller.readBody(), operation);
  }
  if (
    operation.scope !== 'read' &&
    !(planted('prefetch-creates') && operation.scope === 'create') &&
    caller.isPrefetch
  ) {
    throw new ShortUrlError('prefetch_refused', 'This operation changes something, so a prefetch is refused.');
  }
  return readParameters(segments, operation);
}

/** @throws ShortUrlError `method_not_allowed` */
function checkMethod(call: Call, caller: Caller): void {
  if (allowedMethods(call, caller).includes(caller.method)) return;
  if (caller.access !== undefined) throw new ShortUrlError('method_not_allowed', 'Call the operation by POST.');
  const isPostOnly = operations.get(call.operation)?.isPostOnly === true;
  const message = isPostOnly
    ? 'Call this operation by POST, with the API key in the header `Authorization: Bearer <API_KEY>`.'
    : 'Call the API by POST with the API key in the header `Authorization: Bearer <API_KEY>`, or by GET.';
  throw new ShortUrlError('method_not_allowed', message);
}

/** The methods of a call, or those to try instead of its own. */
function allowedMethods({apiKey, operation}: Call, {method, access}: Caller): readonly string[] {
  const isPostOnly = access !== undefined || operations.get(operation)?.isPostOnly === true;
  if (isPostOnly && (apiKey === undefined || method !== 'POST')) return ['POST'];
  return apiKey === undefined ? ['GET', 'POST'] : ['GET'];
}
