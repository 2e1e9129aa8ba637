import {storeKey} from '../store/key.ts';

/** One life of an account, from its creation to its removal. Links belong to an owner. */
export interface Account {
  readonly id: string;
  /** Random. An account that is removed and created again gets another owner. */
  readonly owner: string;
}

/** The fields that stay the same until the account is removed. */
export interface Life extends Account {
  /** Its place among all accounts. */
  readonly position: number;
  /** In milliseconds since the epoch. */
  readonly created: number;
}

export interface LiveAccount extends Life {
  readonly state: 'live';
  readonly keyDigest: string;
  readonly sealedKey: string;
}

/** The record of a removed account, which lets an interrupted removal continue. */
export interface DeadAccount extends Account {
  readonly state: 'removing' | 'removed';
}

export type AccountRecord = LiveAccount | DeadAccount;

/** Leads from the digest of an API key to its account. It is valid only if the account has the same digest. */
export interface KeyPointer {
  readonly account: string;
}

/** Begins the keys of accounts, and of no other records. */
export const accountPrefix = 'account:';
export const accountKey = (id: string): string => storeKey('account', id);
export const keyPointerKey = (digest: string): string => storeKey('key', digest);
