import {linkPrefix} from '../../links/record.ts';
import {accountPrefix} from '../../accounts/record.ts';
import type {Values} from './content.ts';

/** The content of both stores. */
export interface Equal {
  readonly accounts: number;
  /** Links that their owners can see. */
  readonly links: number;
  /** All records, including links, accounts and lists. */
  readonly records: number;
  /** Keys with counters. */
  readonly counters: number;
}

/**
 * Counts the accounts and links among records.
 *
 * @internal
 */
export function countValues(tally: {accounts: number; links: number}, records: Values): void {
  for (const [key, value] of records) {
    const {state} = Object(value) as {state?: unknown};
    if (key.startsWith(accountPrefix) && state === 'live') tally.accounts += 1;
    if (key.startsWith(linkPrefix) && (state === 'active' || state === 'disabled')) tally.links += 1;
  }
}
