import {once} from 'node:events';
import test, {type ExecutionContext} from 'ava';
import {ApiError, type Client, createClient} from '../../../src/client.ts';
import {operations} from '../../../src/http/api/operations.ts';
import {serve} from '../../support/listen.ts';
import {type Site, startSite} from '../../support/site.ts';

const url = 'https://destination.example/page';

async function start(t: ExecutionContext): Promise<{site: Site; client: Client}> {
  const site = await startSite(t);
  return {site, client: createClient({url: `http://127.0.0.1:${site.port}/`, apiKey: site.key})};
}

test('the client has a method for each operation, named as it in camel case', (t) => {
  const names = [...operations.keys()].map((name) =>
    name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  );
  t.deepEqual(Object.keys(createClient({url: '/links/api'})).toSorted(), names.toSorted());
});

test('each method gives the data of the answer', async (t) => {
  const {site, client} = await start(t);
  const made = await client.create({url, custom_url: 'spring', tags: ['mail', 'a&b'], expiry_date: '2031-12-31'});
  t.like(made, {short_url: 'https://example.com/spring', original_url: url, date_time: '2031-05-06 12:00:00'});
  const {short_url} = made;
  t.is((await client.update({short_url, title: 'Spring', expiry_date: null})).title, 'Spring');
  t.like(await site.info(short_url), {expiry_date: null});
  t.like(await client.stats({short_url}), {tags: ['mail', 'a&b'], days: []});
  t.deepEqual(
    (await client.listUrls({tag: 'mail'})).urls.map((each) => each.short_url),
    [short_url],
  );
  t.is((await client.listActiveUrls()).urls.length, 1);
  const {results} = await client.createMany({links: [{url}, {url: 'nonsense'}]});
  t.is(results[0]?.link?.original_url, url);
  t.is(results[1]?.error, 'invalid_url');
  t.is((await client.disable({short_url})).status, 'disabled');
  t.is((await client.remove({short_url})).status, 'removed');
  t.deepEqual((await client.keys()).keys, []);
});

test('the client gives a QR code as a picture', async (t) => {
  const {client} = await start(t);
  const {short_url} = await client.create({url});
  const picture = await client.qr({short_url, format: 'png'});
  t.is(picture.type, 'image/png');
  t.deepEqual([...new Uint8Array(await picture.arrayBuffer()).subarray(1, 4)], [...Buffer.from('PNG')]);
});

test('an idempotency key makes a repeated call of the client safe', async (t) => {
  const {client} = await start(t);
  const options = {idempotencyKey: 'order-1'};
  const [first, second] = [await client.create({url}, options), await client.create({url}, options)];
  t.deepEqual(second, first);
  const other = client.create({url: `${url}?x`}, options);
  await t.throwsAsync(other, {instanceOf: ApiError, code: 'idempotency_key_reused'});
});

test('an error of the API is an ApiError with its code, message and status', async (t) => {
  const {site, client} = await start(t);
  const error = await t.throwsAsync(client.info({short_url: 'https://example.com/none'}), {instanceOf: ApiError});
  t.like(error, {name: 'ApiError', code: 'unknown_short_url', status: 404, retryAfter: undefined});
  t.regex(error.message, /^This account has no such/);
  const stranger = createClient({url: `http://127.0.0.1:${site.port}`, apiKey: 'wrong'});
  await t.throwsAsync(stranger.listUrls(), {instanceOf: ApiError, code: 'invalid_api_key'});
  const limited = await startSite(t, {shortUrl: {createQuota: 1}});
  const quick = createClient({url: `http://127.0.0.1:${limited.port}`, apiKey: limited.key});
  await quick.create({url});
  const refused = await t.throwsAsync(quick.create({url}), {instanceOf: ApiError, code: 'too_many_requests'});
  t.is(refused.retryAfter, 12 * 60 * 60);
});

const answers: Record<string, [status: number, body: string, headers?: Record<string, string>]> = {
  'a page of a proxy': [502, '<h1>Bad Gateway</h1>'],
  'a page of the site': [200, '<h1>Welcome</h1>'],
  'a redirect to a login': [302, '', {Location: '/login'}],
  'JSON of something else': [200, '{"data": {"urls": []}}'],
  'an error of something else': [404, '{"error": "not found"}'],
  'no JSON object': [200, 'null'],
  nothing: [204, ''],
};
for (const [what, [status, body, headers]] of Object.entries(answers)) {
  test(`${what} is an ApiError that says that something else has answered`, async (t) => {
    const {server, origin} = await serve(t);
    const paths: unknown[] = [];
    server.on('request', (request, response) => {
      paths.push(request.url);
      response.writeHead(status, headers).end(body);
    });
    const error = await t.throwsAsync(createClient({url: `${origin}/links/api`}).listUrls(), {instanceOf: ApiError});
    t.like(error, {code: 'unexpected_answer', status});
    t.deepEqual(paths, ['/links/api/list_urls']);
  });
}

test('a site that is not reached, or cuts an answer, is an ApiError with the cause', async (t) => {
  const {server, origin} = await serve(t);
  server.on('request', (_, response) => {
    response.writeHead(200, {'Content-Length': '100'}).write('{"code": 200');
    response.destroy();
  });
  const client = createClient({url: origin, apiKey: 'key'});
  const cut = await t.throwsAsync(client.keys(), {instanceOf: ApiError, code: 'no_answer'});
  t.true(cut.cause instanceof Error);
  server.close();
  await once(server, 'close');
  await t.throwsAsync(client.keys(), {instanceOf: ApiError, code: 'no_answer'});
});

test('a signal ends a call of the client with its own reason', async (t) => {
  const {client} = await start(t);
  const reason = new Error('enough');
  await t.throwsAsync(client.listUrls({}, {signal: AbortSignal.abort(reason)}), {is: reason});
});

test('an unknown option of a call is refused, because it would be ignored, and nothing is created', async (t) => {
  const {site, client} = await start(t);
  for (const options of [{idempotency_key: 'k'}, 'k', {timeout: 5}] as object[]) {
    const call = client.create({url}, options);
    await t.throwsAsync(call, {instanceOf: TypeError, message: /Expected only `idempotencyKey` and `signal`/});
  }
  t.deepEqual(await site.list(), []);
});

test('a missing address or key, or an unknown option, throws at once, without the key', (t) => {
  const wrong: unknown[] = [
    {},
    {url: ''},
    {url: 5},
    {url: 'https://example.com', apiKey: undefined},
    {url: 'https://example.com', apikey: 'x'},
  ];
  for (const options of wrong) {
    t.throws(() => createClient(options as {url: string}), {instanceOf: TypeError, message: /`(url|apiKey)`/});
  }
  for (const secret of ['apikey', 'key']) {
    const error = t.throws(() => createClient({url: '/links/api', [secret]: 'a-secret'}));
    t.true(error.message.includes(`\`${secret}\``) && !error.message.includes('a-secret'), error.message);
  }
});
