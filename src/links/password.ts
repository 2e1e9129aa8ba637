import {randomBytes, scrypt, timingSafeEqual} from 'node:crypto';
import {ShortUrlError} from '../errors.ts';

/** What guessing costs: as much as N=2^17, r=8, p=1, in a quarter of the memory (32 MiB for each hash under way). */
const cost = {N: 2 ** 15, r: 8, p: 3};
const memory = 64 * 1024 * 1024;
const keyLength = 32;
/** In bytes of UTF-8. */
export const maxPassword = 128;

/**
 * Lets few hashes run at once, because they share the thread pool with the host's own file and name look-ups, and lets
 * few wait: whoever came next would wait for longer than a visitor does.
 */
class Lane {
  readonly #width: number;
  readonly #mostWaiting: number;
  readonly #waiting: Array<() => void> = [];
  #running = 0;

  constructor(width: number, mostWaiting: number) {
    this.#width = width;
    this.#mostWaiting = mostWaiting;
  }

  /** @throws ShortUrlError `too_many_requests` where too many wait already */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#width) {
      if (this.#waiting.length >= this.#mostWaiting) {
        throw new ShortUrlError('too_many_requests', 'Too many passwords are being checked; try again in a moment.', {
          retryAfter: 5,
        });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      // A place that is passed on stays taken.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

/** One for owners, who may send many creates at once, and one for visitors, so that neither keeps the others waiting. */
const hashing = new Lane(2, 100);
const verifying = new Lane(2, 20);

/** The hash of a password, with its salt and cost, as it is stored. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await hashing.run(() => derive(password, salt, cost));
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Whether a link can have this password. */
export function isPassword(text: string): boolean {
  return text !== '' && Buffer.byteLength(text) <= maxPassword;
}

/** Whether the password is the one of which `stored` is the hash. What no link can have is not even hashed. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  if (!isPassword(password)) return false;
  const [, N, r, p, salt = '', key = ''] = stored.split('$');
  const expected = Buffer.from(key, 'base64url');
  const parameters = {N: Number(N), r: Number(r), p: Number(p)};
  const actual = await verifying.run(() => derive(password, Buffer.from(salt, 'base64url'), parameters));
  return timingSafeEqual(actual, expected);
}

function derive(password: string, salt: Buffer, parameters: typeof cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyLength, {...parameters, maxmem: memory}, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
