/** The counter of all visits of a link. */
export const visitsCounter = 'v';

/** Counts the visits that a limit has granted, each in the same step as the visit. */
export const grantedCounter = 'g';

/** The counter of the visits on one day: `d` and the number of the day in the digits 0 to 9 and a to z. */
export const dayCounter = (day: number): string => `d${day.toString(36)}`;

/** The day of a counter; undefined for any other counter. */
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

/** The detail of a counter; undefined for any other counter. */
export function detailOf(counter: string): {readonly name: string; readonly value: string} | undefined {
  const colon = counter.indexOf(':');
  if (colon <= 0) return undefined;
  const value = counter
    .slice(colon + 1)
    .replace(/%(10[\da-f]{4}|[\da-f]{1,5})\./g, (_, digits: string) => String.fromCodePoint(parseInt(digits, 16)));
  return {name: counter.slice(0, colon), value};
}

/** Who has recorded a conversion: the code of the site, or an API call of the account of the link. */
export type Recorder = 'site' | 'account';

/** A name of conversions. The names of the site and those of an account are apart, even if they are equal. */
export interface ConversionName {
  readonly recordedBy: Recorder;
  readonly name: string;
}

/** What is counted of conversions: their number, or the sum of their values. */
type ConversionCount = 'count' | 'value';

const conversionLetters = {site: {count: 'c', value: 'w'}, account: {count: 'a', value: 'b'}} as const;

const conversionKinds = new Map(
  (['site', 'account'] as const).flatMap((recordedBy) =>
    (['count', 'value'] as const).map((kind) => [conversionLetters[recordedBy][kind] as string, {recordedBy, kind}]),
  ),
);

/**
 * The counter of the conversions with a name, or of the sum of their values: `c.<name>` and `w.<name>`, or `a.<name>` and
 * `b.<name>` of API calls. Those of one day have its number behind the letter, as in `dayCounter`.
 */
export function conversionCounter(kind: ConversionCount, {recordedBy, name}: ConversionName, day?: number): string {
  return `${conversionLetters[recordedBy][kind]}${day === undefined ? '' : day.toString(36)}.${name}`;
}

/** The parts of such a counter; undefined for any other counter. */
export function conversionOf(
  counter: string,
): (ConversionName & {readonly kind: ConversionCount; readonly day: number | undefined}) | undefined {
  const [, letter = '', day = '', name] = /^([cwab])([\da-z]*)\.([a-z\d_]+)$/.exec(counter) ?? [];
  const parts = conversionKinds.get(letter);
  return name === undefined ? undefined : parts && {...parts, name, day: day === '' ? undefined : parseInt(day, 36)};
}

/**
 * Shows that something was counted which must be counted once. It is raised in the same step as the counters beside it, and
 * goes where they go: into copies, exports and imports. It is removed when the record of what was counted is done.
 */
export const markCounter = (digest: string): string => `m.${digest}`;
