import type {ErrorCode} from '../errors.ts';
import {isObject} from '../values/describe.ts';
import {readAs, reader, type Reader, type Shape} from '../values/shape.ts';
import {flag, integer, labels, line, moment, patterned, text, utc} from '../values/shapes.ts';
import {type Reserved, shortPart} from './short-part.ts';
import {type Bases, findBase} from './bases.ts';
import {brokenMark, readBroken, toBroken} from './broken.ts';
import type {Calendar} from './calendar.ts';
import {asksFirst, type FieldDefaults} from './confirm.ts';
import {formatDateTime, readExpiryDate, readStartDate} from './dates.ts';
import {longUrl, parseLongUrl} from './long-url.ts';
import {maxPassword, readPassword} from './password.ts';
import {readRules, ruleList, storedRules, urlsOfRules} from './rules.ts';
import type {Stored, StoredFields} from './record.ts';
import {readUtm, utmShape} from './utm.ts';
import type {CreateLink, Link, UpdateLink} from './link.ts';

export type FieldName = keyof typeof table;

/** A field that the owner of a link sets. */
export type GivenName = FieldName & keyof CreateLink;

/** The values of fields as the program uses them after their checks. */
export type FieldValues = {
  readonly [Name in FieldName]: (typeof table)[Name] extends Field<infer Value, unknown> ? Value : never;
};

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

interface Field<Value, Shown> {
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
  readonly reader: (rules: InputRules) => Reader<Value>;
  /** The URLs in a value, as it was given, is stored or was read, and what messages call them. Anything may be given. */
  readonly urls?: (value: unknown) => readonly NamedUrl[];
  /** Whether `update` can only replace it, or not change it at all. By default it can also clear it. */
  readonly update?: 'replace' | 'never';
  /** Whether an option of the site decides where a link does not. */
  readonly isBySite?: true;
  /** Whether only the site's operator sets it. No create and no update takes it. */
  readonly isByOperator?: true;
  /**
   * What a record has of it, besides the name of its link.
   *
   * @param value undefined if the field is cleared
   * @param before the record before an update; for a new link the number of its visits
   */
  readonly toRecord?: (value: Value | undefined, before: StoredFields | number) => Stored;
  /** What `Link` shows of it. */
  readonly toLink?: (record: StoredFields, defaults: FieldDefaults) => Shown;
}

/** Lets the value of a field follow from its reader. */
function field<Value, Shown = never>(entry: Field<Value, Shown>): Field<Value, Shown> {
  return entry;
}

const ofLongUrl: readonly ErrorCode[] = ['invalid_url', 'forbidden_url'];

export const tagList = labels(20, 50);
export const titleLine = line(200);
export const visitLimit = integer(1, 1_000_000_000);
export const referenceLine = line(128);

