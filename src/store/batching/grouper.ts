import {setImmediate} from 'node:timers';
import {planted} from '../../planted.ts';

/** The calls that are sent together. */
interface Group<Item, Result> {
  readonly items: Item[];
  readonly results: Promise<readonly Result[]>;
}

export interface GrouperOptions {
  /**
   * Whether a group waits until the previous one of its key has ended: parallel writes of one record would conflict or
   * wait for each other anyway.
   */
  readonly isSerial?: boolean;
  /** Whether the group that waits for a failed one fails with it, because its callers have no time left. */
  readonly failsWaiting?: boolean;
  /** The maximum number of items in a group, so that no statement holds its locks for long. */
  readonly maxItems?: number;
}

/**
 * Sends calls of many callers together: one group for all calls with the same key in one turn of the event loop, or
 * while the previous group is under way. A caller never gets the result of a group that was sent before its own call.
 */
export class Grouper<Item, Result> {
  readonly #send: (items: readonly Item[], key: string) => Promise<readonly Result[]>;
  readonly #options: GrouperOptions;
  readonly #maxItems: number;
  /** The groups that are not sent yet, by key. */
  readonly #open = new Map<string, Group<Item, Result>>();
  /** The results of the last group of each key. */
  readonly #underWay = new Map<string, Promise<unknown>>();

  /** @param send sends at least one item, and returns the results in order */
  constructor(send: (items: readonly Item[], key: string) => Promise<readonly Result[]>, options: GrouperOptions = {}) {
    this.#send = send;
    this.#options = options;
    this.#maxItems = options.maxItems ?? 500;
  }

  /** @param key items with different keys are sent in different groups */
  async add(item: Item, key = ''): Promise<Result> {
    let group = this.#open.get(key);
    if (group === undefined) {
      group = this.#begin(key);
      this.#open.set(key, group);
    }
    const index = group.items.push(item) - 1;
    if (group.items.length === this.#maxItems) this.#open.delete(key);
    return (await group.results)[index] as Result;
  }

  #begin(key: string): Group<Item, Result> {
    const items: Item[] = [];
    const results = this.#sendAfter(this.#turn(key), items, key);
    if (this.#options.isSerial) this.#wait(key, results);
    return {items, results};
  }

  async #sendAfter(turn: Promise<unknown>, items: readonly Item[], key: string): Promise<readonly Result[]> {
    const close = (): void => {
      if (this.#open.get(key)?.items === items) this.#open.delete(key);
    };
    try {
      await turn;
    } finally {
      if (planted('group-closed-late')) setImmediate(close);
      else close();
    }
    return this.#send(items, key);
  }

  /** Callers get a failure from their own promises. */
  #wait(key: string, results: Promise<unknown>): void {
    const end = (): void => {
      if (this.#underWay.get(key) === results) this.#underWay.delete(key);
    };
    this.#underWay.set(key, results);
    results.then(end, end);
  }

  #turn(key: string): Promise<unknown> {
    const previous = this.#underWay.get(key);
    if (previous === undefined) return new Promise((resolve) => setImmediate(resolve));
    return this.#options.failsWaiting ? previous : previous.catch(() => undefined);
  }
}
