import type {ErrorCode} from '../errors.ts';
import {isObject} from '../values/describe.ts';
import {listOf, object, optional} from '../values/objects.ts';
import {readAs, reader, type Reader, type Shape} from '../values/shape.ts';
import {anyText, count, flag, integer, labels, line, moment, patterned, text, time, utc} from '../values/shapes.ts';
import {type Reserved, shortPart} from './short-part.ts';
import {type Bases, findBase} from './bases.ts';
import type {Calendar} from './calendar.ts';
import {formatDateTime, readExpiryDate, readStartDate} from './dates.ts';
import type {FieldValues, StoredFields} from './generated/fields.ts';
import {longUrl, openUrl, parseLongUrl} from './long-url.ts';
import {maxPassword, readPassword} from './password.ts';
import {readRules, ruleList, urlsOfRules} from './rules.ts';
import type {Link, UpdateLink} from './link.ts';
import {type LinkRecord, ownStored} from './record.ts';

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

/** How the API shows a field where it differs from how the API takes it. */
interface ShownAs {
  readonly shape?: Shape;
  readonly sentence?: string;
  readonly example?: unknown;
  /** Whether it always has a value. By default it is null if there is none. */
  readonly isAlways?: true;
}

/** A URL of a link, and what messages call it. */
export type NamedUrl = readonly [url: unknown, what: string];

/** A property of a record. */
interface StoredValue extends Shape {
  /** What it is, for the declaration. */
  readonly sentence: string;
  /** Its TypeScript. */
  readonly type: string;
}

