import {nanoid} from 'nanoid';
import type {LinkName} from './bases.ts';
import {checkSize} from './destinations.ts';
import {toRecordFields} from './fields.ts';
import type {NewLink} from './new-link.ts';
import {type LinkRecord, present} from './record.ts';

/** What a link gets when it is stored. */
export interface Given {
  readonly id: number;
  readonly position: number;
  /** In milliseconds since the epoch. */
  readonly created: number;
  /** The hash of its password. */
  readonly password: string | undefined;
  readonly state: LinkRecord['state'];
  /** How often its account was blocked and unblocked. */
  readonly accountBlocks: number | undefined;
  /** The name of its counters, to which nothing was ever added. By default a random one. */
  readonly counters?: string | undefined;
}

export function newCounters(): string {
  return nanoid(6);
}

/** The record of a new link. */
export function newRecord(
  {id: account, generation}: {readonly id: string; readonly generation: string},
  {domain, slug}: LinkName,
  link: NewLink,
  {id, position, created, password, state, accountBlocks, counters = newCounters()}: Given,
): LinkRecord {
  const record = present({
    domain,
    slug,
    id,
    account,
    generation,
    position,
    url: link.url.url,
    // The API has whole seconds, which also take fewer bytes.
    created: Math.floor(created / 1000) * 1000,
    counters,
    ...toRecordFields({...link, password}),
    accountBlocks,
    state,
  });
  return checkSize(record);
}
