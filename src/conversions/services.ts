import type {SiteKey} from '../accounts/site-key.ts';
import type {DailyQuota} from '../links/daily-quota.ts';
import type {LinkServices} from '../links/services.ts';
import type {Attribution} from './attribution.ts';
import type {BringingLinks} from './bringing-links.ts';
import type {Customers} from './customers.ts';

export interface ConversionServices extends Pick<LinkServices, 'store' | 'calendar' | 'announcer' | 'now'> {
  readonly attribution: Pick<Attribution, 'open'>;
  readonly links: BringingLinks;
  readonly customers: Customers;
  readonly conversionQuota: DailyQuota;
  readonly siteKey: Pick<SiteKey, 'idFor' | 'lasting'>;
  /** Of conversions that are given without one. */
  readonly currency?: string | undefined;
  /** The running calls, by the digest of what they count. */
  readonly running: Map<string, Promise<unknown>>;
}
