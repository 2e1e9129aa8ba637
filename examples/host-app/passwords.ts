import {randomBytes, scrypt as scryptCallback, type ScryptOptions, timingSafeEqual} from 'node:crypto';
import {promisify} from 'node:util';

const scrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scryptCallback);

/** Each attempt costs 32 MiB of memory and about a tenth of a second. */
const cost = {N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20};
const scheme = 'scrypt-15-8-3';
const hashBytes = 32;

/** Compared with if there is no such user, so that the answer takes the same time. No password has this hash. */
const impossibleHash = formatHash(Buffer.alloc(16), Buffer.alloc(hashBytes));

/** The error message for a new password; undefined if it is valid. */
export function passwordProblem(password: string): string | undefined {
  const {length} = Array.from(password);
  if (length < 8) return 'Choose a password of at least 8 characters.';
  if (length > 128) return 'Choose a password of at most 128 characters.';
  return undefined;
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return formatHash(salt, await derive(password, salt));
}

/** Whether the password has this hash. Without a hash it returns false after the same time. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, salt = '', expected = ''] = (hash ?? impossibleHash).split('$');
  const derived = await derive(password, Buffer.from(salt, 'base64url'));
  return timingSafeEqual(derived, Buffer.from(expected, 'base64url')) && hash !== undefined;
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  // Keyboards compose characters such as é differently.
  return scrypt(password.normalize('NFKC'), salt, hashBytes, cost);
}

function formatHash(salt: Buffer, hash: Buffer): string {
  return `${scheme}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}
