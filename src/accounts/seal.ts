import {createCipheriv, createDecipheriv, createHmac, randomBytes, scrypt} from 'node:crypto';
import {promisify} from 'node:util';
import {ShortUrlError} from '../errors.ts';

const algorithm = 'aes-256-gcm';
const ivLength = 12;
const tagLength = 16;
/** Constant, because all processes with one store and one secret must derive the same key. */
const salt = 'koa-short-url api key seal';
/** The minimum length of a secret, in characters. Shorter ones are often words, which can be guessed from a copy of the store. */
export const minSecretLength = 32;

const derive = promisify<string, string, number, Buffer>(scrypt);

/**
 * Encrypts API keys with the host's secret, so that they can be shown again: AES-256-GCM, with a key that scrypt derives
 * from the secret. The account is authenticated data, so a key sealed for one account does not open for another.
 */
export class Seal {
  readonly #secrets: readonly string[];
  #keys: Promise<Buffer[]> | undefined;

  /** @param secrets the first one encrypts; each of them can decrypt */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  async seal(text: string, account: string): Promise<string> {
    return encrypt(text, account, {key: await this.key(), iv: randomBytes(ivLength)});
  }

  /** Seals equal texts alike, in every process. So sealed texts that are equal show that the texts are. */
  async sealAlike(text: string, purpose: string): Promise<string> {
    const key = await this.key();
    const iv = createHmac('sha256', key).update(`${purpose} ${text}`).digest().subarray(0, ivLength);
    return encrypt(text, purpose, {key, iv});
  }

  /** @throws ShortUrlError `internal_error` if none of the secrets decrypts the key */
  async open(sealed: string, account: string): Promise<string> {
    const opened = await this.tryOpen(sealed, account);
    if (opened !== undefined) return opened.text;
    throw new ShortUrlError(
      'internal_error',
      'No secret in `secret` decrypts the API key of this account. Add the secret that encrypted it.',
    );
  }

  /** Returns the text, and whether the first secret decrypts it; undefined if no secret does. */
  async tryOpen(sealed: string, account: string): Promise<{text: string; isFirst: boolean} | undefined> {
    const bytes = Buffer.from(sealed, 'base64url');
    for (const [index, key] of (await this.#derived()).entries()) {
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivLength), {authTagLength: tagLength})
          .setAAD(Buffer.from(account))
          .setAuthTag(bytes.subarray(-tagLength));
        const parts = [decipher.update(bytes.subarray(ivLength, -tagLength)), decipher.final()];
        return {text: Buffer.concat(parts).toString(), isFirst: index === 0};
      } catch {
        // Sealed with another secret, or damaged: try the next secret.
      }
    }
    return undefined;
  }

  get hasOldSecrets(): boolean {
    return this.#secrets.length > 1;
  }

  async key(): Promise<Buffer> {
    const [key] = await this.#derived();
    if (key === undefined) throw new TypeError('Expected at least one secret');
    return key;
  }

  #derived(): Promise<Buffer[]> {
    this.#keys ??= Promise.all(this.#secrets.map((secret) => derive(secret, salt, 32))).catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }
}

function encrypt(text: string, authenticated: string, {key, iv}: {readonly key: Buffer; readonly iv: Buffer}): string {
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(authenticated));
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}
