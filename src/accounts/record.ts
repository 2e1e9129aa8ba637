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

/** What a key may do: read, also create links, or everything. */
export type KeyScope = 'read' | 'create' | 'full';

/** A labelled key, of which only the digest is known. */
export interface LabelledKey {
  readonly id: string;
  readonly label: string;
  readonly scope: KeyScope;
  /** In milliseconds since the epoch. */
  readonly created: number;
  readonly digest: string;
}

export interface LiveAccount extends Generation {
  readonly state: 'live';
  readonly keyDigest: string;
  readonly sealedKey: string;
  /** When the key was made; absent if it is as old as the account. */
  readonly keyCreated?: number;
  /** The oldest first. */
  readonly keys?: readonly LabelledKey[];
  /** How often it was blocked and unblocked; absent for never. See `isBlockOpen`. */
  readonly blocks?: number;
  readonly blockReason?: string | undefined;
}

/** The block of an account that is removed. */
export interface AccountBlock {
  /** A keyed digest of the account's name. */
  readonly id: string;
  readonly reason?: string | undefined;
  /** When the account was removed, in milliseconds since the epoch. */
  readonly removed: number;
}

/** An account whose removal has begun. It names all that the removal has to remove, so that anyone can finish it. */
export interface RemovingAccount extends Account {
  readonly state: 'removing';
  readonly position: number;
  /** Its block, which outlives it. */
  readonly block?: AccountBlock | undefined;
}

/** A removed account has no record. */
export type AccountRecord = LiveAccount | RemovingAccount;
