import {createHash} from 'node:crypto';
import type {CounterRows} from '../driver.ts';
import type {Counters, KeyAddition, KeyPart} from '../port.ts';

/** The length of a hexadecimal digest and the character before it. */
const digestLength = 65;

/** The smallest key column, which has room for the namespace of a shortened key. */
const minKeySize = 80;

/**
 * The size of the key column, by default that of the Keyv adapters.
 *
 * @throws TypeError if it is too small
 */
export function checkedKeySize(keySize = 255): number {
  if (Number.isInteger(keySize) && keySize >= minKeySize) return keySize;
  throw new TypeError(`Expected the \`keySize\` of the store's adapter to be at least ${minKeySize}, got ${keySize}`);
}

/**
 * Shortens a key for the key column. A key that is too long keeps its beginning, followed by a digest of the whole key.
 *
 * @param size the size of the column in characters
 */
export function fittingKey(key: string, size: number): string {
  if (key.length <= size) return key;
  return `${key.slice(0, size - digestLength)}%${createHash('sha256').update(key).digest('hex')}`;
}

/**
 * Encodes a key so that different keys stay different under any collation of the column. The usual collations of MySQL
 * treat `aBc` and `abc`, or `é` and `e`, as one key, and no statement can change that for a primary key. So a capital
 * letter becomes `^` and its small letter, and a character outside printable ASCII becomes its code point. All collations
 * distinguish the remaining small letters, digits and punctuation.
 */
export function caselessKey(key: string): string {
  return key.replace(/[A-Z^]|[^!-~]/gu, (sign) =>
    /[A-Z^]/.test(sign) ? `^${sign.toLowerCase()}` : `^{${sign.codePointAt(0)?.toString(16)}}`,
  );
}

/** Decodes a key of `caselessKey`. */
export function casedKey(key: string): string {
  return key.replace(/\^(?:\{([\da-f]+)\}|(.))/g, (_, code: string | undefined, letter = '') =>
    code === undefined ? String(letter).toUpperCase() : String.fromCodePoint(parseInt(code, 16)),
  );
}

/** Keys in one part of a listing. */
export const keysAtOnce = 1000;

/**
 * A part of a listing of keys. A table may be shared, and its collation may sort keys of others between ours, so a part
 * is read without the prefix as a condition.
 *
 * @param keys the keys in the order of the column
 * @throws TypeError if a key was shortened
 */
export function keyPart(keys: readonly string[], {prefix, size}: {prefix: string; size: number}): KeyPart {
  const ours = keys.filter((key) => key.startsWith(prefix));
  const isCut = (key: string): boolean => key.length === size && /%[\da-f]{64}$/.test(key);
  // A shortened key keeps at most this much of the prefix.
  const kept = Math.min(prefix.length, size - digestLength);
  if (keys.some((key) => isCut(key) && key.slice(0, kept) === prefix.slice(0, kept))) {
    throw new TypeError(`The keys cannot be listed: the key column holds ${size} characters, and longer keys were cut`);
  }
  return {keys: ours, next: keys.length === keysAtOnce ? keys.at(-1) : undefined};
}

/** The increments of a batch, as rows. */
export function raisedRows(
  increments: ReadonlyArray<KeyAddition['add']>,
): ReadonlyArray<{readonly increment: number; readonly name: string; readonly n: number}> {
  return increments.flatMap((add, increment) => Object.entries(add).map(([name, n]) => ({increment, name, n})));
}

/** A counter to set. */
interface SetRow {
  readonly key: string;
  readonly name: string;
  readonly n: number;
  readonly at: number | undefined;
}

/** The rows for counters to set. */
export function setRows(rows: CounterRows, keyOf: (key: string) => string): SetRow[] {
  return rows.flatMap(([key, {counts, at}]) => {
    const whole = keyOf(key);
    return Array.from(counts, ([name, n]) => ({key: whole, name, n, at}));
  });
}

/** The counters of each key from rows with the columns `key`, `name`, `n` and `at`. */
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
