import test from 'ava';
import {accepted, isTheHosts, refused} from '../../support/answers.ts';
import {urlSafe} from '../../support/base64.ts';
import {segments, sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const create = segments('create', {url: 'https://destination.example/page'});
const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];

/** Refusals before the parameters are read, and their order. */
export function errors(world: World): void {
  // For tests that create nothing.
  const refusing = sharedSite({world});

  for (const method of methods) {
    test(`${method} on a path with a key answers 405 with Allow: GET and changes nothing`, async (t) => {
      const site = await refusing();
      for (const suffix of ['.json', '.xml']) {
        const reply = await site.call(create + suffix, {method, keyIn: 'path'});
        refused(t, reply, 'method_not_allowed');
        t.is(reply.headers.allow, 'GET');
        if (method === 'POST') continue;
        const withHeader = await site.call(create + suffix, {method, keyIn: 'header'});
        refused(t, withHeader, 'method_not_allowed');
        t.is(withHeader.headers.allow, 'GET, POST');
      }
      t.deepEqual(await site.list(), []);
    });
  }

  for (const key of [
    'nonsense',
    '0',
    '__proto__',
    'constructor',
    '%20',
    'x'.repeat(500),
    '%F0%9F%98%80',
    '%zz',
    '..',
  ]) {
    test(`the key ${key.slice(0, 20)} is an invalid_api_key, in JSON and in XML`, async (t) => {
      const site = await refusing();
      for (const suffix of ['.json', '.xml']) {
        const message = refused(t, await site.call(create + suffix, {key}), 'invalid_api_key');
        if (key.length > 5) t.false(message.includes(key));
      }
      t.deepEqual(await site.list(), []);
    });
  }

  test('a key is case-sensitive and must be complete', async (t) => {
    const site = await startSite(t, {world});
    const swapped = site.key.replace(/[a-z]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    for (const key of [swapped, site.key.slice(0, -1), `${site.key}x`, `x${site.key}`, `%20${site.key}`]) {
      refused(t, await site.call(`${create}.json`, {key}), 'invalid_api_key');
    }
    accepted(t, await site.call(`${create}.json`));
  });

  for (const operation of ['delete', 'Create', 'list', 'CREATE', '__proto__', 'constructor', 'toString', '%20', '😀']) {
    test(`the operation ${operation} is an unknown_operation, in JSON and in XML`, async (t) => {
      const site = await refusing();
      const path = encodeURI(decodeURIComponent(operation));
      const message = refused(t, await site.call(`${path}.json`), 'unknown_operation');
      t.regex(
        message,
        /create, disable, enable, info, list_active_urls, update, remove, stats, qr, list_urls, create_many, update_many, record_conversion, keys, create_key, revoke_key\./,
      );
      refused(t, await site.call(`${path}.xml`), 'unknown_operation');
      refused(t, await site.call(`${path}/url/${urlSafe('https://destination.example/')}.json`), 'unknown_operation');
    });
  }

  test('no message repeats the key or the password of the call', async (t) => {
    const site = await startSite(t, {world});
    const password = 'hunter2-hunter2';
    const url = urlSafe('https://destination.example/page');
    for (const rest of [
      `create/password/${password}/url/!!!.json`,
      `create/password/${password}/colour/red/url/${url}.json`,
      `create/password/${password}/password/${password}/url/${url}.json`,
      `create/password/${password.repeat(20)}/url/${url}.json`,
      `create/password/${password}.json`,
      `info/password/${password}.json`,
      `update/password/${password.repeat(20)}/short_url/${url}.json`,
      `update/clear/${password}/short_url/${url}.json`,
      `list_urls/status/${password}.json`,
      `create/password/${password}/url/${url}.yaml`,
      `create/password/${password}%zz/url/${url}.json`,
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

  const prefetches = [{'Sec-Purpose': 'prefetch'}, {'Sec-Purpose': 'prefetch;prerender'}, {Purpose: 'prefetch'}];
  for (const headers of prefetches as Array<Record<string, string>>) {
    test(`a prefetch (${JSON.stringify(headers)}) cannot create, disable, enable, update or remove`, async (t) => {
      const site = await startSite(t, {world});
      const active = await site.create();
      const disabled = await site.create();
      accepted(t, await site.api('disable', {short_url: disabled.short_url}));

      for (const suffix of ['.json', '.xml']) {
        refused(t, await site.call(create + suffix, {headers}), 'prefetch_refused');
        refused(t, await site.api('disable', {short_url: active.short_url}, {suffix, headers}), 'prefetch_refused');
        refused(t, await site.api('enable', {short_url: disabled.short_url}, {suffix, headers}), 'prefetch_refused');
        const title = {short_url: active.short_url, title: 'x'};
        refused(t, await site.api('update', title, {suffix, headers}), 'prefetch_refused');
        refused(t, await site.api('remove', {short_url: active.short_url}, {suffix, headers}), 'prefetch_refused');
      }

      t.deepEqual(await site.list(), [active.short_url]);
    });
  }

  test('the API answers on any Host', async (t) => {
    const site = await startSite(t, {world});
    for (const host of ['sho.rt', 'go.example.org', 'localhost:3000', '127.0.0.1', 'foreign.example']) {
      const link = accepted(t, await site.call(`${create}.json`, {host}));
      t.is(link.short_url, `${site.baseUrl}/${link.short_url_part}`);
    }
  });

  const foreign = [
    ...['/api/v1/users', '/api/v1/KEY/other/x', '/api/v2/KEY/shorturl/list_active_urls.json', '/api/v1/KEY/shorturl'],
    ...['/api/v1//shorturl/list_active_urls.json', '/api/v1/KEY/shorturls/list_active_urls.json', '/api/v1/', '/api/'],
    ...[
      '/api/v1/KEY/x/shorturl/list_active_urls.json',
      '/api/V1/KEY/shorturl/list_active_urls.json',
      '/api/x?y=/shorturl/',
    ],
  ];
  for (const path of foreign) {
    test(`${path} reaches the host unchanged`, async (t) => {
      const site = await refusing();
      const sent = site.base + path.replace('KEY', site.key);
      isTheHosts(t, await site.request({path: sent}), 200, `The host’s GET ${sent}`);
    });
  }

  test('a foreign API call with another method is left to the host', async (t) => {
    const site = await startSite(t, {world});
    const path = `${site.base}/api/v1/users?page=%2F`;
    isTheHosts(t, await site.request({path, method: 'DELETE'}), 200, `The host’s DELETE ${path}`);
  });
}
