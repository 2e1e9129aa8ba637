import {intentsKey} from '../../keys.ts';
import {createHash} from 'node:crypto';
import {setImmediate} from 'node:timers/promises';
import type {Account} from '../../accounts/accounts.ts';
import type {Seal} from '../../accounts/seal.ts';
import {ShortUrlError} from '../../host/errors.ts';
import type {Store} from '../../store/port.ts';
import {update, upsert} from '../../store/update.ts';
import type {LinkName} from '../../link/bases.ts';
import {repeatEnded} from '../../link/refusals.ts';

/** How long a repeat gets the same answer, in milliseconds. */
const lifetime = 24 * 60 * 60_000;

/**
 * Intents are spread over this many records. Not every engine expires records, so their number is fixed, and every write
 * also removes the intents that have expired.
 */
const records = 1024;
/** The maximum number of records that are read at once. */
const chunk = 256;

/** What a call with an idempotency key creates. It is stored before the link, so that any repeat can finish or find it. */
export interface Intent {
  readonly generation: string;
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

type Bucket = Readonly<Record<string, Intent>>;

/** The calls with an idempotency key of the last 24 hours, over all processes on the store. */
export class Intents {
  readonly #store: Store;
  readonly #seal: Pick<Seal, 'digests'>;
  readonly #now: () => number;
  /** The record that is cleaned next. Processes begin at different ones. */
  #oldest = Math.floor(Math.random() * records);

  constructor(store: Store, seal: Pick<Seal, 'digests'>, now: () => number) {
    this.#store = store;
    this.#seal = seal;
    this.#now = now;
  }

  /** The intent of a key. Also removes expired intents from one other record, so that a quiet site keeps none of them. */
  async find(account: Account, key: IntentKey): Promise<Intent | undefined> {
    const {name, bucket} = placeOf(account, key);
    this.#oldest = (this.#oldest + 1) % records;
    const [entry] = await Promise.all([this.#store.get<Bucket>(bucket), this.#clean(intentsKey(this.#oldest))]);
    return live(entry?.value ?? {}, this.#now())[name];
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
    const {name, bucket} = placeOf(account, key);
    const digests = await this.#digests(parameters);
    const intent: Intent = {generation: account.generation, at, digest: digests[0] ?? '', ...(link && {link})};
    let begun = intent;
    await upsert<Bucket>(this.#store, bucket, (stored = {}) => {
      const intents = live(stored, this.#now());
      begun = intents[name] ?? intent;
      return begun === intent ? {...intents, [name]: intent} : undefined;
    });
    checkDigest(begun, digests);
    return begun;
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
    const {name, bucket} = placeOf(account, key);
    let changed: Intent | undefined;
    await update<Bucket>(this.#store, bucket, (stored) => {
      const intents = live(stored, this.#now());
      const intent = intents[name];
      const next = intent && change(intent);
      changed = next ?? intent;
      return next && {...intents, [name]: next};
    });
    if (changed === undefined) throw repeatEnded();
    return changed;
  }

  /** Removes the intents of an account. */
  async removeAll({generation}: Account): Promise<void> {
    for (let start = 0; start < records; start += chunk) {
      const keys = Array.from({length: chunk}, (_, index) => intentsKey(start + index));
      const entries = await this.#store.getMany<Bucket>(keys);
      for (const [index, key] of keys.entries()) {
        const isOwn = (intent: Intent): boolean => intent.generation === generation;
        if (!Object.values(entries[index]?.value ?? {}).some(isOwn)) continue;
        await update<Bucket>(this.#store, key, (stored) => select(stored, (intent) => !isOwn(intent)));
      }
      // A store within the process answers without a pause.
      await setImmediate();
    }
  }

  /** A failure is not the caller's: another call cleans the record. */
  async #clean(bucket: string): Promise<void> {
    try {
      const entry = await this.#store.get<Bucket>(bucket);
      if (entry === undefined) return;
      const intents = live(entry.value, this.#now());
      const {length} = Object.keys(intents);
      if (length < Object.keys(entry.value).length) await this.#store.replace(bucket, entry.revision, intents);
    } catch {
      // See above.
    }
  }

  /** The digest of the parameters with each secret of the site, the first secret first. */
  async #digests(parameters: unknown): Promise<string[]> {
    return this.#seal.digests(`idempotency ${textOf(parameters)}`);
  }
}

/** The generation is random and secret, so nobody can choose keys that share a record. */
function placeOf({generation}: Account, key: IntentKey): {readonly name: string; readonly bucket: string} {
  const digest = createHash('sha256')
    .update(JSON.stringify([generation, ...key]))
    .digest();
  return {name: digest.toString('base64url').slice(0, 32), bucket: intentsKey(digest.readUInt32BE(28) % records)};
}

/** The intents that have not expired. One far in the future has the time of a clock that was wrong. */
function live(bucket: Bucket, now: number): Bucket {
  return select(bucket, ({at}) => at > now - lifetime && at < now + lifetime);
}

function select(bucket: Bucket, belongs: (intent: Intent) => boolean): Bucket {
  return Object.fromEntries(Object.entries(bucket).filter(([, intent]) => belongs(intent)));
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
