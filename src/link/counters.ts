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

const conversionLetters = {count: 'c', value: 'w'} as const;

/**
 * The counter of the conversions with a name, or of the sum of their values: `c.<name>` and `w.<name>`. Those of one day
 * have its number behind the letter, as in `dayCounter`.
 */
export function conversionCounter(kind: keyof typeof conversionLetters, name: string, day?: number): string {
  return `${conversionLetters[kind]}${day === undefined ? '' : day.toString(36)}.${name}`;
}

/** The parts of such a counter; undefined for any other counter. */
export function conversionOf(
  counter: string,
): {readonly kind: 'count' | 'value'; readonly name: string; readonly day: number | undefined} | undefined {
  const [, letter, day = '', name] = /^([cw])([\da-z]*)\.([a-z\d_]+)$/.exec(counter) ?? [];
  if (name === undefined) return undefined;
  return {kind: letter === 'c' ? 'count' : 'value', name, day: day === '' ? undefined : parseInt(day, 36)};
}
