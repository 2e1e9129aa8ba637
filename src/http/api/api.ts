import type {Account} from '../../accounts/accounts.ts';
import type {KeyAttempts} from '../../accounts/key-attempts.ts';
import type {Announcer} from '../../host/announcer.ts';
import {ShortUrlError, toShortUrlError} from '../../host/errors.ts';
import {formatDateTime} from '../../links/input/dates.ts';
import type {Links} from '../../links/links.ts';
import {readBearer} from './bearer.ts';
import {type Call, type Format, unsupportedFormat} from './call.ts';
import {clientOf} from '../visit/client.ts';
import type {Data, Envelope, Stream} from './envelope.ts';
import {operations} from './operations.ts';
import {hasPlainUrl, readParameters} from './parameters.ts';
import {publicMessage} from './public-message.ts';

/** The parts of a request that the API needs besides the path. */
export interface Caller {
  readonly method: string;
  /** Whether a browser sent the request before its user opened the page. */
  readonly isPrefetch: boolean;
  readonly ip: string;
  /** The `Authorization` header; empty if there is none. It is read only if the path has no key. */
  readonly authorization: string;
}

export interface Answer {
  readonly envelope: Envelope;
  readonly format: Format;
  /** The items of the envelope's list, if the list may be long. */
  readonly stream?: Stream | undefined;
  /** Why the call failed; undefined for a success. */
  readonly error?: ShortUrlError;
}

export interface ApiDependencies {
  readonly keys: KeyAttempts;
  readonly links: Links;
  readonly announcer: Announcer;
  readonly now: () => number;
}

/** The HTTP API without Koa: it takes and returns plain values. docs/api.md describes what it answers. */
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
      const {data, stream} = await this.#run(call, caller);
      return {envelope: {code: 200, data: {...data, date_time}}, format, stream};
    } catch (failure) {
      const error = toShortUrlError(failure);
      const data = {error: error.code, message: publicMessage(error), date_time};
      return {envelope: {code: error.status, data}, format, error};
    }
  }

  async #run(call: Call, caller: Caller): Promise<{data: Data; stream?: Stream | undefined}> {
    if (caller.method !== 'GET') {
      throw new ShortUrlError('method_not_allowed', 'The API accepts GET requests only.');
    }
    const account = await this.#authenticate(call, caller);
    const operation = operations.get(call.operation);
    if (operation === undefined) {
      throw new ShortUrlError(
        'unknown_operation',
        `Unknown operation. The operations are ${[...operations.keys()].join(', ')}.`,
      );
    }
    if (call.format === undefined && !hasPlainUrl(call.segments)) throw unsupportedFormat();
    if (operation.changes && caller.isPrefetch) {
      throw new ShortUrlError('prefetch_refused', 'This operation changes something, so it cannot be prefetched.');
    }
    const parameters = readParameters(call.segments, operation.parameters);
    return operation.run(this.#dependencies.links, account, parameters);
  }

  async #authenticate({apiKey}: Call, {ip, authorization}: Caller): Promise<Account> {
    const {keys, announcer, now} = this.#dependencies;
    try {
      const key = apiKey ?? readBearer(authorization);
      if (key === undefined)
        throw invalidApiKey(
          'The API key is missing: send it in the header `Authorization: Bearer <API_KEY>`; the account page of the site shows it.',
        );
      const account = await keys.authenticate(key, clientOf(ip));
      if (account !== undefined) return account;
      throw invalidApiKey('The API key is not valid; the account page of the site shows the right one.');
    } catch (error) {
      if (error instanceof ShortUrlError && (error.code === 'invalid_api_key' || error.code === 'too_many_requests')) {
        announcer.announce('denied', {reason: error.code, ip, shortUrl: undefined, at: new Date(now())});
      }
      throw error;
    }
  }
}

function invalidApiKey(message: string): ShortUrlError {
  return new ShortUrlError('invalid_api_key', message);
}
