import {fields} from '../../src/link/fields.ts';
import {shortPart} from '../../src/link/short-part.ts';
import {idempotencyKey, intentLife} from '../../src/links/create/intents.ts';
import {withBounds} from '../../src/http/api/operation.ts';
import type {Json} from './schemas.ts';

/** What the descriptions say of visits and of headers, which no table of the program has. */

function to(kind: 'headers' | 'parameters' | 'responses' | 'schemas', name: string): Json {
  return {$ref: `#/components/${kind}/${name}`};
}

function header(description: string, schema: Json): Json {
  return {description, required: true, schema};
}

const constant = (value: string): Json => ({type: 'string', const: value});

export const headers: Readonly<Record<string, Json>> = {
  NotStored: header('No cache stores the answer.', constant('no-store')),
  NoReferrer: header(
    'The path may contain the API key, so browsers must not send it as a referrer.',
    constant('no-referrer'),
  ),
  NoSniffing: header('Browsers must use the Content-Type and not guess another one.', constant('nosniff')),
  NotIndexed: header('Search engines must not index the answer.', constant('noindex')),
  Challenge: header('The authentication scheme for the API key.', constant('Bearer')),
  RetryAfter: header('After how many seconds to retry.', {type: 'integer', minimum: 1}),
  Destination: header('The long URL, percent-encoded where necessary.', {
    type: 'string',
    pattern: '^[a-z][a-z0-9+.-]*:[!-~]+$',
  }),
  NotKept: header(
    'No browser or proxy caches the redirect, so that the next visit is counted too.',
    constant('private, no-store'),
  ),
  KeptForADay: header('The browser may keep the picture for a day.', constant('private, max-age=86400')),
  PageReferrer: header('Browsers send the URL of the page only to the site itself.', constant('same-origin')),
  PagePolicy: header(
    'A built-in page loads nothing from other sites and runs no script. A page of the site has another policy.',
    {type: 'string'},
  ),
  NotFramed: header('No other page can show it in a frame.', constant('DENY')),
  VaryLanguage: header('The page is in the language that the browser prefers.', {
    type: 'string',
    pattern: '(^|, )Accept-Language(,|$)',
  }),
  VaryAccept: header(
    'A client that prefers JSON gets JSON. Others get a page in the language that the browser prefers.',
    {
      type: 'string',
      pattern: '(^|, )Accept(,|$)',
    },
  ),
};

export const parameters: Readonly<Record<string, Json>> = {
  short_url_part: {
    name: 'short_url_part',
    in: 'path',
    required: true,
    description: 'The short part.',
    schema: shortPart.schema,
    example: 'yh4mVKX',
  },
  idempotency_key: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: withBounds(
      `For each new link a new UUID, for example. For ${intentLife / (60 * 60_000)} hours the same account, key and parameters get the same answer and one link, however often the call is repeated.`,
      idempotencyKey.bounds,
    ),
    schema: idempotencyKey.schema,
    example: 'b7e0f6c2-4a55-4f0e-9c39-2f8c6c1d7a10',
  },
};

const html = {'text/html': {schema: {type: 'string'}}};

function page(description: string, vary: 'VaryLanguage' | 'VaryAccept', {json, ...rest}: Json = {}): Json {
  return {
    description,
    headers: {
      'Cache-Control': to('headers', 'NotStored'),
      'Content-Security-Policy': to('headers', 'PagePolicy'),
      'Referrer-Policy': to('headers', 'PageReferrer'),
      'X-Content-Type-Options': to('headers', 'NoSniffing'),
      'X-Frame-Options': to('headers', 'NotFramed'),
      'X-Robots-Tag': to('headers', 'NotIndexed'),
      Vary: to('headers', vary),
      ...rest,
    },
    ...(json !== null && {content: {...html, ...(json !== undefined && {'application/json': json})}}),
  };
}

/** The answer to a HEAD has the headers of a GET, and no body. */
function head(vary: 'VaryLanguage' | 'VaryAccept', more: Json = {}): Json {
  return page('The same as for GET, without the body.', vary, {...more, json: null});
}

function json(schema: string, example: string, code: number, data: Json): Json {
  const value = {code, data: {...data, date_time: '2030-01-01 12:00:00'}};
  return {schema: to('schemas', schema), examples: {[example]: {value}}};
}

const retry = {'Retry-After': to('headers', 'RetryAfter')};
const redirect = {Location: to('headers', 'Destination'), 'Cache-Control': to('headers', 'NotKept')};

