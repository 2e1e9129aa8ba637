import test from 'ava';
import {dashboard, type DashboardOptions} from '../../../src/dashboard.ts';
import {shortUrl} from '../../../src/index.ts';

const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
const account = (): string => 'ann';

/** Browsers read each of them as an address of another site, or as another path than the one that it shows. */
const elsewhere = [
  '/\\evil.example',
  '/\t/evil.example',
  '/a/../b',
  '/..//evil.example',
  '/%2e%2E/b',
  'https:\\\\evil.example',
  'https://\\evil',
];

const wrong: Record<string, unknown[]> = {
  path: ['links', '/links?x', '/li nks', '//links', '/links/:id', '/a/../b', '/.', '', 42],
  account: [undefined, 'ann', null],
  login: [...elsewhere, 'login', 'javascript:alert(1)', '//elsewhere.example', 'https://[', ''],
  siteName: ['', 42, null],
  homeUrl: [...elsewhere, 'home', 'javascript:alert(1)', '//elsewhere.example', 'data:text/html,x'],
  accent: ['red', '#12', '#12345g', 42],
  admin: [true, 'ann'],
  user: ['ann', {name: 'ann'}],
  api: ['no', 0, null],
  layout: ['<html>', {}],
};
for (const [name, values] of Object.entries(wrong)) {
  test(`a wrong ${name} throws at once, and the message names the expected and the given value`, (t) => {
    for (const value of values) {
      const options = {account, [name]: value} as unknown as DashboardOptions;
      const error = t.throws(() => dashboard(shortener, options), {instanceOf: TypeError}, String(value));
      t.regex(error.message, new RegExp(`^Expected \`${name}\` to be .+, got .+`));
    }
  });
}

test('an unknown option throws at once and is named', (t) => {
  for (const name of ['Path', 'constructor', 'secret']) {
    const options = {account, [name]: 'x'} as unknown as DashboardOptions;
    t.regex(t.throws(() => dashboard(shortener, options), {instanceOf: TypeError}).message, new RegExp(`\`${name}\``));
  }
  const nearly = {account, sitename: 'Low Tide'} as unknown as DashboardOptions;
  t.throws(() => dashboard(shortener, nearly), {instanceOf: TypeError, message: /Did you mean `siteName`\?$/});
});

test('dashboard() throws without a shortener, and without options', (t) => {
  const ofAnotherVersion = Object.assign(() => undefined, {links: {}});
  for (const first of [undefined, {}, () => undefined, ofAnotherVersion]) {
    t.throws(() => dashboard(first as unknown as typeof shortener, {account}), {instanceOf: TypeError});
  }
  for (const second of [undefined, null, 'x']) {
    t.throws(() => dashboard(shortener, second as unknown as DashboardOptions), {instanceOf: TypeError});
  }
});

test('login and homeUrl may be a path with a query or an absolute URL, and only account is required', (t) => {
  t.notThrows(() => dashboard(shortener, {account}));
  for (const address of ['/', '/log.in/?from=../links#a/../b', 'https://login.example', 'http://localhost:1/a?b']) {
    t.notThrows(() => dashboard(shortener, {account, login: address, homeUrl: address}), address);
  }
  for (const path of ['/', '/links/', '/a/b-c_d.e~f']) t.notThrows(() => dashboard(shortener, {account, path}), path);
});
