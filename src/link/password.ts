import {randomBytes, scrypt, timingSafeEqual} from 'node:crypto';
import {ShortUrlError} from '../host/errors.ts';

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

/** How many places an account can take while all are taken. */
const maxOfAccount = 10;

/** The refusal of a password that is not looked at, because too many others are. */
export function tooManyPasswords(): ShortUrlError {
  return new ShortUrlError('too_many_requests', 'Too many passwords are being checked. Try again in a moment.', {
    retryAfter: 5,
  });
}

/**
 * Places for passwords that are checked or hashed at once. One account or a few clients can take all of them, but not
 * those that are added then: ten for each account, and one for each client. There are at most ten times as many in all,
 * and the second half of these is for accounts only, because addresses are cheap.
 */
export class Places {
  readonly #max: number;
  readonly #maxOfClient: number;
  readonly #taken = new Map<string, number>();
  #all = 0;

  /**
   * @param max the number of places
   * @param maxOfClient how many a client can take
   */
  constructor(max: number, maxOfClient: number) {
    this.#max = max;
    this.#maxOfClient = maxOfClient;
  }

  /**
   * Takes a place while the work runs.
   *
   * @throws ShortUrlError `too_many_requests`, without running the work, if there is none for the account or the client
   */
  async during<Result>(account: string, client: string, work: () => Promise<Result>): Promise<Result> {
    const names = [`account ${account}`, `client ${client}`] as const;
    const [ofAccount, ofClient] = names.map((name) => this.#taken.get(name) ?? 0) as [number, number];
    const isFree = this.#all < this.#max || (this.#all < 5 * this.#max && ofClient === 0);
    const hasPlace = isFree || (this.#all < 10 * this.#max && ofAccount < maxOfAccount);
    if (!hasPlace || ofClient >= this.#maxOfClient) throw tooManyPasswords();
    this.#change(names, 1);
    try {
      return await work();
    } finally {
      this.#change(names, -1);
    }
  }

  #change(names: readonly string[], by: 1 | -1): void {
    this.#all += by;
    for (const name of names) {
      const taken = (this.#taken.get(name) ?? 0) + by;
      if (taken > 0) this.#taken.set(name, taken);
      else this.#taken.delete(name);
    }
  }
}

/** The maximum number of hashes that run or wait: of all, and of one client. Later ones would wait for too long. */
const maxHashes = 1000;
const maxOfClient = 100;

/** Whose turn a hash takes. */
export interface HashTurn {
  /** The account of the link. */
  readonly account: string;
  /** Who asks; undefined for the owner of the link. */
  readonly client?: string | undefined;
}

/**
 * Runs hashes, a bounded number at once. Accounts that wait take turns, and so do the clients of each, so that none of them
 * delays the others for long.
 */
class HashQueue {
  readonly #places = new Places(maxHashes, maxOfClient);
  /** What each client of each account waits for, the next account and the next client first. */
  readonly #waiting = new Map<string, Map<string, Array<() => void>>>();
  #running = 0;

  /** @throws ShortUrlError `too_many_requests` if too many hashes are waiting */
  run<Result>({account, client}: HashTurn, work: () => Promise<Result>): Promise<Result> {
    const name = client === undefined ? `owner ${account}` : `visitor ${client}`;
    return this.#places.during(account, name, async () => {
      if (this.#running < maxRunning) this.#running += 1;
      else await this.#turn(account, name);
      try {
        return await work();
      } finally {
        this.#next();
      }
    });
  }

  #turn(account: string, client: string): Promise<void> {
    const clients = this.#waiting.get(account) ?? new Map<string, Array<() => void>>();
    const waiting = clients.get(client) ?? [];
    this.#waiting.set(account, clients.set(client, waiting));
    return new Promise((resolve) => waiting.push(resolve));
  }

  /** The next caller takes over the thread, so the number of running hashes stays the same. */
  #next(): void {
    const [account = '', clients] = first(this.#waiting) ?? [];
    const [client = '', waiting] = (clients && first(clients)) ?? [];
    const begin = waiting?.shift();
    if (clients === undefined || begin === undefined) {
      this.#running -= 1;
      return;
    }
    // After those that wait already.
    clients.delete(client);
    if (waiting?.length) clients.set(client, waiting);
    this.#waiting.delete(account);
    if (clients.size > 0) this.#waiting.set(account, clients);
    begin();
  }
}

function first<Key, Value>(map: ReadonlyMap<Key, Value>): readonly [Key, Value] | undefined {
  const [entry] = map;
  return entry;
}

const queue = new HashQueue();

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
export async function verifyPassword(password: string, hash: string, turn: HashTurn): Promise<boolean> {
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
