import type {ErrorCode} from '../errors.ts';
import {isObject} from '../values/describe.ts';
import {ownCopy} from '../values/objects.ts';
import {readAs, type Reader, reader} from '../values/input.ts';
import {flag, integer, labels, line, moment, patterned, type Shape, text, utc} from '../values/shape.ts';
import {type Reserved, shortPart} from './short-part.ts';
import {type Bases, findBase} from './bases.ts';
import {brokenMark, readBroken, toBroken} from './broken.ts';
import {type Calendar, formatDateTime} from '../values/calendar.ts';
import {asksFirst, type FieldDefaults} from './confirm.ts';
import {readExpiryDate, readStartDate} from './dates.ts';
import {type LongUrl, longUrl, parseLongUrl} from './long-url.ts';
import {maxPassword, readPassword} from './password.ts';
import {readRules, ruleList, storedRules, urlsOfRules} from './rules.ts';
import type {Stored, StoredFields} from './record.ts';
import {readUtm, utmShape} from './utm.ts';
import type {CreateLink, Link, UpdateLink} from './link.ts';

export type FieldName = keyof typeof table;

export type GivenName = FieldName & keyof CreateLink;

export type FieldValues = {
  readonly [Name in FieldName]: (typeof table)[Name] extends Field<infer Value, unknown> ? Value : never;
};

/** Fields that `Link` and the full record of the API show under the name of the field. `toLink` shows the others. */
export type ShownName = Exclude<FieldName & keyof Link, 'expiryDate'>;

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
  readonly parameter: string;
  readonly shape: Shape;
  /** What it is, for people. The bounds of the shape follow it. */
  readonly sentence: string;
  readonly example: unknown;
  readonly errors?: readonly ErrorCode[];
  readonly shown?: ShownAs;
  /** Whether no log may have it. */
  readonly isSecret?: true;
  /** The check of a value of `CreateLink` or `UpdateLink`. */
  readonly read: Reader<Value, [rules: InputRules]>;
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
  readonly toLink?: (record: StoredFields, defaults: FieldDefaults) => Shown;
}

type Known<Value, Shown> = Omit<Field<Value, Shown>, 'shape' | 'read'>;

/** A field that is checked by its shape. `what` names it in messages. */
function field<Value, Shown>(
  shape: Shape<Value>,
  {what, ...known}: Known<Value, Shown> & {readonly what?: string},
): Field<Value, Shown> {
  return {shape, read: reader(shape, what), ...known};
}

function fieldAs<Value, Shown = never>(
  shape: Shape,
  read: Reader<Value, [rules: InputRules]>,
  known: Known<Value, Shown>,
): Field<Value, Shown> {
  return {shape, read, ...known};
}

/** A field with a URL, which passes the checks of a destination. */
function urlField<Shown = never>(
  what: string,
  known: Known<LongUrl, Shown>,
  ownSchemes?: ReadonlySet<string>,
): Field<LongUrl, Shown> {
  const read = readAs(text, (url, {schemes}: InputRules) => parseLongUrl(url, what, ownSchemes ?? schemes));
  const urls = (value: unknown) => [[isObject(value) ? value['url'] : value, what]] as const;
  return fieldAs(longUrl, read, {errors: ofLongUrl, urls, ...known});
}

type TextName = {
  [Name in keyof StoredFields]-?: StoredFields[Name] extends string | undefined ? Name : never;
}[keyof StoredFields];

/** A text that a record has, and `Link` shows, as it is. */
function textField(
  name: TextName,
  shape: Shape<string>,
  known: Omit<Known<string, string | null>, 'toRecord' | 'toLink'> & {readonly what: string},
): Field<string, string | null> {
  return field(shape, {
    ...known,
    toRecord: (value) => ({[name]: value}),
    toLink: (record) => record[name] ?? null,
  });
}

const ofLongUrl: readonly ErrorCode[] = ['invalid_url', 'forbidden_url'];

const readText = reader(text);
const readMoment = reader(moment);

