/** A read that has not been sent yet, and those who wait for it. */
interface Gathering {
  readonly keys: string[];
  /** The place of a key in `keys`. */
  readonly places: Map<string, number>;
  readonly records: Promise<readonly unknown[]>;
}

/**
 * Reads single records of an engine that many callers want at once: those that ask in one turn of the event loop share
 * one question, and who asks for the same record shares the answer. Nobody is given an answer to a question that was
 * sent before he asked, because what was acknowledged since would be missing in it.
 */
export class GatheredReads {
  readonly #read: (keys: readonly string[]) => Promise<readonly unknown[]>;
  #open: Gathering | undefined;

  /** @param read reads the records of distinct keys, at least one, in their order */
  constructor(read: (keys: readonly string[]) => Promise<readonly unknown[]>) {
    this.#read = read;
  }

  /** @param key one that the engine takes, or those who asked with it would fail too */
  async get(key: string): Promise<unknown> {
    const {keys, places, records} = (this.#open ??= this.#gather());
    let place = places.get(key);
    if (place === undefined) {
      place = keys.push(key) - 1;
      places.set(key, place);
    }
    return (await records)[place];
  }

  #gather(): Gathering {
    const keys: string[] = [];
    const records = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#open = undefined;
      return this.#read(keys);
    });
    return {keys, places: new Map(), records};
  }
}
