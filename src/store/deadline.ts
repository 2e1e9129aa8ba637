import {setMaxListeners} from 'node:events';

/** The time that one call of a driver may take. It begins to run with `bound`. */
export class Deadline {
  readonly timeout: number;
  #controller: AbortController | undefined;
  #isExpired = false;
  #obstacle: unknown;
  readonly #callbacks: Array<() => void> = [];

  /** @param timeout in milliseconds */
  constructor(timeout: number) {
    this.timeout = timeout;
  }

  get isExpired(): boolean {
    return this.#isExpired;
  }

  /** Aborts when the deadline expires. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // One call may send many commands that each listen, as a read of many keys on a cluster does.
      setMaxListeners(0, this.#controller.signal);
    }
    if (this.#isExpired) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Calls back when the deadline expires; cheaper than the signal. */
  onExpiry(callback: () => void): void {
    this.#callbacks.push(callback);
  }

  /** Notes why the call is being retried, so that the failure can name it. */
  note(obstacle: unknown): void {
    this.#obstacle = obstacle;
  }

  /**
   * Waits for the answer no longer than the deadline. An event loop that was held up for so long may have answers
   * that nobody has read yet: they are read first, so that a busy process does not take its store for dead.
   */
  bound<Result>(answer: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let lastLook: NodeJS.Immediate | undefined;
      const timer = setTimeout(() => {
        lastLook = setImmediate(() => {
          this.#isExpired = true;
          this.#controller?.abort();
          for (const callback of this.#callbacks) callback();
          reject(noAnswer(this.timeout, this.#obstacle));
        });
      }, this.timeout);
      answer
        .finally(() => {
          clearTimeout(timer);
          clearImmediate(lastLook);
        })
        .then(resolve, (error: unknown) => {
          reject(asError(error));
        });
    });
  }
}

/** Waits for a promise at most `timeout` milliseconds. */
export function within<Result>(timeout: number, promise: Promise<Result>): Promise<Result> {
  return new Deadline(timeout).bound(promise);
}

export function noAnswer(timeout: number, obstacle?: unknown): Error {
  const reason = obstacle === undefined ? '' : `: ${asError(obstacle).message}`;
  return new Error(`No answer within ${timeout} ms${reason}`);
}

/** Clients may throw and emit anything. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
