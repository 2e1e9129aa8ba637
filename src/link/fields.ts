import type {Reserved} from './short-part.ts';
import {type Base, type Bases, findBase} from './bases.ts';
import type {Calendar} from './calendar.ts';
import {formatDateTime, readExpiryDate, readStartDate} from './dates.ts';
import {boolean, date, type Form, integer, list, objects} from './forms.ts';
import {type LongUrl, parseLongUrl} from './long-url.ts';
import {
  aLabel,
  maxDescription,
  readBoolean,
  type Reader,
  readMaxVisits,
  readPassword,
  readReference,
  readTags,
  text,
  textOrDate,
} from './readers.ts';
import {readRules} from './rules.ts';
import type {Link, Rule, UpdateLink} from './link.ts';
import type {LinkRecord} from './record.ts';

/** The fields that the owner of a link sets, as the program uses them: the values of `CreateLink` after their checks. */
export interface FieldValues {
  readonly url: LongUrl;
  readonly customUrl: string;
  /** Its hash, once it is stored. */
  readonly password: string;
  /** When the link ends, in milliseconds since the epoch. */
  readonly expiryDate: number;
  readonly baseDomain: Base;
  readonly title: string;
  readonly tags: readonly string[];
  readonly maxVisits: number;
  /** When the link begins, in milliseconds since the epoch. */
  readonly startDate: number;
  readonly expiredUrl: LongUrl;
  readonly forwardQuery: boolean;
  readonly rules: readonly Rule[];
  readonly previewTitle: string;
  readonly previewDescription: string;
  readonly previewImage: LongUrl;
  readonly reference: string;
}

export type FieldName = keyof FieldValues;

/** Fields that `Link` and the full record of the API show under the name of the field. `toLink` shows the others. */
export type ShownName = Exclude<FieldName & keyof Link, 'expiryDate'>;

/** What the checks of values depend on. */
export interface InputRules {
  readonly bases: Bases;
  readonly reserved: Reserved;
  readonly calendar: Calendar;
  /** The schemes of long URLs; by default http and https. */
  readonly schemes?: ReadonlySet<string> | undefined;
  readonly now: number;
}

/** What `Link` shows of a field that a link does not set. */
export interface FieldDefaults {
  /** The option `forwardQuery`. */
  readonly forwardQuery: boolean;
}

/** Properties of a record. An undefined one is removed from it. */
type Stored = {readonly [Name in keyof LinkRecord]?: LinkRecord[Name] | undefined};

interface Field<Name extends FieldName> {
  /** Its name in the HTTP API. */
  readonly parameter: string;
  /** Whether a path of the API has it in base64. */
  readonly isEncoded?: true;
  /** Whether no log may have it. */
  readonly isSecret?: true;
  /** The check of a value of `CreateLink` or `UpdateLink`. */
  readonly reader: (rules: InputRules) => Reader<FieldValues[Name]>;
  /** How the API writes a value. By default as a text. */
  readonly form?: Form;
  /**
   * What a record has of it, besides the name of its link.
   *
   * @param value undefined if the field is cleared
   * @param before the record before an update; for a new link the number of its visits
   */
  readonly toRecord?: (value: FieldValues[Name] | undefined, before: LinkRecord | number) => Stored;
  /** What `Link` shows of it. */
  readonly toLink?: (record: LinkRecord, defaults: FieldDefaults) => Name extends ShownName ? Link[Name] : never;
}

/** Whether `update` can only replace it, or not change it at all. By default it can also clear it. */
type Updated<Name extends FieldName> = Name extends keyof UpdateLink
  ? {readonly update?: 'replace'}
  : {readonly update: 'never'};

type Shown<Name extends FieldName> = Name extends ShownName ? Required<Pick<Field<Name>, 'toLink'>> : object;

/** Pages with a strict policy, and most chat programs, load no others. */
const imageSchemes: ReadonlySet<string> = new Set(['https']);

