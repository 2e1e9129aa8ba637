import {LRUCache} from 'lru-cache';
import {ShortUrlError} from '../errors.ts';
import type {Store} from '../store/port.ts';
import type {LinkName} from './bases.ts';
import {linkKey, type LinkRecord, statusOf, tallyKey} from './record.ts';
import type {VisitLog} from './visit-log.ts';

/** Links that are remembered for an outage of the store. */
const mostRemembered = 10_000;
/** For how long, in milliseconds: what another process disabled shortly before an outage may still redirect during it. */
const longestMemory = 5 * 60 * 1000;

export interface VisitsDependencies {
  readonly store: Store;
  readonly log: VisitLog;
  readonly now: () => number;
}

/** What a visitor finds at a short URL. */
export type Found = {readonly status: 'unknown'} | {readonly status: 'active' | 'gone'; readonly record: LinkRecord};

/** The visitor's side of the links. */
export class Visits {
  readonly #store: Store;
  readonly #log: VisitLog;
  readonly #now: () => number;
  readonly #seen: LRUCache<string, LinkRecord>;

  constructor({store, log, now}: VisitsDependencies) {
    this.#store = store;
    this.#log = log;
    this.#now = now;
    this.#seen = new LRUCache({max: mostRemembered, ttl: longestMemory, ttlResolution: 1000});
  }

  /**
   * Looks a link up. While the store does not answer, a link seen lately is found as it was then.
   *
   * @throws ShortUrlError `store_unavailable` for any other link then
   */
  async find(name: LinkName): Promise<Found> {
    const record = await this.#read(linkKey(name));
    if (record === undefined) return {status: 'unknown'};
    return {status: statusOf(record, this.#now()) === 'active' ? 'active' : 'gone', record};
  }

  /** Counts a visit of the link: resolves with its time when it is stored, or kept until the store is back. */
  async count(record: LinkRecord): Promise<number> {
    const at = this.#now();
    await this.#log.add(tallyKey(record), at);
    return at;
  }

  /** Called when a link has changed, so that an outage does not bring back what it was before. */
  forget(name: LinkName): void {
    this.#seen.delete(linkKey(name));
  }

  async #read(key: string): Promise<LinkRecord | undefined> {
    try {
      const record = (await this.#store.get<LinkRecord>(key))?.value;
      if (record) this.#seen.set(key, record);
      else this.#seen.delete(key);
      return record;
    } catch (error) {
      const seen =
        error instanceof ShortUrlError && error.code === 'store_unavailable' ? this.#seen.get(key) : undefined;
      if (seen) return seen;
      throw error;
    }
  }
}
