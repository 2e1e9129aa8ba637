import {ShortUrlError} from '../errors.ts';
import {storeKey} from '../store/key.ts';
import type {Store} from '../store/port.ts';
import {upsert} from '../store/update.ts';
import {endOfDay} from './dates.ts';

/** What an account has created on the last day on which it created anything. */
interface Used {
  /** The end of that day, in milliseconds since the epoch. */
  readonly until: number;
  readonly links: number;
}

export interface CreateQuotaDependencies {
  readonly store: Store;
  /** How many links an account may create on a day, UTC; undefined for any number. */
  readonly quota: number | undefined;
  readonly now: () => number;
}

/** Limits the links that an account creates on a day, in all processes that share the store. */
export class CreateQuota {
  readonly #dependencies: CreateQuotaDependencies;

  constructor(dependencies: CreateQuotaDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Creates a link within the quota. One that is refused does not count; one of which nobody can say whether it was
   * created, because the store did not answer, does.
   *
   * @throws ShortUrlError `too_many_requests`, and creates nothing, if the quota of the day is used up
   */
  async spend<Result>(account: string, create: () => Promise<Result>): Promise<Result> {
    const {store, quota, now} = this.#dependencies;
    if (quota === undefined) return create();
    const key = storeKey('quota', account);
    let until = 0;
    await upsert<Used>(store, key, (stored) => {
      const at = now();
      const used = stored !== undefined && stored.until > at ? stored : {until: endOfDay(at), links: 0};
      if (used.links >= quota) throw usedUp(quota, Math.ceil((used.until - at) / 1000));
      until = used.until;
      return {until, links: used.links + 1};
    });
    try {
      return await create();
    } catch (error) {
      if (!(error instanceof ShortUrlError && error.code === 'store_unavailable')) {
        await upsert<Used>(store, key, (used) => (used?.until === until ? {until, links: used.links - 1} : undefined));
      }
      throw error;
    }
  }
}

function usedUp(quota: number, retryAfter: number): ShortUrlError {
  const message = `This account may create ${quota} short URLs a day (UTC), and has; try again tomorrow.`;
  return new ShortUrlError('too_many_requests', message, {retryAfter});
}
