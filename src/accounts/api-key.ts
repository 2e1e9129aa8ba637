import {createHash} from 'node:crypto';
import {nanoid} from 'nanoid';

/** 32 of 64 characters: 192 bits, from the system's cryptographic source, none of which a path has to escape. */
const keyLength = 32;

export function generateApiKey(): string {
  return nanoid(keyLength);
}

/** Whether the text could be an API key at all, so that nothing else is looked up in the store. */
export function isApiKey(text: string): boolean {
  return text.length === keyLength && /^[\w-]+$/.test(text);
}

/** What a key is looked up by. A key is random throughout, so nothing slower than a plain digest is needed. */
export function digestApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('base64url');
}
