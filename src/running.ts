import {clearTimeout, setTimeout} from 'node:timers';

/** Counts the calls that are under way, so that the one who closes something can let them end. */
export class Running {
  #count = 0;
  #whenNone = (): void => undefined;

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#end();
    }
  }

  /** Runs a generator, as one call from its first value to its last. */
  async *iterate<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value> {
    this.#count += 1;
    try {
      yield* values;
    } finally {
      this.#end();
    }
  }

  /** Resolves when no call is under way, or after `timeout` milliseconds. Call it once. */
  async ended(timeout: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeout);
      this.#whenNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#whenNone();
  }
}
