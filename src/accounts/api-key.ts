import {createHash} from 'node:crypto';
import {nanoid} from 'nanoid';

/** In characters: 192 bits from a cryptographic source, in an alphabet of 64 that a path need not escape. */
const keyLength = 32;

export function generateApiKey(): string {
  return nanoid(keyLength);
}

/** Whether the text has the form of an API key. Saves the store a lookup for anything else. */
export function isApiKey(text: string): boolean {
  return text.length === keyLength && /^[\w-]+$/.test(text);
}

/** The digest by which a key is looked up. Keys have 192 random bits, so a slow hash would add no security. */
export function digestApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('base64url');
}
