/** An address with a query. Parameters that are undefined or empty are left out. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = new URLSearchParams(present).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** The address of the page of a link. */
export function linkAddress(
  root: string,
  shortUrl: string,
  parameters: Record<string, string | undefined> = {},
): string {
  return withQuery(`${root}link`, {short_url: shortUrl, ...parameters});
}

/** A URL without its scheme. */
export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '');
}
