import {once} from 'node:events';
import {connect, createServer} from 'node:http2';
import type {AddressInfo} from 'node:net';
import test from 'ava';
import Koa from 'koa';
import {shortUrl} from '../../../src/index.ts';

test('a POST over HTTP/2 needs no length, and one that is too long or no JSON creates nothing', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  const {apiKey} = await shortener.accounts.create('user-42');
  const app = new Koa().use(shortener);
  const callback = app.callback();
  const server = createServer((request, response) => void callback(request as never, response as never)).listen(0);
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.teardown(async () => {
    session.destroy();
    server.close();
    await shortener.close();
  });

  const post = async (body: string): Promise<{status: number; text: string}> => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/api/v1/shorturl/create',
      ':authority': 'example.com',
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
    });
    // The rest of a body that is too long is refused.
    stream.on('error', () => undefined);
    stream.end(body);
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    if (!stream.closed) await once(stream, 'close');
    return {status: Number(headers[':status']), text};
  };

  t.is((await post('{"url":"https://destination.example/"}')).status, 200);
  const tooLong = await post(`{"url":"${'x'.repeat(300_000)}"}`);
  t.is(tooLong.status, 413);
  t.is((await post('{"url":')).status, 400);
  t.is((await post('{"url":"https://destination.example/"}')).status, 200);
  t.is((await shortener.accounts.stats('user-42')).links, 2);
});
