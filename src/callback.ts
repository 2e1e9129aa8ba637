/** How long a callback of the host's may take, in milliseconds. */
export const longestCallback = 5000;

/**
 * What a callback of the host's has returned, or, where that is a promise, one that does not stay open for ever: after
 * five seconds it rejects. What the callback does afterwards is nobody's concern.
 */
export function inTime<Result>(returned: Result | Promise<Result>): Result | Promise<Result> {
  if (!isThenable(returned)) return returned;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`The callback did not settle within ${longestCallback} ms`));
    }, longestCallback);
    Promise.resolve(returned)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
      });
  });
}

/** Whether it is a promise, of whatever library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
