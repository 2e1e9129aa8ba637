import {planted} from '../../planted.ts';
import type {Account} from '../../accounts/accounts.ts';
import type {SiteKey} from '../../accounts/site-key.ts';
import {ShortUrlError} from '../../errors.ts';
import {object, optional} from '../../values/objects.ts';
import {malformed, reader, readOptions} from '../../values/input.ts';
import {anyText, count, onlyTrue, patterned, type Shape, text, time} from '../../values/shape.ts';
import type {CreateOptions} from '../../link/link.ts';
import {isSameLink, type LinkRecord} from '../../link/record.ts';
import {repeatEnded} from '../../link/refusals.ts';
import {kind, plainDigest, type RecordOf} from '../../store/kind.ts';
import type {Records} from '../../store/records.ts';
import type {Store} from '../../store/port.ts';

const maxKey = 64;

const bounds = `1 to ${maxKey} visible ASCII characters`;

export const idempotencyKey: Shape<string> = {
  ...patterned(`^[\\x21-\\x7e]{1,${maxKey}}$`, {expected: `${bounds}, without spaces`}),
  bounds,
};

/** How long a repeat with an idempotency key gets the same answer, in milliseconds. */
export const intentLife = 24 * 60 * 60_000;

/**
 * What a call creates that may be repeated: with an idempotency key, or with `reuse`. It is stored before the link, so
 * that any repeat can finish or find it. Of the account it has only the generation, of which its key is made too, so that
 * nobody finds it after the account's removal.
 */
const intentForm = object({
  /** When the call was first made, in milliseconds since the epoch. The link is dated so. */
  at: time,
  /**
   * Of the parameters of a call with an idempotency key. It is made with the site's key, so that nobody can guess a
   * password from it.
   */
  digest: optional(anyText),
  generation: optional(anyText),
  /** Absent for the call of many links. Each of them has an intent too. */
  link: optional(
    object({
      domain: text,
      slug: text,
      /** Random, so a link with counters of this name is the intended one. */
      counters: text,
      /** Present once the intent is stored. */
      id: optional(count),
      /** What a link of an earlier call with `reuse` had when this call found it. */
      created: optional(time),
      visits: optional(count),
      visited: optional(time),
    }),
  ),
  isDone: optional(onlyTrue),
});

/** By a digest of the account's generation, the idempotency key, and the position of one link among many. */
export const intentRecords = kind('intent', {
  keys: ['intent:<digest>'],
  content: 'a create with an idempotency key',
  key: (digest: string) => [digest],
  form: intentForm,
  names: 'link',
  removed: 'by expiry',
  expires: {when: 'after 24 hours', at: ({at}) => at + (planted('intent-of-an-hour') ? intentLife / 24 : intentLife)},
});

/** By a keyed digest of the account's generation and the parameters. */
export const reuseRecords = kind('reuse', {
  keys: ['reuse:<digest>'],
  content: 'the link for calls with `reuse` and the same parameters',
  digest: 'keyed',
  key: (digest: string) => [digest],
  form: intentForm,
  names: 'link',
  removed: 'with its link',
  ofLink: ({reuse}) => (reuse === undefined ? [] : [reuse]),
});

export type Intent = RecordOf<typeof intentRecords>;

export type IntendedLink = NonNullable<Intent['link']>;

export interface IntentKey {
  readonly id: string;
  readonly generation: string;
  /** Whether the intent stays as long as its link. Otherwise it expires after 24 hours. */
  readonly isForReuse?: true;
}

/** The calls that may be repeated, over all processes on the store. */
export class Intents {
  readonly #store: Store;
  readonly #siteKey: Pick<SiteKey, 'digest' | 'idFor'>;

  constructor(store: Store, siteKey: Pick<SiteKey, 'digest' | 'idFor'>) {
    this.#store = store;
    this.#siteKey = siteKey;
  }

  async find(key: IntentKey): Promise<Intent | undefined> {
    return (await this.#recordsOf(key).get(key.id))?.value;
  }

  /**
   * Stores an intent, or finds the one that another call has stored.
   *
   * @param digest of the parameters; undefined for `reuse`, whose key is a digest of them
   * @throws ShortUrlError `idempotency_key_reused` if the other call has other parameters
   */
  async begin(key: IntentKey, intent: Intent, digest?: string): Promise<Intent> {
    const row = {...intent, generation: key.generation, ...(digest !== undefined && {digest})};
    for (;;) {
      if ((await this.#recordsOf(key).insert(key.id, row)) || planted('intent-twice')) return row;
      const begun = await this.find(key);
      // Otherwise it has expired in between.
      if (begun !== undefined) return checkSame(begun, digest);
    }
  }

  /**
   * @param change returns undefined to change nothing
   * @throws ShortUrlError `store_unavailable` if the intent has expired meanwhile
   */
  async change(key: IntentKey, change: (intent: Intent) => Intent | undefined): Promise<Intent> {
    const changed = await this.#recordsOf(key).update(key.id, (intent) => {
      const next = change(intent);
      return next && {...next, generation: key.generation};
    });
    if (changed === undefined) throw repeatEnded();
    return changed;
  }

  async forget(key: IntentKey): Promise<void> {
    await this.#recordsOf(key).removeIf(key.id, ({isDone}) => isDone !== true);
  }

  async digest(parameters: unknown): Promise<string> {
    return this.#siteKey.digest(`idempotency ${textOf(parameters)}`);
  }

  async reuseKey({generation}: Account, parameters: unknown): Promise<IntentKey> {
    const id = await this.#siteKey.idFor(reuseRecords, generation, textOf(parameters));
    return {id, generation, isForReuse: true};
  }

  #recordsOf({isForReuse}: IntentKey): Records<string, Intent> {
    return (isForReuse ? reuseRecords : intentRecords).in(this.#store);
  }
}

/** @throws ShortUrlError `idempotency_key_reused` if the intent has other parameters */
export function checkSame(intent: Intent, digest: string | undefined): Intent {
  if (intent.digest === undefined || intent.digest === digest || planted('parameters-not-compared')) return intent;
  throw new ShortUrlError(
    'idempotency_key_reused',
    `The idempotency key was used with other parameters in the last ${intentLife / (60 * 60_000)} hours. Use a new key for each new link.`,
  );
}

/** Removes what calls with `reuse` find a link by that was removed. */
export async function forgetReuse(store: Store, record: LinkRecord): Promise<void> {
  if (record.reuse === undefined) return;
  await reuseRecords.in(store).removeIf(record.reuse, ({link}) => isSameLink(link, record));
}

/** @throws ShortUrlError `malformed_parameter`, or `unknown_parameter` for another option */
export function readIdempotencyKey(options: CreateOptions | undefined): string | undefined {
  return readOptions(options, 'The options of a creation are', {
    idempotencyKey: reader(idempotencyKey, 'idempotency key'),
  }).idempotencyKey;
}

/** @param parts an idempotency key, and the position of one link among many */
export function keyOfRepeats({generation}: Account, ...parts: readonly string[]): IntentKey {
  return {id: plainDigest(generation, ...parts), generation};
}

/**
 * A text that is the same for the same values, whatever the order of their members.
 *
 * @throws ShortUrlError `malformed_parameter` for what cannot be a link, such as an object that contains itself
 */
function textOf(parameters: unknown): string {
  try {
    return JSON.stringify(parameters, (_, value: unknown) => inOrder(value));
  } catch {
    throw malformed('Expected links with plain values.');
  }
}

function inOrder(value: unknown): unknown {
  // An empty list of tags or rules is the same as none.
  if (Array.isArray(value) && value.length === 0) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
