import {ShortUrlError} from '../../errors.ts';

const utf8 = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true});

/**
 * Decodes base64 in the standard or the URL-safe alphabet (RFC 4648, sections 4 and 5), with or without padding.
 *
 * @returns undefined if the value is not base64, or its bytes are not UTF-8
 */
export function decodeBase64(value: string): string | undefined {
  const isStandard = /^[A-Za-z0-9+/]+={0,2}$/.test(value);
  const isUrlSafe = /^[\w-]+={0,2}$/.test(value);
  if (!isStandard && !isUrlSafe) return undefined;
  // There are at most two equals signs now. The time of this expression grows with the square of their number.
  const bare = value.replace(/=+$/, '');
  if (bare !== value && value.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(bare, 'base64url');
  // Node.js ignores what it cannot decode, so compare with the result encoded again.
  if (bytes.toString('base64url') !== bare.replaceAll('+', '-').replaceAll('/', '_')) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Whether a value that should be base64 is a plain URL: it begins with a scheme, whose colon may be percent-encoded.
 * Base64 has neither colons nor percent signs.
 */
export function isPlainUrl(value: string): boolean {
  return /^\s*[a-z][a-z\d+.-]*(?::|%(?:25)*3A)/i.test(value);
}

/** @param value as the caller gave it; the message does not repeat it */
export function malformedBase64(name: string, value: string): ShortUrlError {
  const message = isPlainUrl(value)
    ? `The value of \`${name}\` must be base64. In the URL-safe alphabet, ` +
      'https://example.org/ is written aHR0cHM6Ly9leGFtcGxlLm9yZy8.'
    : `The value of \`${name}\` must be the base64 of UTF-8 text, in the standard or the URL-safe alphabet.`;
  return new ShortUrlError('malformed_base64', message);
}
