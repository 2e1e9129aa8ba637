import type {Account} from '../../accounts/accounts.ts';
import {quotaKey} from '../../records.ts';
import {isUnavailable, ShortUrlError} from '../../host/errors.ts';
import {Grouper} from '../../store/batching/grouper.ts';
import type {Store} from '../../store/port.ts';
import {upsert} from '../../store/update.ts';
import type {Calendar} from '../../link/calendar.ts';

/** By how much the clock of another process may be ahead, in milliseconds. */
const maxAhead = 15 * 60_000;

interface Used {
  /** The end of that day, in milliseconds since the epoch, when the record expires. */
  readonly until: number;
  readonly links: number;
}

export interface CreateQuotaDependencies {
  readonly store: Store;
  readonly calendar: Calendar;
  /** How many links an account may create per day; undefined for no limit. */
  readonly quota: number | undefined;
  readonly now: () => number;
}

/** Gives a unit back to the day that ends then; undefined to take one. */
type Change = number | undefined;

/** Limits the links that an account creates per day over all processes on the store. */
export class CreateQuota {
  readonly #dependencies: CreateQuotaDependencies;
  /** Without it, parallel creates of one process would make each other's compare-and-set fail. */
  readonly #changes = new Grouper((changes: readonly Change[], key) => this.#store(key, changes), {isSerial: true});

  constructor(dependencies: CreateQuotaDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Creates a link within the quota. A refused creation does not count, and neither does one that has found the link of
   * another call. A creation whose outcome is unknown, because the store did not answer, counts.
   *
   * @param isNew whether the result is a new link
   * @throws ShortUrlError `too_many_requests`, and creates nothing, if the quota of the day is used up
   */
  async spend<Result>(
    {id}: Account,
    create: () => Promise<Result>,
    isNew: (result: Result) => boolean = () => true,
  ): Promise<Result> {
    const {quota} = this.#dependencies;
    if (quota === undefined) return create();
    const key = quotaKey(id);
    const until = await this.#changes.add(undefined, key);
    if (until instanceof ShortUrlError) throw until;
    // If the unit cannot be given back, it counts. The caller needs to know why the link was refused.
    const giveBack = () => this.#changes.add(until, key).catch(() => undefined);
    try {
      const result = await create();
      if (!isNew(result)) await giveBack();
      return result;
    } catch (error) {
      if (!isUnavailable(error)) await giveBack();
      throw error;
    }
  }

  /** Takes units, or gives them back. Returns the end of the day of each, or the refusal. */
  async #store(key: string, changes: readonly Change[]): Promise<Array<number | ShortUrlError>> {
    const {store, calendar, now, quota = 0} = this.#dependencies;
    const taking = changes.filter((change) => change === undefined);
    let at = 0;
    let until = 0;
    let granted = 0;
    const take = (stored: Used | undefined): Used | undefined => {
      at = now();
      const isValid = stored !== undefined && isCurrent(stored, calendar, at);
      const used = isValid ? stored : {until: calendar.endOfDay(at), links: 0};
      until = used.until;
      const returning = changes.filter((change) => change === until);
      const returned = Math.min(used.links, returning.length);
      const links = used.links - returned;
      granted = Math.min(taking.length, Math.max(0, quota - links));
      return granted + returned > 0 ? {until, links: links + granted} : undefined;
    };
    await upsert<Used>(store, key, take, (used) => used.until);
    const refusal = usedUp(quota, calendar, Math.ceil((until - at) / 1000));
    return changes.map((change) => change ?? (granted-- > 0 ? until : refusal));
  }
}

/** Around midnight it may be the next day for another process already. A later end comes from a clock that was wrong. */
function isCurrent({until}: Used, calendar: Calendar, now: number): boolean {
  return until > now && until <= calendar.endOfDay(now + maxAhead);
}

function usedUp(quota: number, {timeZone}: Calendar, retryAfter: number): ShortUrlError {
  const message = `This account has reached its limit of ${quota} short URLs per day (${timeZone}). Try again tomorrow.`;
  return new ShortUrlError('too_many_requests', message, {retryAfter});
}
