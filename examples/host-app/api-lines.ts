import {randomBytes} from 'node:crypto';

/** One line to copy: what stands before the API key in it, and what behind. */
export interface ApiLine {
  readonly format: 'json' | 'xml';
  readonly kind: 'URL' | 'curl';
  readonly before: string;
  readonly after: string;
}

export interface ApiOperation {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly lines: readonly ApiLine[];
}

export interface ApiExamples {
  /** The base URL of the site, without a slash at its end. */
  readonly site: string;
  /** A domain for the create with every option. */
  readonly domain: string;
  /** The short URL that is asked about. */
  readonly shortUrl: string;
  /** A date to come, `yyyy-mm-dd`. */
  readonly expiryDate: string;
}

/** Every operation of the API, ready to be sent (specification, section 4). */
export function apiOperations({site, domain, shortUrl, expiryDate}: ApiExamples): ApiOperation[] {
  const url = `url/${base64('https://example.org/a/long/address')}`;
  // A short part belongs to whoever takes it first, so that each visitor is shown another.
  const custom = `try-${randomBytes(3).toString('hex')}`;
  const options = `custom_url/${custom}/password/open-sesame/expiry_date/${expiryDate}/base_domain/${domain}`;
  const operation = (name: string, title: string, text: string, path: string): ApiOperation => ({
    name,
    title,
    text,
    lines: linesOf(`${site}/api/v1/`, `/shorturl/${path}`),
  });
  return [
    operation('create', 'Create', 'Makes a short link. The long address is in base64.', `create/${url}`),
    operation(
      'create-with-options',
      'Create with every option',
      'Chooses the short part, asks visitors for a password, ends on a day and picks the domain. Leave out what you do not need.',
      `create/${options}/${url}`,
    ),
    ...linkOperations({site, shortUrl}),
    operation('list', 'List', 'Names all active links.', 'list_active_urls'),
  ];
}

/** The operations that are about one link. */
export function linkOperations({site, shortUrl}: Pick<ApiExamples, 'site' | 'shortUrl'>): ApiOperation[] {
  const operation = (name: string, title: string, text: string): ApiOperation => ({
    name,
    title,
    text,
    lines: linesOf(`${site}/api/v1/`, `/shorturl/${name}/short_url/${base64(shortUrl)}`),
  });
  return [
    operation('info', 'Info', 'Tells everything about a link: where it leads, its visits, its last day, its status.'),
    operation('disable', 'Disable', 'Takes a link out of service; whoever opens it is told that it is gone.'),
    operation('enable', 'Enable', 'Puts it back into service.'),
  ];
}

function linesOf(before: string, path: string): ApiLine[] {
  return (['json', 'xml'] as const).flatMap((format) => {
    const after = `${path}.${format}`;
    return [
      {format, kind: 'URL', before, after},
      {format, kind: 'curl', before: `curl '${before}`, after: `${after}'`},
    ] as const;
  });
}

/** In the alphabet that needs no escaping in a path. */
function base64(text: string): string {
  return Buffer.from(text).toString('base64url');
}
