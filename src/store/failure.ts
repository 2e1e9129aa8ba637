import {ShortUrlError} from '../errors.ts';
import {asError} from './deadline.ts';
import {refusalOf} from './refusal.ts';

/** A driver's package is not installed. Unlike an outage this does not pass by itself. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';

  constructor(packageName: string, cause: unknown) {
    super(`The store needs the package ${packageName}, which is not installed: npm install ${packageName}`, {cause});
  }
}

/**
 * Loads a driver's package when it is needed.
 *
 * @throws {MissingPackageError} where the package, or a part of it such as its binary, is not installed
 */
export async function importPackage<Module>(packageName: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const {code} = error as {code?: unknown};
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND')
      throw new MissingPackageError(packageName, error);
    throw error;
  }
}

/**
 * What an operation of the port rejects with. A fault in our own program stays what it is, so that nobody waits for it
 * to pass; all else means that the store did not answer, or refused to.
 */
export function operationFailure(error: unknown): unknown {
  return error instanceof ShortUrlError || isFault(error) ? error : outage(error);
}

/** A failure of the store. The message says whether it refused or did not answer, and the cause what was said. */
export function outage(error: unknown): ShortUrlError {
  if (error instanceof MissingPackageError) {
    return new ShortUrlError('store_unavailable', error.message, {cause: error, retryAfter: 60});
  }
  const message = refusalOf(error) ?? 'The store did not answer.';
  return new ShortUrlError('store_unavailable', message, {cause: bareCause(error), retryAfter: 1});
}

/**
 * An error of an engine's client as a plain error: a `TypeError` of the client is an outage and no fault in our program.
 *
 * @param secret matches what servers repeat of a command or a statement in their messages
 */
export function clientError(thrown: unknown, secret: RegExp): Error {
  if (thrown instanceof MissingPackageError) return thrown;
  // The failure of the first address or server stands for the others.
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return clientError(thrown.errors[0], secret);
  const {message, code, errno, sqlState} = asError(thrown) as Error & Record<string, unknown>;
  return Object.assign(new Error(message.replace(secret, '…')), {code, errno, sqlState});
}

/**
 * The error without what clients hang on it: a command's arguments, a statement's values, the options of a connection.
 * Any of them may hold a key or a password, and hosts log causes whole.
 */
function bare(error: Error): Error {
  const {name, cause} = error;
  const message = withoutLogin(error.message);
  const stack = error.stack && withoutLogin(error.stack);
  const code: unknown = (error as {code?: unknown}).code;
  const errors: unknown = (error as {errors?: unknown}).errors;
  const copy = Array.isArray(errors) ? new AggregateError(errors.map(bareCause), message) : new Error(message);
  if (cause !== undefined) copy.cause = bareCause(cause);
  return Object.assign(copy, {name, stack}, typeof code === 'string' || typeof code === 'number' ? {code} : {});
}

/** Some adapters repeat the connection string that they were given. */
function withoutLogin(text: string): string {
  return text.replaceAll(/(?<!file)(:\/\/)\S*@/g, '$1…@').replaceAll(/\b(password=)[^&\s]+/gi, '$1…');
}

function bareCause(cause: unknown): unknown {
  if (cause instanceof Error) return bare(cause);
  return typeof cause === 'string' ? withoutLogin(cause) : cause;
}

/** Whether the error is a fault in the program rather than a failure to reach the store. */
export function isFault(error: unknown): boolean {
  return [TypeError, ReferenceError, RangeError, SyntaxError].some((fault) => error instanceof fault);
}
