import {isUnavailable, ShortUrlError} from '../../host/errors.ts';
import {storeKey} from '../../store/key.ts';
import type {Store} from '../../store/port.ts';
import {upsert} from '../../store/update.ts';
import {endOfDay} from '../input/dates.ts';

/** How many links an account has created on its last day with a creation. */
interface Used {
  /** The end of that day, in milliseconds since the epoch. */
  readonly until: number;
  readonly links: number;
}

export const quotaKey = (account: string): string => storeKey('quota', account);

export interface CreateQuotaDependencies {
  readonly store: Store;
  /** How many links an account may create per day (UTC); undefined for no limit. */
  readonly quota: number | undefined;
  readonly now: () => number;
}

/** A unit that is taken or given back. */
interface Change {
  /** The end of the day to which a unit is given back; undefined to take one. */
  readonly until: number | undefined;
  readonly resolve: (until: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Limits the links that an account creates per day over all processes on the store. */
export class CreateQuota {
  readonly #dependencies: CreateQuotaDependencies;
  /**
   * The changes of an account that wait until earlier ones are stored; absent while none is being stored. Without the
   * queue, parallel creates of one process would make each other's compare-and-set fail.
   */
  readonly #waiting = new Map<string, Change[]>();

  constructor(dependencies: CreateQuotaDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Creates a link within the quota. A refused creation does not count. A creation whose outcome is unknown, because the
   * store did not answer, counts.
   *
   * @throws ShortUrlError `too_many_requests`, and creates nothing, if the quota of the day is used up
   */
  async spend<Result>(account: string, create: () => Promise<Result>): Promise<Result> {
    const {quota} = this.#dependencies;
    if (quota === undefined) return create();
    const until = await this.#change(account, quota);
    try {
      return await create();
    } catch (error) {
      if (!isUnavailable(error)) await this.#change(account, quota, until);
      throw error;
    }
  }

  /** Takes a unit, or gives one back to the day that ends at `until`. Returns the end of the day. */
  #change(account: string, quota: number, until?: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const change: Change = {until, resolve, reject};
      const waiting = this.#waiting.get(account);
      if (waiting) waiting.push(change);
      else void this.#storeAll(account, quota, [change]);
    });
  }

  async #storeAll(account: string, quota: number, first: readonly Change[]): Promise<void> {
    for (let changes = first; changes.length > 0;) {
      const next: Change[] = [];
      this.#waiting.set(account, next);
      await this.#store(quotaKey(account), quota, changes).catch((error: unknown) => {
        for (const {reject} of changes) reject(error);
      });
      changes = next;
    }
    // Runs in the same turn as the last check. A change that arrived in between would wait for ever.
    this.#waiting.delete(account);
  }

  async #store(key: string, quota: number, changes: readonly Change[]): Promise<void> {
    const {store, now} = this.#dependencies;
    const takers = changes.filter(({until}) => until === undefined);
    let at = 0;
    let until = 0;
    let granted = 0;
    await upsert<Used>(store, key, (stored) => {
      at = now();
      const used = stored !== undefined && isCurrent(stored, at) ? stored : {until: endOfDay(at), links: 0};
      until = used.until;
      const returned = Math.min(used.links, changes.filter((change) => change.until === until).length);
      const links = used.links - returned;
      granted = Math.min(takers.length, Math.max(0, quota - links));
      return granted + returned > 0 ? {until, links: links + granted} : undefined;
    });
    for (const change of changes) if (change.until !== undefined) change.resolve(change.until);
    for (const {resolve} of takers.slice(0, granted)) resolve(until);
    const refusal = usedUp(quota, Math.ceil((until - at) / 1000));
    for (const {reject} of takers.slice(granted)) reject(refusal);
  }
}

/** Around midnight it may be the next day for another process already. A later day comes from a clock that was wrong. */
function isCurrent({until}: Used, now: number): boolean {
  return until > now && until <= endOfDay(endOfDay(now));
}

function usedUp(quota: number, retryAfter: number): ShortUrlError {
  const message = `This account may create ${quota} short URLs a day (UTC) and has created them; try again tomorrow.`;
  return new ShortUrlError('too_many_requests', message, {retryAfter});
}
