/**
 * The URL of a text, or undefined where it is none. `URL.canParse` would say so too, but on Node.js 20 it comes to
 * refuse URLs with Latin-1 characters once a busy process has optimised it.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
