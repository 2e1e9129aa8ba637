import {randomBytes} from 'node:crypto';
import type {DashboardRequest} from './request.ts';
import type {Texts} from './texts/en.ts';
import {dateOf} from './visits/days.ts';

export type CallName = keyof Texts['api']['operations'];

/** A ready-made call of the HTTP API. */
export interface ApiOperation {
  readonly name: CallName;
  /** Whether the call needs an existing link. */
  readonly isAboutLink: boolean;
  /** The path after `/shorturl/`, without the suffix for the format. */
  readonly path: string;
}

const day = 24 * 60 * 60 * 1000;

/** A call of every operation, with valid values. */
export function apiOperations({shortener, now}: DashboardRequest, shortUrl: string): ApiOperation[] {
  const url = `url/${base64('https://example.org/a/long/address')}`;
  // A constant short part would be taken after the first call.
  const custom = `try-${randomBytes(3).toString('hex')}`;
  const domain = new URL(shortener.baseUrls.at(-1) ?? '').hostname;
  const expiryDate = dateOf(now + 30 * day);
  const options = [
    `custom_url/${custom}/password/open-sesame/expiry_date/${expiryDate}/max_visits/100`,
    `title/Spring%20sale/tags/mail,spring/base_domain/${domain}`,
  ].join('/');
  const about = (name: CallName, more = ''): ApiOperation => ({
    name,
    isAboutLink: true,
    path: `${name}/short_url/${base64(shortUrl)}${more}`,
  });
  return [
    {name: 'create', isAboutLink: false, path: `create/${url}`},
    {name: 'create_with_options', isAboutLink: false, path: `create/${options}/${url}`},
    {name: 'list_urls', isAboutLink: false, path: 'list_urls/status/active/limit/20'},
    about('info'),
    about('stats'),
    about('update', '/title/Spring%20sale/max_visits/500'),
    about('disable'),
    about('enable'),
    about('remove'),
  ];
}

/** URL-safe base64, which a path need not escape. */
function base64(text: string): string {
  return Buffer.from(text).toString('base64url');
}
