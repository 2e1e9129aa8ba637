import test from 'ava';
import type {ShortUrlOptions} from '../../../src/index.ts';
import {readOptions} from '../../../src/shortener/settings.ts';

test('a clock with fractions is rounded down, because dates are stored as integers', (t) => {
  const {now} = readOptions({baseUrl: 'https://example.com', store: 'memory:', now: () => 1234.5});
  t.is(now(), 1234);
});

const base = {baseUrl: 'https://example.com', store: 'memory:'};

/** Options as a class has them: getters of its prototype. */
class Options {
  get baseUrl() {
    return base.baseUrl;
  }

  get store() {
    return base.store;
  }
}

test('options may be inherited, or be getters of a class', (t) => {
  const inherited = Object.create({...base, slugLength: 9}) as ShortUrlOptions;
  t.like(readOptions(inherited), {slugLength: 9, store: 'memory:'});
  t.is(readOptions(new Options()).bases.main.root, base.baseUrl);
});

const wrongValues = {secret: 'x', accent: 'red'};

test('inherited options, and getters of a class, are checked as own ones are', (t) => {
  class Wrong extends Options {
    get secret() {
      return wrongValues.secret;
    }
  }
  class WrongPages {
    get accent() {
      return wrongValues.accent;
    }
  }
  const wrong: Array<[options: object, expected: string]> = [
    [Object.create({...base, redirectStatus: 200}) as object, '`redirectStatus` to be 301'],
    [Object.create({...base, slugLenght: 9}) as object, 'Did you mean `slugLength`?'],
    [new Wrong(), '`secret` to be a string'],
    [{...base, pages: new WrongPages()}, '`pages.accent` to be a colour'],
    [{...base, pages: Object.create({accnet: '#fff'}) as object}, 'Did you mean `accent`?'],
  ];
  for (const [options, expected] of wrong) {
    const error = t.throws(() => readOptions(options as ShortUrlOptions), {instanceOf: TypeError});
    t.true(error.message.includes(expected), error.message);
  }
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
  t.deepEqual(
    names.filter((name) => reserved.has(name)),
    ['about', 'blog', 'shop', 'lang', 'files'],
  );
});
