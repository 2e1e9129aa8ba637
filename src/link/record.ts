import {planted} from '../planted.ts';
import {listOf, objectOf, optional, type ValuesOf} from '../values/objects.ts';
import {anyText, choice, count, flag, onlyTrue, type Shape, shapeOf, text, time} from '../values/shape.ts';
import type {LinkName} from './bases.ts';
import {storedMark} from './broken.ts';
import {openUrl} from './long-url.ts';
import {ruleList} from './rules.ts';
import {utmShape} from './utm.ts';
import type {LinkStatus, StatusChange} from './link.ts';

/** What a record has of the fields. Any of it may be absent, and all but the long URL is for most links. */
export const storedShapes = {
  /** The long URL, as it was given. */
  url: openUrl,
  /** The long URL as it goes into `Location`: serialised, ASCII. Absent if it is the same. */
  target: openUrl,
  password: anyText,
  end: time,
  title: anyText,
  tags: listOf(anyText),
  maxVisits: count,
  /** Visits that the limit has granted. Absent while a limit is being set on a link with visits. */
  used: count,
  start: time,
  /** As it was given. */
  expiredUrl: openUrl,
  /** Absent if the site's default decides. */
  forwardQuery: flag,
  rules: ruleList,
  /** Its visits are counted by variant, from the first rule with a share or a name on. */
  isSplit: onlyTrue,
  previewTitle: anyText,
  previewDescription: anyText,
  /** As it was given. */
  previewImage: openUrl,
  reference: anyText,
  /** Absent if the site's default decides. */
  confirm: flag,
  utm: utmShape,
  broken: storedMark,
} as const;

export type StoredFields = Partial<ValuesOf<typeof storedShapes>>;

/** Properties of a record. An undefined one is removed from it. */
export type Stored = {readonly [Name in keyof StoredFields]?: StoredFields[Name] | undefined};

export const linkStatuses: readonly LinkStatus[] = ['active', 'disabled', 'expired', 'scheduled'];

export const linkStatus = choice(linkStatuses);

export const newStatus = choice<StatusChange['status']>(['active', 'disabled', 'removed']);

/** What every record has. A record that was made by hand, or a file of an export, may have anything. */
const always = {
  domain: text,
  slug: text,
  id: count,
  account: anyText,
  /** The generation of its account. An account that is created again does not get the link back. */
  generation: anyText,
  /** The number of its slot in the account's index. */
  position: count,
  /** The long URL, as it was given. */
  url: storedShapes.url,
  created: time,
  /** Names its counters. It is random, so that no other link under the same name ever adds to them. */
  counters: anyText,
  /**
   * `removed` by its owner, who may create it again. If its account was removed, it is removed for good and has an empty
   * `generation`.
   */
  state: choice(['active', 'disabled', 'removed']),
} as const;

const sometimes = {
  ...storedShapes,
  /** The number of its slot in the site's index; absent if it is the id. */
  sitePosition: count,
  /** Visits that limits have granted so far, also those of an earlier limit. */
  granted: count,
  /** Names the record by which calls with `reuse` find it; absent for a link that was created without. */
  reuse: anyText,
  /** How often it was changed; absent for never. So a read notices that a link was changed and changed back. */
  changes: count,
  /** Taken out of service by the site's operator, whatever its state. */
  isBlocked: onlyTrue,
  blockReason: anyText,
  /** The mark of the call that has announced that it has expired; absent if none has, or if it has worked again since. */
  announced: anyText,
  /**
   * The number of blocks and unblocks of its account so far, as the last of them has written it here; absent for none. See
   * `isBlockOpen`. The number never falls, so the last block or unblock decides, also if several run at once.
   */
  accountBlocks: count,
} as const;

export const linkShapes = {...sometimes, ...always};

/** A link as it is stored. Moments are milliseconds since the epoch. */
export interface LinkRecord extends ValuesOf<typeof always>, Partial<Omit<ValuesOf<typeof sometimes>, 'url'>> {}

const members = {
  ...Object.fromEntries(Object.entries<Shape>(sometimes).map(([name, shape]) => [name, optional(shape)])),
  ...always,
};

const anything = shapeOf({expected: 'a value', holds: () => true});

/** What closes a link is kept also if this version does not know it. */
export const linkForm = objectOf<LinkRecord>('a link', (record) => {
  const closing = Object.keys(record).filter((name) => name.startsWith('!'));
  return {...Object.fromEntries(closing.map((name) => [name, anything])), ...members};
});

/** The length of the texts of a link, in characters. */
export function lengthOf(record: LinkRecord): number {
  const values: readonly unknown[] = Object.values(record);
  return values.reduce<number>((sum, value) => {
    if (typeof value === 'string') return sum + value.length;
    return typeof value === 'object' ? sum + JSON.stringify(value).length : sum;
  }, 0);
}

/** Whether two records, or what was noted of them, are of one link. Each link has its own counters, also one that gets its name later. */
export function isSameLink(one: Counted | undefined, other: Counted | undefined): boolean {
  return one?.counters === other?.counters;
}

type Counted = Pick<LinkRecord, 'counters'>;

export function isListed({state}: LinkRecord): boolean {
  return state === 'active' || state === 'disabled';
}

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

/**
 * A property that closes the link: its name begins with `!`, and this version does not know it. So a protection that a
 * later version invents holds while processes of this one still run.
 */
export function closingOf(record: object): string | undefined {
  if (planted('closing-ignored')) return undefined;
  // Cheaper than an array of the names.
  for (const name in record) if (name.startsWith('!') && !Object.hasOwn(linkShapes, name)) return name;
  return undefined;
}

export function isActive(record: LinkRecord, now: number): boolean {
  return statusOf(record, now) === 'active';
}

export function statusOf(record: LinkRecord, now: number): LinkStatus {
  if (record.state !== 'active' || record.isBlocked || isBlockOpen(record.accountBlocks)) return 'disabled';
  if (closingOf(record) !== undefined) return 'disabled';
  if (isOver(record, now)) return 'expired';
  return record.start !== undefined && record.start > now ? 'scheduled' : 'active';
}

/** Leaves out undefined values, as the store does, so that records can be compared. */
export function present(fields: {readonly [Name in keyof LinkRecord]: LinkRecord[Name] | undefined}): LinkRecord {
  const given: Record<string, unknown> = {};
  for (const name of Object.keys(fields) as Array<keyof LinkRecord>) {
    if (fields[name] !== undefined) given[name] = fields[name];
  }
  return given as unknown as LinkRecord;
}

/** Whether a number of blocks and unblocks ends with a block. */
export const isBlockOpen = (blocks = 0): boolean => blocks % 2 === 1;

export function raised(record: LinkRecord): LinkRecord {
  return {...record, changes: (record.changes ?? 0) + 1};
}

/** Whether the record has a new limit without the visits so far. */
export function needsCount({maxVisits, used, state}: LinkRecord): boolean {
  return maxVisits !== undefined && used === undefined && state !== 'removed';
}
