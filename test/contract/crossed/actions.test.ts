import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import {routes} from '../../../src/dashboard/routes.ts';
import {operations} from '../../../src/http/api/operations.ts';
import {open, type Stage, type StageOptions} from '../../support/dashboard.ts';

type Fields = Readonly<Record<string, string>>;

interface Scene extends Stage {
  /** The fields with which an action does something, for the operator's own links or for those of another account. */
  readonly fieldsOf: (path: string, whose?: 'own' | 'foreign') => Fields;
  readonly stored: () => string;
}

async function scene(t: ExecutionContext, options: StageOptions = {}): Promise<Scene> {
  const store = new Map<string, unknown>();
  const stage = await open(t, {...options, shortUrl: {store, secret: 'a secret of good length, for tests'}});
  const {accounts, admin, keys, links} = stage.shortener;
  for (const account of ['operator', 'bob', 'carl']) await accounts.create(account);
  /** What an account has. */
  const fill = async (account: string) => {
    const make = async (part: string): Promise<string> =>
      (await links.create(account, {url: `https://private.example/${part}`, customUrl: `${part}-${account}`})).shortUrl;
    const [link, disabled] = [await make('a'), await make('b')];
    await links.disable(account, disabled);
    const {id: key} = await keys.create(account, {label: 'A key', scope: 'read'});
    const {id: share} = options.dashboard?.share === false ? {id: ''} : await links.share(account, link);
    return {link, disabled, key, share};
  };
  const subjects = {own: await fill('operator'), foreign: await fill('bob')};
  const {link: blocked} = await fill('carl');
  await admin.block(blocked);
  await admin.blockAccount('carl');
  return {
    ...stage,
    stored: () => JSON.stringify(Array.from(store)),
    fieldsOf: (path, whose = 'own') => {
      const {link, disabled, key, share} = subjects[whose];
      const special: Readonly<Record<string, Fields>> = {
        enable: {short_url: disabled},
        'revoke-key': {id: key},
        unshare: {id: share},
        unblock: {short_url: blocked},
        'unblock-account': {account: 'carl'},
        'block-links': {do: 'block'},
        'create-many': {read_as: 'tab none', column_0: 'url'},
      };
      return {
        ...{short_url: link, short_urls: link, selected_0: link, do: 'remove', confirmed: 'yes'},
        ...{label: 'Another', scope: 'full', account: 'ann', reason: 'Spam', title: 'New', show_visits: 'yes'},
        ...{url: 'https://example.org/new', lines: 'https://example.org/new', once: 'a', format: 'svg', size: '300'},
        ...special[path],
      };
    },
  };
}

const actions = Array.from(routes).filter(([, {isAction}]) => isAction === true);
/** They answer with something, and change nothing. */
const reading = ['read-many', 'qr.zip'];

/** What browsers send with a form of another page. */
const foreignHeaders: Readonly<Record<string, Fields>> = {
  'another site': {'Sec-Fetch-Site': 'cross-site'},
  'another domain of the site': {'Sec-Fetch-Site': 'same-site'},
  'an older browser on another site': {'Sec-Fetch-Site': '', Origin: 'https://elsewhere.example'},
  'a sandboxed frame': {'Sec-Fetch-Site': '', Origin: 'null'},
};

test('each action of the dashboard does something to the links of its user', async (t) => {
  for (const [path] of actions) {
    // Its form needs the preview of a table: see many.test.ts.
    if (path === 'change-many') continue;
    const {fieldsOf, stored, visitor} = await scene(t);
    const operator = visitor('operator');
    await operator.get();
    const before = stored();
    const {status, text} = await operator.post(path, fieldsOf(path));
    t.true([200, 303].includes(status), `${path} ${status} ${text.slice(-600)}`);
    t.is(stored() === before, reading.includes(path), path);
  }
});

test('no action of the dashboard changes anything without the right page, login, account and method', async (t) => {
  const {fieldsOf, stored, visitor, home} = await scene(t);
  const [operator, ann] = [visitor('operator'), visitor('ann')];
  const tokens = {operator: await operator.token(), ann: await ann.token()};
  const before = stored();
  for (const [path, {isForAdmin}] of actions) {
    for (const [what, headers] of Object.entries(foreignHeaders)) {
      t.is((await operator.post(path, fieldsOf(path), headers)).status, 403, `${path} ${what}`);
    }
    const body = (token: string, fields = fieldsOf(path)): URLSearchParams =>
      new URLSearchParams({_token: token, ...fields});
    const headers = {'Sec-Fetch-Site': 'same-origin'};
    const stranger = await visitor().send(path, {method: 'POST', body: body(tokens.operator), headers});
    t.regex(stranger.location, /\/login\?/, path);
    if (isForAdmin) t.is((await ann.send(path, {method: 'POST', body: body(tokens.ann), headers})).status, 404, path);
    t.is((await operator.get(path)).location, home, path);
    const other = await operator.send(path, {method: 'PUT', body: body(tokens.operator), headers});
    t.deepEqual([other.status, other.headers.get('allow')], [405, 'POST'], path);
  }
  t.is(stored(), before);
  for (const [path, {isForAdmin}] of actions) {
    // These make something new, or replace what is the user's own.
    if (isForAdmin || ['create', 'create-many', 'create-key', 'key'].includes(path)) continue;
    const {status} = await operator.post(path, fieldsOf(path, 'foreign'));
    t.true(status < 500, `${path} ${status}`);
    t.is(stored(), before, path);
  }
});

