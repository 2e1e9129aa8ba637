import {ShortUrlError} from '../errors.ts';

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
 * to pass; all else means that the store did not answer.
 */
export function operationFailure(error: unknown): unknown {
  if (error instanceof ShortUrlError || isFault(error)) return error;
  if (error instanceof MissingPackageError) {
    return new ShortUrlError('store_unavailable', error.message, {cause: error, retryAfter: 60});
  }
  return new ShortUrlError('store_unavailable', 'The store did not answer.', {cause: bareCause(error), retryAfter: 1});
}

/**
 * The error without what clients hang on it: a command's arguments, a statement's values, the options of a connection.
 * Any of them may hold a key or a password, and hosts log causes whole.
 */
export function bare(error: Error): Error {
  const {name, message, stack, cause} = error;
  const code: unknown = (error as {code?: unknown}).code;
  const errors: unknown = (error as {errors?: unknown}).errors;
  const copy = Array.isArray(errors) ? new AggregateError(errors.map(bareCause), message) : new Error(message);
  if (cause !== undefined) copy.cause = bareCause(cause);
  return Object.assign(copy, {name, stack}, typeof code === 'string' || typeof code === 'number' ? {code} : {});
}

function bareCause(cause: unknown): unknown {
  return cause instanceof Error ? bare(cause) : cause;
}

/** Whether the error is a fault in the program rather than a failure to reach the store. */
export function isFault(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof ReferenceError ||
    error instanceof RangeError ||
    error instanceof SyntaxError
  );
}
