/** The secrets of a site. The first one encrypts API keys, and all of them decrypt. */
export type Secrets = string | readonly string[];

/**
 * When no old secret is needed any more, after all keys are encrypted with the first one.
 *
 * @internal
 */
export const whenToDrop =
  'Drop the old secrets when `attribution.maxAge` has passed since every process encrypts with the new one.';