test('each page of the dashboard is for its users, and for reading only', async (t) => {
  const {fieldsOf, stored, visitor} = await scene(t);
  const before = stored();
  for (const [path, {isAction, isForAdmin}] of routes) {
    if (isAction) continue;
    const address = `${path}?${new URLSearchParams({short_url: fieldsOf(path)['short_url'] ?? '', account: 'ann'}).toString()}`;
    t.regex((await visitor().get(address)).location, /\/login\?/, path);
    const [read, head] = [
      await visitor('operator').get(address),
      await visitor('operator').send(address, {method: 'HEAD'}),
    ];
    t.deepEqual([read.status, head.status, head.text], [200, 200, ''], path);
    t.is(head.headers.get('content-type'), read.headers.get('content-type'), path);
    if (isForAdmin) t.is((await visitor('ann').get(address)).status, 404, path);
    const foreign = `${path}?short_url=${encodeURIComponent(fieldsOf(path, 'foreign')['short_url'] ?? '')}`;
    if (!isForAdmin) t.false((await visitor('ann').get(foreign)).text.includes('private.example'), path);
    t.is((await visitor('operator').post(address)).status, 405, path);
  }
  t.is(stored(), before);
});

for (const [option, flag] of [
  ['api', 'isForApi'],
  ['share', 'isForShares'],
] as const) {
  test(`with ${option}: false no page and no action of it is there`, async (t) => {
    const {fieldsOf, stored, visitor} = await scene(t, {dashboard: {[option]: false}});
    const operator = visitor('operator');
    await operator.get();
    const before = stored();
    const found = Array.from(routes).filter(([, route]) => route[flag] === true);
    t.true(found.length > 0);
    for (const [path, {isAction}] of found) {
      const {status} = isAction ? await operator.post(path, fieldsOf(path)) : await operator.get(path);
      t.is(status, 404, path);
    }
    t.is(stored(), before);
  });
}

test('no operation runs for a page of another site, without a login or in another way than POST', async (t) => {
  const {fieldsOf, stored, home, visitor} = await scene(t);
  await visitor('operator').get();
  const before = stored();
  const own = {'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', 'X-User': 'operator'};
  for (const [operation, {example}] of operations) {
    const body = JSON.stringify({...example, ...('short_url' in example && {short_url: fieldsOf('')['short_url']})});
    const ask = async (headers: Fields, method = 'POST'): Promise<number> => {
      const reply = await fetch(new URL(`api/${operation}`, home), {method, headers: {...own, ...headers}, body});
      await reply.arrayBuffer();
      return reply.status;
    };
    for (const [what, headers] of Object.entries({...foreignHeaders, 'no page': {'Sec-Fetch-Site': 'none'}})) {
      t.is(await ask(headers), 403, `${operation} ${what}`);
    }
    t.is(await ask({'X-User': ''}), 401, operation);
    t.is(await ask({}, 'PUT'), 405, operation);
  }
  t.is(stored(), before);
});

test('no operation runs for a program without a key, with a link of another account, or by a prefetch that could change something', async (t) => {
  const {fieldsOf, stored, origin, shortener} = await scene(t);
  const {apiKey} = await shortener.accounts.create('operator');
  const before = stored();
  const short_url = fieldsOf('', 'foreign')['short_url'] ?? '';
  for (const [operation, {example, parameters, scope, isPostOnly}] of operations) {
    const own = {'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}`};
    const ask = async (headers: Fields, init: RequestInit = {method: 'POST', body: JSON.stringify(example)}) => {
      const reply = await fetch(`${origin}/api/v1/shorturl/${operation}`, {...init, headers: {...own, ...headers}});
      return [reply.status, /"error":"(\w+)"/.exec(await reply.text())?.[1]];
    };
    for (const key of ['', 'Bearer', `Bearer ${'x'.repeat(apiKey.length)}`, `Basic ${apiKey}`]) {
      t.deepEqual(await ask({Authorization: key}), [401, 'invalid_api_key'], `${operation} ${key.slice(0, 6)}`);
    }
    if (!isPostOnly && scope !== 'read') {
      for (const name of ['Purpose', 'Sec-Purpose']) {
        t.deepEqual(await ask({[name]: 'prefetch;prerender'}, {}), [403, 'prefetch_refused'], operation);
      }
    }
    if (parameters['short_url'] === undefined) continue;
    const body = JSON.stringify({...('short_url' in example ? example : {}), short_url});
    t.deepEqual(await ask({}, {method: 'POST', body}), [404, 'unknown_short_url'], operation);
  }
  t.is(stored(), before);
});
