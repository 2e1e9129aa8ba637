import {planted} from '../planted.ts';
import type {Account} from '../accounts/accounts.ts';
import {isUnavailable, ShortUrlError} from '../errors.ts';
import {Grouper} from '../store/batching/grouper.ts';
import type {Store} from '../store/port.ts';
import type {Calendar} from '../values/calendar.ts';
import {object} from '../values/objects.ts';
import {count, time} from '../values/shape.ts';
import {kind, type RecordOf} from '../store/kind.ts';

/** By how much the clock of another process may be ahead, in milliseconds. */
const maxAhead = 15 * 60_000;

/**
 * What an account has created on its last day, by a keyed digest of its name. It outlives the account, which would otherwise
 * get a new quota by being created again.
 */
export const quotaRecords = kind('quota', {
  keys: ['quota:<digest>'],
  content: 'how many links an account has created, or conversions and customers its API calls have recorded, today',
  digest: 'keyed',
  key: (digest: string) => [digest],
  form: object({
    /** The end of that day, in milliseconds since the epoch, when the record expires. */
    until: time,
    used: count,
  }),
  removed: 'by expiry',
  expires: {when: 'at the end of the day', at: ({until}) => until},
});

type Day = RecordOf<typeof quotaRecords>;

export interface Counted {
  readonly idOf: (account: string) => Promise<string>;
  /** For messages, in the plural. */
  readonly what: string;
}

/** How many this account may have per day. It rejects if that is not known. */
export type QuotaOf = (account: string) => Promise<number>;

export interface DailyQuotaDependencies extends Counted {
  readonly store: Store;
  readonly calendar: Calendar;
  /** How many an account may have per day; undefined or `Infinity` for no limit. */
  readonly quota: number | QuotaOf | undefined;
  /** Called for each creation that is refused because the quota is used up. */
  readonly onRefused?: (account: string) => void;
  readonly now: () => number;
}

interface Taking {
  readonly quota: number;
}

/** A unit that is taken, or the end of the day to which one is given back, in milliseconds since the epoch. */
type Change = Taking | number;

/** Limits what an account creates per day over all processes on the store. */
export class DailyQuota {
  readonly #dependencies: DailyQuotaDependencies;
  /** Without it, parallel creates of one process would make each other's compare-and-set fail. */
  readonly #changes = new Grouper((changes: readonly Change[], id) => this.#store(id, changes), {
    isSerial: true,
  });

  constructor(dependencies: DailyQuotaDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Creates something within the quota. A refused creation does not count, and neither does one that has found the result
   * of another call. A creation whose outcome is unknown, because the store did not answer, counts.
   *
   * @param isNew whether the result is new
   * @throws ShortUrlError `too_many_requests`, and creates nothing, if the quota of the day is used up; what `quota` rejects with
   */
  async spend<Result>(
    {id}: Account,
    create: () => Promise<Result>,
    isNew: (result: Result) => boolean = () => true,
  ): Promise<Result> {
    const {quota: given = Infinity} = this.#dependencies;
    const quota = typeof given === 'number' ? given : await given(id);
    if (quota === Infinity) return create();
    const record = await this.#dependencies.idOf(id);
    const until = await this.#changes.add({quota}, record);
    if (until instanceof ShortUrlError) {
      this.#dependencies.onRefused?.(id);
      throw until;
    }
    // If the unit cannot be given back, it counts. The caller needs to know why it was refused.
    const giveBack = () => this.#changes.add(until, record).catch(() => undefined);
    try {
      const result = await create();
      if (!isNew(result)) await giveBack();
      return result;
    } catch (error) {
      if (!isUnavailable(error) && !planted('quota-of-refused')) await giveBack();
      throw error;
    }
  }

  /** Takes units, or gives them back. Returns the end of the day of each, or the refusal. */
  async #store(id: string, changes: readonly Change[]): Promise<Array<number | ShortUrlError>> {
    const {store, calendar, now} = this.#dependencies;
    let at = 0;
    let until = 0;
    let granted = new Set<Change>();
    let left = 0;
    const take = (stored: Day | undefined): Day | undefined => {
      at = now();
      const isValid = stored !== undefined && isCurrent(stored, calendar, at);
      const day = isValid
        ? stored
        : {until: planted('quota-for-a-day') ? at + 86_400_000 : calendar.endOfDay(at), used: 0};
      until = day.until;
      const returning = changes.filter((change) => change === until);
      const returned = Math.min(day.used, returning.length);
      let used = day.used - returned;
      granted = new Set();
      for (const change of changes) {
        if (typeof change === 'number' || used >= change.quota) continue;
        granted.add(change);
        used++;
      }
      left = used;
      return granted.size + returned > 0 ? {until, used} : undefined;
    };
    const quotas = quotaRecords.in(store);
    await quotas.upsert(id, take);
    // The account may have been removed, and its record must not be made again.
    if (left === 0) await quotas.removeIf(id, ({used}) => used === 0);
    const retryAfter = Math.ceil((until - at) / 1000);
    return changes.map((change) => {
      if (typeof change === 'number') return change;
      return granted.has(change) ? until : this.#usedUp(change, retryAfter);
    });
  }

  #usedUp({quota}: Taking, retryAfter: number): ShortUrlError {
    const {what, calendar} = this.#dependencies;
    const message = `This account has reached its limit of ${quota} ${what} per day (${calendar.timeZone}). Try again tomorrow.`;
    return new ShortUrlError('too_many_requests', message, {retryAfter});
  }
}

/** Around midnight it may be the next day for another process already. A later end comes from a clock that was wrong. */
function isCurrent({until}: Day, calendar: Calendar, now: number): boolean {
  return until > now && (until <= calendar.endOfDay(now + maxAhead) || planted('quota-of-the-future'));
}
