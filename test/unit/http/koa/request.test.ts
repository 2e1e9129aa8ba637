import test from 'ava';
import type {Context} from 'koa';
import {isPrefetch, prefersJson, publicPath} from '../../../../src/http/koa/request.ts';

function contextOf(originalUrl: string, req: object = {}): Context {
  return {originalUrl, req} as unknown as Context;
}

test("the path is the client's, undecoded and without the query, in each form of HTTP's request target", (t) => {
  for (const [originalUrl, path] of [
    ['/', '/'],
    ['/a%2Fb//c?d=/e?f', '/a%2Fb//c'],
    ['//example.com/a', '//example.com/a'],
    ['http://example.com/a/b?c', '/a/b'],
    ['https://example.com//a', '//a'],
    ['HTTP://EXAMPLE.COM/', '/'],
    ['http://example.com/a//b', '/a//b'],
  ] as const) {
    t.is(publicPath(contextOf(originalUrl)), path, originalUrl);
  }
});

test('the path is the original one inside Express and Connect, which remove their prefix', (t) => {
  t.is(publicPath(contextOf('/spring?x', {originalUrl: '/s/spring?x', url: '/spring?x'})), '/s/spring');
});

test('a request target without a path gives no path', (t) => {
  for (const originalUrl of ['*', '', 'http://example.com', 'example.com:443']) {
    t.false(publicPath(contextOf(originalUrl)).startsWith('/'), originalUrl);
  }
});

test('a prefetch or preview is recognised by the word in Sec-Purpose, Purpose, X-Purpose or X-Moz', (t) => {
  for (const [headers, expected] of [
    [{}, false],
    [{'sec-purpose': 'prefetch'}, true],
    [{'sec-purpose': 'Prefetch;prerender'}, true],
    [{purpose: 'prefetch'}, true],
    [{purpose: ['x', 'prefetch']}, true],
    [{purpose: 'prefetching'}, false],
    [{'sec-purpose': '', purpose: 'preview'}, true],
    [{'x-purpose': 'preview'}, true],
    [{'x-purpose': 'prefetch'}, true],
    [{'x-moz': 'prefetch'}, true],
    [{'sec-purpose': 'prerender'}, true],
    [{'x-moz': 'prefetching', 'x-purpose': ''}, false],
  ] as const) {
    t.is(isPrefetch({req: {headers}} as unknown as Context), expected, JSON.stringify(headers));
  }
});

test('JSON is for clients that prefer it, and an overlong Accept is not parsed', (t) => {
  for (const [accept, expected] of [
    ['application/json', true],
    ['application/json, text/html;q=0.5', true],
    ['*/*', false],
    ['', false],
    [`application/json, ${'a/b, '.repeat(3000)}c/d`, false],
  ] as const) {
    const accepts = (): string => {
      t.true(accept.length < 2000, 'an overlong header was parsed');
      return accept.startsWith('application/json') ? 'json' : 'html';
    };
    const ctx = {get: () => accept, accepts} as unknown as Context;
    t.is(prefersJson(ctx), expected, accept.slice(0, 40));
  }
});