/** The fields in the order of the documentation. docs/architecture.md says how to add one. */
export const fields: {readonly [Name in FieldName]: Field<Name> & Updated<Name> & Shown<Name>} = {
  url: {
    parameter: 'url',
    update: 'replace',
    isEncoded: true,
    reader: ({schemes}) => text((url) => parseLongUrl(url, 'long URL', schemes)),
    toRecord: (long) => ({url: long?.url, target: long?.target === long?.url ? undefined : long?.target}),
  },
  customUrl: {
    parameter: 'custom_url',
    update: 'never',
    reader: ({bases, reserved}) => text((slug) => bases.shortParts.check(slug, reserved)),
  },
  password: {
    parameter: 'password',
    isSecret: true,
    reader: () => text(readPassword),
    toRecord: (hash) => ({password: hash}),
  },
  expiryDate: {
    parameter: 'expiry_date',
    form: date,
    reader: ({calendar, now}) => textOrDate((day) => readExpiryDate(day, calendar, now)),
    toRecord: (end) => ({end}),
  },
  baseDomain: {
    parameter: 'base_domain',
    update: 'never',
    reader: ({bases}) => text((domain) => findBase(domain, bases)),
  },
  title: plain('title', 'title', aLabel('title')),
  tags: {
    parameter: 'tags',
    reader: () => readTags,
    form: list,
    toRecord: (tags = []) => ({tags: tags.length === 0 ? undefined : tags}),
    toLink: ({tags = []}) => tags,
  },
  maxVisits: {
    parameter: 'max_visits',
    reader: () => readMaxVisits,
    form: integer,
    toRecord: (maxVisits, before) => ({maxVisits, used: usedOf(maxVisits, before)}),
    toLink: ({maxVisits = null}) => maxVisits,
  },
  startDate: {
    parameter: 'start_date',
    form: date,
    reader: ({calendar}) => textOrDate((day) => readStartDate(day, calendar)),
    toRecord: (start) => ({start}),
    toLink: ({start}) => (start === undefined ? null : formatDateTime(start)),
  },
  expiredUrl: {
    parameter: 'expired_url',
    isEncoded: true,
    reader: ({schemes}) => text((url) => parseLongUrl(url, 'URL after expiry', schemes)),
    toRecord: (long) => ({expiredUrl: long?.url}),
    toLink: ({expiredUrl = null}) => expiredUrl,
  },
  forwardQuery: {
    parameter: 'forward_query',
    form: boolean,
    reader: () => readBoolean,
    toRecord: (forwardQuery) => ({forwardQuery}),
    toLink: ({forwardQuery}, defaults) => forwardQuery ?? defaults.forwardQuery,
  },
  rules: {
    parameter: 'rules',
    isEncoded: true,
    form: objects,
    reader:
      ({schemes}) =>
      (value) =>
        readRules(value, schemes),
    toRecord: (rules = []) => ({rules: rules.length === 0 ? undefined : rules}),
    toLink: ({rules = []}) => rules,
  },
  previewTitle: plain('previewTitle', 'preview_title', aLabel('title of the preview')),
  previewDescription: plain(
    'previewDescription',
    'preview_description',
    aLabel('description of the preview', maxDescription),
  ),
  previewImage: {
    parameter: 'preview_image',
    isEncoded: true,
    reader: () => text((url) => parseLongUrl(url, 'image of the preview', imageSchemes)),
    toRecord: (image) => ({previewImage: image?.url}),
    toLink: ({previewImage = null}) => previewImage,
  },
  reference: plain('reference', 'reference', readReference),
};

export const fieldNames = Object.keys(fields) as readonly FieldName[];

export const shownNames = fieldNames.filter((name) => fields[name].toLink !== undefined) as readonly ShownName[];

export const updateNames = fieldNames.filter((name) => fields[name].update !== 'never') as ReadonlyArray<
  FieldName & keyof UpdateLink
>;

/** The readers of all fields. */
export function readersOf(rules: InputRules): {readonly [Name in FieldName]: Reader<FieldValues[Name]>} {
  const readers = fieldNames.map((name) => [name, fields[name].reader(rules)] as const);
  return Object.fromEntries(readers) as {[Name in FieldName]: Reader<FieldValues[Name]>};
}

/**
 * The properties of a record for the fields that are given.
 *
 * @param values null clears a field; the password is given as its hash
 * @param before the record before an update, or the visits that a new link has already
 */
export function toRecordFields(
  values: {readonly [Name in FieldName]?: FieldValues[Name] | null | undefined},
  before: LinkRecord | number,
): Stored {
  return Object.assign({}, ...fieldNames.map((name) => partOf(name, values[name], before))) as Stored;
}

function partOf<Name extends FieldName>(
  name: Name,
  value: FieldValues[Name] | null | undefined,
  before: LinkRecord | number,
): Stored {
  return value === undefined ? {} : (fields[name].toRecord?.(value ?? undefined, before) ?? {});
}

/** What `Link` shows of the fields under their names. */
export function toShown(record: LinkRecord, defaults: FieldDefaults): Pick<Link, ShownName> {
  return Object.fromEntries(shownNames.map((name) => [name, fields[name].toLink(record, defaults)])) as Pick<
    Link,
    ShownName
  >;
}

/** A text that a record has, and `Link` shows, as it is. */
function plain<Name extends 'title' | 'previewTitle' | 'previewDescription' | 'reference'>(
  name: Name,
  parameter: string,
  read: Reader<string>,
) {
  return {
    parameter,
    reader: () => read,
    toRecord: (value: string | undefined): Stored => ({[name]: value}),
    toLink: (record: LinkRecord) => record[name] ?? null,
  } as const;
}

/** A new limit of a link with visits starts with the visits counted so far: see `VisitLimits`. */
function usedOf(maxVisits: number | undefined, before: LinkRecord | number): number | undefined {
  if (maxVisits === undefined) return undefined;
  if (typeof before === 'number') return Math.min(before, maxVisits);
  return before.maxVisits === undefined ? undefined : before.used;
}
