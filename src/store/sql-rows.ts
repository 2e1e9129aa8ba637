import {createHash} from 'node:crypto';
import type {Addition, Counters} from './port.ts';

/** A digest in hexadecimal digits, and the sign before it. */
const digestLength = 65;

/**
 * A key that the key column can hold. One that is too long keeps its beginning, and a digest stands for the whole of it.
 *
 * @param size how many characters the column holds
 */
export function fittingKey(key: string, size: number): string {
  if (key.length <= size) return key;
  return `${key.slice(0, size - digestLength)}%${createHash('sha256').update(key).digest('hex')}`;
}

/**
 * Writes a key so that two different ones stay different whatever the column's collation is. MySQL's usual ones take
 * `aBc` and `abc`, or `é` and `e`, for one key, and nothing in a statement can tell a primary key otherwise. So a
 * capital becomes `^` and its small letter, and what is not printable ASCII its code point: what is left is small
 * letters, digits and punctuation, which collations tell apart.
 */
export function caselessKey(key: string): string {
  return key.replace(/[A-Z^]|[^!-~]/gu, (sign) =>
    /[A-Z^]/.test(sign) ? `^${sign.toLowerCase()}` : `^{${sign.codePointAt(0)?.toString(16)}}`,
  );
}

/** What one addition adds to one counter. */
interface AddedRow {
  /** The place of the addition in its batch. */
  readonly place: number;
  readonly key: string;
  readonly name: string;
  readonly n: number;
  readonly at: number;
}

export function addedRows(additions: readonly Addition[], keyOf: (key: string) => string): AddedRow[] {
  return additions.flatMap(({counters, add, at}, place) =>
    counters.flatMap((key) => Object.entries(add).map(([name, n]) => ({place, key: keyOf(key), name, n, at}))),
  );
}

/** The counters of each key, of rows with the columns `key`, `name`, `n` and `at`. */
export function countersOf(
  keys: readonly string[],
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
): Counters[] {
  const found = new Map(
    keys.map((key) => [key, {counts: new Map<string, number>(), at: undefined as number | undefined}]),
  );
  for (const {key, name, n, at} of rows) {
    const counters = found.get(String(key));
    counters?.counts.set(String(name), Number(n));
    if (counters && at !== null) counters.at = Math.max(counters.at ?? 0, Number(at));
  }
  return keys.map((key) => found.get(key) as Counters);
}
