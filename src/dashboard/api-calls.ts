import {randomBytes} from 'node:crypto';
import type {DashboardRequest} from './request.ts';
import type {Texts} from './texts/en.ts';

export type CallName = keyof Texts['api']['operations'];

/** A ready-made call of the HTTP API. */
export interface ApiOperation {
  readonly name: CallName;
  /** Whether the call needs an existing link. */
  readonly isAboutLink: boolean;
  /** The name of the operation in the API. */
  readonly operation: string;
  readonly parameters: Readonly<Record<string, string | number | readonly string[]>>;
}

const day = 24 * 60 * 60 * 1000;

/** A call of every operation, with valid values. */
export function apiOperations({shortener, now}: DashboardRequest, shortUrl: string): ApiOperation[] {
  const url = 'https://example.org/a/long/address';
  const options = {
    // A constant short part would be taken after the first call.
    custom_url: `try-${randomBytes(3).toString('hex')}`,
    password: 'open-sesame',
    expiry_date: new Date(now + 30 * day).toISOString().slice(0, 10),
    max_visits: 100,
    title: 'Spring sale',
    tags: ['mail', 'spring'],
    base_domain: new URL(shortener.baseUrls.at(-1) ?? '').host,
  };
  const about = (name: CallName, more: ApiOperation['parameters'] = {}): ApiOperation => ({
    name,
    isAboutLink: true,
    operation: name,
    parameters: {short_url: shortUrl, ...more},
  });
  return [
    {name: 'create', isAboutLink: false, operation: 'create', parameters: {url}},
    {name: 'create_with_options', isAboutLink: false, operation: 'create', parameters: {url, ...options}},
    {name: 'list_urls', isAboutLink: false, operation: 'list_urls', parameters: {status: 'active', limit: 20}},
    about('info'),
    about('stats'),
    about('update', {title: 'Spring sale', max_visits: 500}),
    about('disable'),
    about('enable'),
    about('remove'),
  ];
}
