import {createHash} from 'node:crypto';
import {nanoid} from 'nanoid';

/** In characters: 192 bits from a cryptographic source, in an alphabet of 64 that a path need not escape. */
export const secretLength = 32;

/** A hyphen, and the position of an account in the digits 0 to 9 and a to z. */
const positionPattern = /^-[1-9a-z][\da-z]{0,10}$/;
const radix = 36;

/**
 * A new key: random characters, and the position of its account. The account is found by that position, so a key needs no
 * record, and is valid exactly as long as its account has its digest.
 */
export function generateApiKey(position: number): string {
  return withPosition(nanoid(secretLength), position);
}

export function withPosition(secret: string, position: number): string {
  return `${secret}-${position.toString(radix)}`;
}

/** The position of the account in a key; undefined for a text that does not have the form of a key. */
export function positionIn(text: string): number | undefined {
  const position = text.slice(secretLength);
  return /^[\w-]+$/.test(text.slice(0, secretLength)) && positionPattern.test(position)
    ? parseInt(position.slice(1), radix)
    : undefined;
}

/** The digest by which an account knows a key. Keys have 192 random bits, so a slow hash would add no security. */
export function digestApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('base64url');
}
