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
  return new ShortUrlError('store_unavailable', 'The store did not answer.', {cause: error, retryAfter: 1});
}

function isFault(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof ReferenceError ||
    error instanceof RangeError ||
    error instanceof SyntaxError
  );
}

/** Waits for the engine no longer than allowed. What the promise does afterwards is nobody's concern. */
export function within<Result>(timeout: number, promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = whenTimeIsUp(timeout, () => {
      reject(noAnswer(timeout));
    });
    promise.then(
      (result) => {
        cancel();
        resolve(result);
      },
      (error: unknown) => {
        cancel();
        reject(asError(error));
      },
    );
  });
}

/**
 * Calls back after `timeout` milliseconds. If the event loop was held up for so long, answers may have come that nobody
 * has looked at; they are looked at first, so that a busy process does not take its store for dead.
 *
 * @returns what cancels it
 */
export function whenTimeIsUp(timeout: number, callback: () => void): () => void {
  let lastLook: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    lastLook = setImmediate(callback);
  }, timeout);
  return () => {
    clearTimeout(timer);
    clearImmediate(lastLook);
  };
}

/** Names the bound that was met. */
export function noAnswer(timeout: number): Error {
  return new Error(`No answer within ${timeout} ms`);
}

/** Clients may throw and emit anything. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