export const responses: Readonly<Record<string, Json>> = {
  VisitPage: page(
    'A page with a form for the password, which works without scripts. Or, if the request does not count and the link has `max_visits`, a page without the destination.',
    'VaryLanguage',
  ),
  NoPassword: page(
    'The body has no field `password`, so it is no attempt. The page has the form again.',
    'VaryLanguage',
  ),
  WrongPassword: page('The password was wrong. The page has the form again, with an error.', 'VaryLanguage'),
  Gone: page('The short URL is disabled, expired, removed or blocked, or its account was removed.', 'VaryAccept', {
    json: json('Gone', 'expired', 410, {status: 'expired', message: 'The short URL has expired or is disabled.'}),
  }),
  VisitLimited: page(
    'This client has sent too many wrong passwords for this short URL, or too many passwords are being checked at once. For now even the right password is refused.',
    'VaryAccept',
    {
      ...retry,
      json: json('VisitLimited', 'too_many_requests', 429, {
        error: 'too_many_requests',
        message: 'Too many wrong passwords. Try again later.',
      }),
    },
  ),
  VisitUnavailable: page(
    'The store did not answer, and the short URL was not visited lately, or has a password or a limit of visits.',
    'VaryAccept',
    {
      ...retry,
      json: json('VisitUnavailable', 'store_unavailable', 503, {
        error: 'store_unavailable',
        message: 'The store is not available. Try again later.',
      }),
    },
  ),
  Redirect: {
    description: 'Redirects to the long URL. The status is 302, unless the site has chosen another one.',
    headers: redirect,
  },
  OpenedRedirect: {
    description: 'The password was right. Redirects to the long URL with GET.',
    headers: redirect,
  },
  TheSitesOwn: {
    description: 'There is no such short URL. The site answers with its own page or its own 404.',
  },
  VisitPageHead: head('VaryLanguage'),
  GoneHead: head('VaryAccept'),
  VisitUnavailableHead: head('VaryAccept', retry),
};

function envelope(description: string, code: number, field: string, words: Json): Json {
  return {
    description,
    type: 'object',
    properties: {
      code: {type: 'integer', const: code},
      data: {
        type: 'object',
        properties: {
          [field]: {type: 'string', ...words},
          message: to('schemas', 'Message'),
          date_time: to('schemas', 'DateTime'),
        },
        required: [field, 'message', 'date_time'],
        additionalProperties: false,
      },
    },
    required: ['code', 'data'],
    additionalProperties: false,
  };
}

export const schemas: Readonly<Record<string, Json>> = {
  Gone: envelope('A short URL that no longer works.', 410, 'status', {enum: ['disabled', 'expired']}),
  VisitLimited: envelope('Too many wrong passwords.', 429, 'error', {const: 'too_many_requests'}),
  VisitUnavailable: envelope('The store did not answer.', 503, 'error', {const: 'store_unavailable'}),
};

function responsesOf(names: Readonly<Record<number, string>>): Json {
  return Object.fromEntries(Object.entries(names).map(([status, name]) => [status, to('responses', name)]));
}

function visit(operationId: string, summary: string, description: string, rest: Json): Json {
  return {
    operationId,
    tags: ['Visitors'],
    summary,
    description,
    parameters: [to('parameters', 'short_url_part')],
    ...rest,
  };
}

const redirects = {301: 'Redirect', 302: 'Redirect', 307: 'Redirect', 308: 'Redirect', 404: 'TheSitesOwn'};

export const paths: Json = {
  '/{short_url_part}': {
    get: visit(
      'visit',
      'Open a short URL',
      'Redirects to the long URL and counts the visit. A short URL with a password shows a form first, and the visit is not counted yet. Bots and link previews are redirected and not counted. A prefetch gets 503 without a body, so that the browser asks again when its user clicks. If the link has `max_visits`, they get a page without the destination instead. Short URLs answer only on the domains of the site. If the site has a page at this address, the page takes precedence by default. A `+` behind the short URL, as in `/spring+`, gets a page that says where the link leads. A slash, the end of a sentence, a closing bracket or quote and white space behind it are ignored where the site has no such page.',
      {responses: responsesOf({200: 'VisitPage', ...redirects, 410: 'Gone', 503: 'VisitUnavailable'})},
    ),
    head: visit(
      'look',
      'Read the destination of a short URL',
      'Has the same headers as a GET that does not count: of a link with `max_visits` it does not tell the destination. The visit is not counted.',
      {responses: responsesOf({200: 'VisitPageHead', ...redirects, 410: 'GoneHead', 503: 'VisitUnavailableHead'})},
    ),
    post: visit(
      'openWithPassword',
      'Open a short URL with its password',
      'The password form sends this request, or the same to the address in its `action`, which the shortener answers before the site. The visit is counted if the password is right. A POST to a short URL without a password is passed on to the site.',
      {
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                properties: {password: fields.password.shape.schema},
                required: ['password'],
                additionalProperties: true,
              },
              example: {password: fields.password.example},
            },
          },
        },
        responses: responsesOf({
          200: 'VisitPage',
          303: 'OpenedRedirect',
          400: 'NoPassword',
          401: 'WrongPassword',
          404: 'TheSitesOwn',
          410: 'Gone',
          429: 'VisitLimited',
          503: 'VisitUnavailable',
        }),
      },
    ),
  },
};
