import test from 'ava';
import type {Context} from 'koa';
import {isPrefetch, publicPath} from '../../../src/http/request.ts';

function contextOf(originalUrl: string, req: object = {}): Context {
  return {originalUrl, req} as unknown as Context;
}

test('the path is what the client asked for, undecoded and without the query, in every form that HTTP has', (t) => {
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

test('inside Express and Connect, which cut off a prefix, the path is the one that they note', (t) => {
  t.is(publicPath(contextOf('/spring?x', {originalUrl: '/s/spring?x', url: '/spring?x'})), '/s/spring');
});

test('what has no path is no path of ours', (t) => {
  for (const originalUrl of ['*', '', 'http://example.com', 'example.com:443']) {
    t.false(publicPath(contextOf(originalUrl)).startsWith('/'), originalUrl);
  }
});

test('a prefetch is told by the word in either header, and by nothing else', (t) => {
  for (const [headers, expected] of [
    [{}, false],
    [{'sec-purpose': 'prefetch'}, true],
    [{'sec-purpose': 'Prefetch;prerender'}, true],
    [{purpose: 'prefetch'}, true],
    [{purpose: ['x', 'prefetch']}, true],
    [{purpose: 'prefetching'}, false],
    [{'sec-purpose': '', purpose: 'preview'}, false],
  ] as const) {
    t.is(isPrefetch({req: {headers}} as unknown as Context), expected, JSON.stringify(headers));
  }
});