/** The fields in the order of the documentation. docs/architecture.md says how to add one. */
const table = {
  url: field({
    parameter: 'url',
    ...urlOf('long URL'),
    sentence: 'The long URL: absolute, http or https, or another scheme that the site allows.',
    example: 'https://example.org/a/long/one',
    update: 'replace',
    toRecord: (long, before) => ({
      url: long?.url,
      target: long?.target === long?.url ? undefined : long?.target,
      // What was found of the old URL does not hold for a new one.
      ...(typeof before === 'object' && before.url !== long?.url && {broken: undefined}),
    }),
  }),
  customUrl: field({
    parameter: 'custom_url',
    shape: shortPart,
    sentence:
      "The short part. `api`, names of files such as `robots.txt`, and the site's own names are reserved. Without it one is generated.",
    example: 'spring',
    errors: ['invalid_custom_url', 'custom_url_taken'],
    update: 'never',
    reader: ({bases, reserved}) => readAs(text, (slug) => bases.shortParts.check(slug, reserved)),
  }),
  password: field({
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
    toRecord: (hash) => ({password: hash}),
  }),
  expiryDate: field({
    parameter: 'expiry_date',
    shape: moment,
    sentence: 'The last day or second in which the link works, not past.',
    example: '2030-12-31',
    errors: ['invalid_expiry_date'],
    reader: ({calendar, now}) => readAs(moment, (day) => readExpiryDate(day, calendar, now)),
    toRecord: (end) => ({end}),
  }),
  baseDomain: field({
    parameter: 'base_domain',
    shape: patterned(String.raw`^[^/\\]+$`),
    sentence:
      "One of the site's domains, in the form `domain.com`; with the port if it has one. By default that of the base URL.",
    example: 'sho.rt',
    errors: ['invalid_base_domain', 'unknown_base_domain'],
    update: 'never',
    reader: ({bases}) => readAs(text, (domain) => findBase(domain, bases)),
  }),
  title: field({
    ...plain('title', 'title', titleLine),
    parameter: 'title',
    sentence: "For the owner's lists; visitors do not see it.",
    example: 'Spring programme',
  }),
  tags: field({
    parameter: 'tags',
    shape: tagList,
    sentence: "For the owner's lists; visitors do not see them.",
    example: ['mail', 'posters'],
    shown: {isAlways: true},
    reader: () => reader(tagList, 'tags'),
    toRecord: (tags = []) => ({tags: tags.length === 0 ? undefined : tags}),
    toLink: ({tags = []}) => tags,
  }),
  maxVisits: field({
    parameter: 'max_visits',
    shape: visitLimit,
    sentence:
      'The maximum number of visits that are redirected, from the first one on. After them the link is `expired`.',
    example: 100,
    reader: () => reader(visitLimit, 'visit limit'),
    toRecord: (maxVisits, before) => ({maxVisits, used: usedOf(maxVisits, before)}),
    toLink: ({maxVisits = null}) => maxVisits,
  }),
  startDate: field({
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
    toRecord: (start) => ({start}),
    toLink: ({start}) => (start === undefined ? null : formatDateTime(start)),
  }),
  expiredUrl: field({
    parameter: 'expired_url',
    ...urlOf('URL after expiry'),
    sentence: 'A long URL to which visitors are redirected once the link has expired. These visits are not counted.',
    example: 'https://example.org/over',
    toRecord: (long) => ({expiredUrl: long?.url}),
    toLink: ({expiredUrl = null}) => expiredUrl,
  }),
  forwardQuery: field({
    parameter: 'forward_query',
    shape: flag,
    sentence:
      'Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its value. By default the site decides.',
    example: true,
    isBySite: true,
    shown: {isAlways: true},
    reader: () => reader(flag),
    toRecord: (forwardQuery) => ({forwardQuery}),
    toLink: ({forwardQuery}, defaults) => forwardQuery ?? defaults.forwardQuery,
  }),
  rules: field({
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
    toRecord: storedRules,
    toLink: ({rules = []}) => rules,
  }),
  previewTitle: field({
    ...plain('previewTitle', 'title of the preview', titleLine),
    parameter: 'preview_title',
    sentence: 'The title that chat programs and social networks show of the link.',
    example: 'Spring programme',
  }),
  previewDescription: field({
    ...plain('previewDescription', 'description of the preview', line(500)),
    parameter: 'preview_description',
    sentence: 'The text that chat programs and social networks show below the title.',
    example: 'All concerts of the season',
  }),
  previewImage: field({
    parameter: 'preview_image',
    // Pages with a strict policy, and most chat programs, load no others.
    ...urlOf('image of the preview', new Set(['https'])),
    sentence: 'The https URL of a picture that chat programs and social networks show.',
    example: 'https://example.org/a.png',
    toRecord: (image) => ({previewImage: image?.url}),
    toLink: ({previewImage = null}) => previewImage,
  }),
  reference: field({
    ...plain('reference', 'reference', referenceLine),
    parameter: 'reference',
    sentence:
      "What the owner's own records call the link. No other link of the account may have it. Visitors do not see it.",
    example: 'order 1001',
    errors: ['reference_taken'],
  }),
  confirm: field({
    parameter: 'confirm',
    shape: flag,
    sentence:
      'Whether visitors must press a button before the redirect, which programs that check links do not do. By default the site decides.',
    example: true,
    isBySite: true,
    shown: {isAlways: true},
    reader: () => reader(flag),
    toRecord: (confirm) => ({confirm}),
    toLink: (record, defaults) => asksFirst(record, defaults.confirm),
  }),
  utm: field({
    parameter: 'utm',
    shape: utmShape,
    sentence:
      'The campaign of the link. Its parts are added to each destination, in the parameters `utm_source`, `utm_medium` and so on, where neither the destination nor a forwarded query has them.',
    example: {source: 'newsletter', campaign: 'spring'},
    reader: () => readUtm,
    toRecord: (utm) => ({utm}),
    toLink: ({utm = null}) => utm,
  }),
  broken: field({
    parameter: 'broken',
    shape: brokenMark,
    sentence:
      "Since when the link leads nowhere, and perhaps why, as the site's last check found. The link still redirects. A new long URL clears it.",
    example: {since: '2029-12-30 09:00:00', reason: 'The page answers 404'},
    update: 'never',
    isByOperator: true,
    reader: () => readBroken,
    toRecord: (mark) => ({broken: mark}),
    toLink: (record) => toBroken(record.broken),
  }),
};

