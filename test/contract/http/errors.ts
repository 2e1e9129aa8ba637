import test from 'ava';
import {accepted, isTheHosts, refused} from '../../support/answers.ts';
import {urlSafe} from '../../support/base64.ts';
import {segments, sharedSite, startSite} from '../../support/site.ts';
import {arriving, type World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';
const create = segments('create', {url});
const inHeader = {keyIn: 'header'} as const;

/** Refusals before the parameters are read, and their order, and the key in the `Authorization` header. */
export function errors(world: World): void {
  const refusing = sharedSite({world});

  test('every other method answers 405 with Allow and changes nothing', async (t) => {
    const site = await refusing();
    const posts = ['create_many', 'update_many', 'record_conversion', 'keys', 'create_key', 'revoke_key'];
    const cases: ReadonlyArray<[path: string, allow: string, keyIn: 'path' | 'header']> = [
      [create, 'GET', 'path'],
      [create, 'GET, POST', 'header'],
      ...posts.map((operation): [string, string, 'header'] => [operation, 'POST', 'header']),
      ['create_many', 'POST', 'path'],
    ];
    for (const [path, allow, keyIn] of cases) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        if (allow.split(', ').includes(method)) continue;
        for (const suffix of ['.json', '.xml']) {
          const reply = await site.call(path + suffix, {method, keyIn});
          refused(t, reply, 'method_not_allowed');
          t.is(reply.headers.allow, allow);
        }
      }
    }
    refused(t, await site.call('create_many', {method: 'POST', keyIn: 'path'}), 'method_not_allowed');
    t.deepEqual(await site.list(), []);
  });

  test('an unknown key is an invalid_api_key that the message does not repeat', async (t) => {
    const site = await refusing();
    const keys = ['nonsense', '__proto__', 'constructor', '%20', 'x'.repeat(500), '%F0%9F%98%80', '%zz', '..'];
    for (const key of arriving(world, keys)) {
      t.false(refused(t, await site.call(`${create}.json`, {key}), 'invalid_api_key').includes(key), key);
    }
    t.deepEqual(await site.list(), []);
  });

  test('an unknown operation is refused with the names of all operations', async (t) => {
    const site = await refusing();
    for (const operation of ['delete', 'Create', 'list', '__proto__', 'constructor', '%20', encodeURI('😀')]) {
      t.regex(
        refused(t, await site.call(`${operation}.json`), 'unknown_operation'),
        /create, disable, enable, info, list_active_urls, update, remove, stats, qr, list_urls, account_stats, tags, compare, compare_tags, create_many, update_many, record_conversion, refund_conversion, identify_customer, forget_customer, forget_conversion_name, keys, create_key, revoke_key\./,
      );
      refused(t, await site.call(`${operation}/url/${urlSafe('https://x.example/')}.xml`), 'unknown_operation');
    }
  });

  test('no message repeats the key or the password of the call', async (t) => {
    const site = await startSite(t, {world});
    const password = 'hunter2-hunter2';
    const encoded = urlSafe(url);
    for (const rest of [
      `create/password/${password}/url/!!!.json`,
      `create/password/${password}/colour/red/url/${encoded}.json`,
      `create/password/${password}/password/${password}/url/${encoded}.json`,
      `info/password/${password}.json`,
      `update/password/${password.repeat(20)}/short_url/${encoded}.json`,
      `update/clear/${password}/short_url/${encoded}.json`,
      `create/password/${password}/url/${encoded}.yaml`,
      `create/password/${password}%zz/url/${encoded}.json`,
    ]) {
      const {text} = await site.call(rest);
      t.false(text.includes('hunter2'), text);
      t.false(text.includes(site.key), text);
    }
  });

  test('the key is checked before the operation, the format, the prefetch and the parameters', async (t) => {
    const site = await startSite(t, {world});
    const key = 'nonsense';
    for (const rest of [
      'delete.json',
      'create.json',
      'create/colour/red.json',
      'create/password/%zz.json',
      'create/url/!.json',
    ]) {
      refused(t, await site.call(rest, {key}), 'invalid_api_key');
    }
    const yaml = await site.call('list_active_urls.yaml', {key});
    refused(t, yaml, 'invalid_api_key');
    t.is(yaml.headers['content-type'], 'application/json; charset=utf-8');
    refused(t, await site.call(`${create}.json`, {key, headers: {'Sec-Purpose': 'prefetch'}}), 'invalid_api_key');
  });

  test('a prefetch cannot create, disable, enable, update or remove', async (t) => {
    const site = await startSite(t, {world});
    const {short_url} = await site.create();
    const headers = {'Sec-Purpose': 'prefetch'};
    for (const suffix of ['.json', '.xml']) {
      refused(t, await site.call(create + suffix, {headers}), 'prefetch_refused');
      const title = {short_url, title: 'x'};
      refused(t, await site.api('update', title, {suffix, headers}), 'prefetch_refused');
      for (const operation of ['disable', 'enable', 'remove']) {
        refused(t, await site.api(operation, {short_url}, {suffix, headers}), 'prefetch_refused');
      }
    }
    t.deepEqual(await site.list(), [short_url]);
  });

  test('the API answers on any Host', async (t) => {
    const site = await startSite(t, {world});
    for (const host of ['sho.rt', 'go.example.org', 'localhost:3000', '127.0.0.1', 'foreign.example']) {
      const link = accepted(t, await site.call(`${create}.json`, {host}));
      t.is(link.short_url, `${site.baseUrl}/${link.short_url_part}`);
    }
  });

  test('paths that are not of the API reach the host unchanged, whatever their method and their header', async (t) => {
    const site = await refusing();
    const headers = {Authorization: `Bearer ${site.key}`};
    for (const path of [
      '/api/v1/users?page=%2F',
      '/api/',
      '/api/v2/KEY/shorturl/list_active_urls.json',
      '/api/v1/KEY/shorturl',
      '/api/v1//shorturl/list_active_urls.json',
      '/api/v1/KEY/x/shorturl/list_active_urls.json',
      '/api/v1/shorturl/',
      '/api/v1/Shorturl/info.json',
      '/api/x?y=/shorturl/',
    ]) {
      const sent = site.base + path.replace('KEY', site.key);
      for (const method of ['GET', 'DELETE']) {
        isTheHosts(t, await site.request({path: sent, method, headers}), 200, `The host’s ${method} ${sent}`);
      }
    }
  });

  test('every operation may have its key in the header, with the same answer as in the path', async (t) => {
    const site = await startSite(t, {world});
    const link = accepted(t, await site.api('create', {url, custom_url: 'spring'}, inHeader));
    t.is(link.short_url, `${site.baseUrl}/spring`);
    const named = {short_url: link.short_url};
    for (const suffix of ['.json', '.xml', '']) {
      for (const [operation, parameters] of [
        ['disable', named],
        ['enable', named],
        ['info', named],
        ['list_active_urls', {}],
        ['list_active_urls', {limit: '1'}],
      ] as const) {
        const reply = await site.api(operation, parameters, {...inHeader, suffix});
        t.is(reply.status, 200);
        t.is(reply.text, (await site.api(operation, parameters, {keyIn: 'path', suffix})).text);
      }
    }
  });

  test('only the scheme Bearer with the key is a key, and any other header gets WWW-Authenticate: Bearer', async (t) => {
    const site = await refusing();
    const {key} = site;
    const lower = {Authorization: `bEaReR   ${key}`};
    accepted(t, await site.call('list_active_urls.json', {...inHeader, headers: lower}));
    const others: Array<Record<string, string>> = [
      {Authorization: ''},
      {Authorization: 'Bearer'},
      {Authorization: key},
      {Authorization: `Basic ${Buffer.from(`user:${key}`).toString('base64')}`},
      {Authorization: `Bearer ${key} ${key}`},
      {Authorization: `Basic x, Bearer ${key}`},
      {Authorization: '', 'X-API-Key': key, Cookie: `key=${key}`},
      {Authorization: `Bearer ${'x'.repeat(32)}`},
      {Authorization: `Bearer ${key.repeat(100)}`},
    ];
    for (const headers of others) {
      const reply = await site.api('create', {url}, {...inHeader, headers});
      const message = refused(t, reply, 'invalid_api_key');
      t.is(reply.headers['www-authenticate'], 'Bearer');
      t.false(reply.text.includes(key));
      t.regex(message, /Authorization: Bearer <API_KEY>|The API key is invalid/);
    }
    t.deepEqual(await site.list(), []);
  });

  test('the answer to a call without a key explains how to send one, and no key is read from the query', async (t) => {
    const site = await refusing();
    const path = `${site.base}/api/v1/shorturl/list_active_urls.json?access_token=${site.key}&key=${site.key}`;
    const message = refused(t, await site.request({path}), 'invalid_api_key');
    t.regex(message, /^The API key is missing: .*`Authorization: Bearer <API_KEY>`/);
  });

  test('the header is ignored when the path has a key', async (t) => {
    const site = await startSite(t, {world});
    const inPath = {keyIn: 'path'} as const;
    for (const authorization of ['Basic dXNlcjpwYXNz', `Bearer ${'x'.repeat(32)}`, 'nonsense']) {
      const headers = {Authorization: authorization};
      accepted(t, await site.call('list_active_urls.json', {...inPath, headers}));
    }
    const headers = {Authorization: `Bearer ${site.key}`};
    const reply = await site.call('list_active_urls.json', {...inPath, headers, key: 'x'.repeat(32)});
    refused(t, reply, 'invalid_api_key');
    t.is(reply.headers['www-authenticate'], 'Bearer');
  });
}
