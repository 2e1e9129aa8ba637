import {randomBytes, scrypt, timingSafeEqual} from 'node:crypto';

/** What guessing costs: as much as N=2^17, r=8, p=1, in a quarter of the memory (32 MiB for each hash under way). */
const cost = {N: 2 ** 15, r: 8, p: 3};
const memory = 64 * 1024 * 1024;
const keyLength = 32;
/** In bytes of UTF-8. */
export const longestPassword = 128;
/** Hashes under way at once: they share the thread pool with the host's own file and name look-ups. */
const parallel = 2;

/** The hash of a password, with its salt and cost, as it is stored. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Whether the password is the one of which `stored` is the hash. What no link can have is not even hashed. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  if (password === '' || Buffer.byteLength(password) > longestPassword) return false;
  const [, N, r, p, salt = '', key = ''] = stored.split('$');
  const expected = Buffer.from(key, 'base64url');
  const actual = await derive(password, Buffer.from(salt, 'base64url'), {N: Number(N), r: Number(r), p: Number(p)});
  return timingSafeEqual(actual, expected);
}

let running = 0;
const waiting: Array<() => void> = [];

async function derive(password: string, salt: Buffer, parameters: typeof cost): Promise<Buffer> {
  if (running >= parallel) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      scrypt(password, salt, keyLength, {...parameters, maxmem: memory}, (error, key) => {
        if (error) reject(error);
        else resolve(key);
      });
    });
  } finally {
    // A place that is passed on stays taken.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
