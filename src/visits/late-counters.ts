import {setTimeout as delay} from 'node:timers/promises';
import {isUnavailable} from '../errors.ts';
import type {LinkName} from '../link/bases.ts';
import {isSameLink} from '../link/record.ts';
import {linkRecords} from '../link/records.ts';
import type {Store} from '../store/port.ts';

export interface Owner {
  readonly link: LinkName;
  readonly counters: string;
  readonly generation: string;
}

/** Counters to which visits were added without a look at their link: those of the link, and its account's. */
interface Added {
  readonly owner: Owner;
  readonly keys: readonly string[];
}

const maxAtOnce = 200;

/** The pause before links are looked at, so that visits of a link share a look, and before a retry, in milliseconds. */
const pause = 1000;

/**
 * Removes counters that were stored after their link or account was removed. That happens to visits that were kept in an
 * outage, and to those that a visit limit has granted, if another process removes the link meanwhile.
 */
export class LateCounters {
  readonly #store: Store;
  readonly #signal: AbortSignal;
  /** By the key of the link's counters. */
  readonly #added = new Map<string, Added>();
  readonly #hurry = new AbortController();
  #running: Promise<void> | undefined;

  /** @param signal aborted when the store is about to be closed */
  constructor(store: Store, signal: AbortSignal) {
    this.#store = store;
    this.#signal = signal;
  }

  /** Looks at all counters so far without a pause. */
  async finish(): Promise<void> {
    this.#hurry.abort();
    await this.#running;
  }

  /** Call this after the counters were stored. */
  add(added: Added): void {
    this.#added.set(added.keys[0] ?? '', added);
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    let signal = this.#hurry.signal;
    while (this.#added.size > 0 && !this.#signal.aborted) {
      await delay(pause, undefined, {signal}).catch(() => undefined);
      signal = this.#hurry.signal;
      const added = Array.from(this.#added);
      this.#added.clear();
      for (let start = 0; start < added.length; start += maxAtOnce) {
        const some = added.slice(start, start + maxAtOnce);
        try {
          await this.#removeLate(some.map(([, each]) => each));
        } catch (error) {
          // After another error the counters only take space, until `check --clean` removes them.
          if (!isUnavailable(error)) continue;
          for (const [key, each] of some) this.#added.set(key, each);
          await this.#store.whenBack();
          signal = this.#signal;
        }
      }
    }
    this.#running = undefined;
  }

  async #removeLate(all: readonly Added[]): Promise<void> {
    const links = await linkRecords.in(this.#store).getMany(all.map(({owner}) => owner.link));
    const late = all.flatMap(({owner, keys: [ofLink = '', ofAccount = '']}, index) => {
      const link = links[index]?.value;
      // A removed link leaves a record. One that cannot be read keeps its counters.
      if (link === undefined || isSameLink(link, owner)) return [];
      // The record of a removed account's link has no generation.
      return link.generation === owner.generation ? [ofLink] : [ofLink, ofAccount];
    });
    await Promise.all(late.map((key) => this.#store.removeCounters(key)));
  }
}
