/** The agent of a person's browser. The default ones of `fetch` and of a headless Chromium are known as bots. */
export const browserAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

/** Opens a short URL as a person, without following the redirect. */
export async function openAsPerson(
  shortUrl: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(shortUrl, {redirect: 'manual', headers: {'User-Agent': browserAgent, ...headers}});
}

/** The token of `attribution` in the `Set-Cookie` header of a redirect; undefined if the visitor was not marked. */
export function viaOf(cookies: unknown): string | undefined {
  return /^short_url_via=([\w-]+);/.exec(String(cookies))?.[1];
}
