import {percentDecoded} from '../../values/parse-url.ts';
import {ShortUrlError, unavailable} from '../../errors.ts';
import {asError} from './deadline.ts';
import {refusalOf, type StoreNames} from './refusal.ts';

/**
 * A driver's package is not installed. Unlike an outage, this does not end by itself. Its one sentence says all, so no
 * traces are printed around it. The cause names a part that is missing, such as a binary.
 */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';

  readonly packageName: string;

  constructor(packageName: string, cause: unknown) {
    const isWhole = cause instanceof Error && cause.message.includes(`'${packageName}'`);
    super(
      `The store needs the package ${packageName}, which is not installed: npm install ${packageName}`,
      isWhole ? {} : {cause},
    );
    this.packageName = packageName;
    withoutTrace(this);
  }
}

function withoutTrace<Failure extends Error>(error: Failure): Failure {
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

/**
 * The failure of an import of a driver's package. Each `import()` of such a package stands in a `try` block itself, so
 * that bundlers leave out a package that is not installed.
 */
export function importFailure(packageName: string, error: unknown): unknown {
  const {code} = error as {code?: unknown};
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  return isMissing ? new MissingPackageError(packageName, error) : error;
}

/**
 * The error of an operation of the port. A bug in our own program stays as it is, because a retry would not help. Every
 * other error means that the store did not answer or refused.
 */
export function operationFailure(error: unknown, address?: StoreAddress): unknown {
  return error instanceof ShortUrlError || isFault(error) ? error : outage(error, address);
}

/** The parts of a connection string that errors may name, and those that they never repeat. */
export interface StoreAddress {
  readonly names: StoreNames;
  /** Removed from causes, because a server may repeat a login in its own words. */
  readonly logins: readonly string[];
}

/**
 * A failure of the store. The message says whether it refused or did not answer, and names the refused user, database or
 * file. The cause has the engine's message.
 */
export function outage(error: unknown, {names, logins}: StoreAddress = {names: {}, logins: []}): ShortUrlError {
  if (error instanceof MissingPackageError) {
    return withoutTrace(new ShortUrlError('store_unavailable', error.message, {cause: error, retryAfter: 60}));
  }
  return unavailable(refusalOf(error, names) ?? silence(error, names), bareCause(error, logins));
}

/** Most causes name the host; that of a timeout does not. */
function silence(error: unknown, {host}: StoreNames): string {
  const isNamed = host === undefined || (error instanceof Error && /ECONN|ENOTFOUND|EHOSTUNREACH/.test(error.message));
  return isNamed ? 'The store did not answer.' : `The store did not answer. Its address is ${host}.`;
}

/**
 * Converts an error of an engine's client to a plain error, because a `TypeError` of the client is not a bug of ours.
 *
 * @param secret matches the parts of a command or statement that servers repeat in their messages
 */
export function clientError(thrown: unknown, secret: RegExp): Error {
  if (thrown instanceof MissingPackageError) return thrown;
  // Report the failure of the first address or server.
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return clientError(thrown.errors[0], secret);
  const {message, code, errno, sqlState} = asError(thrown) as Error & Record<string, unknown>;
  return Object.assign(new Error(message.replace(secret, '…')), {code, errno, sqlState});
}

/**
 * Removes what clients attach to an error: the arguments of a command, the values of a statement, the options of a
 * connection. They may have an API key or a password, and hosts log causes completely.
 */
function bare(error: Error, logins: readonly string[]): Error {
  const {name, cause} = error;
  const message = withoutLogin(error.message, logins);
  const stack = error.stack && withoutLogin(error.stack, logins);
  const code: unknown = (error as {code?: unknown}).code;
  const errors: unknown = (error as {errors?: unknown}).errors;
  const copy = Array.isArray(errors)
    ? new AggregateError(
        errors.map((one) => bareCause(one, logins)),
        message,
      )
    : new Error(message);
  if (cause !== undefined) copy.cause = bareCause(cause, logins);
  return Object.assign(copy, {name, stack}, typeof code === 'string' || typeof code === 'number' ? {code} : {});
}

/** The names and the password of a connection string. Of a malformed one there are none. */
export function addressOf(text: string): StoreAddress {
  if (/^sqlite:/i.test(text)) return {names: {file: text.replace(/^sqlite:(\/\/)?/i, '')}, logins: []};
  const pattern = /^[^/]*\/\/(?:([^/@:]*)(?::([^/@]+))?@)?([^/?#]*)(?:\/([^?#]*))?(?:.*?[?&]password=([^&#]*))?/s;
  const [, user, password, host, path, parameter] = pattern.exec(text) ?? [];
  const logins = [password, parameter].flatMap((login) => spellings(login));
  // A path of Sentinel begins with the name of its master.
  const all = {user: user && percentDecoded(user), host, database: percentDecoded(path?.split('/').at(-1) ?? '')};
  const named = Object.entries(all).filter(([, name]) => name && !logins.some((login) => name.includes(login)));
  return {names: Object.fromEntries(named), logins};
}

/** A password as it is sent and as it is written. */
function spellings(login: string | undefined): string[] {
  return login === undefined || login === '' ? [] : [...new Set([percentDecoded(login) ?? login, login])];
}

/** Removes the logins, and connection strings, because some adapters repeat them. */
function withoutLogin(text: string, logins: readonly string[]): string {
  return logins
    .reduce((rest, login) => rest.replaceAll(login, () => '…'), text)
    .replaceAll(/(?<!file)(:\/\/)\S*@/g, '$1…@')
    .replaceAll(/\b(password=)[^&\s]+/gi, '$1…');
}

function bareCause(cause: unknown, logins: readonly string[]): unknown {
  if (cause instanceof Error) return bare(cause, logins);
  return typeof cause === 'string' ? withoutLogin(cause, logins) : cause;
}

/** Whether the error is a bug rather than a failure of the store. */
export function isFault(error: unknown): boolean {
  return [TypeError, ReferenceError, RangeError, SyntaxError].some((fault) => error instanceof fault);
}
