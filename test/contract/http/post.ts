import {connect} from 'node:net';
import {text} from 'node:stream/consumers';
import test from 'ava';
import {accepted, refused} from '../../support/answers.ts';
import {sharedSite, type Site, startSite} from '../../support/site.ts';
import {mounts, type World} from '../../support/worlds.ts';

const url = 'https://destination.example/page?a=1&b=ü';
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const maxBody = 256 * 1024;

/** A JSON object of so many bytes, with an unknown member. */
function bodyOf(bytes: number): string {
  return JSON.stringify({url, x: ''}).replace(
    '"x":""',
    `"x":"${'x'.repeat(bytes - JSON.stringify({url, x: ''}).length - 1)}"`,
  );
}

/** The operations by POST, with a JSON object. */
export function posting(world: World): void {
  // For tests that create nothing.
  const refusing = sharedSite({world});
  const hasParser = world.mount === mounts['behind a body parser'];

  test('every operation is a POST too, with the answer of the GET in JSON and in XML', async (t) => {
    const site = await startSite(t, {world});
    const created = accepted(
      t,
      await site.post('create', {url, custom_url: 'spring', tags: ['mail', 'a b'], title: 'Ü'}),
    );
    t.is(created.short_url, `${site.baseUrl}/spring`);
    t.is(created.original_url, url);
    t.deepEqual(Object.keys(created), ['url_id', 'short_url', 'short_url_part', 'original_url', 'date_time']);
    const {short_url} = created;
    for (const suffix of ['.json', '.xml', '', '.XML']) {
      for (const [operation, body, path] of [
        ['info', {short_url}, {short_url}],
        ['stats', {short_url}, {short_url}],
        [
          'update',
          {short_url, title: 'Spring', tags: ['a', 'b'], max_visits: 7},
          {short_url, title: 'Spring', tags: 'a,b', max_visits: '7'},
        ],
        ['update', {short_url, clear: ['title', 'max_visits']}, {short_url, clear: 'title,max_visits'}],
        ['disable', {short_url}, {short_url}],
        ['enable', {short_url}, {short_url}],
        ['list_active_urls', {}, {}],
        ['list_active_urls', {limit: 1}, {limit: '1'}],
        [
          'list_urls',
          {status: 'active', search: 'SPRING', order: 'oldest', limit: 5},
          {status: 'active', search: 'SPRING', order: 'oldest', limit: '5'},
        ],
      ] as ReadonlyArray<[string, object, Record<string, string>]>) {
        const reply = await site.post(operation, body, {suffix});
        t.is(reply.status, 200, reply.text);
        t.is(reply.text, (await site.api(operation, path, {keyIn: 'header', suffix})).text);
      }
    }
    t.is(accepted(t, await site.post('remove', {short_url})).status, 'removed');
    t.deepEqual(await site.list(), []);
  });

  test('null clears a field in an update and is malformed in a create', async (t) => {
    const site = await startSite(t, {world});
    const {short_url} = accepted(t, await site.post('create', {url, password: 's3cret', title: 'Spring'}));
    const updated = accepted(t, await site.post('update', {short_url, password: null, title: null}));
    t.false(updated.has_password);
    t.is(updated.title, null);
    refused(t, await site.post('create', {url, title: null}), 'malformed_parameter');
    refused(t, await site.post('update', {short_url, url: null}), 'malformed_parameter');
    refused(t, await site.post('update', {short_url, title: null, clear: ['title']}), 'malformed_parameter');
  });

  test('a body that is no JSON object is a malformed_body, and changes nothing', async (t) => {
    const site = await refusing();
    const bodies = ['[]', '[{"url":"https://destination.example/"}]'];
    // A body parser of the host refuses these before the shortener sees them.
    const others = [
      '',
      ' ',
      'null',
      '"url"',
      '7',
      '{',
      '{"url":"https://destination.example/"',
      "{'url':1}",
      '{}{}',
      nested(100_000),
    ];
    for (const body of hasParser ? bodies : [...bodies, ...others]) {
      for (const suffix of ['.json', '.xml']) {
        refused(t, await site.post('create', body, {suffix}), 'malformed_body');
      }
    }
    t.deepEqual(await site.list(), []);
  });

  test('a value of the wrong type is a malformed_parameter, and changes nothing', async (t) => {
    const site = await refusing();
    for (const wrong of [
      ...[7, true, {}, [], ['https://destination.example/'], '', null].map((value) => ({url: value})),
      ...[7, {}, ['a']].flatMap((value) =>
        ['custom_url', 'password', 'expiry_date', 'base_domain', 'title'].map((name) => ({url, [name]: value})),
      ),
      ...['mail', 7, {}, [7], [['mail']], [null], null].map((tags) => ({url, tags})),
      ...['5', 1.5, true, [5], {}, null, -1, 0, 1e10].map((max_visits) => ({url, max_visits})),
    ]) {
      refused(t, await site.post('create', wrong), 'malformed_parameter');
    }
    for (const wrong of [{limit: '5'}, {limit: 0}, {cursor: 5}])
      refused(t, await site.post('list_urls', wrong), 'malformed_parameter');
    const short_url = `${site.baseUrl}/none`;
    for (const clear of ['title', [], ['url'], [7], {title: true}]) {
      refused(t, await site.post('update', {short_url, clear}), 'malformed_parameter');
    }
    t.deepEqual(await site.list(), []);
  });

  const types: Record<string, Record<string, string>> = {
    'no content type': {'Content-Type': ''},
    'a form': {'Content-Type': 'application/x-www-form-urlencoded'},
    'plain text, which a browser may send to another site': {'Content-Type': 'text/plain'},
    'a type that only begins like JSON': {'Content-Type': 'application/jsonx'},
    'another charset': {'Content-Type': 'application/json; charset=iso-8859-1'},
    'a content encoding': {'Content-Encoding': 'gzip'},
  };
  for (const [what, headers] of Object.entries(types)) {
    // A body parser of the host fails for a charset that it does not know and for bytes that are not compressed.
    if (hasParser && /charset|encoding/.test(what)) continue;
    test(`${what} answers 415 and changes nothing`, async (t) => {
      const site = await refusing();
      for (const suffix of ['.json', '.xml']) {
        refused(t, await site.post('create', {url}, {headers, suffix}), 'malformed_body', 415);
      }
      t.deepEqual(await site.list(), []);
    });
  }

  for (const type of [
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json ; x=1',
  ]) {
    test(`the content type may be ${type}`, async (t) => {
      const site = await refusing();
      accepted(t, await site.post('list_urls', {}, {headers: {'Content-Type': type}}));
    });
  }

  test('256 kB are read, chunked or not, and more answers 413', async (t) => {
    const site = await refusing();
    for (const headers of [{}, {'Transfer-Encoding': 'chunked'}] as Array<Record<string, string>>) {
      refused(t, await site.post('create', bodyOf(maxBody), {headers}), 'unknown_parameter');
      // A body parser of the host has a limit of its own.
      if (!hasParser) refused(t, await site.post('create', bodyOf(maxBody + 1), {headers}), 'malformed_body', 413);
    }
    accepted(t, await site.post('list_urls'));
  });

  test('the key is checked before the body is read, and must be in the header', async (t) => {
    const site = await refusing();
    refused(
      t,
      await site.post('create', 'no JSON', {key: 'x'.repeat(32), headers: {'Content-Type': 'text/plain'}}),
      'invalid_api_key',
    );
    const anonymous = {'Content-Type': 'application/json', Cookie: `key=${site.key}; api_key=${site.key}`};
    const path = `${site.base}/api/v1/shorturl/create?key=${site.key}`;
    const body = JSON.stringify({url, key: site.key});
    refused(t, await site.request({method: 'POST', path, headers: anonymous, body}), 'invalid_api_key');
    const inPath = await site.call('create.json', {method: 'POST', keyIn: 'path', headers: anonymous, body});
    refused(t, inPath, 'method_not_allowed');
    t.is(inPath.headers.allow, 'GET');
    t.deepEqual(await site.list(), []);
  });

  test('a call that is repeated with its Idempotency-Key has the same answer and makes one link', async (t) => {
    const site = await startSite(t, {world});
    const headers = {'Idempotency-Key': 'call "1"'.replaceAll(' ', '-')};
    const first = await site.post('create', {url, tags: ['mail']}, {headers});
    accepted(t, first);
    site.clock.now += 5000;
    t.is((await site.post('create', {tags: ['mail'], url}, {headers})).text, first.text);
    const byGet = await site.api('create', {url, tags: 'mail'}, {headers, keyIn: 'header'});
    t.is(byGet.text, first.text);
    refused(t, await site.post('create', {url}, {headers}), 'idempotency_key_reused');
    refused(t, await site.post('create_many', {links: [{url}]}, {headers}), 'idempotency_key_reused');
    const many = {links: [{url, custom_url: 'one'}, {url: 'nonsense'}, {url}]};
    const manyHeaders = {'Idempotency-Key': 'call-2'};
    const made = await site.post('create_many', many, {headers: manyHeaders});
    site.clock.now += 5000;
    t.is((await site.post('create_many', many, {headers: manyHeaders})).text, made.text);
    t.is((await site.list()).length, 3);
    for (const key of ['', 'a b', 'x'.repeat(65), 'ü']) {
      const malformed = await site.post('create', {url}, {headers: {'Idempotency-Key': key}});
      refused(t, malformed, 'malformed_parameter');
      accepted(t, await site.post('list_urls', {}, {headers: {'Idempotency-Key': key}}));
    }
    t.is((await site.list()).length, 3);
  });

  if (hasParser) return;

  test('Expect: 100-continue gets its continue, and then the answer', async (t) => {
    const site = await startSite(t, {world});
    const {head, rest} = await raw(site, Buffer.from(JSON.stringify({url})), {headers: 'Expect: 100-continue\r\n'});
    t.true(head.startsWith('HTTP/1.1 100 Continue'));
    t.true(rest.includes('HTTP/1.1 200 OK'));
    t.is((await site.list()).length, 1);
  });

  test('a body that was cut off creates nothing and reports no error', async (t) => {
    const site = await startSite(t, {world});
    const errors: unknown[] = [];
    site.shortener.events.on('error', (error) => errors.push(error));
    const body = Buffer.from(JSON.stringify({url}));
    await raw(site, body, {length: body.length + 10});
    t.deepEqual(await site.list(), []);
    t.deepEqual(errors, []);
  });
}

/** A POST of `create` by hand, whose connection is closed after the body. */
async function raw(
  site: Site,
  body: Buffer,
  {headers = '', length = body.length}: {headers?: string; length?: number} = {},
): Promise<{status: number; head: string; rest: string}> {
  const socket = connect(site.port, '127.0.0.1');
  socket.write(
    `POST ${site.base}/api/v1/shorturl/create HTTP/1.1\r\nHost: example.com\r\nAuthorization: Bearer ${site.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n${headers}\r\n`,
  );
  // Node.js ends a connection that its client has half closed, also before the answer.
  if (length > body.length) socket.end(body);
  else socket.write(body);
  const answer = await text(socket);
  return {status: Number(answer.split(' ')[1]), head: answer.slice(0, 50), rest: answer};
}
