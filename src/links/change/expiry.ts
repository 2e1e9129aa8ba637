import {setTimeout as delay} from 'node:timers/promises';
import {nanoid} from 'nanoid';
import {planted} from '../../planted.ts';
import {isUnavailable, ShortUrlError, toShortUrlError} from '../../errors.ts';
import {type LinkRecord, statusOf} from '../../link/record.ts';
import {applyChange, type ChangeServices} from './apply.ts';

/** The pause before a retry, in milliseconds. */
const pause = 1000;

export interface ExpiryServices extends ChangeServices {
  /** Aborted when the shortener is closed. */
  readonly closing: AbortSignal;
}

/**
 * Announces once that a link has expired: whoever notices it puts a mark into its record, by compare-and-set, and the one
 * whose mark is stored announces it. An update with which the link works again takes the mark away.
 *
 * Without a listener a process marks nothing, so it leaves the announcement to one that has a listener.
 */
export class Expiry {
  readonly #services: ExpiryServices;
  /** The counters of the links that visitors have noticed and that are being marked. */
  readonly #noticed = new Set<string>();

  constructor(services: ExpiryServices) {
    this.#services = services;
  }

  /**
   * Announces that a link has expired, unless it has not, or that was announced.
   *
   * @returns the record now
   * @throws ShortUrlError `store_unavailable`. Whether the mark was stored, and is to be announced, is found out later
   */
  async announce(seen: LinkRecord): Promise<LinkRecord> {
    if (!this.#isNews(seen)) return seen;
    const mark = nanoid(8);
    try {
      return await this.#mark(seen, mark);
    } catch (error) {
      if (isUnavailable(error)) void this.#announceLater(seen, mark);
      throw error;
    }
  }

  /** As `announce`, for a visitor, who does not wait for it. While the store refuses writes, it is left to a later visit. */
  notice(seen: LinkRecord): void {
    const {store, announcer} = this.#services;
    const {counters} = seen;
    if (!this.#isNews(seen) || this.#noticed.has(counters) || store.isAway || store.writeFailure !== undefined) return;
    this.#noticed.add(counters);
    void this.announce(seen)
      .catch((error: unknown) => {
        if (!isUnavailable(error)) announcer.report(toShortUrlError(error));
      })
      .finally(() => this.#noticed.delete(counters));
  }

  #isNews(record: LinkRecord): boolean {
    const {announcer, now} = this.#services;
    return announcer.hasListener('expired') && record.announced === undefined && statusOf(record, now()) === 'expired';
  }

  /** The mark may be stored although the store did not answer. So it stays the same. */
  async #announceLater(seen: LinkRecord, mark: string): Promise<void> {
    const {store, announcer, closing: signal} = this.#services;
    while (!signal.aborted) {
      await store.whenBack();
      await delay(pause, undefined, {signal}).catch(() => undefined);
      try {
        await this.#mark(seen, planted('expiry-mark-renewed') ? nanoid(8) : mark);
        return;
      } catch (error) {
        if (isUnavailable(error)) continue;
        announcer.report(toShortUrlError(error));
        return;
      }
    }
  }

  async #mark(seen: LinkRecord, mark: string): Promise<LinkRecord> {
    const {announcer, now} = this.#services;
    try {
      const {before, after, link, isChanged} = await applyChange(this.#services, undefined, seen, (record) =>
        this.#isNews(record) ? {...record, announced: mark} : record,
      );
      if (planted('expiry-announced-by-all') || isChanged || before.announced === mark) {
        announcer.announce('expired', {account: seen.account, link, at: new Date(now())});
      }
      return after;
    } catch (error) {
      // It was removed.
      if (error instanceof ShortUrlError && error.code === 'unknown_short_url') return seen;
      throw error;
    }
  }
}
