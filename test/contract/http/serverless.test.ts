import '../../support/quick-scrypt.ts';
import {createServer, IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import test from 'ava';
import Koa from 'koa';
import {dashboard} from '../../../src/dashboard.ts';
import {shortUrl} from '../../../src/index.ts';
import {tokenIn} from '../../support/dashboard.ts';

/** As @codegenie/serverless-express: the body is in `req.body`, and nothing can be read from the stream. */
for (const [what, bodyOf] of Object.entries({bytes: (body: Buffer) => body, text: (body: Buffer) => body.toString()})) {
  test(`where an adapter without a server has put the ${what} of a body into req.body, every POST works`, async (t) => {
    const server = createServer().listen(0);
    t.teardown(() => server.close());
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    const shortener = shortUrl({baseUrl: origin, store: 'memory:'});
    t.teardown(() => shortener.close());
    const app = new Koa().use(shortener).use(dashboard(shortener, {account: () => 'ann'}));
    app.silent = true;
    const listener = app.callback();
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = bodyOf(Buffer.concat((await request.toArray()) as Buffer[]));
      const {method, url, headers, httpVersionMajor, httpVersion, rawHeaders} = request;
      const given = {method, url, headers, httpVersionMajor, httpVersion, rawHeaders, body, complete: true};
      await listener(Object.assign(new IncomingMessage(request.socket), given), response);
    };
    server.on('request', (request, response) => void answer(request, response));
    const {apiKey} = await shortener.accounts.create('ann');
    const post = (
      path: string,
      body: string | FormData | URLSearchParams,
      headers: Record<string, string> = {},
    ): Promise<Response> =>
      fetch(origin + path, {method: 'POST', body, headers, redirect: 'manual', signal: AbortSignal.timeout(20_000)});

    const json = {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'};
    const created = await post(
      '/api/v1/shorturl/create',
      '{"url": "https://example.org/", "password": "s3cret"}',
      json,
    );
    t.is(created.status, 200);
    const {data} = (await created.json()) as {data: {short_url: string}};
    const {pathname} = new URL(data.short_url);
    t.is((await post(pathname, new URLSearchParams({password: 's3cret'}))).status, 303);

    const _token = tokenIn(await (await fetch(`${origin}/links/`)).text());
    const own = {'Sec-Fetch-Site': 'same-origin'};
    t.is((await post('/links/create', new URLSearchParams({_token, url: 'https://example.org/'}), own)).status, 303);
    const form = new FormData();
    form.set('_token', _token);
    form.set('file', new File(['https://example.org/a'], 'links.csv', {type: 'text/csv'}));
    const uploaded = await post('/links/read-many', form, own);
    t.is(uploaded.status, what === 'text' ? 403 : 200, 'a text has no files');
    t.is((await post('/links/api/tags', '{}', {...own, 'Content-Type': 'application/json'})).status, 200);
  });
}
