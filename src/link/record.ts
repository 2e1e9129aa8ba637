import {
  aBoolean,
  aCount,
  aString,
  aTime,
  aTrue,
  isObject,
  listOf,
  oneOf,
  type Rule as Expected,
} from '../host/describe.ts';
import type {LinkName} from './bases.ts';
import {isHarmless} from './long-url.ts';
import type {LinkStatus, Rule, StatusChange} from './link.ts';
import {choice} from './shapes.ts';

/** The statuses that an owner sees. */
export const linkStatuses: readonly LinkStatus[] = ['active', 'disabled', 'expired', 'scheduled'];

export const linkStatus = choice(linkStatuses);

/** The statuses that a change can give. */
export const newStatus = choice<StatusChange['status']>(['active', 'disabled', 'removed']);

/** A link as it is stored. Moments are milliseconds since the epoch. */
export interface LinkRecord extends LinkName {
  readonly id: number;
  readonly account: string;
  /** The generation of its account. An account that is created again does not get the link back. */
  readonly generation: string;
  /** The number of its slot in the account's index. */
  readonly position: number;
  /** The number of its slot in the site's index; absent if it is the id. */
  readonly sitePosition?: number;
  /** The long URL, as it was given. */
  readonly url: string;
  /** The long URL as it goes into `Location`: serialised, ASCII. Absent if it is the same. */
  readonly target?: string;
  readonly created: number;
  /** Names its counters. It is random, so that no other link under the same name ever adds to them. */
  readonly counters: string;
  /** When it ends; absent for a link that does not expire. */
  readonly end?: number;
  /** The hash of its password; absent for a link without one. */
  readonly password?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  /** How many visits are redirected at most; absent for any number. */
  readonly maxVisits?: number;
  /** Visits that the limit has granted. Absent while a limit is being set on a link with visits. */
  readonly used?: number;
  /** Visits that limits have granted so far, also those of an earlier limit. */
  readonly granted?: number;
  /** When it begins; absent for a link that has worked since its creation. */
  readonly start?: number;
  /** As it was given. */
  readonly expiredUrl?: string;
  /** Absent if the site's default decides. */
  readonly forwardQuery?: boolean;
  readonly rules?: readonly Rule[];
  /** What link previews show; each absent if there is none. */
  readonly previewTitle?: string;
  readonly previewDescription?: string;
  /** The URL as it was given. */
  readonly previewImage?: string;
  /** The host's name for the link. It counts only here: the record to which it leads is written before. */
  readonly reference?: string;
  /** The key of the record by which calls with `reuse` find it; absent for a link that was created without. */
  readonly reuse?: string;
  /** How often it was changed; absent for never. So a read notices that a link was changed and changed back. */
  readonly changes?: number;
  /** Taken out of service by the site's operator, whatever its state. */
  readonly isBlocked?: true;
  readonly blockReason?: string;
  /**
   * How often its account had been blocked and unblocked when the link was created or last marked; absent for never. See
   * `isBlocking`. A mark is never replaced by an older one, so blocks and unblocks at the same time cannot mix.
   */
  readonly accountBlocks?: number;
  /**
   * `removed` by its owner, who may create it again. If its account was removed, it is removed for good and has an empty
   * `generation`.
   */
  readonly state: 'active' | 'disabled' | 'removed';
}

/** Whether it is a URL that a visitor may be sent to, or empty, as that of a removed link. */
function isOpen(text: unknown): boolean {
  // Most are, and the check of a prefix costs less than parsing.
  return text === '' || (typeof text === 'string' && /^https?:/i.test(text)) || isHarmless(text);
}

const anOpenUrl: Expected = {expected: 'an absolute URL to which visitors may be sent', holds: isOpen};

const rulesOfLink = listOf({
  expected: 'an object of strings with such a URL in `url`',
  holds: (rule) => isObject(rule) && isOpen(rule['url']) && Object.values(rule).every((value) => aString.holds(value)),
});

/** What the fields of a record may be. A record that was made by hand, or a file of an export, may have anything. */
export const storedFields: {readonly [Name in keyof Required<LinkRecord>]: Expected} = {
  domain: aString,
  slug: aString,
  id: aCount,
  account: aString,
  generation: aString,
  position: aCount,
  sitePosition: aCount,
  url: anOpenUrl,
  target: anOpenUrl,
  created: aTime,
  counters: aString,
  end: aTime,
  password: aString,
  title: aString,
  tags: listOf(aString),
  maxVisits: aCount,
  used: aCount,
  granted: aCount,
  start: aTime,
  expiredUrl: anOpenUrl,
  forwardQuery: aBoolean,
  rules: rulesOfLink,
  previewTitle: aString,
  previewDescription: aString,
  previewImage: anOpenUrl,
  reference: aString,
  reuse: aString,
  changes: aCount,
  isBlocked: aTrue,
  blockReason: aString,
  accountBlocks: aCount,
  state: oneOf('active', 'disabled', 'removed'),
};

/** The length of the texts of a link that may be long, in characters. */
export function lengthOf({url, target, expiredUrl, previewImage, title, tags, rules}: LinkRecord): number {
  const texts = [url, target, expiredUrl, previewImage, title, tags?.join(), rules && JSON.stringify(rules)];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

/** Whether the owner sees the link. */
export function isListed({state}: LinkRecord): boolean {
  return state === 'active' || state === 'disabled';
}

/** The long URL as it goes into `Location`. */
export function targetOf({url, target}: Pick<LinkRecord, 'url' | 'target'>): string {
  return target ?? url;
}

/**
 * The record that replaces a removed link, so that no other account can take its name. It keeps nothing of the link, and
 * of its account only the generation, which names nobody.
 *
 * @param generation empty if the account was removed, so that nobody can create the name again
 */
export function removedRecord({domain, slug}: LinkName, generation: string): LinkRecord {
  return {
    domain,
    slug,
    id: 0,
    account: '',
    generation,
    position: 0,
    url: '',
    created: 0,
    counters: '',
    state: 'removed',
  };
}

/** Whether its expiry date is past, or its visits are used up. */
export function isOver({end, maxVisits, used = 0}: LinkRecord, now: number): boolean {
  return (end !== undefined && end <= now) || (maxVisits !== undefined && used >= maxVisits);
}

/** Whether it has a limit of visits, each of which is granted before it counts. */
export function isLimited({maxVisits}: LinkRecord): boolean {
  return maxVisits !== undefined;
}

/** Whether visitors are redirected. */
export function isActive(record: LinkRecord, now: number): boolean {
  return statusOf(record, now) === 'active';
}

/** The status that its owner sees. */
export function statusOf(record: LinkRecord, now: number): LinkStatus {
  if (record.state !== 'active' || record.isBlocked || isBlocking(record.accountBlocks)) return 'disabled';
  if (isOver(record, now)) return 'expired';
  return record.start !== undefined && record.start > now ? 'scheduled' : 'active';
}

/** Leaves out undefined values, as the store does, so that records can be compared. */
export function present(fields: {readonly [Name in keyof LinkRecord]: LinkRecord[Name] | undefined}): LinkRecord {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as unknown as LinkRecord;
}

/** Whether a number of blocks and unblocks ends with a block. */
export const isBlocking = (blocks = 0): boolean => blocks % 2 === 1;

/** Whether the record has a new limit without the visits so far. */
export function needsCount({maxVisits, used, state}: LinkRecord): boolean {
  return maxVisits !== undefined && used === undefined && state !== 'removed';
}
