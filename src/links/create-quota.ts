import {inTime} from '../values/callback.ts';
import {describe, isInteger} from '../values/describe.ts';
import type {Announcer} from './announcer.ts';
import type {QuotaOf} from './daily-quota.ts';

export type CreateQuota = (account: string) => number | Promise<number>;

/** Calls the host's `createQuota`. If it fails, the create fails too: otherwise a fault would lift every limit. */
export function readCreateQuota(createQuota: CreateQuota, announcer: Pick<Announcer, 'reportFailure'>): QuotaOf {
  return async (account) => {
    try {
      return requireQuota(await inTime(createQuota(account)));
    } catch (cause) {
      throw announcer.reportFailure("The site's rule for the number of links failed. No link was created.", cause);
    }
  };
}

function requireQuota(quota: unknown): number {
  if (quota === Infinity || isInteger(quota, 0, Number.MAX_SAFE_INTEGER)) return quota;
  throw new TypeError(`Expected an integer of at least 0, or Infinity, got ${describe(quota)}`);
}
