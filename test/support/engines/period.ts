/** Between one change of the link and the next. */
const visitsOfAPeriod = 100;

/** A time in which a visit can have only one answer: after a change was acknowledged, before the next one is sent. */
export class Period {
  readonly surprises: number[] = [];
  /** Resolves when there have been enough visits that began and ended in it. */
  readonly isLong: Promise<void>;
  readonly #expected: number;
  #visits = 0;
  #resolve!: () => void;

  constructor(expected: number) {
    this.#expected = expected;
    this.isLong = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  add(status: number): void {
    this.#visits += 1;
    if (status !== this.#expected) this.surprises.push(status);
    if (this.#visits === visitsOfAPeriod) this.#resolve();
  }
}
