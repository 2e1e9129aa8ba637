import {isDeepStrictEqual} from 'node:util';
import {nanoid} from 'nanoid';
import {ShortUrlError} from '../errors.ts';
import {reader, readFields} from '../values/input.ts';
import {flag} from '../values/shape.ts';
import type {LinkName} from './bases.ts';
import {checkOrder} from './dates.ts';
import {
  type FieldName,
  fieldReaders,
  type FieldValues,
  type InputRules,
  toRecordFields,
  updateNames,
} from './fields.ts';
import type {CreateLink} from './link.ts';
import {verifyPassword} from './password.ts';
import {type LinkRecord, present} from './record.ts';
import {checkSize} from './urls.ts';

/** A link to create whose fields have passed the checks that need no store. */
export type NewLink = {readonly [Name in FieldName]?: FieldValues[Name] | undefined} & Pick<
  FieldValues,
  'url' | 'baseDomain'
> & {readonly reuse?: boolean | undefined};

const readers = {...fieldReaders, reuse: reader(flag)};

/** @throws ShortUrlError with the code of the first wrong one */
export function checkNewLink(input: CreateLink, rules: InputRules): NewLink {
  const {url, baseDomain = rules.bases.main, ...others} = readFields(input, 'A link is created from', readers, rules);
  checkOrder(others.startDate, others.expiryDate);
  if (url !== undefined) return {...others, url, baseDomain};
  throw new ShortUrlError('missing_parameter', 'The long URL is missing. Pass it as `url`.');
}

export interface Given {
  readonly id: number;
  readonly position: number;
  /** By default the id. */
  readonly sitePosition?: number;
  /** In milliseconds since the epoch. */
  readonly created: number;
  readonly password: string | undefined;
  readonly state: LinkRecord['state'];
  readonly accountBlocks: number | undefined;
  /** The name of its counters, to which nothing was ever added. By default a random one. */
  readonly counters?: string | undefined;
  readonly reuse?: string | undefined;
  /** Visits that it has already, which count for its limit. */
  readonly visits?: number;
  readonly isBlocked?: boolean | undefined;
}

export function newCounters(): string {
  return nanoid(6);
}

export function newRecord(
  {id: account, generation}: {readonly id: string; readonly generation: string},
  {domain, slug}: LinkName,
  link: NewLink,
  {visits = 0, isBlocked, counters = newCounters(), ...given}: Given,
): LinkRecord {
  const record = present({
    domain,
    slug,
    id: given.id,
    account,
    generation,
    position: given.position,
    sitePosition: given.sitePosition === given.id ? undefined : given.sitePosition,
    url: link.url.url,
    // The API has whole seconds, which also take fewer bytes.
    created: Math.floor(given.created / 1000) * 1000,
    counters,
    ...toRecordFields({...link, password: given.password}, visits),
    accountBlocks: given.accountBlocks,
    isBlocked: isBlocked ? true : undefined,
    reuse: given.reuse,
    state: given.state,
  });
  return checkSize(record);
}

/** Whether a link has the values that a new one of its account would get. */
export async function hasValues(record: LinkRecord, link: NewLink): Promise<boolean> {
  const values = Object.fromEntries(updateNames.map((name) => [name, link[name] ?? null]));
  const wanted = {...toRecordFields(values, record), used: record.used, password: record.password};
  const isSame = Object.entries(wanted).every(([name, value]) =>
    isDeepStrictEqual(record[name as keyof LinkRecord], value),
  );
  if (!isSame || link.password === undefined || record.password === undefined) {
    return isSame && link.password === record.password;
  }
  return verifyPassword(link.password, record.password, {account: record.account});
}
