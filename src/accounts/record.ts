import {aCount, anObject, aString, aText, aTime, either, listOf, oneOf, optional, type ValueOf} from '../host/forms.ts';

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

const labelledKey = anObject({
  id: aText,
  label: aText,
  scope: oneOf<KeyScope>('read', 'create', 'full'),
  /** In milliseconds since the epoch. */
  created: aTime,
  digest: aText,
});

/** A labelled key, of which only the digest is known. */
export type LabelledKey = ValueOf<typeof labelledKey>;

const liveAccount = anObject({
  id: aText,
  generation: aText,
  position: aCount,
  state: oneOf('live'),
  created: aTime,
  keyDigest: aText,
  sealedKey: aText,
  /** When the key was made; absent if it is as old as the account. */
  keyCreated: optional(aTime),
  /** The oldest first. */
  keys: optional(listOf(labelledKey)),
  /** How often it was blocked and unblocked; absent for never. See `isBlockOpen`. */
  blocks: optional(aCount),
  blockReason: optional(aString),
});

export type LiveAccount = ValueOf<typeof liveAccount>;

const accountBlock = anObject({
  /** A keyed digest of the account's name. */
  id: aText,
  reason: optional(aString),
  /** When the account was removed, in milliseconds since the epoch. */
  removed: aTime,
});

/** The block of an account that is removed. */
export type AccountBlock = ValueOf<typeof accountBlock>;

const removingAccount = anObject({
  id: aText,
  generation: aText,
  position: aCount,
  state: oneOf('removing'),
  /** Its block, which outlives it. */
  block: optional(accountBlock),
});

/** An account whose removal has begun. It names all that the removal has to remove, so that anyone can finish it. */
export type RemovingAccount = ValueOf<typeof removingAccount>;

export const accountForm = either(({state}) => state === 'live', liveAccount, removingAccount);

/** A removed account has no record. */
export type AccountRecord = ValueOf<typeof accountForm>;
