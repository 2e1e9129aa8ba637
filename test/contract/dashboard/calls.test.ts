import test, {type ExecutionContext} from 'ava';
import type {Middleware} from 'koa';
import {operations} from '../../../src/http/api/operations.ts';
import type {ShortUrlError} from '../../../src/index.ts';
import {open, type Stage} from '../../support/dashboard.ts';
import {between, keeping} from '../../support/dashboard-pages.ts';

const url = 'https://example.org/';

interface Asked {
  readonly user?: string | undefined;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is if it is a string. */
  readonly body?: unknown;
}

/** Calls an operation as a script of a page of the site does. */
async function call(stage: Stage, operation: string, asked: Asked = {}) {
  const {user = 'ann', method = 'POST', headers, body = {}} = asked;
  const isRead = method === 'GET' || method === 'HEAD';
  const response = await fetch(new URL(`api/${operation}`, stage.home), {
    method,
    headers: {
      'Content-Type': 'application/json',
      'Sec-Fetch-Site': 'same-origin',
      ...(user !== '' && {'X-User': user}),
      ...headers,
    },
    ...(!isRead && {body: typeof body === 'string' ? body : JSON.stringify(body)}),
    redirect: 'manual',
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    json: () => JSON.parse(text) as {code: number; data: Record<string, unknown>},
  };
}

type Reply = Awaited<ReturnType<typeof call>>;

function errorIn(t: ExecutionContext, reply: Reply, status: number): unknown {
  t.is(reply.status, status, reply.text);
  const {code, data} = reply.json();
  t.is(code, status);
  t.is(typeof data['message'], 'string');
  t.is(reply.headers['cache-control'], 'no-store');
  return data['error'];
}

test('a page of the site calls every operation for the account of the session, with the answers of the API', async (t) => {
  const stage = await open(t);
  const {shortener, origin} = stage;
  const {apiKey} = await shortener.accounts.create('ann');
  const {shortUrl: short_url} = await shortener.links.create('ann', {url, customUrl: 'spring', tags: ['mail']});
  const bodies: Record<string, object> = {
    create_many: {links: [{url}, {url: 'nonsense'}]},
    update_many: {changes: [{short_url, title: 'x'}]},
    list_urls: {tag: 'mail'},
    info: {short_url},
    stats: {short_url},
    update: {short_url, title: 'Spring'},
    disable: {short_url},
    enable: {short_url},
    create: {url: 'nonsense'},
    create_key: {label: '', scope: 'full'},
  };
  // The second create has another id.
  const same = ({data}: {data: object}): object => ({...data, url_id: 0});
  for (const operation of operations.keys()) {
    if (['create_many', 'qr', 'remove'].includes(operation)) continue;
    const body = bodies[operation] ?? {};
    const reply = await call(stage, operation, {body});
    const expected = await fetch(`${origin}/api/v1/shorturl/${operation}`, {
      method: 'POST',
      headers: {'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}`},
      body: JSON.stringify(body),
    });
    t.is(reply.status, expected.status, operation);
    t.deepEqual(same(reply.json()), same((await expected.json()) as {data: object}), operation);
    t.is(reply.headers['content-type'], 'application/json; charset=utf-8');
    t.is(reply.headers['cache-control'], 'no-store');
    t.is(reply.headers['access-control-allow-origin'], undefined);
  }
  const made = await call(stage, 'create', {body: {url, custom_url: 'april'}});
  t.is(made.json().data['short_url'], `${origin}/april`);
  t.is((await shortener.links.info('ann', `${origin}/april`)).originalUrl, url);
  const {results} = (await call(stage, 'create_many', {body: bodies['create_many']})).json().data;
  t.is((results as unknown[]).length, 2);
  const qr = await call(stage, 'qr', {body: {short_url}});
  t.deepEqual([qr.status, qr.headers['content-type'], qr.headers['cache-control']], [200, 'image/svg+xml', 'no-store']);
  t.is((await call(stage, 'remove', {body: {short_url}})).json().data['status'], 'removed');
});

test('a page reaches the links of its own user only', async (t) => {
  const stage = await open(t);
  await stage.shortener.accounts.create('bob');
  const {shortUrl: short_url} = await stage.shortener.links.create('bob', {url});
  t.is(errorIn(t, await call(stage, 'info', {body: {short_url}}), 404), 'unknown_short_url');
  t.is((await call(stage, 'info', {user: 'bob', body: {short_url}})).status, 200);
  // A key in the header makes no difference.
  const {apiKey} = await stage.shortener.accounts.create('bob');
  const headers = {Authorization: `Bearer ${apiKey}`};
  t.is(errorIn(t, await call(stage, 'info', {headers, body: {short_url}}), 404), 'unknown_short_url');
});

test('the account of a user who calls for the first time is created', async (t) => {
  const stage = await open(t);
  t.is((await call(stage, 'create', {user: 'new', body: {url}})).status, 200);
  t.is((await stage.shortener.links.page('new')).links.length, 1);
});

test('without a login a call changes nothing and is answered with 401, whatever the option login says', async (t) => {
  const stage = await open(t);
  const reply = await call(stage, 'create', {user: '', body: {url}});
  t.is(errorIn(t, reply, 401), 'not_logged_in');
  t.is(reply.headers['www-authenticate'], undefined);
});

const foreign: Record<string, Record<string, string>> = {
  'another site': {'Sec-Fetch-Site': 'cross-site'},
  'another domain of the site': {'Sec-Fetch-Site': 'same-site'},
  'no page': {'Sec-Fetch-Site': 'none'},
  'an older browser on another site': {'Sec-Fetch-Site': '', Origin: 'https://elsewhere.example'},
  'a sandboxed frame': {'Sec-Fetch-Site': '', Origin: 'null'},
  'a program that names no page': {'Sec-Fetch-Site': ''},
};
for (const [what, headers] of Object.entries(foreign)) {
  test(`a call from ${what} is refused, and changes nothing`, async (t) => {
    const stage = await open(t);
    t.is(errorIn(t, await call(stage, 'create', {headers, body: {url}}), 403), 'foreign_page');
    t.is((await stage.shortener.links.page('ann')).links.length, 0);
  });
}

test('an older browser is told by its Origin', async (t) => {
  const stage = await open(t);
  const headers = {'Sec-Fetch-Site': '', Origin: stage.origin};
  t.is((await call(stage, 'create', {headers, body: {url}})).status, 200);
});

test('a call takes JSON by POST only', async (t) => {
  const stage = await open(t);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
    const reply = await call(stage, 'create', {headers: {'Content-Type': type}, body: JSON.stringify({url})});
    t.is(errorIn(t, reply, 415), 'malformed_body', type);
  }
  t.is(errorIn(t, await call(stage, 'create', {body: '[]'}), 400), 'malformed_body');
  t.is(errorIn(t, await call(stage, 'create', {body: `{"url": "${'x'.repeat(300_000)}"}`}), 413), 'malformed_body');
  for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
    const reply = await call(stage, 'list_urls', {method});
    t.is(errorIn(t, reply, 405), 'method_not_allowed', method);
    t.is(reply.headers['allow'], 'POST');
    t.is(reply.headers['access-control-allow-methods'], undefined);
  }
  t.is(errorIn(t, await call(stage, 'nonsense'), 404), 'unknown_operation');
  t.is((await stage.shortener.links.page('ann')).links.length, 0);
});

