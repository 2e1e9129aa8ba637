import test, {type ExecutionContext} from 'ava';
import Koa, {type Context} from 'koa';
import getRawBody from 'raw-body';
import {readPassword} from '../../../../src/http/visit/visitor-form.ts';
import {listen} from '../../../support/listen.ts';
import {exchange, type Reply} from '../../../support/request.ts';

const type = 'application/x-www-form-urlencoded';

/** A server that answers with the password in the form. `prepare` runs before it, like a middleware of the host. */
async function startReader(t: ExecutionContext, prepare: (ctx: Context) => unknown = () => undefined) {
  const app = new Koa();
  app.use(async (ctx) => {
    await prepare(ctx);
    let lost = '';
    const password = await readPassword(ctx, ({code, message}) => {
      lost = ` ${code}: ${message}`;
    });
    ctx.body = (password ?? 'none') + lost;
  });
  const {port, agent} = await listen(t, app);
  return async (body: string, headers: Readonly<Record<string, string>> = {'Content-Type': type}) =>
    exchange(port, agent, {method: 'POST', path: '/', headers, body});
}

function isKept(t: ExecutionContext, {headers}: Reply, expected = true): void {
  t.is(headers.connection, expected ? 'keep-alive' : 'close');
}

test('the password is the percent-decoded field of that name, anywhere in the form', async (t) => {
  const post = await startReader(t);
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

test("the password is taken from a body that the host has parsed, if it is a string and the body's own property", async (t) => {
  const bodies: Array<[body: unknown, password: string]> = [
    [{password: 's3cret'}, 's3cret'],
    [{password: ['s3cret', 'other']}, 's3cret'],
    [{post: {password: 's3cret'}, file: {}}, 's3cret'],
    [{fields: {password: 's3cret'}, files: {}}, 's3cret'],
    [{fields: {password: ['s3cret']}}, 's3cret'],
    [{password: 'own', post: {password: 'other'}}, 'own'],
    [{post: 's3cret', password: 'own'}, 'own'],
    [{other: 's3cret'}, 'none'],
    [{password: {toString: () => 's3cret'}, other: 'x'}, 'none'],
    [Object.assign(Object.create(null) as object, {password: 's3cret'}), 's3cret'],
  ];
  for (const [body, password] of bodies) {
    const post = await startReader(t, async (ctx) => {
      await getRawBody(ctx.req);
      Object.assign(ctx.request, {body});
    });
    t.is((await post('password=of the stream')).text, password);
  }
  const post = await startReader(t, async (ctx) => {
    await getRawBody(ctx.req);
    Object.assign(ctx.request, {fields: {password: 's3cret'}});
  });
  t.is((await post('password=of the stream')).text, 's3cret');
});

test('a form that the host has read and not kept has no password, and is an internal_error that names the parser', async (t) => {
  const consumed = await startReader(t, (ctx) => getRawBody(ctx.req));
  t.regex(
    (await consumed('password=s3cret')).text,
    /^none internal_error: .*consumed the form without setting `ctx\.request\.body`/,
  );
  for (const body of [
    {},
    {post: {}, file: {}},
    {data: {password: 's3cret'}},
    {password: undefined},
    Object.create({password: 'x'}) as object,
  ]) {
    const post = await startReader(t, async (ctx) => {
      await getRawBody(ctx.req);
      Object.assign(ctx.request, {body});
    });
    t.regex((await post('password=s3cret')).text, /^none internal_error: The body parser of the site/);
  }
});

test('a form may have 4096 bytes, with Content-Length or chunked', async (t) => {
  const post = await startReader(t);
  const name = 'password=';
  for (const more of [{}, {'Transfer-Encoding': 'chunked'}] as Array<Record<string, string>>) {
    const headers = {'Content-Type': type, ...more};
    const maxPassword = 'x'.repeat(4096 - name.length);
    const reply = await post(name + maxPassword, headers);
    t.is(reply.text, maxPassword);
    isKept(t, reply);
    const tooLong = await post(`${name}${maxPassword}x`, headers);
    t.is(tooLong.text, '');
    isKept(t, tooLong, false);
  }
});
