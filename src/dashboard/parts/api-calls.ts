import {randomBytes} from 'node:crypto';
import {dayLength, formatDate} from '../../values/calendar.ts';
import {check} from '../forms/field.ts';
import {attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import type {Texts} from '../texts/en.ts';
import {copyButton} from './pieces.ts';

const formats = ['json', 'xml'] as const;

/** API calls to copy, as curl commands that post JSON with the key in a header. */
export function apiCalls(request: DashboardRequest, operations: readonly ApiOperation[]): Html {
  const {texts} = request;
  const choices = formats.map((format, index) => {
    const own = {type: 'radio', name: 'format', id: `links-as-${format}`, autocomplete: 'off', checked: index === 0};
    return check(own, format.toUpperCase());
  });
  return html`<fieldset class="links-formats">
      <legend>${texts.api.answerIn}</legend>
      ${choices}
    </fieldset>
    <div class="links-calls">${operations.map((operation, index) => call(request, operation, index === 0))}</div>`;
}

function call(request: DashboardRequest, operation: ApiOperation, isOpen: boolean): Html {
  return html`<details class="links-call" ${attributes({open: isOpen})}>
    <summary><h3>${request.texts.api.operations[operation.name]}</h3></summary>
    ${formats.map((format) => line(request, operation, format))}
  </details>`;
}

function line(request: DashboardRequest, {name, operation, parameters}: ApiOperation, format: string): Html {
  const {shortener, apiKey, texts} = request;
  const [site = ''] = shortener.baseUrls;
  const body = `-H 'Content-Type: application/json' -d '${JSON.stringify(parameters)}'`;
  const posted = `${body} '${site}/api/v1/shorturl/${operation}.${format}'`;
  const id = `${name}-${format}`;
  return html`<div class="links-line links-as-${format}">
    <code id="links-${id}">curl -H 'Authorization: Bearer ${secret(apiKey)}' ${posted}</code>
    ${copyButton(request, {'data-copy-from': `links-${id}`, 'aria-label': `${texts.copy}: ${id}`})}
  </div>`;
}

/** The API key, and a mask that is shown while the key is hidden. Without a key, a placeholder. */
export function secret(apiKey: string | undefined, id?: string): Html {
  if (apiKey === undefined) return html`API_KEY`;
  return html`<span class="links-mask">••••••••</span><span class="links-key" ${attributes({id})}>${apiKey}</span>`;
}

export type CallName = keyof Texts['api']['operations'];

export interface ApiOperation {
  readonly name: CallName;
  readonly isAboutLink: boolean;
  readonly operation: string;
  readonly parameters: Readonly<Record<string, string | number | readonly string[]>>;
}

/** A call of every operation, with valid values. */
export function apiOperations({shortener, now, query}: DashboardRequest, shortUrl: string): ApiOperation[] {
  const url = 'https://example.org/a/long/address';
  const options = {
    // A constant short part would be taken after the first call.
    custom_url: `try-${randomBytes(3).toString('hex')}`,
    password: 'open-sesame',
    expiry_date: formatDate(Math.floor(now / dayLength) + 30),
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
    // A call that is only tried must not remove a link that the user has not chosen.
    query.get('short_url')
      ? about('remove')
      : {...about('remove'), parameters: {short_url: `${shortener.baseUrls[0]}/example`}},
  ];
}