interface Field<Name extends FieldName> {
  /** Its name in the HTTP API. */
  readonly parameter: string;
  /** What its values look like. */
  readonly shape: Shape;
  /** What it is, for people. The bounds of the shape follow it. */
  readonly sentence: string;
  /** A value, for the descriptions of the API. */
  readonly example: unknown;
  /** The codes of its own errors. */
  readonly errors?: readonly ErrorCode[];
  readonly shown?: ShownAs;
  /** Whether no log may have it. */
  readonly isSecret?: true;
  /** The check of a value of `CreateLink` or `UpdateLink`. */
  readonly reader: (rules: InputRules) => Reader<FieldValues[Name]>;
  /** The URLs in a value, as it was given, is stored or was read, and what messages call them. Anything may be given. */
  readonly urls?: (value: unknown) => readonly NamedUrl[];
  /** The properties that a record has for it. */
  readonly stored?: Readonly<Partial<Record<keyof StoredFields, StoredValue>>>;
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

const ofLongUrl: readonly ErrorCode[] = ['invalid_url', 'forbidden_url'];

export const tagList = labels(20, 50);
export const titleLine = line(200);
export const visitLimit = integer(1, 1_000_000_000);
export const referenceLine = line(128);

/** The fields in the order of the documentation. docs/architecture.md says how to add one. */
export const fields: {readonly [Name in FieldName]: Field<Name> & Updated<Name> & Shown<Name>} = {
  url: {
    parameter: 'url',
    ...urlOf('long URL'),
    sentence: 'The long URL: absolute, http or https, or another scheme that the site allows.',
    example: 'https://example.org/a/long/one',
    update: 'replace',
    stored: {
      url: storedUrl('The long URL, as it was given.'),
      target: storedUrl('The long URL as it goes into `Location`: serialised, ASCII. Absent if it is the same.'),
    },
    toRecord: (long) => ({url: long?.url, target: long?.target === long?.url ? undefined : long?.target}),
  },
  customUrl: {
    parameter: 'custom_url',
    shape: shortPart,
    sentence:
      "The short part. `api`, names of files such as `robots.txt`, and the site's own names are reserved. Without it one is generated.",
    example: 'spring',
    errors: ['invalid_custom_url', 'custom_url_taken'],
    update: 'never',
    reader: ({bases, reserved}) => readAs(text, (slug) => bases.shortParts.check(slug, reserved)),
  },
  password: {
    parameter: 'password',
    shape: {
      ...text,
      schema: {...text.schema, maxLength: maxPassword},
      bounds: `at most ${maxPassword} bytes of UTF-8`,
    },
    sentence: 'Visitors must enter it before the redirect. No answer contains it.',
    example: 'open-sesame',
    errors: ['invalid_password'],
    isSecret: true,
    reader: () => readAs(text, readPassword),
    stored: {password: stored(anyText, 'string', 'The hash of its password; absent for a link without one.')},
    toRecord: (hash) => ({password: hash}),
  },
  expiryDate: {
    parameter: 'expiry_date',
    shape: moment,
    sentence: 'The last day or second in which the link works, not past.',
    example: '2030-12-31',
    errors: ['invalid_expiry_date'],
    reader: ({calendar, now}) => readAs(moment, (day) => readExpiryDate(day, calendar, now)),
    stored: {end: stored(time, 'number', 'When it ends; absent for a link that does not expire.')},
    toRecord: (end) => ({end}),
  },
  baseDomain: {
    parameter: 'base_domain',
    shape: patterned(String.raw`^[^/\\]+$`),
    sentence:
      "One of the site's domains, in the form `domain.com`; with the port if it has one. By default that of the base URL.",
    example: 'sho.rt',
    errors: ['invalid_base_domain', 'unknown_base_domain'],
    update: 'never',
    reader: ({bases}) => readAs(text, (domain) => findBase(domain, bases)),
  },
  title: {
    ...plain('title', 'title', titleLine),
    parameter: 'title',
    sentence: "For the owner's lists; visitors do not see it.",
    example: 'Spring programme',
  },
  tags: {
    parameter: 'tags',
    shape: tagList,
    sentence: "For the owner's lists; visitors do not see them.",
    example: ['mail', 'posters'],
    shown: {isAlways: true},
    reader: () => reader(tagList, 'tags'),
    stored: {tags: stored(listOf(anyText), 'readonly string[]', 'Absent if there are none.')},
    toRecord: (tags = []) => ({tags: tags.length === 0 ? undefined : tags}),
    toLink: ({tags = []}) => tags,
  },
  maxVisits: {
    parameter: 'max_visits',
    shape: visitLimit,
    sentence:
      'The maximum number of visits that are redirected, from the first one on. After them the link is `expired`.',
    example: 100,
    reader: () => reader(visitLimit, 'visit limit'),
    stored: {
      maxVisits: stored(count, 'number', 'How many visits are redirected at most; absent for any number.'),
      used: stored(
        count,
        'number',
        'Visits that the limit has granted. Absent while a limit is being set on a link with visits.',
      ),
    },
    toRecord: (maxVisits, before) => ({maxVisits, used: usedOf(maxVisits, before)}),
    toLink: ({maxVisits = null}) => maxVisits,
  },
  startDate: {
    parameter: 'start_date',
    shape: moment,
    sentence:
      "The first day or second in which the link works, before the expiry date. Until then it is `scheduled`, and the short URL is the site's own 404.",
    example: '2030-01-01',
    errors: ['invalid_expiry_date'],
    shown: {
      shape: utc,
      sentence: 'The first second in which the link works; null if it has worked since its creation.',
      example: '2030-01-01 00:00:00',
    },
    reader: ({calendar}) => readAs(moment, (day) => readStartDate(day, calendar)),
    stored: {
      start: stored(time, 'number', 'When it begins; absent for a link that has worked since its creation.'),
    },
    toRecord: (start) => ({start}),
    toLink: ({start}) => (start === undefined ? null : formatDateTime(start)),
  },
  expiredUrl: {
    parameter: 'expired_url',
    ...urlOf('URL after expiry'),
    sentence: 'A long URL to which visitors are redirected once the link has expired. These visits are not counted.',
    example: 'https://example.org/over',
    stored: {expiredUrl: storedUrl('As it was given.')},
    toRecord: (long) => ({expiredUrl: long?.url}),
    toLink: ({expiredUrl = null}) => expiredUrl,
  },
  forwardQuery: {
    parameter: 'forward_query',
    shape: flag,
    sentence:
      'Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its value. By default the site decides.',
    example: true,
    shown: {isAlways: true},
    reader: () => reader(flag),
    stored: {forwardQuery: stored(flag, 'boolean', "Absent if the site's default decides.")},
    toRecord: (forwardQuery) => ({forwardQuery}),
    toLink: ({forwardQuery}, defaults) => forwardQuery ?? defaults.forwardQuery,
  },
  rules: {
    parameter: 'rules',
    shape: ruleList,
    sentence: 'The first rule that applies to a visitor sets the destination. A rule has one condition or more.',
    example: [{device: 'ios', url: 'https://apps.example.org/spring'}],
    errors: ofLongUrl,
    shown: {isAlways: true},
    reader:
      ({schemes}) =>
      (value) =>
        readRules(value, schemes),
    urls: urlsOfRules,
    stored: {rules: stored(ruleList, 'readonly Rule[]', 'Absent if there are none.')},
    toRecord: (rules = []) => ({rules: rules.length === 0 ? undefined : rules}),
    toLink: ({rules = []}) => rules,
  },
  previewTitle: {
    ...plain('previewTitle', 'title of the preview', titleLine),
    parameter: 'preview_title',
    sentence: 'The title that chat programs and social networks show of the link.',
    example: 'Spring programme',
  },
  previewDescription: {
    ...plain('previewDescription', 'description of the preview', line(500)),
    parameter: 'preview_description',
    sentence: 'The text that chat programs and social networks show below the title.',
    example: 'All concerts of the season',
  },
  previewImage: {
    parameter: 'preview_image',
    ...urlOf('image of the preview', imageSchemes),
    sentence: 'The https URL of a picture that chat programs and social networks show.',
    example: 'https://example.org/a.png',
    stored: {previewImage: storedUrl('As it was given.')},
    toRecord: (image) => ({previewImage: image?.url}),
    toLink: ({previewImage = null}) => previewImage,
  },
  reference: {
    ...plain('reference', 'reference', referenceLine),
    parameter: 'reference',
    sentence:
      "What the owner's own records call the link. No other link of the account may have it. Visitors do not see it.",
    example: 'order 1001',
    errors: ['reference_taken'],
  },
};

/** What the properties of a record may be. */
export const storedFields = Object.assign({}, ownStored, ...Object.values(fields).map((field) => field.stored)) as {
  readonly [Name in keyof Required<LinkRecord>]: Shape;
};

/** What every record has. */
const needed: ReadonlySet<string> = new Set<keyof LinkRecord>([
  'domain',
  'slug',
  'id',
  'account',
  'generation',
  'position',
  'url',
  'created',
  'counters',
  'state',
]);

export const linkForm = object(
  Object.fromEntries(
    Object.entries<Shape>(storedFields).map(([name, shape]) => [name, needed.has(name) ? shape : optional(shape)]),
  ),
) as Shape as Shape<LinkRecord>;

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

/** What fields with a URL have in common. Each URL passes the checks of a destination. */
function urlOf(what: string, ownSchemes?: ReadonlySet<string>) {
  return {
    shape: longUrl,
    errors: ofLongUrl,
    urls: (value: unknown) => [[isObject(value) ? value['url'] : value, what]] as const,
    reader: ({schemes}: InputRules) => readAs(text, (url) => parseLongUrl(url, what, ownSchemes ?? schemes)),
  };
}

function stored(rule: Shape, type: string, sentence: string): StoredValue {
  return {...rule, type, sentence};
}

function storedUrl(sentence: string): StoredValue {
  return stored(openUrl, 'string', sentence);
}

/** A text that a record has, and `Link` shows, as it is. */
function plain<Name extends 'title' | 'previewTitle' | 'previewDescription' | 'reference'>(
  name: Name,
  what: string,
  shape: ReturnType<typeof line>,
) {
  return {
    shape,
    reader: () => reader(shape, what),
    stored: {[name]: stored(anyText, 'string', 'Absent if there is none.')},
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
