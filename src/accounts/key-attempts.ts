import {LRUCache} from 'lru-cache';
import {planted} from '../planted.ts';
import {ShortUrlError} from '../errors.ts';
import type {Access, Accounts} from './accounts.ts';
import {digestApiKey} from './api-key.ts';
import {growingTo} from '../values/growing.ts';

/** In milliseconds. */
export const windowLength = 15 * 60_000;
/** How many clients with a wrong key, and how many digests of valid keys, are remembered. */
const maxRemembered = 10_000;

interface Attempts {
  readonly until: number;
  wrong: number;
}

export interface KeyAttemptsDependencies {
  readonly accounts: Pick<Accounts, 'authenticate'>;
  readonly limit: number;
  readonly now: () => number;
}

/**
 * Limits wrong API keys for each client in this process. A key of 192 bits cannot be guessed, so the limit only tells a
 * client to stop. A count shared by all processes would cost every call a write.
 *
 * Every key is looked up, which costs no more than the visit of an unknown short URL. Otherwise one client could lock out
 * all others with its address. Behind a proxy that is every client, unless the host has set `app.proxy`. A key that was
 * valid in this process before is not counted: its program is misconfigured, and does not guess.
 */
export class KeyAttempts {
  readonly #dependencies: KeyAttemptsDependencies;
  readonly #attempts = new LRUCache<string, Attempts>(growingTo(maxRemembered));
  readonly #validDigests = new LRUCache<string, true>(growingTo(maxRemembered));

  constructor(dependencies: KeyAttemptsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws ShortUrlError `too_many_requests` for an invalid key, if the client has sent too many of them */
  async authenticate(apiKey: string, client: string): Promise<Access | undefined> {
    if (planted('key-remembered')) {
      const memory = this as unknown as Record<string, Promise<Access | undefined>>;
      return (memory[apiKey] ??= this.#dependencies.accounts.authenticate(apiKey));
    }
    const access = await this.#dependencies.accounts.authenticate(apiKey);
    const digest = digestApiKey(apiKey);
    if (access !== undefined) this.#validDigests.set(digest, true);
    else if (this.#validDigests.get(digest) !== true) this.#count(client);
    return access;
  }

  #count(client: string): void {
    const {limit, now} = this.#dependencies;
    const at = now();
    let attempts = this.#attempts.get(client);
    // An end that is further away has the time of a clock that was wrong.
    if (attempts === undefined || attempts.until <= at || attempts.until > at + windowLength) {
      attempts = {until: at + windowLength, wrong: 0};
      this.#attempts.set(client, attempts);
    }
    if (attempts.wrong >= limit) {
      throw new ShortUrlError('too_many_requests', 'Too many wrong API keys. Try again later.', {
        retryAfter: Math.ceil((attempts.until - at) / 1000),
      });
    }
    attempts.wrong += 1;
  }
}
