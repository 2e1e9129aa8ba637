interface Gathering<Item, Result> {
  readonly items: Item[];
  readonly results: Promise<readonly Result[]>;
}

/** The most items that are sent together, so that no statement holds its locks for long. */
const maxItems = 500;

/**
 * Sends calls of many callers together, one round trip for all that are made in one turn of the event loop. A caller
 * never gets the result of a request that was sent before its own call.
 */
export class Gathered<Item, Result> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #isExclusive: boolean;
  #open: Gathering<Item, Result> | undefined;
  #underWay: Promise<unknown> | undefined;

  /**
   * @param send sends at least one item and returns the results in order
   * @param isExclusive whether a request waits for the previous one, because the engine would make writes to one row
   *   wait anyway
   */
  constructor(send: (items: readonly Item[]) => Promise<readonly Result[]>, isExclusive: boolean) {
    this.#send = send;
    this.#isExclusive = isExclusive;
  }

  async add(item: Item): Promise<Result> {
    const gathering = (this.#open ??= this.#begin());
    const place = gathering.items.push(item) - 1;
    if (gathering.items.length === maxItems) this.#open = undefined;
    return (await gathering.results)[place] as Result;
  }

  #begin(): Gathering<Item, Result> {
    const items: Item[] = [];
    const results = this.#turn()
      .finally(() => {
        if (this.#open?.items === items) this.#open = undefined;
      })
      .then(() => this.#send(items));
    if (this.#isExclusive) this.#exclude(results);
    return {items, results};
  }

  #exclude(results: Promise<unknown>): void {
    const end = results.finally(() => {
      if (this.#underWay === end) this.#underWay = undefined;
    });
    this.#underWay = end;
    // Callers get the failure from their own promises.
    end.catch(() => undefined);
  }

  /** If a request fails, its waiting callers have no time left. They fail too, and their items are not sent. */
  #turn(): Promise<unknown> {
    return this.#underWay ?? new Promise((resolve) => setImmediate(resolve));
  }
}
