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

/** The operations by POST, with a JSON object, and many links in one call. */
export function posting(world: World): void {
  const refusing = sharedSite({world});
  const hasParser = world.mount === mounts['behind a body parser'];

  test('every operation is a POST too, with the answer of the GET in JSON and in XML', async (t) => {
    const site = await startSite(t, {world});
    const given = {url, custom_url: 'spring', tags: ['mail', 'a b'], title: 'Ü'};
    const {short_url, original_url} = accepted(t, await site.post('create', given));
    t.deepEqual([short_url, original_url], [`${site.baseUrl}/spring`, url]);
    const found = {status: 'active', search: 'SPRING', order: 'oldest'};
    for (const suffix of ['.json', '.xml', '']) {
      for (const [operation, body, path = body] of [
        ['info', {short_url}],
        ['stats', {short_url}],
        ['update', {short_url, tags: ['a', 'b'], max_visits: 7}, {short_url, tags: 'a,b', max_visits: '7'}],
        ['update', {short_url, clear: ['title', 'max_visits']}, {short_url, clear: 'title,max_visits'}],
        ['disable', {short_url}],
        ['enable', {short_url}],
        ['list_active_urls', {limit: 1}, {limit: '1'}],
        ['list_urls', {...found, limit: 5}, {...found, limit: '5'}],
      ] as ReadonlyArray<[string, object, object?]>) {
        const reply = await site.post(operation, body, {suffix});
        t.is(reply.status, 200, reply.text);
        const byGet = await site.api(operation, path as Record<string, string>, {keyIn: 'header', suffix});
        t.is(reply.text, byGet.text);
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
    const others = ['', 'null', '"url"', '7', '{', '{"url":"https://a.example/"', "{'url':1}", '{}{}', nested(100_000)];
    for (const body of hasParser ? bodies : [...bodies, ...others]) {
      refused(t, await site.post('create', body), 'malformed_body');
    }
    t.deepEqual(await site.list(), []);
  });

  test('a value of the wrong type is a malformed_parameter, and changes nothing', async (t) => {
    const site = await refusing();
    const texts = ['custom_url', 'password', 'expiry_date', 'base_domain', 'title'];
    const wrong: Record<string, readonly unknown[]> = {
      ...Object.fromEntries(texts.map((name) => [name, [7, {}, ['a']]])),
      url: [7, true, {}, [], ['https://destination.example/'], '', null],
      tags: ['mail', 7, {}, [7], [['mail']], [null], null],
      max_visits: ['5', 1.5, true, [5], {}, null, -1, 0, 1e10],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) refused(t, await site.post('create', {url, [name]: value}), 'malformed_parameter');
    }
    for (const page of [{limit: '5'}, {limit: 0}, {cursor: 5}])
      refused(t, await site.post('list_urls', page), 'malformed_parameter');
    const short_url = `${site.baseUrl}/none`;
    for (const clear of ['title', [], ['url'], [7], {title: true}]) {
      refused(t, await site.post('update', {short_url, clear}), 'malformed_parameter');
    }
    t.deepEqual(await site.list(), []);
  });

  test('a body that is not sent as plain JSON in UTF-8 answers 415 and changes nothing', async (t) => {
    const site = await refusing();
    const types = ['', 'application/x-www-form-urlencoded', 'text/plain', 'application/jsonx'];
    // A body parser of the host fails for a charset that it does not know and for bytes that are not compressed.
    const others = hasParser ? [] : ['application/json; charset=iso-8859-1'];
    const sent: Array<Record<string, string>> = [...types, ...others].map((type) => ({'Content-Type': type}));
    for (const headers of hasParser ? sent : [...sent, {'Content-Encoding': 'gzip'}]) {
      refused(t, await site.post('create', {url}, {headers}), 'malformed_body', 415);
    }
    for (const type of [
      'Application/JSON;charset="UTF-8"',
      'application/json; charset=utf8',
      'application/json ; x=1',
    ]) {
      accepted(t, await site.post('list_urls', {}, {headers: {'Content-Type': type}}));
    }
    t.deepEqual(await site.list(), []);
  });

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
    const headers = {'Idempotency-Key': 'call-"1"'};
    const first = await site.post('create', {url, tags: ['mail']}, {headers});
    accepted(t, first);
    site.clock.now += 5000;
    t.is((await site.post('create', {tags: ['mail'], url}, {headers})).text, first.text);
    const byGet = await site.api('create', {url, tags: 'mail'}, {headers, keyIn: 'header'});
    t.is(byGet.text, first.text);
    refused(t, await site.post('create', {url}, {headers}), 'idempotency_key_reused');
    refused(t, await site.post('create_many', {links: [{url}]}, {headers}), 'idempotency_key_reused');
    for (const key of ['', 'a b', 'x'.repeat(65), 'ü']) {
      const malformed = await site.post('create', {url}, {headers: {'Idempotency-Key': key}});
      refused(t, malformed, 'malformed_parameter');
      accepted(t, await site.post('list_urls', {}, {headers: {'Idempotency-Key': key}}));
    }
    t.is((await site.list()).length, 1);
  });

  test('create_many creates each link as create does, and answers in order with full records and errors', async (t) => {
    const site = await startSite(t, {world});
    const links = [
      {url, custom_url: 'spring', tags: ['mail'], title: 'A & <b>'},
      {url, custom_url: 'spring'},
      {url: 'ftp://destination.example/'},
      {url, max_visits: 3},
      {url, colour: 'red'},
      {},
      ...['no object', [url], null, {url: 7}],
    ];
    const reply = await site.post('create_many', {links});
    const {results, ...rest} = accepted(t, reply);
    t.deepEqual(Object.keys(rest), ['date_time']);
    t.deepEqual(
      results.map(({link, error}) => link?.status ?? error),
      [
        ...['active', 'custom_url_taken', 'invalid_url', 'active', 'unknown_parameter', 'missing_parameter'],
        ...Array.from({length: 4}, () => 'malformed_parameter'),
      ],
    );
    for (const result of results) t.deepEqual(Object.keys(result), result.link ? ['link'] : ['error', 'message']);
    const {date_time, ...info} = (await site.post('stats', {short_url: `${site.baseUrl}/spring`})).json().data;
    const {days, details, conversions, ...record} = info;
    t.deepEqual(results[0]?.link, record as never);
    t.deepEqual([days, details, conversions], [[], {}, []]);
    t.truthy(date_time);
    t.deepEqual((await site.list()).length, 2);
    const xml = (await site.post('create_many', {links: links.slice(0, 3)}, {suffix: '.xml'})).envelope;
    const [taken] = xml.data['results'] as unknown[];
    t.is((taken as {error: string}).error, 'custom_url_taken');
  });

  test('update_many changes fields and statuses, in order for the same link', async (t) => {
    const site = await startSite(t, {world});
    const {results: made} = accepted(
      t,
      await site.post('create_many', {links: [{url}, {url, password: 's3cret'}, {url}]}),
    );
    const [one = '', two = '', three = ''] = made.map(({link}) => link?.short_url ?? '');
    const changes = [
      {short_url: one, title: 'First'},
      {short_url: one, title: 'Second', tags: ['a', 'b']},
      {short_url: two, password: null, max_visits: 9},
      {short_url: two, clear: ['max_visits']},
      {short_url: three, status: 'disabled'},
      {short_url: three, status: 'active'},
      {short_url: three, status: 'removed'},
      {short_url: three, status: 'active'},
      {short_url: one, status: 'disabled', title: 'Third'},
      {short_url: one, status: 'expired'},
      {short_url: one},
      {title: 'Fourth'},
      {short_url: `${site.baseUrl}/none`, title: 'Fifth'},
    ];
    const {results} = accepted(t, await site.post('update_many', {changes}));
    t.deepEqual(
      results.map(({link, error}) => error ?? [link?.title, link?.max_visits, link?.has_password, link?.status]),
      [
        ['First', null, false, 'active'],
        ['Second', null, false, 'active'],
        [null, 9, false, 'active'],
        [null, null, false, 'active'],
        [null, null, false, 'disabled'],
        [null, null, false, 'active'],
        [undefined, undefined, undefined, 'removed'],
        'unknown_short_url',
        'malformed_parameter',
        'malformed_parameter',
        'missing_parameter',
        'missing_parameter',
        'unknown_short_url',
      ],
    );
    t.deepEqual(Object.keys(results[6]?.link ?? {}), ['url_id', 'short_url', 'status']);
    t.is((await site.info(one)).status, 'active');
    const xml = await site.post('update_many', {changes: [{short_url: two, status: 'removed'}]}, {suffix: '.xml'});
    t.is(xml.status, 200);
  });

  test('a list of many that is no list, empty or too long is a malformed_parameter', async (t) => {
    const site = await refusing();
    for (const [operation, name] of [
      ['create_many', 'links'],
      ['update_many', 'changes'],
    ] as const) {
      for (const value of [{}, '', null, 7, [], Array.from({length: 1001}, () => ({}))]) {
        refused(t, await site.post(operation, {[name]: value}), 'malformed_parameter');
      }
      refused(t, await site.post(operation, {}), 'missing_parameter');
      refused(t, await site.post(operation, {[name]: [{}], url}), 'unknown_parameter');
      const {results} = accepted(t, await site.post(operation, {[name]: Array.from({length: 1000}, () => ({}))}));
      t.is(results.length, 1000);
    }
    t.deepEqual(await site.list(), []);
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
