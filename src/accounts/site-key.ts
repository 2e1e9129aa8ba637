import {type BinaryToTextEncoding, createHmac} from 'node:crypto';
import {ShortUrlError} from '../errors.ts';
import {type RecordOf, siteKeyRecord} from '../records.ts';
import type {Store} from '../store/port.ts';
import {checkSecrets} from './sealed-keys.ts';
import type {Seal} from './seal.ts';

/** Authenticated with the sealed key. */
const purpose = 'koa-short-url site key';

type SealedKey = RecordOf<'site-key'>;

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
      const entry = await this.#store.get<SealedKey>(siteKeyRecord);
      if (entry === undefined) return undefined;
      const opened = await this.#seal.tryOpen(entry.value.sealed, purpose);
      if (opened === undefined) throw unopened();
      const {text, isFirst} = opened;
      if (isFirst || (await this.#store.replace(siteKeyRecord, entry.revision, await this.#sealed(text)))) {
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
      await this.#store.insert(siteKeyRecord, await this.#sealed((await this.#seal.key()).toString('base64url')));
    }
  }

  async #sealed(key: string): Promise<SealedKey> {
    return {sealed: await this.#seal.seal(key, purpose)};
  }
}

function unopened(): ShortUrlError {
  return new ShortUrlError(
    'internal_error',
    'No secret in `secret` decrypts the key of this site. Add the old secret of this site.',
  );
}

function digestOf(key: Buffer, text: string, encoding: BinaryToTextEncoding = 'base64url'): string {
  return createHmac('sha256', key).update(text).digest(encoding);
}