test('an Idempotency-Key makes a repeated call safe', async (t) => {
  const stage = await open(t);
  const ask = (): Promise<Reply> => call(stage, 'create', {headers: {'Idempotency-Key': 'order-1'}, body: {url}});
  const [first, second] = [await ask(), await ask()];
  t.deepEqual(second.json(), first.json());
});

test('a dashboard at the root leaves the other paths below /api to the site', async (t) => {
  const host: Middleware = (ctx) => {
    ctx.body = `the site: ${ctx.method} ${ctx.path}`;
  };
  const stage = await open(t, {path: '', dashboard: {path: '/'}, ...between(undefined, host)});
  t.is((await call(stage, 'tickets')).text, 'the site: POST /api/tickets');
  t.is((await call(stage, 'create', {method: 'GET'})).text, 'the site: GET /api/create');
  t.is((await call(stage, 'create', {body: {url}})).status, 200);
});

test('with api: false the calls are unknown to the dashboard', async (t) => {
  const host: Middleware = (ctx) => ctx.throw(404);
  const stage = await open(t, {dashboard: {api: false}, ...between(undefined, host)});
  const reply = await call(stage, 'create', {body: {url}});
  t.is(reply.status, 404);
  t.is((await stage.shortener.links.page('ann')).links.length, 0);
});

test('a blocked account is refused, and the event says so', async (t) => {
  const stage = await open(t);
  const denied: unknown[] = [];
  stage.shortener.events.on('denied', ({reason, account}) => denied.push([reason, account]));
  await stage.shortener.admin.blockAccount('ann');
  t.is(errorIn(t, await call(stage, 'list_urls'), 403), 'account_blocked');
  t.deepEqual(denied, [['account_blocked', 'ann']]);
});

test('an option account that fails is answered with 500 in JSON, and reported', async (t) => {
  const faults: unknown[] = [];
  const cause = new Error('the session is broken');
  const stage = await open(t, {
    dashboard: {
      account: () => {
        throw cause;
      },
    },
    ...keeping(faults),
  });
  const errors: ShortUrlError[] = [];
  stage.shortener.events.on('error', (error) => errors.push(error));
  const reply = await call(stage, 'list_urls');
  t.is(errorIn(t, reply, 500), 'internal_error');
  t.notRegex(reply.text, /broken/);
  t.is(errors.length, 1);
  t.is(errors[0]?.cause, cause);
});
