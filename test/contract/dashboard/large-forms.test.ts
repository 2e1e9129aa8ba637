import '../../support/quick-scrypt.ts';
import {createRequire} from 'node:module';
import test, {type ExecutionContext} from 'ava';
import type {Middleware} from 'koa';
import {fieldsIn, open, type Stage} from '../../support/dashboard.ts';

// Its types contradict those of @koa/bodyparser.
const {koaBody} = createRequire(import.meta.url)('koa-body') as {koaBody: (options?: object) => Middleware};

/** A form of about 1.15 MB with more files than anybody can choose. */
function manyFiles(token = ''): string {
  const part = '--b\r\nContent-Disposition: form-data; name="f"; filename=""\r\n\r\n\r\n';
  const field = `--b\r\nContent-Disposition: form-data; name="_token"\r\n\r\n${token}\r\n`;
  return `${field}${part.repeat(17_692)}--b--\r\n`;
}

async function send(
  stage: Stage,
  {
    account,
    path = 'read-many',
    body,
    type = 'multipart/form-data; boundary=b',
  }: {account?: string; path?: string; body: string | FormData; type?: string},
) {
  const headers = {
    'Sec-Fetch-Site': 'same-origin',
    ...(typeof body === 'string' && {'Content-Type': type}),
    ...(account !== undefined && {'X-User': account}),
  };
  return fetch(stage.home + path, {method: 'POST', body, headers, redirect: 'manual'});
}

/** How many multipart forms are parsed. */
function watchParsing(t: ExecutionContext): () => number {
  const {prototype} = Response;
  // oxlint-disable-next-line typescript/no-deprecated -- the program uses it
  const parse = prototype.formData;
  let count = 0;
  const counting = function (this: Response): ReturnType<typeof parse> {
    count += 1;
    return parse.call(this);
  };
  Object.defineProperty(prototype, 'formData', {value: counting, configurable: true, writable: true});
  t.teardown(() => {
    Object.defineProperty(prototype, 'formData', {value: parse, configurable: true, writable: true});
  });
  return () => count;
}

test.serial('strangers cannot make the dashboard parse a form with files', async (t) => {
  const stage = await open(t);
  const parsed = watchParsing(t);
  for (const path of ['read-many', 'create', 'block']) {
    t.is((await send(stage, {path, body: manyFiles()})).status, 303);
  }
  t.is(parsed(), 0);
});

test.serial(
  'a form with more parts than the page has is refused unparsed, and a file only read where one is expected',
  async (t) => {
    const stage = await open(t);
    const token = await stage.visitor('ann').token();
    const parsed = watchParsing(t);
    t.is((await send(stage, {account: 'ann', body: manyFiles(token)})).status, 413);
    t.is((await send(stage, {account: 'ann', path: 'create', body: manyFiles(token)})).status, 403);
    t.is(parsed(), 0);
  },
);

test('a form of half a million fields is refused, from strangers without reading it', async (t) => {
  const stage = await open(t);
  const body = 'a&'.repeat(500_000);
  const type = 'application/x-www-form-urlencoded';
  for (const path of ['create', 'read-many', 'qr.zip']) {
    t.is((await send(stage, {path, body, type})).status, 303);
    t.is((await send(stage, {account: 'ann', path, body, type})).status, 413);
  }
});

test('what a visitor entered while the session ended is kept over the login', async (t) => {
  const stage = await open(t);
  const {status, location} = await stage.visitor().send('create', {
    method: 'POST',
    body: new URLSearchParams({url: 'https://example.org/kept', title: 'Kept'}),
    headers: {'Sec-Fetch-Site': 'same-origin'},
  });
  t.is(status, 303);
  t.regex(decodeURIComponent(location), /next=\/links\/\?url=https.*kept&title=Kept/);
});

test("a file in a field whose name is one of a parser's own is no fault", async (t) => {
  const stage = await open(t, {
    assemble(app, {shortener, pages}) {
      app
        .use(shortener)
        .use(koaBody({multipart: true}))
        .use(pages);
    },
  });
  const {_token = ''} = fieldsIn((await stage.visitor('ann').get('many')).text, './read-many');
  for (const name of ['filepath', 'path', 'buffer', 'file']) {
    const body = new FormData();
    for (const [field, value] of Object.entries({_token, lines: ''})) body.set(field, value);
    body.set(name, new File(['https://example.org/a'], 'links.csv', {type: 'text/csv'}));
    const answer = await send(stage, {account: 'ann', body});
    t.is(answer.status, 200, name);
    t.true((await answer.text()).includes('https://example.org/a'));
  }
});
