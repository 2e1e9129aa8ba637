import '../../support/quick-scrypt.ts';
import {createHash} from 'node:crypto';
import Koa from 'koa';
import Keyv from 'keyv';
import test from 'ava';
import * as surface from '../../../src/index.ts';
import {visitorPages} from '../../support/answers.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import {startSite, type Options} from '../../support/site.ts';
import {warningsOf} from '../../support/warnings.ts';

const {shortUrl} = surface;
const secret = 'a-secret-of-good-length-0123456789';

test('the package exports shortUrl, ShortUrlError and redactUrl, and nothing else', (t) => {
  t.deepEqual(Object.keys(surface).toSorted(), ['ShortUrlError', 'redactUrl', 'shortUrl']);
});

test('a shortener is a middleware of Koa that can be closed twice', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  t.notThrows(() => new Koa().use(shortener));
  await shortener.ready();
  await shortener.close();
  await shortener.close();
  await shortener[Symbol.asyncDispose]();
});

test('a closed shortener rejects every call with store_unavailable', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  await shortener.accounts.create('user-42');
  await shortener.close();
  await t.throwsAsync(shortener.accounts.apiKey('user-42'), {code: 'store_unavailable'});
  await t.throwsAsync(shortener.ready(), {code: 'store_unavailable'});
});

const wrong: Record<string, [name: string, values: unknown[]]> = {
  baseUrl: [
    'baseUrl',
    [
      undefined,
      null,
      42,
      '',
      'example.com',
      'ftp://example.com',
      '/s',
      {},
      'https://example.com/?x=1',
      'https://example.com/#x',
    ],
  ],
  baseDomains: ['baseDomains', ['sho.rt', [42], [''], [null], ['ftp://sho.rt'], ['sho.rt/x'], ['a b'], {}]],
  store: ['store', [42, '', true, 'nonsense', 'nonsense://localhost', {}, []]],
  storeTimeout: ['storeTimeout', [0, 49, 60_001, 500.5, NaN, '500', null]],
  secret: ['secret', ['', 'x'.repeat(31), 42, [], [''], [secret, 'x'.repeat(31)], [42], {}]],
  namespace: ['namespace', ['', 42, 'a b', 'x'.repeat(33), 'ü', {}]],
  reserved: ['reserved', ['about', 42, [42], {}, ['about '], ['two words'], ['blog*'], ['x?y'], ['/'], ['a/b']]],
  slugLength: ['slugLength', [0, -1, 1.5, NaN, Infinity, 65, '7', null]],
  redirectStatus: ['redirectStatus', [200, 303, 300, '302', NaN, null]],
  defer: ['defer', ['false', 0, 1, null]],
  allowUrl: ['allowUrl', [true, 'https://', {}, null]],
  countVisit: ['countVisit', [true, {}, null]],
  attribution: [
    'attribution',
    [
      true,
      null,
      {maxAge: 0},
      {maxAge: 34_560_001},
      {maxAge: '60'},
      {consent: true},
      {parameter: ''},
      {parameter: 'a b'},
      {parameter: 'x'.repeat(33)},
      {cookie: 'via'},
    ],
  ],
  passwordAttempts: ['passwordAttempts', [0, -1, 1.5, 101, NaN, '5', null]],
  keyAttempts: ['keyAttempts', [0, -1, 1.5, NaN, '5', null]],
  createQuota: ['createQuota', [0, -1, 1.5, NaN, '5', null]],
  pages: [
    'pages',
    [
      42,
      'page',
      {gone: 'page'},
      {nonsense: () => ''},
      {siteName: ''},
      {homeUrl: 'javascript:alert(1)'},
      {homeUrl: '//elsewhere.example'},
      {homeUrl: '/\\elsewhere.example'},
      {homeUrl: '/\t/elsewhere.example'},
      {homeUrl: '/a/../b'},
      {homeUrl: 'https:\\elsewhere.example'},
      {accent: 'red'},
      null,
    ],
  ],
  now: ['now', [42, new Date(), null]],
};
for (const [what, [name, values]] of Object.entries(wrong)) {
  test(`a wrong ${what} throws at once, and the message names the expected and the given value`, (t) => {
    // The value of a connection string is left out, because it may hold a password.
    const pattern =
      name === 'store'
        ? /^Expected .*\bstore\b/
        : new RegExp(`^Expected \`${name}(\\.\\w+)?\` to (be|have) .+, got .+`, 's');
    for (const value of values) {
      const options = {baseUrl: 'https://example.com', store: 'memory:', secret, [name]: value} as unknown as Options;
      const error = t.throws(() => shortUrl(options), {instanceOf: TypeError}, String(value));
      t.regex(error.message, pattern);
    }
  });
}

test('an unknown option throws at once and is named', (t) => {
  for (const name of ['baseURL', 'domains', '__Proto__', 'constructor']) {
    const options = {baseUrl: 'https://example.com', store: 'memory:', [name]: 1} as unknown as Options;
    const error = t.throws(() => shortUrl(options), {instanceOf: TypeError});
    t.true(error.message.includes(`\`${name}\``), error.message);
  }
  for (const options of [undefined, null, 'https://example.com', 42]) {
    t.throws(() => shortUrl(options as unknown as Options), {instanceOf: TypeError});
  }
});