/** The fields in the order of the documentation. */
export const fields: {
  readonly [Name in FieldName]: Field<FieldValues[Name], Name extends ShownName ? Link[Name] : unknown>;
} = table;

export const fieldNames = Object.keys(fields) as readonly FieldName[];

export const givenNames = fieldNames.filter((name) => !fields[name].isByOperator) as readonly GivenName[];

export const shownNames = fieldNames.filter((name) => fields[name].toLink !== undefined) as readonly ShownName[];

export const updateNames = fieldNames.filter((name) => fields[name].update !== 'never') as ReadonlyArray<
  FieldName & keyof UpdateLink
>;

/** The readers of the fields that owners set. */
export function readersOf(rules: InputRules): {readonly [Name in GivenName]: Reader<FieldValues[Name]>} {
  const readers = givenNames.map((name) => [name, fields[name].reader(rules)] as const);
  return Object.fromEntries(readers) as {[Name in GivenName]: Reader<FieldValues[Name]>};
}

/**
 * The properties of a record for the fields that are given.
 *
 * @param values null clears a field; the password is given as its hash
 * @param before the record before an update, or the visits that a new link has already
 */
export function toRecordFields(
  values: {readonly [Name in FieldName]?: FieldValues[Name] | null | undefined},
  before: StoredFields | number,
): Stored {
  const stored: Stored = {};
  for (const name of fieldNames) {
    const part = partOf(name, values[name], before);
    if (part !== undefined) Object.assign(stored, part);
  }
  return stored;
}

function partOf<Name extends FieldName>(
  name: Name,
  value: FieldValues[Name] | null | undefined,
  before: StoredFields | number,
): Stored | undefined {
  return value === undefined ? undefined : fields[name].toRecord?.(value ?? undefined, before);
}

/** What `Link` shows of the fields under their names. */
export function toShown(record: StoredFields, defaults: FieldDefaults): Pick<Link, ShownName> {
  const shown: Record<string, unknown> = {};
  for (const name of shownNames) shown[name] = fields[name].toLink?.(record, defaults);
  return shown as Pick<Link, ShownName>;
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

/** A text that a record has, and `Link` shows, as it is. */
function plain<Name extends 'title' | 'previewTitle' | 'previewDescription' | 'reference'>(
  name: Name,
  what: string,
  shape: ReturnType<typeof line>,
) {
  return {
    shape,
    reader: () => reader(shape, what),
    toRecord: (value: string | undefined): Stored => ({[name]: value}),
    toLink: (record: StoredFields) => record[name] ?? null,
  } as const;
}

/** A new limit of a link with visits starts with the visits counted so far: see `VisitLimits`. */
function usedOf(maxVisits: number | undefined, before: StoredFields | number): number | undefined {
  if (maxVisits === undefined) return undefined;
  if (typeof before === 'number') return Math.min(before, maxVisits);
  return before.maxVisits === undefined ? undefined : before.used;
}
