import fc, {type Arbitrary} from 'fast-check';
import {authorizations, calls, idempotencyKeys, posts} from './calls.ts';
import {type Conversation, type Header, read, type Request, write} from './request.ts';
import {type Keys, password, slugs} from './site.ts';
import {inherited, mostly, mutation, text, weighted} from './texts.ts';

const hosts: Arbitrary<Header[]> = weighted(
  [24, fc.constantFrom('example.com', 'sho.rt', 'go.example.org', 'EXAMPLE.COM:443').map(host)],
  [
    3,
    fc
      .constantFrom(
        ...['', 'foreign.example', 'example.com.', 'example.com:99999', 'example.com:', ':80', '[::1]', '[', 'a b'],
        ...[
          'user@example.com',
          'example.com/x',
          'example.com?x',
          'example.com#x',
          'example.com, sho.rt',
          '日本.example',
        ],
        ...['%65xample.com', 'xn--', 'example.com\t', 'x'.repeat(3000), '*', '..', '\\\\example.com', ...inherited],
      )
      .map(host),
  ],
  [1, fc.constantFrom<Header[]>([], [...host('example.com'), ...host('sho.rt')])],
  [1, headerText().map(host)],
);

function host(value: string): Header[] {
  return [['Host', value]];
}

/** Valid header values, and some invalid ones. */
function headerText(): Arbitrary<string> {
  return text.map(headerSafe);
}

function headerSafe(value: string): string {
  return value.replaceAll(/[\r\n]/g, '');
}

const clients = weighted(
  [9, fc.nat({max: 40}).map((number) => `192.0.2.${number}`)],
  [1, fc.constantFrom('2001:db8::1', '::1%eth0', 'unknown', '', ', ,', '__proto__', '9'.repeat(2000))],
);

const otherHeaders: Arbitrary<Header> = fc.oneof(
  fc.tuple(
    fc.constantFrom('Purpose', 'Sec-Purpose'),
    fc.constantFrom('prefetch', 'prefetch;prerender', 'PREFETCH', ''),
  ),
  fc.tuple(
    fc.constant('Accept'),
    fc.constantFrom('application/json', '*/*', 'text/html;q=x', '', ',;,', 'a/b'.repeat(900)),
  ),
  fc.tuple(
    fc.constant('Accept-Language'),
    fc.constantFrom('zh', 'de', 'fr;q=0.5, es', '*', '__proto__', ',;q=,', 'x'.repeat(3000)),
  ),
  fc.tuple(
    fc.constant('User-Agent'),
    fc.constantFrom('Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)', 'Googlebot', '', 'x'.repeat(3000)),
  ),
  fc.tuple(
    fc.constantFrom('X-Forwarded-Host', 'X-Forwarded-Proto'),
    mostly(fc.constantFrom('sho.rt', 'https'), headerText()),
  ),
  fc.tuple(
    fc.constantFrom('Cookie', 'Range', 'If-None-Match', 'Referer', 'Upgrade', '__proto__', 'constructor'),
    headerText(),
  ),
);

const paths = (keys: Keys): Arbitrary<string> =>
  weighted(
    [12, calls(keys)],
    [4, fc.constantFrom(...slugs, 'none', ...inherited).map((slug) => `/${slug}`)],
    [1, fc.constantFrom('/x/live', '/live/', '//live', '/live?x=1', '/x/live?__proto__=1', '/%6cive')],
    [
      1,
      fc
        .constantFrom('?x=2', '?y=a b', '?y=%zz&x', '?a=1&a=2&__proto__=3', '?é=日', '??')
        .map((query) => `/ruled${query}`),
    ],
    [1, fc.constantFrom('/', '/about', '/api/v1/users', '/api', '*', '', '?', '#', '/./', '/..%2f')],
    [1, fc.tuple(fc.constantFrom(...slugs), mutation).map(([slug, mutate]) => mutate(`/${slug}`))],
  );

/** Targets in origin form, and in the absolute form of proxies. */
const targets = (keys: Keys): Arbitrary<string> =>
  fc
    .tuple(
      mostly(
        fc.constant(''),
        fc.constantFrom('http://example.com', 'https://sho.rt:444', 'http://', 'http:/', 'x://[', 'HTTP://EXAMPLE.com'),
        24,
      ),
      paths(keys),
    )
    .map(([origin, path]) => origin + path);

const versions = mostly(fc.constant<'1.0' | '1.1'>('1.1'), fc.constant<'1.0' | '1.1'>('1.0'), 24);

