import {minSecretLength, Seal} from '../accounts/seal.ts';

/** The secrets of a site. The first one encrypts API keys, and all of them decrypt. */
export type Secrets = string | readonly string[];

/**
 * When no old secret is needed any more, after all keys are encrypted with the first one.
 *
 * @internal
 */
export const whenToDrop =
  'Drop the old secrets when `attribution.maxAge` has passed since every process encrypts with the new one.';

/**
 * Reads the secrets from the options of a tool.
 *
 * @throws TypeError, which does not repeat a secret
 * @internal
 */
export function readSecrets(secret: unknown): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  const isSecret = (value: unknown): value is string => typeof value === 'string' && value !== '';
  if (secrets.length > 0 && secrets.every(isSecret)) return secrets;
  throw new TypeError('Expected `secret` to be the secret of the site, or an array of them');
}

/**
 * @throws TypeError if the first secret is too short for a site
 * @internal
 */
export function sealOf(secrets: readonly string[]): Seal {
  const [first = ''] = secrets;
  if (first.length >= minSecretLength) return new Seal(secrets);
  throw new TypeError(`Expected the first secret to have at least ${minSecretLength} characters`);
}
