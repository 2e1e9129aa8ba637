import {createHash} from 'node:crypto';
import type {Account} from '../../accounts/accounts.ts';
import type {Seal} from '../../accounts/seal.ts';
import {ShortUrlError} from '../../host/errors.ts';
import {intentKey} from '../../keys.ts';
import type {LinkName} from '../../link/bases.ts';
import {repeatEnded} from '../../link/refusals.ts';
import type {Store} from '../../store/port.ts';
import {update} from '../../store/update.ts';

/** How long a repeat gets the same answer, in milliseconds. */
export const intentLife = 24 * 60 * 60_000;

/**
 * What a call with an idempotency key creates. It is stored before the link, so that any repeat can finish or find it.
 * It has nothing of the account. After the account's removal nobody can find it, because its key is made of the generation.
 */
export interface Intent {
  /** When the call was first made, in milliseconds since the epoch. The link is dated so. */
  readonly at: number;
  /** Of the parameters. It is made with the site's secret, so that nobody can guess a password from it. */
  readonly digest: string;
  /** Absent for the call of many links. Each of them has an intent too. */
  readonly link?: IntendedLink;
  /** Whether the link was created. It may have been changed or removed since. */
  readonly isDone?: true;
}

export interface IntendedLink extends LinkName {
  readonly id: number;
  /** Random, so a link with counters of this name is the intended one. */
  readonly counters: string;
}

/** Names the intents of one account: an idempotency key, and the position of one link among many. */
export type IntentKey = readonly string[];

/** The calls with an idempotency key of the last 24 hours, over all processes on the store. */
export class Intents {
  readonly #store: Store;
  readonly #seal: Pick<Seal, 'digests'>;

  constructor(store: Store, seal: Pick<Seal, 'digests'>) {
    this.#store = store;
    this.#seal = seal;
  }

  /** The intent of a key. */
  async find(account: Account, key: IntentKey): Promise<Intent | undefined> {
    return (await this.#store.get<Intent>(keyOf(account, key)))?.value;
  }

  /**
   * Stores an intent, or finds the one that another call with the key has stored.
   *
   * @throws ShortUrlError `idempotency_key_reused` if that has other parameters
   */
  async begin(
    account: Account,
    key: IntentKey,
    parameters: unknown,
    {at, link}: {readonly at: number; readonly link?: IntendedLink},
  ): Promise<Intent> {
    const digests = await this.#digests(parameters);
    const intent: Intent = {at, digest: digests[0] ?? '', ...(link && {link})};
    for (;;) {
      if (await this.#store.insert(keyOf(account, key), intent, at + intentLife)) return intent;
      const begun = await this.find(account, key);
      // Otherwise it has expired in between.
      if (begun !== undefined) {
        checkDigest(begun, digests);
        return begun;
      }
    }
  }

  /** @throws ShortUrlError `idempotency_key_reused` if the intent has other parameters */
  async checkSame(intent: Intent, parameters: unknown): Promise<void> {
    checkDigest(intent, await this.#digests(parameters));
  }

  /**
   * Changes an intent.
   *
   * @param change returns undefined to change nothing
   * @throws ShortUrlError `store_unavailable` if the intent has expired meanwhile
   */
  async change(account: Account, key: IntentKey, change: (intent: Intent) => Intent | undefined): Promise<Intent> {
    const changed = await update<Intent>(this.#store, keyOf(account, key), change);
    if (changed === undefined) throw repeatEnded();
    return changed;
  }

  /** The digest of the parameters with each secret of the site, the first secret first. */
  async #digests(parameters: unknown): Promise<string[]> {
    return this.#seal.digests(`idempotency ${textOf(parameters)}`);
  }
}

function keyOf({generation}: Account, key: IntentKey): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([generation, ...key]))
    .digest('base64url');
  return intentKey(digest.slice(0, 32));
}

function checkDigest({digest}: Intent, digests: readonly string[]): void {
  if (digests.includes(digest)) return;
  throw new ShortUrlError(
    'idempotency_key_reused',
    'The idempotency key was used with other parameters in the last 24 hours. Use a new key for each new link.',
  );
}

/** @throws ShortUrlError `malformed_parameter` for what cannot be a link, such as an object that contains itself */
function textOf(parameters: unknown): string {
  try {
    return JSON.stringify(inOrder(parameters));
  } catch {
    throw new ShortUrlError('malformed_parameter', 'Expected links with plain values.');
  }
}

/** The same value with the members of objects in the order of their names. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, inOrder(member)]));
}
