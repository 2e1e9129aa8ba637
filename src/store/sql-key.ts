import {createHash} from 'node:crypto';

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