const ask = (keys: Keys): Arbitrary<Request> =>
  fc
    .record({
      method: mostly(
        fc.constant('GET'),
        fc.constantFrom('HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'QUERY', 'get', 'X'),
        16,
      ),
      target: targets(keys),
      version: versions,
      host: hosts,
      client: clients,
      authorization: fc.option(authorizations(keys).map(headerSafe), {freq: 4, nil: undefined}),
      idempotency: idempotencyKeys,
      headers: fc.array(otherHeaders, {maxLength: 3, size: '-1'}),
    })
    .map(({method, target, version, host, client, authorization, idempotency, headers}) => {
      const own: Header[] =
        authorization === undefined ? idempotency : [['Authorization', authorization], ...idempotency];
      return {method, target, version, headers: [...host, ['X-Forwarded-For', client], ...own, ...headers]};
    });

const post = (keys: Keys): Arbitrary<Request> =>
  fc
    .record({post: posts(keys), version: versions, host: hosts, client: clients, isChunked: fc.boolean()})
    .map(({post: {path, headers, body}, version, host, client, isChunked}) => ({
      method: 'POST',
      target: path,
      version,
      headers: [
        ...host,
        ['X-Forwarded-For', client],
        ...headers.map(([name, value]): Header => [name, headerSafe(value)]),
      ],
      body: {text: body, isChunked: isChunked && version === '1.1'},
    }));

/** Forms for a link with a password. Few have a password, because it is hashed. */
const forms: Arbitrary<string> = weighted(
  [2, fc.constant(new URLSearchParams({password}).toString())],
  [8, fc.constant('password=wrong')],
  [40, fc.constantFrom('', 'password', 'password=', 'Password=x', `password=${'x'.repeat(200)}`, '&&==&;', '%', '{}')],
  [20, fc.constantFrom(...inherited).map((name) => `${name}[password]=x&${name}=y`)],
  [5, fc.constantFrom('a=1&'.repeat(2000), 'x'.repeat(5000), 'password=%00%ff&password=')],
  [5, text.map((value) => value.repeat(2))],
);

const form: Arbitrary<Request> = fc
  .record({
    slug: mostly(fc.constant('locked'), fc.constantFrom(...slugs, 'none')),
    version: versions,
    host: mostly(fc.constant(host('example.com')), hosts),
    // Few clients, so that some exceed the limit.
    client: mostly(
      fc.nat({max: 2}).map((number) => `198.51.100.${number}`),
      clients,
    ),
    type: mostly(
      fc.constant('application/x-www-form-urlencoded'),
      fc.constantFrom(
        '',
        'application/json',
        'multipart/form-data; boundary=x',
        'application/x-www-form-urlencoded; charset=x',
      ),
    ),
    accept: fc.constantFrom('text/html', 'application/json', '*/*'),
    encoding: mostly(fc.constant<Header[]>([]), fc.constant<Header[]>([['Content-Encoding', 'gzip']]), 16),
    text: forms,
    isChunked: fc.boolean(),
  })
  .map(({slug, version, host, client, type, accept, encoding, text, isChunked}) => ({
    method: 'POST',
    target: `/${slug}`,
    version,
    headers: [...host, ['X-Forwarded-For', client], ['Content-Type', type], ['Accept', accept], ...encoding],
    // HTTP/1.0 has no chunks.
    body: {text, isChunked: isChunked && version === '1.1'},
  }));

/** Malformed bytes: half requests, two lengths, bare line feeds, smuggled headers and noise. */
const garbage = (keys: Keys): Arbitrary<string> =>
  weighted(
    [2, fc.tuple(fc.oneof(ask(keys), post(keys), form), mutation).map(([request, mutate]) => mutate(write(request)))],
    [1, fc.string({unit: 'binary', maxLength: 200})],
    [
      1,
      fc.constantFrom(
        'GET /live\r\n\r\n',
        'GET /live HTTP/1.1\nHost: example.com\n\n',
        'POST /locked HTTP/1.1\r\nHost: example.com\r\nContent-Length: 100\r\n\r\npassword=',
        'POST /locked HTTP/1.1\r\nHost: example.com\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        'POST /locked HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
        'POST /locked HTTP/1.1\r\nHost: example.com\r\nContent-Length: -1\r\n\r\n',
        'GET /live HTTP/1.1\r\nHost: example.com\r\n folded: x\r\n\r\n',
        'GET /live HTTP/1.1\r\nHost : example.com\r\nX: \0\r\n\r\n',
        'GET /live HTTP/9.9\r\nHost: example.com\r\n\r\n',
        `GET /live HTTP/1.1\r\nHost: example.com\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
        `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: example.com\r\n\r\n`,
        'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      ),
    ],
  );

/** Node.js closes the connection at once if anything follows a request of HTTP/1.0. */
function endedByOld(requests: readonly Request[]): readonly Request[] {
  const old = requests.findIndex(({version}) => version === '1.0');
  return old === -1 ? requests : requests.slice(0, old + 1);
}

/** Several requests in a row on one connection. */
export function conversations(keys: Keys): Arbitrary<Conversation> {
  const request = weighted([12, ask(keys)], [12, post(keys)], [1, form]);
  // A client repeats a call whose answer it has lost.
  const repeatable = fc
    .tuple(request, fc.boolean())
    .map(([one, isTwice]) => (isTwice && read(one).repeated !== undefined ? [one, one] : [one]));
  return fc.record({
    requests: fc.array(repeatable, {minLength: 1, maxLength: 6, size: 'max'}).map((each) => endedByOld(each.flat())),
    // A client expects no HEAD here, so an answer without its body would look truncated.
    garbage: mostly(
      fc.constant(undefined),
      garbage(keys).map((text) => text.replaceAll('HEAD', 'HEED')),
      16,
    ),
  });
}
