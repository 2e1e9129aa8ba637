import {once} from 'node:events';
import {connect as connectHttp2, createServer} from 'node:http2';
import {type AddressInfo, connect} from 'node:net';
import {text} from 'node:stream/consumers';
import {bodyParser} from '@koa/bodyparser';
import test, {type ExecutionContext} from 'ava';
import Koa, {type Context} from 'koa';
import getRawBody from 'raw-body';
import {ShortUrlError} from '../../../../src/host/errors.ts';
import {readPassword} from '../../../../src/http/visit/form.ts';
import {listen} from '../../../support/listen.ts';
import {exchange, type Reply} from '../../../support/request.ts';

const type = 'application/x-www-form-urlencoded';

/** A server that answers with the password in the form. `prepare` runs before it, like a middleware of the host. */
async function startReader(t: ExecutionContext, prepare: (ctx: Context) => unknown = () => undefined) {
  const read: Array<string | undefined> = [];
  const app = new Koa();
  // One test cuts the connection, and Koa would print that.
  app.silent = true;
  app.use(async (ctx) => {
    await prepare(ctx);
    try {
      const password = await readPassword(ctx);
      read.push(password);
      ctx.body = password ?? 'none';
    } catch (error) {
      if (!(error instanceof ShortUrlError)) throw error;
      ctx.status = error.status;
      ctx.body = `${error.code}: ${error.message}`;
    }
  });
  const {port, agent} = await listen(t, app);
  const post = async (body: string, headers: Readonly<Record<string, string>> = {'Content-Type': type}) =>
    exchange(port, agent, {method: 'POST', path: '/', headers, body});
  return {port, post, read};
}

function isKept(t: ExecutionContext, {headers}: Reply, expected = true): void {
  t.is(headers.connection, expected ? 'keep-alive' : 'close');
}

test('the password is the percent-decoded field of that name, anywhere in the form', async (t) => {
  const {post} = await startReader(t);
  for (const [body, password] of [
    ['password=s3cret', 's3cret'],
    ['a=1&password=s3cret&b=2', 's3cret'],
    ['password=%C3%A9+%26%2B', 'é &+'],
    ['password=first&password=second', 'first'],
    ['password=', ''],
    ['Password=s3cret', 'none'],
    ['', 'none'],
  ] as const) {
    const reply = await post(body);
    t.is(reply.text, password, body);
    isKept(t, reply);
  }
});

test('a body of another type is not read', async (t) => {
  const {post} = await startReader(t);
  for (const other of ['application/json', 'text/plain', undefined]) {
    const reply = await post('password=s3cret', other === undefined ? {} : {'Content-Type': other});
    t.is(reply.text, 'none');
    isKept(t, reply);
  }
});

test('over HTTP/2 a form needs no Content-Length', async (t) => {
  const app = new Koa();
  app.use(async (ctx) => {
    ctx.body = (await readPassword(ctx)) ?? 'none';
  });
  const handle = app.callback();
  const server = createServer((request, response) => void handle(request as never, response as never));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.teardown(() => {
    client.destroy();
    server.close();
  });
  const post = async (body: string, contentType = type): Promise<string> => {
    const stream = client.request({':method': 'POST', ':path': '/', 'content-type': contentType});
    stream.end(body);
    return text(stream);
  };
  t.is(await post('password=s3cret'), 's3cret');
  t.is(await post('password=s3cret', 'Application/X-WWW-Form-Urlencoded ; charset=utf-8'), 's3cret');
  t.is(await post(''), 'none');
  t.is(await post(`password=${'x'.repeat(5000)}`), 'none');
  t.is(await post('password=s3cret', 'text/plain'), 'none');
});

test("the password is taken from a body that the host has parsed, if it is a string and the body's own property", async (t) => {
  const bodies: Array<[body: unknown, password: string]> = [
    [{password: 's3cret'}, 's3cret'],
    [{password: ['s3cret']}, 'none'],
    [{password: {toString: () => 's3cret'}}, 'none'],
    [{password: undefined}, 'none'],
    [{}, 'none'],
    [Object.create({password: 's3cret'}), 'none'],
    [Object.assign(Object.create(null) as object, {password: 's3cret'}), 's3cret'],
  ];
  for (const [body, password] of bodies) {
    const {post} = await startReader(t, async (ctx) => {
      await getRawBody(ctx.req);
      Object.assign(ctx.request, {body});
    });
    t.is((await post('password=of the stream')).text, password);
  }
});

test("the form is read whether the host's body parser reads forms or not", async (t) => {
  for (const enableTypes of [['json', 'form'], ['json'], ['json', 'text']] as const) {
    const parse = bodyParser({enableTypes: [...enableTypes]});
    const {post} = await startReader(t, async (ctx) => parse(ctx, async () => undefined));
    const reply = await post('password=s3cret');
    t.is(reply.text, 's3cret', String(enableTypes));
    isKept(t, reply);
    const empty = await post('');
    t.is(empty.text, 'none');
    isKept(t, empty);
  }
});

test('the form is found as text in ctx.request.body, and as an object in ctx.req.body', async (t) => {
  const asText = await startReader(t, async (ctx) => {
    Object.assign(ctx.request, {body: await getRawBody(ctx.req, {encoding: 'utf8'})});
  });
  t.is((await asText.post('a=1&password=s3cret')).text, 's3cret');
  t.is((await asText.post('password=s3cret', {'Content-Type': 'text/plain'})).text, 'none');
  const atNode = await startReader(t, async (ctx) => {
    await getRawBody(ctx.req);
    Object.assign(ctx.req, {body: {password: 's3cret'}});
  });
  t.is((await atNode.post('password=of the stream')).text, 's3cret');
});

test('ctx.request.body is ignored if the stream has not been read', async (t) => {
  for (const body of [undefined, null, '', 'password=of the parser', {}, {password: 'of the parser'}]) {
    const {post} = await startReader(t, (ctx) => Object.assign(ctx.request, {body}));
    t.is((await post('password=s3cret')).text, 's3cret');
  }
});

test('a form that the host has read and not kept is an internal_error that says so', async (t) => {
  const {post} = await startReader(t, (ctx) => getRawBody(ctx.req));
  const reply = await post('password=s3cret');
  t.is(reply.status, 500);
  t.regex(reply.text, /^internal_error: .*consumed the form without setting `ctx\.request\.body`/);
});

test('a form may have 4096 bytes, with Content-Length or chunked', async (t) => {
  const {post} = await startReader(t);
  const name = 'password=';
  for (const headers of [{'Content-Type': type}, {'Content-Type': type, 'Transfer-Encoding': 'chunked'}] as Array<
    Record<string, string>
  >) {
    const maxPassword = 'x'.repeat(4096 - name.length);
    const reply = await post(name + maxPassword, headers);
    t.is(reply.text, maxPassword);
    isKept(t, reply);
    const tooLong = await post(`${name}${maxPassword}x`, headers);
    t.is(tooLong.text, 'none');
    isKept(t, tooLong, false);
  }
});

test('a form that ends before its Content-Length has no password', async (t) => {
  const {port, read} = await startReader(t);
  const socket = connect({host: '127.0.0.1', port, allowHalfOpen: true});
  socket.on('error', () => undefined).resume();
  socket.end(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: 100\r\n\r\npassword=s3cret`);
  await once(socket, 'close');
  t.deepEqual(read, [undefined]);
});
