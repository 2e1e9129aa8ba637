import {storeKey} from '../store/key.ts';

/** One generation of an account, from its creation to its removal. Links belong to a generation. */
export interface Account {
  readonly id: string;
  /** Random. An account that is removed and created again gets another one. */
  readonly generation: string;
}

/** The fields that stay the same until the account is removed. */
export interface Generation extends Account {
  /** Its position among all accounts. */
  readonly position: number;
  /** In milliseconds since the epoch. */
  readonly created: number;
}

export interface LiveAccount extends Generation {
  readonly state: 'live';
  readonly keyDigest: string;
  readonly sealedKey: string;
}

/** An account whose removal has begun. It names all that the removal has to remove, so that anyone can finish it. */
export interface RemovingAccount extends Account {
  readonly state: 'removing';
  readonly position: number;
  readonly keyDigest: string;
}

export interface RemovedAccount extends Account {
  readonly state: 'removed';
}

export type AccountRecord = LiveAccount | RemovingAccount | RemovedAccount;

/** Leads from the digest of an API key to its account. It is valid only if the account has the same digest. */
export interface KeyPointer {
  readonly account: string;
}

/** Begins the keys of accounts, and of no other records. */
export const accountPrefix = 'account:';
export const accountKey = (id: string): string => storeKey('account', id);
export const keyPointerKey = (digest: string): string => storeKey('key', digest);
