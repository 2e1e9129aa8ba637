import {randomBytes, scrypt, timingSafeEqual} from 'node:crypto';
import {ShortUrlError} from '../../host/errors.ts';

/** As costly to guess as N=2^17, r=8, p=1, with a quarter of the memory: 32 MiB for each hash in progress. */
const cost = {N: 2 ** 15, r: 8, p: 3};
const memory = 64 * 1024 * 1024;
const keyLength = 32;
/** In bytes of UTF-8. */
export const maxPassword = 128;

/**
 * Bounds the hashes that run at once, because they share the thread pool with the host's file and DNS access. It also
 * bounds the queue, because later callers would wait longer than a visitor does.
 */
class Lane {
  readonly #width: number;
  readonly #maxWaiting: number;
  readonly #waiting: Array<() => void> = [];
  #running = 0;

  constructor(width: number, maxWaiting: number) {
    this.#width = width;
    this.#maxWaiting = maxWaiting;
  }

  /** @throws ShortUrlError `too_many_requests` if the queue is full */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#width) {
      if (this.#waiting.length >= this.#maxWaiting) {
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
      // The next caller takes over the slot, so the number of running hashes stays the same.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

/** Owners, who may send many creates at once, and visitors have separate lanes, so that they do not delay each other. */
const hashing = new Lane(2, 100);
const verifying = new Lane(2, 20);

/** The hash of a password, with its salt and cost, as it is stored. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return stored(salt, await hashing.run(() => derive(password, salt, cost)));
}

/** What is stored for a link that no password opens: a key that was not derived from any. */
export function unopenedPassword(): string {
  return stored(randomBytes(16), randomBytes(keyLength));
}

/** Whether a link can have this password. */
export function isPassword(text: string): boolean {
  return text !== '' && Buffer.byteLength(text) <= maxPassword;
}

/** Whether `hash` is the hash of the password. A password that no link can have is not hashed. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  if (!isPassword(password)) return false;
  const [, N, r, p, salt = '', key = ''] = hash.split('$');
  const expected = Buffer.from(key, 'base64url');
  const parameters = {N: Number(N), r: Number(r), p: Number(p)};
  const actual = await verifying.run(() => derive(password, Buffer.from(salt, 'base64url'), parameters));
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
