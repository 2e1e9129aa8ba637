/**
 * Tells of an outage once. Where a store has several servers, one outage begins when the first of them is lost, and
 * ends when all of them are back.
 */
export class Outages {
  readonly #onError: (error: Error) => void;
  readonly #lost = new Set<string>();

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  /** @param part a name of what was lost */
  lost(part: string, error: Error): void {
    const isNew = this.#lost.size === 0;
    this.#lost.add(part);
    if (isNew) this.#onError(error);
  }

  /** It is there again, or is not needed any more. */
  back(part: string): void {
    this.#lost.delete(part);
  }
}
