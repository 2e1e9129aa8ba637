import type {Store} from '../store/port.ts';
import {ShortUrlError} from '../host/errors.ts';
import {AccountIndex, type Position} from './account-index.ts';
import {accountKey, type AccountRecord, type LiveAccount} from './record.ts';
import type {Seal} from './seal.ts';

/** How many of the first and of the last accounts are in a sample. */
const sampleSize = 5;

/** Yields the live accounts in the order of their creation, in chunks. */
export async function* readLiveAccounts(store: Store): AsyncGenerator<readonly LiveAccount[]> {
  for await (const positions of new AccountIndex(store).read()) yield readLive(store, positions);
}

/** The number of accounts in a sample, and the number of keys among theirs that the secrets decrypt. */
export async function sampleKeys(store: Store, seal: Seal): Promise<{readonly keys: number; readonly opened: number}> {
  const accounts = await readLive(store, await new AccountIndex(store).sample(sampleSize));
  const opened = await Promise.all(accounts.map(({id, sealedKey}) => seal.tryOpen(sealedKey, id)));
  return {keys: accounts.length, opened: opened.filter((one) => one !== undefined).length};
}

/** Checks whether the secrets belong to the store. After one success it reads nothing again. */
export class SecretCheck {
  readonly #store: Store;
  readonly #seal: Seal;
  #isPassed = false;

  constructor(store: Store, seal: Seal) {
    this.#store = store;
    this.#seal = seal;
  }

  /** @throws ShortUrlError `internal_error` if the secrets decrypt none of the keys in a sample */
  async run(): Promise<void> {
    if (this.#isPassed) return;
    const {keys, opened} = await sampleKeys(this.#store, this.#seal);
    if (keys > 0 && opened === 0) {
      throw new ShortUrlError(
        'internal_error',
        'No secret in `secret` decrypts the API keys in the store. Add the secret that this site had before.',
      );
    }
    this.#isPassed = true;
  }
}

/** Skips positions that the account's record does not name: a crash during a creation leaves one. */
async function readLive(store: Store, positions: readonly Position[]): Promise<LiveAccount[]> {
  const entries = await store.getMany<AccountRecord>(positions.map(({account}) => accountKey(account)));
  return positions.flatMap(({position}, index) => {
    const account = entries[index]?.value;
    return account?.state === 'live' && account.position === position ? [account] : [];
  });
}