export const domainText = patterned(String.raw`^[^/\\]+$`, {expected: 'a domain in the form domain.com'});
const aPassword: Shape = {
  ...text,
  schema: {...text.schema, maxLength: maxPassword},
  bounds: `at most ${maxPassword} bytes of UTF-8`,
};
export const tagList = labels(20, 50);
export const titleLine = line(200);
export const visitLimit = integer(1, 1_000_000_000);
export const referenceLine = line(128);

/** The fields in the order of the documentation. docs/architecture.md says how to add one. */
const table = {
  url: urlField('long URL', {
    parameter: 'url',
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
  customUrl: fieldAs(
    shortPart,
    (slug, name, {bases, reserved}) => bases.shortParts.check(readText(slug, name), reserved),
    {
      parameter: 'custom_url',
      sentence:
        "The short part. `api`, names of files such as `robots.txt`, and the site's own names are reserved. Without it one is generated.",
      example: 'spring',
      errors: ['invalid_custom_url', 'custom_url_taken'],
      update: 'never',
    },
  ),
  password: fieldAs(aPassword, (password, name) => readPassword(readText(password, name)), {
    parameter: 'password',
    sentence: 'Visitors must enter it before the redirect. No answer contains it.',
    example: 'open-sesame',
    errors: ['invalid_password'],
    isSecret: true,
    toRecord: (hash) => ({password: hash}),
  }),
  expiryDate: fieldAs(moment, (day, name, {calendar, now}) => readExpiryDate(readMoment(day, name), calendar, now), {
    parameter: 'expiry_date',
    sentence: 'The last day or second in which the link works, not past.',
    example: '2030-12-31',
    errors: ['invalid_expiry_date'],
    toRecord: (end) => ({end}),
  }),
  baseDomain: fieldAs(domainText, (domain, name, {bases}) => findBase(readText(domain, name), bases), {
    parameter: 'base_domain',
    sentence:
      "One of the site's domains, in the form `domain.com`; with the port if it has one. By default that of the base URL.",
    example: 'sho.rt',
    errors: ['invalid_base_domain', 'unknown_base_domain'],
    update: 'never',
  }),
  title: textField('title', titleLine, {
    parameter: 'title',
    what: 'title',
    sentence: "For the owner's lists; visitors do not see it.",
    example: 'Spring programme',
  }),
  tags: field(tagList, {
    parameter: 'tags',
    what: 'tags',
    sentence: "For the owner's lists; visitors do not see them.",
    example: ['mail', 'posters'],
    shown: {isAlways: true},
    toRecord: (tags = []) => ({tags: tags.length === 0 ? undefined : tags}),
    toLink: ({tags = []}) => tags,
  }),
  maxVisits: field(visitLimit, {
    parameter: 'max_visits',
    what: 'visit limit',
    sentence:
      'The maximum number of visits that are redirected, from the first one on. After them the link is `expired`.',
    example: 100,
    toRecord: (maxVisits, before) => ({maxVisits, used: usedOf(maxVisits, before)}),
    toLink: ({maxVisits = null}) => maxVisits,
  }),
  startDate: fieldAs(moment, (day, name, {calendar}) => readStartDate(readMoment(day, name), calendar), {
    parameter: 'start_date',
    sentence:
      "The first day or second in which the link works, before the expiry date. Until then it is `scheduled`, and the short URL is the site's own 404.",
    example: '2030-01-01',
    errors: ['invalid_expiry_date'],
    shown: {
      shape: utc,
      sentence: 'The first second in which the link works; null if it has worked since its creation.',
      example: '2030-01-01 00:00:00',
    },
    toRecord: (start) => ({start}),
    toLink: ({start}) => (start === undefined ? null : formatDateTime(start)),
  }),
  expiredUrl: urlField('URL after expiry', {
    parameter: 'expired_url',
    sentence: 'A long URL to which visitors are redirected once the link has expired. These visits are not counted.',
    example: 'https://example.org/over',
    toRecord: (long) => ({expiredUrl: long?.url}),
    toLink: ({expiredUrl = null}) => expiredUrl,
  }),
  forwardQuery: field(flag, {
    parameter: 'forward_query',
    what: 'forwarding of the query',
    sentence:
      'Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its value. By default the site decides.',
    example: true,
    isBySite: true,
    shown: {isAlways: true},
    toRecord: (forwardQuery) => ({forwardQuery}),
    toLink: ({forwardQuery}, defaults) => forwardQuery ?? defaults.forwardQuery,
  }),
  rules: fieldAs(ruleList, (value, _, {schemes}) => readRules(value, schemes), {
    parameter: 'rules',
    sentence: 'The first rule that applies to a visitor sets the destination. A rule has one condition or more.',
    example: [{device: 'ios', url: 'https://apps.example.org/spring'}],
    errors: ofLongUrl,
    shown: {isAlways: true},
    urls: urlsOfRules,
    toRecord: storedRules,
    toLink: ({rules = []}) => rules,
  }),
  previewTitle: textField('previewTitle', titleLine, {
    parameter: 'preview_title',
    what: 'title of the preview',
    sentence: 'The title that chat programs and social networks show of the link.',
    example: 'Spring programme',
  }),
  previewDescription: textField('previewDescription', line(500), {
    parameter: 'preview_description',
    what: 'description of the preview',
    sentence: 'The text that chat programs and social networks show below the title.',
    example: 'All concerts of the season',
  }),
  previewImage: urlField(
    'image of the preview',
    {
      parameter: 'preview_image',
      sentence: 'The https URL of a picture that chat programs and social networks show.',
      example: 'https://example.org/a.png',
      toRecord: (image) => ({previewImage: image?.url}),
      toLink: ({previewImage = null}) => previewImage,
    },
    // Pages with a strict policy, and most chat programs, load no others.
    new Set(['https']),
  ),
  reference: textField('reference', referenceLine, {
    parameter: 'reference',
    what: 'reference',
    sentence:
      "What the owner's own records call the link. No other link of the account may have it. Visitors do not see it.",
    example: 'order 1001',
    errors: ['reference_taken'],
  }),
  confirm: field(flag, {
    parameter: 'confirm',
    sentence:
      'Whether visitors must press a button before the redirect, which programs that check links do not do. By default the site decides.',
    example: true,
    isBySite: true,
    shown: {isAlways: true},
    toRecord: (confirm) => ({confirm}),
    toLink: (record, defaults) => asksFirst(record, defaults.confirm),
  }),
  utm: fieldAs(utmShape, readUtm, {
    parameter: 'utm',
    sentence:
      'The campaign of the link. Its parts are added to each destination, in the parameters `utm_source`, `utm_medium` and so on, where neither the destination nor a forwarded query has them.',
    example: {source: 'newsletter', campaign: 'spring'},
    toRecord: (utm) => ({utm}),
    toLink: ({utm = null}) => utm,
  }),
  broken: fieldAs(brokenMark, readBroken, {
    parameter: 'broken',
    sentence:
      "Since when the link leads nowhere, and perhaps why, as the site's last check found. The link still redirects. A new long URL clears it.",
    example: {since: '2029-12-30 09:00:00', reason: 'The page answers 404'},
    update: 'never',
    isByOperator: true,
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

export const fieldReaders = Object.fromEntries(givenNames.map((name) => [name, fields[name].read])) as {
  readonly [Name in GivenName]: Reader<FieldValues[Name], [rules: InputRules]>;
};

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

export function toShown(record: StoredFields, defaults: FieldDefaults): Pick<Link, ShownName> {
  const shown: Record<string, unknown> = {};
  for (const name of shownNames) shown[name] = ownCopy(fields[name].toLink?.(record, defaults));
  return shown as Pick<Link, ShownName>;
}

/** A new limit of a link with visits starts with the visits counted so far: see `VisitLimits`. */
function usedOf(maxVisits: number | undefined, before: StoredFields | number): number | undefined {
  if (maxVisits === undefined) return undefined;
  if (typeof before === 'number') return Math.min(before, maxVisits);
  return before.maxVisits === undefined ? undefined : before.used;
}
