import {asError} from './failure.ts';

/** Between two questions where the servers are, in milliseconds. */
const pause = 100;

/** Asks where the servers are: once for all who want to know, and not again at once. */
export class Lookup {
  readonly #look: () => Promise<void>;
  #running: Promise<void> | undefined;
  #failure: Error | undefined;
  #freshUntil = 0;

  constructor(look: () => Promise<void>) {
    this.#look = look;
  }

  /** Resolves when it is known; rejects where nobody could tell. */
  async run(): Promise<void> {
    if (this.#running) return this.#running;
    if (performance.now() < this.#freshUntil) {
      if (this.#failure) throw this.#failure;
      return;
    }
    this.#running = this.#begin();
    await this.#running;
  }

  async #begin(): Promise<void> {
    try {
      await this.#look();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = asError(error);
      throw this.#failure;
    } finally {
      this.#freshUntil = performance.now() + pause;
      this.#running = undefined;
    }
  }
}

/** Of many that were asked, one stands for why nobody answered. */
export function firstOf(error: Error): Error {
  return error instanceof AggregateError && error.errors.length > 0 ? asError(error.errors[0]) : error;
}
