import {accountPointers, accountRecords, blockRecords, linkPositions} from '../accounts/records.ts';
import {siteKeyRecords} from '../accounts/site-key.ts';
import {conversionRecords} from '../conversions/conversion-record.ts';
import {customerRecords} from '../conversions/customers.ts';
import {linkCounters, linkRecords, sequences} from '../link/records.ts';
import {recentBlockRecords} from '../links/change/recent-blocks.ts';
import {intentRecords, reuseRecords} from '../links/create/intents.ts';
import {quotaRecords} from '../links/daily-quota.ts';
import {slotRecords} from '../links/read/link-index.ts';
import {referenceRecords} from '../links/references.ts';
import {shareRecords} from '../links/share/shares.ts';
import {conversionNameRecords} from '../links/stats/conversion-names.ts';
import {accountTotals} from '../links/stats/totals.ts';
import {attemptRecords} from '../visits/attempts.ts';

/** Every kind of record and of counters that a site writes. The removal of an account, the tools and the docs follow it. */
export const siteKinds = [
  linkRecords,
  linkCounters,
  accountTotals,
  slotRecords,
  linkPositions,
  sequences,
  accountRecords,
  accountPointers,
  blockRecords,
  recentBlockRecords,
  siteKeyRecords,
  attemptRecords,
  quotaRecords,
  intentRecords,
  reuseRecords,
  referenceRecords,
  conversionRecords,
  customerRecords,
  conversionNameRecords,
  shareRecords,
] as const;
