import test from 'ava';
import {accepted, isTheHosts, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';
const inHeader = {keyIn: 'header'} as const;

/** The API key in the `Authorization` header. */
export function bearer(world: World): void {
  // For tests that create nothing.
  const refusing = sharedSite({world});

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

  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer   ']) {
    test(`the scheme may be written ${JSON.stringify(scheme)}`, async (t) => {
      const site = await refusing();
      const headers = {Authorization: `${scheme} ${site.key}`};
      accepted(t, await site.call('list_active_urls.json', {...inHeader, headers}));
    });
  }

  const malformed: Record<string, (key: string) => Record<string, string>> = {
    'an empty header': () => ({Authorization: ''}),
    'the scheme alone': () => ({Authorization: 'Bearer'}),
    'the key alone': (key) => ({Authorization: key}),
    'the scheme and the key without a space': (key) => ({Authorization: `Bearer${key}`}),
    'another scheme': (key) => ({Authorization: `Basic ${Buffer.from(`user:${key}`).toString('base64')}`}),
    'another scheme with the key alone': (key) => ({Authorization: `Token ${key}`}),
    'more text after the key': (key) => ({Authorization: `Bearer ${key} ${key}`}),
    'a list of schemes': (key) => ({Authorization: `Basic x, Bearer ${key}`}),
    'the key in quotes': (key) => ({Authorization: `Bearer "${key}"`}),
    'the key in another header': (key) => ({Authorization: '', 'X-API-Key': key, Cookie: `key=${key}`}),
    'a key that is unknown': () => ({Authorization: `Bearer ${'x'.repeat(32)}`}),
    'a key that is too long': (key) => ({Authorization: `Bearer ${key.repeat(100)}`}),
    'a key of an inherited name': () => ({Authorization: 'Bearer __proto__'}),
  };
  for (const [what, headersFor] of Object.entries(malformed)) {
    test(`${what} is an invalid_api_key with WWW-Authenticate: Bearer, and changes nothing`, async (t) => {
      const site = await refusing();
      const headers = headersFor(site.key);
      for (const suffix of ['.json', '.xml']) {
        const reply = await site.api('create', {url}, {...inHeader, headers, suffix});
        const message = refused(t, reply, 'invalid_api_key');
        t.is(reply.headers['www-authenticate'], 'Bearer');
        t.false(reply.text.includes(site.key));
        t.regex(message, /Authorization: Bearer <API_KEY>|The API key is invalid/);
      }
      t.deepEqual(await site.list(), []);
    });
  }

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

  for (const path of [
    '/api/v1/shorturl',
    '/api/v1/shorturl/',
    '/api/v1/shorturl//info',
    '/api/v1/Shorturl/info.json',
  ]) {
    test(`${path} is left to the host, whatever the header has`, async (t) => {
      const site = await refusing();
      const sent = site.base + path;
      for (const headers of [{}, {Authorization: `Bearer ${site.key}`}]) {
        isTheHosts(t, await site.request({path: sent, headers}), 200, `The host’s GET ${sent}`);
      }
    });
  }
}
