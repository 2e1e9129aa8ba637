import {randomBytes, scrypt as scryptCallback, type ScryptOptions, timingSafeEqual} from 'node:crypto';
import {promisify} from 'node:util';

const scrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scryptCallback);

/** 32 MiB and a good tenth of a second for each guess. */
const cost = {N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20};
const scheme = 'scrypt-15-8-3';
const hashBytes = 32;

/** What no password hashes to: compared with when there is no user, so that the answer takes as long. */
const nobody = formatHash(Buffer.alloc(16), Buffer.alloc(hashBytes));

/** Why a new password cannot be used; undefined when it can. */
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

/** Whether the password is the one that was hashed; always false, after the same effort, for a `hash` of undefined. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, salt = '', expected = ''] = (hash ?? nobody).split('$');
  const derived = await derive(password, Buffer.from(salt, 'base64url'));
  return timingSafeEqual(derived, Buffer.from(expected, 'base64url')) && hash !== undefined;
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  // Keyboards differ in how they compose é; the password is the same.
  return scrypt(password.normalize('NFKC'), salt, hashBytes, cost);
}

function formatHash(salt: Buffer, hash: Buffer): string {
  return `${scheme}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}