test('a mistyped option gets a suggestion', (t) => {
  for (const [name, meant] of [
    ['baseURL', 'baseUrl'],
    ['secrets', 'secret'],
    ['stroe', 'store'],
    ['redirect_status', 'redirectStatus'],
    ['reserve', 'reserved'],
  ] as const) {
    const options = {baseUrl: 'https://example.com', store: 'memory:', [name]: 1} as unknown as Options;
    t.throws(() => shortUrl(options), {message: new RegExp(`got \`${name}\`\\. Did you mean \`${meant}\`\\?$`)});
  }
  const unlike = {baseUrl: 'https://example.com', store: 'memory:', database: 1} as unknown as Options;
  t.throws(() => shortUrl(unlike), {message: /got `database`\.$/});
});

test.serial('in production the store option is required, and memory must be given explicitly', async (t) => {
  const {NODE_ENV} = process.env;
  t.teardown(() => {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = NODE_ENV;
  });
  process.env['NODE_ENV'] = 'production';
  for (const options of [{}, {store: undefined}]) {
    const error = t.throws(() => shortUrl({baseUrl: 'https://example.com', secret, ...options}), {
      instanceOf: TypeError,
    });
    t.regex(error.message, /^Expected `store` to be .+, got undefined.*`memory:`/);
  }
  await shortUrl({baseUrl: 'https://example.com', store: 'memory:'}).close();
});

test('every store but memory requires a secret', (t) => {
  for (const store of ['sqlite:links.db', 'redis://localhost', new Keyv({store: new FailingAdapter()})]) {
    const error = t.throws(() => shortUrl({baseUrl: 'https://example.com', store}), {instanceOf: TypeError});
    t.regex(error.message, /^Expected `secret` to be .+, got undefined/);
  }
});

test('no message about options shows a secret or the password of a connection string', (t) => {
  const wishes: unknown[] = [
    {secret: [secret, 42]},
    {secret: {value: secret}},
    {secret, store: 'nonsense://user:hunter2@localhost'},
    {secret, store: 'hunter2'},
    {secret, store: 'sqlite:', baseDomains: 'https://user:hunter2@sho.rt'},
    {secret, baseUrl: 'https://user:hunter2@example.com'},
    {secret, baseUrl: secret},
    {secret, baseUrl: 'postgres://db/site?user=me&password=hunter2'},
    {secret, baseDomains: ['user:hunter2']},
  ];
  for (const wish of wishes) {
    const error = t.throws(() => shortUrl({baseUrl: 'https://example.com', ...(wish as Partial<Options>)}));
    t.notRegex(`${error.message} ${error.stack}`, /hunter2|a-secret-of/);
  }
});

test('a Keyv instance with a default ttl, which would make links vanish, is refused', (t) => {
  const store = new Keyv({ttl: 60_000});
  t.throws(() => shortUrl({baseUrl: 'https://example.com', secret, store}), {instanceOf: TypeError});
});

test.serial('without a store links are in memory, and a process warning says so', async (t) => {
  const warnings = await warningsOf(async () => {
    const shortener = shortUrl({baseUrl: 'https://example.com'});
    await shortener.accounts.create('user-42');
    await shortener.close();
  });
  t.true(warnings.some(({message}) => message.includes('memory')));
});

test('ready() rejects with the reason, without the password of the connection string', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', secret, store: 'redis://user:hunter2@127.0.0.1:1'});
  const error = await t.throwsAsync(shortener.ready(), {code: 'store_unavailable'});
  t.notRegex(`${error.message} ${error.stack} ${String((error as {cause?: unknown}).cause)}`, /hunter2/);
  await shortener.close();
});

test("the host can replace the shortener's pages", async (t) => {
  const site = await startSite(t, {
    shortUrl: {
      passwordAttempts: 1,
      pages: {
        password: ({shortUrl, wasWrong}) => `password ${shortUrl} ${wasWrong}`,
        gone: ({shortUrl}) => `gone ${shortUrl}`,
        unavailable: ({reason}) => `unavailable ${reason}`,
      },
    },
  });
  const link = await site.create({password: 's3cret', custom_url: 'spring'});
  t.is((await site.visit(link.short_url)).text, `password ${link.short_url} false`);
  t.is((await site.submit(link.short_url, 'wrong')).text, `password ${link.short_url} true`);
  const waiting = await site.submit(link.short_url, 's3cret');
  t.is(waiting.status, 429);
  t.is(waiting.text, 'unavailable too_many_requests');
  await site.api('disable', {short_url: link.short_url});
  t.is((await site.visit(link.short_url)).text, `gone ${link.short_url}`);
});

test('the built-in pages have the name, the home link and the colour of the site', async (t) => {
  const pages = {siteName: 'Salt & <b>Sand</b>', homeUrl: '/?a="b"&c', accent: '#0b5d66'};
  const site = await startSite(t, {shortUrl: {passwordAttempts: 1, pages}});
  const replies = await visitorPages(t, site);
  for (const {text, headers} of replies) {
    t.true(text.includes('<a class="site" href="/?a=&quot;b&quot;&amp;c">Salt &amp; &lt;b&gt;Sand&lt;/b&gt;</a>'));
    t.regex(text, /<title>.* · Salt &amp; &lt;b&gt;Sand&lt;\/b&gt;<\/title>/);
    t.true(text.includes('--accent: #0b5d66'));
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    t.true(headers['content-security-policy']?.includes(`'sha256-${digest}'`));
  }
});
