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
