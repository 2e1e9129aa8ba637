/** In characters: the maximum length of a URL that a caller gives. */
export const maxUrl = 8192;

/** In characters: the maximum length of a serialised URL. Clients accept 16 KB of headers in total, `Location` included. */
export const maxTarget = 15_000;

/** In characters: the maximum length of a host name and its port. The time to convert a host to ASCII grows with the square of its length. */
const maxHost = 253 + 6;

/**
 * Parses a URL; undefined if the text is not one, or is too long. `URL.canParse` is not used: on Node.js 20 it begins to
 * refuse URLs with Latin-1 characters once a busy process has optimised it.
 */
export function parseUrl(given: unknown, maxLength = maxTarget): URL | undefined {
  try {
    const text = String(given);
    return text.length > maxLength || hostOf(text).length > maxHost ? undefined : new URL(text);
  } catch {
    return undefined;
  }
}

/** The host of a URL before it is parsed, which ignores tabs and line feeds and takes a backslash for a slash. */
function hostOf(text: string): string {
  const [authority = ''] = text
    .replaceAll(/[\t\n\r]/g, '')
    .replace(/^[^:]*:[/\\]*/, '')
    .split(/[/\\?#]/, 1);
  return authority.slice(authority.lastIndexOf('@') + 1);
}

/** The text without its percent encoding; undefined if that is malformed. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
