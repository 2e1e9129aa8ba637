/** Adds `https://` to a URL without a scheme: a domain, and perhaps a port and a path. */
export function withScheme(text: string): string {
  const url = text.trim();
  const [authority = ''] = url.split(/[/?#]/, 1);
  return authority.includes('.') && /^[^\s:@]+(?::\d{1,5})?$/.test(authority) ? `https://${url}` : url;
}

/** Whether a URL has a scheme. The shortener checks which one. */
export function hasScheme(url: string): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(url);
}
