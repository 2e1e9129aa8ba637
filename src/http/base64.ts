import {ShortUrlError} from '../errors.ts';

const utf8 = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true});

/** The UTF-8 text in a base64 value of either alphabet (RFC 4648, sections 4 and 5), padded or not; undefined if it is none. */
export function decodeBase64(value: string): string | undefined {
  const isStandard = /^[A-Za-z0-9+/]+={0,2}$/.test(value);
  const isUrlSafe = /^[\w-]+={0,2}$/.test(value);
  const bare = value.replace(/=+$/, '');
  if ((!isStandard && !isUrlSafe) || (bare !== value && value.length % 4 !== 0)) return undefined;
  const bytes = Buffer.from(bare, 'base64url');
  // Whatever was cut off or changed does not come back the same.
  if (bytes.toString('base64url') !== bare.replaceAll('+', '-').replaceAll('/', '_')) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Whether a URL stands where its base64 belongs: it begins with a scheme, whose colon may be percent-encoded. Base64 has
 * neither colons nor percent signs.
 */
export function isPlainUrl(value: string): boolean {
  return /^\s*[a-z][a-z\d+.-]*(?::|%(?:25)*3A)/i.test(value);
}

/** @param value what was given, which the message does not repeat */
export function malformedBase64(name: string, value: string): ShortUrlError {
  const message = isPlainUrl(value)
    ? `The value of \`${name}\` must be the base64 of the URL and not the URL itself: in the URL-safe alphabet, ` +
      'https://example.org/ is written aHR0cHM6Ly9leGFtcGxlLm9yZy8.'
    : `The value of \`${name}\` must be the base64 of UTF-8 text, in the standard or the URL-safe alphabet.`;
  return new ShortUrlError('malformed_base64', message);
}
