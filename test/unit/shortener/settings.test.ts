import test from 'ava';
import Koa from 'koa';
import type {ShortUrlOptions} from '../../../src/index.ts';
import {readOptions} from '../../../src/shortener/settings.ts';

const base = {baseUrl: 'https://example.com', store: 'memory:'};

test('a factory that is passed as a middleware says what to pass', (t) => {
  const context = new Koa().createContext({} as never, {} as never);
  t.throws(() => readOptions(context as never), {instanceOf: TypeError, message: /pass `shortUrl\(\{…\}\)`/});
});

test('a secret or a store that is a number is not repeated', (t) => {
  for (const options of [{secret: 123456789}, {secret: [123456789]}, {store: 123456789}]) {
    const error = t.throws(() => readOptions({...base, ...options} as unknown as ShortUrlOptions), {
      instanceOf: TypeError,
    });
    t.regex(error.message, /got (an array of )?a number$/);
  }
});

test('reserved names may be any that a page of the site can have', (t) => {
  const {reserved} = readOptions({...base, reserved: ['/About', 'robots.txt', 'größe', 'a+b']});
  for (const name of ['about', 'ABOUT', 'robots.txt', 'größe', 'a+b', 'api']) t.true(reserved.has(name), name);
});

test('a router is asked again: routes and a prefix that are added later are reserved too', (t) => {
  const router = {stack: [{path: '/about'}]};
  const {reserved} = readOptions({...base, reserved: router});
  t.true(reserved.has('about'));
  router.stack = [{path: '/pages/about'}];
  t.true(reserved.has('pages'));
  t.false(reserved.has('about'));
  router.stack.push({path: '/login'});
  t.true(reserved.has('login'));
});

test("the first segments of a router's paths are reserved, also optional ones", (t) => {
  const paths = [
    '/about',
    '/blog/:post',
    '{/shop}',
    '{/lang/:code}/x',
    '/files{.:format}',
    '/:page',
    '{/:any}',
    '(.*)',
    '/',
  ];
  const {reserved} = readOptions({...base, reserved: {stack: paths.map((path) => ({path}))}});
  const names = ['about', 'blog', 'shop', 'lang', 'files', 'page', 'any', 'format', 'x'];
  const found = names.filter((name) => reserved.has(name));
  t.deepEqual(found, ['about', 'blog', 'shop', 'lang', 'files']);
});
