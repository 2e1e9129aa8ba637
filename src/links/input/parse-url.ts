/**
 * Parses a URL; undefined if the text is not one. `URL.canParse` is not used: on Node.js 20 it begins to refuse URLs with
 * Latin-1 characters once a busy process has optimised it.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
