import test from 'ava';
import {Bases} from '../../../src/link/bases.ts';

const make = (): Bases =>
  new Bases('https://example.com/s', ['sho.rt', 'https://go.example.org/x', 'http://127.0.1.2:3000']);

test('a base URL and a base domain have only a domain and a path, and a wrong one is not repeated', (t) => {
  const refused = (make: () => Bases, message: RegExp): void => {
    t.notRegex(t.throws(make, {instanceOf: TypeError, message}).message, /s3cret/);
  };
  for (const text of [
    'postgres://db/site?user=me&password=s3cret',
    'HTTPS://example.com:port',
    'https://%2A.example.com',
    'https://user@example.com',
    'https://:s3cret@example.com',
  ]) {
    refused(() => new Bases(text, []), /^Expected `baseUrl` to be an absolute http or https URL .*, got /);
  }
  for (const text of ['user:s3cret', 'https://sho.rt?x=1', 'https://sho.rt#x', 'user@sho.rt', 'https://*.sho.rt']) {
    refused(() => new Bases('https://example.com', [text]), /^Expected `baseDomains` to be bare domains .*, got /);
  }
});

test('a base URL without a scheme is refused with a hint at the scheme', (t) => {
  for (const text of ['example.com', 'www.example.com/s', 'localhost:3000']) {
    t.throws(() => new Bases(text, []), {
      instanceOf: TypeError,
      message: /begin with https:\/\/ or http:\/\/, got a string/,
    });
  }
});

test('a host is found in any case, with any port, and as an IPv6-mapped address', (t) => {
  const bases = make();
  for (const host of [
    'example.com',
    'EXAMPLE.com',
    'example.com:80',
    'example.com:443',
    'example.com:1',
    'example.com.',
  ])
    t.is(bases.find(host), bases.main, host);
  for (const host of ['127.0.1.2', '127.0.1.2:3000', '[::ffff:127.0.1.2]', '[::FFFF:7f00:102]:80'])
    t.is(bases.find(host)?.root, 'http://127.0.1.2:3000', host);
});

test('a short URL on a domain that is no longer configured keeps its domain', (t) => {
  const bases = make();
  t.is(bases.shortUrl({domain: 'sho.rt', slug: 'a'}), 'https://sho.rt/s/a');
  t.is(bases.shortUrl({domain: 'go.example.org', slug: 'a'}), 'https://go.example.org/x/a');
  t.is(bases.shortUrl({domain: 'old.example', slug: 'a'}), 'https://old.example/s/a');
  t.is(new Bases('http://example.com', []).shortUrl({domain: 'old.example', slug: 'a'}), 'http://old.example/a');
});

test('only a URL of one path segment below a base URL of the site is a short URL', (t) => {
  const bases = make();
  t.deepEqual(bases.parseShortUrl('http://Example.com:8080/s/a?b#c'), {domain: 'example.com', slug: 'a'});
  t.deepEqual(bases.parseShortUrl('https://go.example.org/%78//a'), {domain: 'go.example.org', slug: 'a'});
  for (const text of [
    'no URL',
    'ftp://example.com/s/a',
    'https://other.example/s/a',
    'https://example.com/a',
    'https://example.com/s',
    'https://example.com/s/',
    'https://example.com/sa',
    'https://example.com/s/a/b',
    'https://go.example.org/s/a',
  ]) {
    t.is(bases.parseShortUrl(text), undefined, text);
  }
});

test('a URL that no host name and no link can have is refused before it is parsed', (t) => {
  const bases = new Bases('https://example.com', []);
  const hosts = ['ä'.repeat(60_000), 'ä'.repeat(8000), '%C3%A4'.repeat(1000), `user@${'ä'.repeat(8000)}`];
  const doors = hosts.flatMap((host) => [
    () => bases.find(host),
    ...['https://', 'https:', 'ht\ttps:/\t/', 'https:\\\\'].flatMap((scheme) => [
      () => bases.parseShortUrl(`${scheme}${host}/spring`),
      () => bases.parseOwnUrl(`${scheme}${host}/spring`),
      () => bases.isApiUrl(`${scheme}${host}/api/v1/`),
    ]),
  ]);
  const start = process.cpuUsage();
  for (const door of doors) t.falsy(door());
  t.true(process.cpuUsage(start).user < 200_000);
  t.is(bases.parseOwnUrl(`https://example.com/${'/'.repeat(8200)}spring`), undefined);
  t.deepEqual(bases.parseOwnUrl('https://user:pass@example.com/spring'), {
    domain: 'example.com',
    slug: 'spring',
  });
});
