import {randomBytes, scrypt, timingSafeEqual} from 'node:crypto';
import {ShortUrlError} from '../errors.ts';
import {type Owner, Turns} from '../turns.ts';

/** As costly to guess as N=2^17, r=8, p=1, with a quarter of the memory: 32 MiB for each hash in progress. */
const cost = {N: 2 ** 15, r: 8, p: 3};
const memory = 64 * 1024 * 1024;
const keyLength = 32;
/** In bytes of UTF-8. */
export const maxPassword = 128;

/** @throws ShortUrlError `invalid_password` */
export function readPassword(password: string): string {
  if (Buffer.byteLength(password) <= maxPassword) return password;
  throw new ShortUrlError('invalid_password', `The password must be at most ${maxPassword} bytes of UTF-8.`);
}

/** libuv's threads, which the host's file and DNS access shares. */
const threads = Math.max(1, Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) || 1);
/** The maximum number of hashes that run at once, so that half of the threads stay free. */
const maxRunning = Math.max(1, Math.min(2, Math.floor(threads / 2)));

/** The refusal of a password that is not looked at, because too many others are. */
export function tooManyPasswords(): ShortUrlError {
  return new ShortUrlError('too_many_requests', 'Too many passwords are being checked. Try again in a moment.', {
    retryAfter: 5,
  });
}

/** Later hashes than these would wait for too long. Owners have no client. */
const queue = new Turns({running: maxRunning, all: 1000, ofAccount: 200, ofClient: 100}, tooManyPasswords);

/**
 * The hash of a password, with its salt and cost, as it is stored.
 *
 * @param account of the owner, to be fair to others
 * @throws ShortUrlError `too_many_requests` if too many passwords are waiting
 */
export async function hashPassword(password: string, account: string): Promise<string> {
  const salt = randomBytes(16);
  return stored(salt, await queue.run({account}, () => derive(password, salt, cost)));
}

/** The stored hash of a link that no password opens: random bytes instead of a derived key. */
export function unopenedPassword(): string {
  return stored(randomBytes(16), randomBytes(keyLength));
}

export function isPassword(text: string): boolean {
  return text !== '' && Buffer.byteLength(text) <= maxPassword;
}

/**
 * Whether `hash` is the hash of the password. A password that no link can have is not hashed.
 *
 * @param turn who asks, to be fair to others
 * @throws ShortUrlError `too_many_requests` if too many passwords are waiting
 */
export async function verifyPassword(password: string, hash: string, turn: Owner): Promise<boolean> {
  if (!isPassword(password)) return false;
  const [, N, r, p, salt = '', key = ''] = hash.split('$');
  const expected = Buffer.from(key, 'base64url');
  const parameters = {N: Number(N), r: Number(r), p: Number(p)};
  const actual = await queue.run(turn, () => derive(password, Buffer.from(salt, 'base64url'), parameters));
  return timingSafeEqual(actual, expected);
}

function stored(salt: Buffer, key: Buffer): string {
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

function derive(password: string, salt: Buffer, parameters: typeof cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyLength, {...parameters, maxmem: memory}, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
