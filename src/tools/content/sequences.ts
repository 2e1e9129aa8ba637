import {accountPointers, linkPositions} from '../../accounts/records.ts';
import {sequences} from '../../link/records.ts';
import {siteIndexPrefix, slotRecords, slotsPerRecord} from '../../links/read/link-index.ts';
import type {Counters, ToolStore} from '../../store/port.ts';
import {listKeys} from '../listing.ts';

/** A sequence may be so far beyond the positions in use. To walk over more empty ones would take minutes. */
const maxBeyond = 10 ** 8;

/** How the keys of sequences begin. */
export const sequencePrefixes = [sequences.prefix, linkPositions.prefix] as const;

/** Sequences, which a site raises before it uses their number. */
export const isSequence = (key: string): boolean => sequencePrefixes.some((prefix) => key.startsWith(prefix));

/** A sequence, with the last number that was given out. */
type Sequence = Counters & {readonly key: string};

/** What a damaged sequence should have. */
export interface Repair {
  /** The last position in use. The sequence was at least as large. */
  readonly last: number;
  readonly counts: Counters['counts'];
}

/** Whether the number of a sequence is so large that it has to be compared with the positions in use. */
export function isFar(item: Sequence): boolean {
  return isSequence(item.key) && numberOf(item) > maxBeyond;
}

/** Compares a sequence with the positions in use; undefined if it is right. */
export async function findDamage(store: Pick<ToolStore, 'keys'>, item: Sequence): Promise<Repair | undefined> {
  if (!isFar(item)) return undefined;
  const last = await lastPositionOf(store, item.key);
  if (numberOf(item) - last <= maxBeyond) return undefined;
  return {last, counts: new Map(Array.from(item.counts.keys(), (name) => [name, last]))};
}

const numberOf = ({counts}: Sequence): number => Math.max(0, ...counts.values());

/** The last position of a sequence for which the store's index has a record. */
async function lastPositionOf(store: Pick<ToolStore, 'keys'>, sequence: string): Promise<number> {
  const isOfAccounts = sequence === sequences.key('account');
  const prefix = isOfAccounts
    ? accountPointers.prefix
    : sequence === sequences.key('url_id')
      ? siteIndexPrefix
      : `${slotRecords.prefix}${sequence.slice(linkPositions.prefix.length)}:`;
  let last = -1;
  for await (const keys of listKeys(store, 'records', prefix)) {
    for (const key of keys) last = Math.max(last, Number(key.slice(prefix.length)));
  }
  return isOfAccounts ? Math.max(0, last) : (last + 1) * slotsPerRecord;
}
