import {type BinaryToTextEncoding, createHmac} from 'node:crypto';
import {ShortUrlError} from '../errors.ts';
import {object} from '../values/objects.ts';
import {text} from '../values/shape.ts';
import {type AnyKind, kind, type RecordOf} from '../store/kind.ts';
import type {Store} from '../store/port.ts';
import {checkSecrets} from './sealed-keys.ts';
import type {Seal} from './seal.ts';

/** The length of a digest in a key: 192 bits. */
const idLength = 32;

/** Authenticated with the sealed key. */
const purpose = 'koa-short-url site key';

export const siteKeyRecords = kind('site-key', {
  keys: ['site-key'],
  content: 'the key for digests that are looked up, sealed with the secret',
  form: object({sealed: text}),
  // It finds the links for calls with `reuse`.
  shared: [undefined],
  removed: 'never',
});

type SealedKey = RecordOf<typeof siteKeyRecords>;

/**
 * The key of the site for digests that are looked up. It is that of the site's first secret. From the first change of the
 * secret on it is stored, sealed with the present one, so all processes make the same digests in every step of a change.
 */
export class SiteKey {
  readonly #store: Store;
  readonly #seal: Seal;
  #key: Buffer | undefined;

  constructor(store: Store, seal: Seal) {
    this.#store = store;
    this.#seal = seal;
  }

  /**
   * A digest of the text, which nobody without a secret of the site can compute.
   *
   * @throws ShortUrlError `internal_error` if no secret decrypts the key; `store_unavailable`
   */
  async digest(text: string, encoding: BinaryToTextEncoding = 'base64url'): Promise<string> {
    this.#key ??= (await this.read()) ?? (await (this.#seal.hasOldSecrets ? this.#stored() : this.#seal.key()));
    return digestOf(this.#key, text, encoding);
  }

  /** The digest in the key of a record of this kind, which shows nothing of the parts. */
  async idFor(kind: Pick<AnyKind, 'name' | 'digest'>, ...parts: readonly string[]): Promise<string> {
    const text = textFor(kind, parts);
    return (await (kind.digest === 'lasting' ? this.lasting(text) : this.digest(text))).slice(0, idLength);
  }

  /** The same to look for one that is `lasting`; undefined if there is surely none. */
  async knownIdFor(kind: Pick<AnyKind, 'name'>, ...parts: readonly string[]): Promise<string | undefined> {
    return (await this.known(textFor(kind, parts)))?.slice(0, idLength);
  }

  /** A digest that stays for good: from then on a process with a wrong secret fails to look for it. */
  async lasting(text: string): Promise<string> {
    return digestOf(await this.#stored(), text);
  }

  /** The digest to look for one that stays for good; undefined if there is surely none. */
  async known(text: string): Promise<string | undefined> {
    const key = await this.read();
    return key && digestOf(key, text);
  }

  /**
   * Reads the key, and seals it with the first secret if another one has sealed it.
   *
   * @returns undefined if it is not stored yet
   * @throws ShortUrlError `internal_error` if no secret decrypts it
   */
  async read(): Promise<Buffer | undefined> {
    for (;;) {
      const entry = await siteKeyRecords.in(this.#store).get();
      if (entry === undefined) return undefined;
      const opened = await this.#seal.tryOpen(entry.value.sealed, purpose);
      if (opened === undefined) throw unopened();
      const {text, isFirst} = opened;
      if (
        isFirst ||
        (await siteKeyRecords.in(this.#store).replace(undefined, entry.revision, await this.#sealed(text)))
      ) {
        return Buffer.from(text, 'base64url');
      }
    }
  }

  async #stored(): Promise<Buffer> {
    for (;;) {
      const key = await this.read();
      if (key !== undefined) return key;
      // The key of a wrong secret must not become that of the site.
      await checkSecrets(this.#store, this.#seal);
      const sealed = await this.#sealed((await this.#seal.key()).toString('base64url'));
      await siteKeyRecords.in(this.#store).insert(undefined, sealed);
    }
  }

  async #sealed(key: string): Promise<SealedKey> {
    return {sealed: await this.#seal.seal(key, purpose)};
  }
}

const textFor = ({name}: Pick<AnyKind, 'name'>, parts: readonly string[]): string => JSON.stringify([name, ...parts]);

function unopened(): ShortUrlError {
  return new ShortUrlError(
    'internal_error',
    'No secret in `secret` decrypts the key of this site. Add the old secret of this site.',
  );
}

function digestOf(key: Buffer, text: string, encoding: BinaryToTextEncoding = 'base64url'): string {
  return createHmac('sha256', key).update(text).digest(encoding);
}
