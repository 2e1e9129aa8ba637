import type {Store} from '../store/port.ts';
import {ShortUrlError} from '../errors.ts';
import {AccountIndex} from './account-index.ts';
import type {Seal} from './seal.ts';

/** How many of the first and of the last accounts are in a sample. */
const sampleSize = 5;

interface Sample {
  readonly keys: number;
  /** How many of them the secrets decrypt, and how many the first secret. */
  readonly opened: number;
  readonly openedByFirst: number;
}

export async function sampleKeys(store: Store, seal: Seal): Promise<Sample> {
  const accounts = await new AccountIndex(store).sample(sampleSize);
  const all = await Promise.all(accounts.map(({id, sealedKey}) => seal.tryOpen(sealedKey, id)));
  const opened = all.filter((one) => one !== undefined);
  const openedByFirst = opened.filter(({isFirst}) => isFirst);
  return {keys: accounts.length, opened: opened.length, openedByFirst: openedByFirst.length};
}

/** @throws ShortUrlError `internal_error` if the secrets decrypt none of the keys in a sample */
export async function checkSecrets(store: Store, seal: Seal): Promise<void> {
  const {keys, opened} = await sampleKeys(store, seal);
  if (keys === 0 || opened > 0) return;
  throw new ShortUrlError(
    'internal_error',
    'No secret in `secret` decrypts the API keys in the store. Add the old secret of this site.',
  );
}
