import {either, listOf, object, optional} from '../values/objects.ts';
import {anyText, choice, count, text, time, type ValueOf} from '../values/shape.ts';

/** One generation of an account, from its creation to its removal. Links belong to a generation. */
export interface Account {
  readonly id: string;
  /** Random. An account that is removed and created again gets another one. */
  readonly generation: string;
}

/** The fields that stay the same until the account is removed. */
export interface Generation extends Account {
  readonly position: number;
  /** In milliseconds since the epoch. */
  readonly created: number;
}

/** What a key may do: read, also create links, or everything. */
export type KeyScope = 'read' | 'create' | 'full';

const labelledKey = object({
  id: text,
  label: text,
  scope: choice<KeyScope>(['read', 'create', 'full']),
  /** In milliseconds since the epoch. */
  created: time,
  digest: text,
});

/** A labelled key, of which only the digest is known. */
export type LabelledKey = ValueOf<typeof labelledKey>;

const liveAccount = object({
  id: text,
  generation: text,
  position: count,
  state: choice(['live']),
  created: time,
  keyDigest: text,
  sealedKey: text,
  /** When the key was made; absent if it is as old as the account. */
  keyCreated: optional(time),
  keys: optional(listOf(labelledKey)),
  /** How often it was blocked and unblocked; absent for never. See `isBlockOpen`. */
  blocks: optional(count),
  blockReason: optional(anyText),
});

export type LiveAccount = ValueOf<typeof liveAccount>;

const accountBlock = object({
  /** A keyed digest of the account's name. */
  id: text,
  reason: optional(anyText),
});

export type AccountBlock = ValueOf<typeof accountBlock>;

const removingAccount = object({
  id: text,
  generation: text,
  position: count,
  state: choice(['removing']),
  /** Its block, which outlives it. */
  block: optional(accountBlock),
});

/** An account whose removal has begun. It names all that the removal has to remove, so that anyone can finish it. */
export type RemovingAccount = ValueOf<typeof removingAccount>;

export const accountForm = either(({state}) => state === 'live', liveAccount, removingAccount);

/** A removed account has no record. */
export type AccountRecord = ValueOf<typeof accountForm>;
