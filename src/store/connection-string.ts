import {percentDecoded} from '../values/parse-url.ts';
import {didYouMean} from '../values/describe.ts';

/** What is wrong with a connection string. The message repeats no value, because it may be a password. */
export class ConnectionStringError extends TypeError {}

const percentEncode =
  'Expected `@`, `/`, `:`, `#`, `?` and `%` in the user and the password of the store to be percent-encoded: ' +
  '`encodeURIComponent(password)` does that.';

/**
 * Refuses a login that is not percent-encoded, so that no part of it is taken for a host or a parameter, which errors name.
 *
 * @throws {ConnectionStringError}
 */
export function checkLogin(text: string): void {
  const hasDelimiter = /%(?![\da-f]{2})|#|^[^/]*\/\/[^/?]*\/[^?]*@|^[^/]*\/\/[^/?@]*\?.*@/is.test(text);
  const [, login = ''] = /^[^/]*\/\/([^/?#]*)@/s.exec(text) ?? [];
  if (hasDelimiter || percentDecoded(login) === undefined) throw new ConnectionStringError(percentEncode);
}

/**
 * Reads a connection string.
 *
 * @param form what it must look like
 * @throws {TypeError} if `read` throws
 */
export function readString<Result>(engine: string, form: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConnectionStringError) throw error;
    // The error of `URL` has the whole string.
    // oxlint-disable-next-line preserve-caught-error
    throw new TypeError(`The ${engine} connection string of the store is malformed: expected ${form}`);
  }
}

/** The parameters that a connection string may have. */
export interface KnownParameters {
  /** The name of the engine, for messages. */
  readonly engine: string;
  readonly read: readonly string[];
  /** Those that other programs read, and that change nothing here. */
  readonly ignored: readonly string[];
}

/**
 * Takes the ignored parameters out of those of a connection string.
 *
 * @throws {ConnectionStringError} for an unknown one, or one that is there twice
 */
export function checkParameters(parameters: URLSearchParams, {engine, read, ignored}: KnownParameters): void {
  const names = Array.from(parameters.keys());
  for (const [index, name] of names.entries()) {
    if (ignored.includes(name)) parameters.delete(name);
    else if (!read.includes(name)) throw unknownParameter(parameters, name, {engine, read});
    else if (names.indexOf(name) !== index) {
      throw new ConnectionStringError(`The ${engine} connection string of the store has \`${name}\` twice.`);
    }
  }
}

function unknownParameter(
  parameters: URLSearchParams,
  name: string,
  {engine, read}: Pick<KnownParameters, 'engine' | 'read'>,
): ConnectionStringError {
  const begin = `The ${engine} connection string of the store has`;
  // After a raw `?` in a password, its parts would be taken for parameters.
  const isName = /^[A-Za-z][\w.-]{0,39}$/.test(name) && !parameters.toString().includes('%40');
  if (!isName) return new ConnectionStringError(`${begin} an unknown parameter. ${percentEncode}`);
  const known = read.length === 0 ? 'It takes none.' : `It takes ${read.join(', ')}.`;
  const advice = didYouMean(name, read) || ' Leave it out.';
  return new ConnectionStringError(`${begin} the unknown parameter \`${name}\`.${advice} ${known}`);
}
