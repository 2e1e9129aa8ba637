import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import test, {type ExecutionContext} from 'ava';
import {RemoteRefusal, RemoteSite} from '../../../../../src/tools/import/formats/remote-site.ts';

const key = 'a_secret_key_that_nobody_may_see';

interface Asked {
  readonly remote: RemoteSite;
  readonly paths: string[];
  readonly pauses: number[];
}

/** A site on a port, with the given answers. */
async function site(
  t: ExecutionContext,
  answer: (response: ServerResponse, request: IncomingMessage, count: number) => void,
  {xml = false, timeout = 20_000}: {xml?: boolean; timeout?: number} = {},
): Promise<Asked> {
  const paths: string[] = [];
  const pauses: number[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    answer(response, request, paths.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const {port} = server.address() as AddressInfo;
  const pause = (milliseconds: number): Promise<void> => {
    pauses.push(milliseconds);
    return Promise.resolve();
  };
  return {remote: new RemoteSite({site: `http://127.0.0.1:${port}/sub/`, key, xml, timeout, pause}), paths, pauses};
}

const ok = JSON.stringify({code: 200, data: {urls: []}});

/** Expects a failure without the key in it. */
async function fails(t: ExecutionContext, asked: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await t.throwsAsync(asked);
  t.regex(String(error), message);
  t.false(`${error.stack} ${String(error.cause)} ${JSON.stringify(error)}`.includes(key));
}

test('an answer gives its data, and the request has the key and the operation', async (t) => {
  const {remote, paths} = await site(t, (response) => response.end(ok));
  t.deepEqual(await remote.ask('list_active_urls'), {urls: []});
  t.deepEqual(paths, [`/sub/api/v1/${key}/shorturl/list_active_urls.json`]);
});

test('XML gives the same data, with entities and lists', async (t) => {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<response>
  <code>200</code>
  <data>
    <urls>
      <url><short_url>https://a.example/1</short_url><title>a &lt;b&gt; &amp;amp; &#228;</title><tags><tag>007</tag></tags></url>
    </urls>
    <next_cursor></next_cursor>
  </data>
</response>
`;
  const {remote, paths} = await site(t, (response) => response.end(xml), {xml: true});
  const {urls} = await remote.ask('list_urls');
  const [url] = (urls as {url: Array<Record<string, unknown>>}).url;
  t.like(url, {short_url: 'https://a.example/1', title: 'a <b> &amp; ä'});
  t.deepEqual((url?.['tags'] as {tag: unknown} | undefined)?.tag, ['007']);
  t.regex(paths[0] ?? '', /\.xml$/);
});

test('a failing site gets retries, with growing pauses or the Retry-After that it sends', async (t) => {
  const {remote, pauses} = await site(t, (response, _request, count) => {
    if (count === 1) response.destroy();
    else if (count === 2) response.writeHead(503).end();
    else if (count === 3) response.writeHead(429, {'Retry-After': '7'}).end();
    else if (count === 4) response.writeHead(200).end('<html>maintenance</html>');
    else response.end(ok);
  });
  t.deepEqual(await remote.ask('list_active_urls'), {urls: []});
  t.deepEqual(pauses, [500, 1000, 7000, 4000]);
});

test('retries end after a while, and the message says why and what to do', async (t) => {
  const down = await site(t, (response) => response.writeHead(502).end(key));
  await fails(t, down.remote.ask('list_active_urls'), /5 times: it answered 502.*Run the import again/);
  t.is(down.paths.length, 5);
  const broken = await site(t, (response) => response.destroy());
  await fails(t, broken.remote.ask('list_active_urls'), /no connection/);
  const cut = await site(t, (response) => {
    response.writeHead(200, {'Content-Length': '1000'});
    response.write(ok);
    setImmediate(() => response.destroy());
  });
  await fails(t, cut.remote.ask('list_active_urls'), /no connection/);
  const shorter = await site(t, (response) => response.end('<response><code>200</code><data><urls>'), {xml: true});
  await fails(t, shorter.remote.ask('list_active_urls'), /not XML/);
  const bomb = '<!DOCTYPE r [<!ENTITY a "b">]><response><code>200</code><data>&a;</data></response>';
  const entities = await site(t, (response) => response.end(bomb), {xml: true});
  await fails(t, entities.remote.ask('list_active_urls'), /not XML/);
});

test('a refusal is not retried, and a redirect not followed, because the address holds the key', async (t) => {
  const body = JSON.stringify({code: 401, data: {error: 'invalid_api_key', message: key}});
  const refused = await site(t, (response) => response.writeHead(401).end(body));
  await fails(t, refused.remote.ask('list_active_urls'), /401 invalid_api_key/);
  t.is(refused.paths.length, 1);
  const inside = await site(t, (response) => response.end(JSON.stringify({code: 404, data: {error: key}})));
  const error = await t.throwsAsync(inside.remote.ask('info'), {instanceOf: RemoteRefusal});
  t.is(String(error), 'Error: The other site refused: 404');
  const moved = await site(t, (response) => response.writeHead(301, {Location: '/elsewhere'}).end());
  await fails(t, moved.remote.ask('list_active_urls'), /redirects/);
  t.is(moved.paths.length, 1);
});
