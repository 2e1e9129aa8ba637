import {setMaxListeners} from 'node:events';
import {performance} from 'node:perf_hooks';
import {clearImmediate, clearTimeout, setImmediate, setTimeout} from 'node:timers';

/** The waiting time is divided into so many parts. If a part ends later than the next would, the process was not there. */
const parts = 8;

/**
 * The time that a call of a driver may take. It starts with `bound`. Time in which the process could not have read an
 * answer does not count: its event loop was blocked, or it was stopped.
 */
export class Deadline {
  readonly timeout: number;
  #expiry: number;
  #controller: AbortController | undefined;
  #isExpired = false;
  #obstacle: unknown;
  readonly #callbacks: Array<() => void> = [];

  /** @param timeout in milliseconds */
  constructor(timeout: number) {
    this.timeout = timeout;
    this.#expiry = performance.now() + timeout;
  }

  /** When it expires at the earliest, by `performance.now()`. It is postponed after the process was not there. */
  get expiry(): number {
    return this.#expiry;
  }

  get isExpired(): boolean {
    return this.#isExpired;
  }

  /** Aborts when the deadline expires. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // One call may send many commands, each with a listener, for example to read many keys on a cluster.
      setMaxListeners(0, this.#controller.signal);
    }
    if (this.#isExpired) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Calls `callback` when the deadline expires. It is cheaper than the signal. */
  onExpiry(callback: () => void): void {
    this.#callbacks.push(callback);
  }

  /** Records why the call is retried, so that the error can name the reason. */
  note(obstacle: unknown): void {
    this.#obstacle = obstacle;
  }

  /**
   * Waits for the answer until the deadline. Answers that have been received by then are processed first. After a failure
   * the deadline runs on, because other parts of the call may be under way: they must not keep a connection, or write when
   * the caller has had its error for long.
   */
  bound<Result>(answer: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let lastLook: NodeJS.Immediate | undefined;
      let timer: NodeJS.Timeout;
      let hasFailed = false;
      const wait = (time: number): void => {
        const due = performance.now() + time;
        timer = setTimeout(() => {
          this.#postpone(performance.now() - due);
          const left = this.#expiry - performance.now();
          if (left > 0) wait(Math.min(left, this.timeout / parts));
          else lastLook = setImmediate(expire);
        }, time);
        // The process may end without it.
        if (hasFailed) timer.unref();
      };
      const expire = (): void => {
        this.#isExpired = true;
        this.#controller?.abort();
        for (const callback of this.#callbacks) callback();
        reject(noAnswer(this.timeout, this.#obstacle));
      };
      wait(this.timeout / parts);
      answer.then(
        (result) => {
          clearTimeout(timer);
          clearImmediate(lastLook);
          resolve(result);
        },
        (error: unknown) => {
          hasFailed = true;
          timer.unref();
          reject(asError(error));
        },
      );
    });
  }

  #postpone(late: number): void {
    if (late > this.timeout / parts) this.#expiry += late;
  }

  /**
   * Runs work that no caller waits for, and ignores its failure. It has its own deadline, because the caller's ends with
   * the caller's answer, and without one a request that is never answered would keep its connection.
   */
  inBackground(work: (own: Deadline) => unknown): void {
    const own = new Deadline(this.timeout);
    const run = async (): Promise<unknown> => work(own);
    own.bound(run()).catch(() => undefined);
  }
}

/** @param obstacle why the call was retried until then */
export function noAnswer(timeout: number, obstacle?: unknown): Error {
  const message = `No answer within ${timeout} ms`;
  return obstacle === undefined
    ? new Error(message)
    : new Error(`${message}: ${asError(obstacle).message}`, {cause: obstacle});
}

/** Clients may throw and emit values that are not errors. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
