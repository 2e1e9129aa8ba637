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
  t.deepEqual(Object.keys(surface).toSorted(), ['ShortUrlError', 'defaultVisitDetails', 'redactUrl', 'shortUrl']);
});

test('a shortener is a middleware of Koa that can be closed twice, and rejects every call then', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  t.notThrows(() => new Koa().use(shortener));
  await shortener.ready();
  await shortener.close();
  await shortener.close();
  await shortener[Symbol.asyncDispose]();
  await t.throwsAsync(shortener.accounts.apiKey('user-42'), {code: 'store_unavailable'});
  await t.throwsAsync(shortener.ready(), {code: 'store_unavailable'});
});

const urlsOfElsewhere = ['javascript:alert(1)', '//elsewhere.example', '/\\elsewhere.example', '/\t/elsewhere.example'];
const wrong: Record<string, readonly unknown[]> = {
  baseUrl: [undefined, null, '', 'example.com', 'ftp://example.com', '/s', 'https://x.y/?x=1', 'https://x.y/#x'],
  baseDomains: ['sho.rt', [42], [''], [null], ['ftp://sho.rt'], ['sho.rt/x'], ['a b'], {}],
  store: [42, '', true, 'nonsense', 'nonsense://localhost', {}, []],
  storeTimeout: [0, 49, 60_001, 500.5, NaN, '500', null],
  secret: ['', 'x'.repeat(31), 42, [], [''], [secret, 'x'.repeat(31)], [42], {}],
  namespace: ['', 42, 'a b', 'x'.repeat(33), 'ü', {}],
  reserved: ['about', 42, [42], {}, ['about '], ['two words'], ['blog*'], ['x?y'], ['/'], ['a/b']],
  slugLength: [0, -1, 1.5, NaN, Infinity, 65, '7', null],
  redirectStatus: [200, 303, 300, '302', NaN, null],
  defer: ['false', 0, 1, null],
  allowUrl: [true, 'https://', {}, null],
  countVisit: [true, {}, null],
  attribution: [
    ...[true, null, {consent: true}, {cookie: 'via'}],
    ...[0, 34_560_001, '60'].map((maxAge) => ({maxAge})),
    ...['', 'a b', 'x'.repeat(33)].map((parameter) => ({parameter})),
  ],
  passwordAttempts: [0, -1, 1.5, 101, NaN, '5', null],
  keyAttempts: [0, -1, 1.5, NaN, '5', null],
  createQuota: [0, -1, 1.5, NaN, '5', null],
  pages: [
    ...[
      42,
      'page',
      {gone: 'page'},
      {nonsense: () => ''},
      {siteName: ''},
      {accent: 'red'},
      {reportUrl: '/report'},
      {reportUrl: 'javascript:a'},
      null,
    ],
    ...[...urlsOfElsewhere, '/a/../b', 'https:\\elsewhere.example'].map((homeUrl) => ({homeUrl})),
  ],
  now: [42, new Date(), null],
};
for (const [name, values] of Object.entries(wrong)) {
  test(`a wrong ${name} throws at once, and the message names the expected and the given value`, (t) => {
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
  for (const [name, advice] of [
    ['baseURL', '. Did you mean `baseUrl`?'],
    ['redirect_status', '. Did you mean `redirectStatus`?'],
    ['stroe', '. Did you mean `store`?'],
    ['database', ''],
    ['__Proto__', ''],
    ['constructor', ''],
  ] as const) {
    const options = {baseUrl: 'https://example.com', store: 'memory:', [name]: 1} as unknown as Options;
    const error = t.throws(() => shortUrl(options), {instanceOf: TypeError});
    t.true(error.message.endsWith(`got \`${name}\`${advice}`), error.message);
  }
  for (const options of [undefined, null, 'https://example.com', 42]) {
    t.throws(() => shortUrl(options as unknown as Options), {instanceOf: TypeError});
  }
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
