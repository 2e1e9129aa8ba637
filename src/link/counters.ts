import {patterned} from '../values/shape.ts';

/** The maximum length of the name of a visit detail or a conversion, which the names of its counters contain. */
export const maxCounted = 32;
export const countedName = patterned(`^[a-z0-9_]{1,${maxCounted}}$`, {expected: `1 to ${maxCounted} of a-z 0-9 _`});

export const visitsCounter = 'v';

/** Counts the visits that a limit has granted, each in the same step as the visit. */
export const grantedCounter = 'g';

/** The counter of the visits on one day: `d` and the number of the day in the digits 0 to 9 and a to z. */
export const dayCounter = (day: number): string => `d${day.toString(36)}`;

export function dayOfCounter(name: string): number | undefined {
  return /^d[\da-z]+$/.test(name) ? parseInt(name.slice(1), 36) : undefined;
}

/**
 * The counter of a value: `<name>:<value>`. Letters, digits, `-`, `_` and `.` stay, so host names do. Other
 * characters become `%<hex digits>.`, so a value of 64 characters takes at most 512.
 */
export function detailCounter(name: string, value: string): string {
  return `${name}:${value.replace(/[^\w.-]/gu, (character) => `%${character.codePointAt(0)?.toString(16)}.`)}`;
}

/** The detail of a counter, and the number of its month; undefined for any other counter. */
export function detailOf(
  counter: string,
): {readonly name: string; readonly value: string; readonly month: number | undefined} | undefined {
  const [, month, name, value] = /^(?:([\da-z]+)\.)?([\da-z_]+|~[\w~]*):(.*)$/s.exec(counter) ?? [];
  if (name === undefined || value === undefined) return undefined;
  return {
    name,
    value: value.replace(/%(10[\da-f]{4}|[\da-f]{1,5})\./g, (_, digits: string) =>
      String.fromCodePoint(parseInt(digits, 16)),
    ),
    month: month === undefined ? undefined : parseInt(month, 36),
  };
}

/**
 * The counter of a detail in one month: the number of the month, in the digits 0 to 9 and a to z, before it. Visits raise
 * only these. Those without a month are the sums of months that are long past.
 */
export function inMonth(counter: string, month: number): string {
  return `${month.toString(36)}.${counter}`;
}

/**
 * The detail whose values are the variants of a link. It is none of `visitDetails`, whose names have no `~`. With a
 * conversion it is the detail of that: `~c~order~EUR`, with the letter of its counter.
 */
export function variantDetail(kind?: ConversionCount, conversion?: ConversionName): string {
  return kind && conversion ? `~${conversionCounter(kind, conversion).replaceAll('.', '~')}` : '~';
}

export function isVariant(detail: string): boolean {
  return detail.startsWith('~');
}

/** The conversion of such a detail; undefined for visits. */
export function conversionOfVariant(detail: string): ConversionCounter | undefined {
  return conversionOf(detail.slice(1).replaceAll('~', '.'));
}

export function withoutMonth(counter: string): string {
  return counter.slice(counter.lastIndexOf('.', counter.indexOf(':')) + 1);
}

/** Who has recorded a conversion: the code of the site, or an API call of the account of the link. */
export type Recorder = 'site' | 'account';

/**
 * A name of conversions with a currency. The names of the site and those of an account are apart, even if they are equal,
 * and values of several currencies are never added.
 */
export interface ConversionName {
  readonly recordedBy: Recorder;
  readonly name: string;
  /** Three capital letters; undefined if none was given. */
  readonly currency?: string | undefined;
}

/** What is counted of conversions: their number, the sum of their values, and the same of their refunds. */
export const conversionCounts = ['count', 'value', 'refunds', 'refunded'] as const;

export type ConversionCount = (typeof conversionCounts)[number];

const conversionLetters: Readonly<Record<Recorder, Readonly<Record<ConversionCount, string>>>> = {
  site: {count: 'c', value: 'w', refunds: 'r', refunded: 's'},
  account: {count: 'a', value: 'b', refunds: 'p', refunded: 'q'},
};

const conversionKinds = new Map(
  (['site', 'account'] as const).flatMap((recordedBy) =>
    conversionCounts.map((kind) => [conversionLetters[recordedBy][kind], {recordedBy, kind}]),
  ),
);

/**
 * The counter of the conversions with a name, or of the sum of their values: `c.<name>` and `w.<name>`, or `a.<name>` and
 * `b.<name>` of API calls. Those of one day have its number behind the letter, as in `dayCounter`, and those of a currency
 * have it behind the name.
 */
export function conversionCounter(
  kind: ConversionCount,
  {recordedBy, name, currency}: ConversionName,
  day?: number,
): string {
  const letter = conversionLetters[recordedBy][kind];
  return `${letter}${day === undefined ? '' : day.toString(36)}.${name}${currency === undefined ? '' : `.${currency}`}`;
}

export interface ConversionCounter extends ConversionName {
  readonly kind: ConversionCount;
  readonly day: number | undefined;
}

const isConversion = /^[cwrsabpq][\da-z]*\.[a-z\d_]+(?:\.[A-Z]{3})?$/;

/** The parts of such a counter; undefined for any other counter. Statistics ask it of each counter of a link. */
export function conversionOf(counter: string): ConversionCounter | undefined {
  const parts = conversionKinds.get(counter.charAt(0));
  // Groups of the pattern would take three times as long as the two searches.
  if (parts === undefined || !isConversion.test(counter)) return undefined;
  const {recordedBy, kind} = parts;
  const afterDay = counter.indexOf('.');
  const afterName = counter.indexOf('.', afterDay + 1);
  return {
    recordedBy,
    kind,
    name: counter.slice(afterDay + 1, afterName < 0 ? undefined : afterName),
    currency: afterName < 0 ? undefined : counter.slice(afterName + 1),
    day: afterDay === 1 ? undefined : parseInt(counter.slice(1, afterDay), 36),
  };
}

/**
 * Shows that something was counted which must be counted once. It is raised in the same step as the counters beside it, and
 * goes where they go: into copies, exports and imports. It is removed when the record of what was counted is done.
 */
export const markCounter = (digest: string): string => `m.${digest}`;
