import {createCipheriv, createDecipheriv, randomBytes, scrypt} from 'node:crypto';
import {promisify} from 'node:util';
import {ShortUrlError} from '../errors.ts';

const algorithm = 'aes-256-gcm';
const ivLength = 12;
const tagLength = 16;
/** Public and the same everywhere: whoever shares a store and a secret must come to the same key. */
const salt = 'koa-short-url api key seal';
const derive = promisify<string, string, number, Buffer>(scrypt);

/**
 * Keeps what must be shown again under the host's secret: AES-256-GCM, with a key that scrypt derives from the secret.
 * What is sealed for one account does not open for another.
 */
export class Seal {
  readonly #secrets: readonly string[];
  #keys: Promise<Buffer[]> | undefined;

  /** @param secrets the first one seals, all of them open */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  async seal(text: string, account: string): Promise<string> {
    const [key] = await this.#derived();
    if (key === undefined) throw new TypeError('Expected at least one secret');
    const iv = randomBytes(ivLength);
    const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(account));
    const sealed = Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    return sealed.toString('base64url');
  }

  /** @throws ShortUrlError `internal_error` if none of the secrets opens it */
  async open(sealed: string, account: string): Promise<string> {
    const bytes = Buffer.from(sealed, 'base64url');
    for (const key of await this.#derived()) {
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivLength), {authTagLength: tagLength})
          .setAAD(Buffer.from(account))
          .setAuthTag(bytes.subarray(-tagLength));
        return Buffer.concat([decipher.update(bytes.subarray(ivLength, -tagLength)), decipher.final()]).toString();
      } catch {
        // Not the secret that this one was sealed with; the next may be. Or it is no seal at all.
      }
    }
    throw new ShortUrlError(
      'internal_error',
      'None of the secrets given in `secret` opens the API key of this account; give the one it was sealed with as well.',
    );
  }

  #derived(): Promise<Buffer[]> {
    this.#keys ??= Promise.all(this.#secrets.map((secret) => derive(secret, salt, 32)));
    return this.#keys;
  }
}
