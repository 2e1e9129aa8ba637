import {LRUCache} from 'lru-cache';
import {ShortUrlError} from '../errors.ts';
import type {Account, Accounts} from './accounts.ts';
import {digestApiKey} from './api-key.ts';

/** In milliseconds. */
const windowLength = 15 * 60_000;
/** Clients that have tried a wrong key, and keys that were right, as many as are remembered of each. */
const mostRemembered = 10_000;

interface Attempts {
  readonly until: number;
  wrong: number;
}

export interface KeyAttemptsDependencies {
  readonly accounts: Pick<Accounts, 'authenticate'>;
  /** How many wrong keys a client may try within 15 minutes. */
  readonly limit: number;
  readonly now: () => number;
}

/**
 * Limits wrong API keys for each client, in this process: nobody guesses a key of 192 bits, so this spares the store
 * and the logs, and a count that all processes share would cost every call a write before the key is looked up.
 *
 * A key that was right in this process is looked up for everybody, and is no guess when it has ended since. Otherwise
 * one client could lock out all that share its address, and behind a proxy that the host has not told Koa of that is
 * everybody.
 */
export class KeyAttempts {
  readonly #dependencies: KeyAttemptsDependencies;
  readonly #attempts = new LRUCache<string, Attempts>({max: mostRemembered});
  readonly #onceRight = new LRUCache<string, true>({max: mostRemembered});

  constructor(dependencies: KeyAttemptsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * The account of the key, as `Accounts.authenticate` has it.
   *
   * @throws ShortUrlError `too_many_requests`, without looking the key up, if the client has tried too many wrong ones
   */
  async authenticate(apiKey: string, client: string): Promise<Account | undefined> {
    const digest = digestApiKey(apiKey);
    const isKnown = this.#onceRight.get(digest) === true;
    if (!isKnown) this.#check(client, 0);
    const account = await this.#dependencies.accounts.authenticate(apiKey);
    if (account !== undefined) this.#onceRight.set(digest, true);
    // Of many that come at once only as many are called wrong as there may be.
    else if (!isKnown) this.#check(client, 1);
    return account;
  }

  #check(client: string, more: 0 | 1): void {
    const {limit, now} = this.#dependencies;
    const at = now();
    let attempts = this.#attempts.get(client);
    if (attempts === undefined || attempts.until <= at) {
      if (more === 0) return;
      attempts = {until: at + windowLength, wrong: 0};
      this.#attempts.set(client, attempts);
    }
    if (attempts.wrong >= limit) {
      throw new ShortUrlError('too_many_requests', 'There were too many wrong API keys; try again later.', {
        retryAfter: Math.ceil((attempts.until - at) / 1000),
      });
    }
    attempts.wrong += more;
  }
}
