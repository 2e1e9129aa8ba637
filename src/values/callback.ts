import {clearTimeout, setTimeout} from 'node:timers';
import {describe} from './describe.ts';

/** How long a callback of the host may take, in milliseconds. */
const callbackTimeout = 5000;

/**
 * Applies the timeout to the result of a callback: a promise that does not settle in time rejects, and so does one that is
 * still awaited when the signal is aborted.
 */
export function inTime<Result>(
  returned: Result | Promise<Result>,
  timeout = callbackTimeout,
  signal?: AbortSignal,
): Result | Promise<Result> {
  if (!isThenable(returned)) return returned;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`The callback did not settle within ${timeout} ms`));
    }, timeout);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', stop);
    Promise.resolve(returned)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
      });
  });
}

/** @throws TypeError if it is no boolean: a function without `return` would otherwise refuse everything */
export function requireBoolean(result: unknown): boolean {
  if (typeof result === 'boolean') return result;
  throw new TypeError(`Expected a boolean, got ${describe(result)}`);
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
