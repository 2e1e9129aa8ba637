import test from 'ava';
import type {Context} from 'koa';
import type {ShortUrlError} from '../../../../src/errors.ts';
import {defaultVisitDetails, VisitDetails} from '../../../../src/http/visit/visit-details.ts';

const visitor = contextOf({});

function contextOf(headers: object): Context {
  return {app: {proxy: false}, req: {headers}} as unknown as Context;
}

/** The details that a visit gets from this callback, and the errors that are reported. */
function reading(read: (ctx: Context) => unknown): {
  details: () => ReturnType<VisitDetails['read']>;
  errors: ShortUrlError[];
  messages: () => string[];
} {
  const errors: ShortUrlError[] = [];
  const details = new VisitDetails(read as never, {reportIn: (_, error) => void errors.push(error)});
  const messages = (): string[] => errors.map(({code, message}) => `${code}: ${message}`);
  return {details: () => details.read(visitor), errors, messages};
}

test('the referrer is the host name of Referer, or direct', (t) => {
  for (const [referer, referrer] of [
    [undefined, 'direct'],
    ['', 'direct'],
    ['about:blank', 'direct'],
    ['no URL', 'direct'],
    ['https://news.example/', 'news.example'],
    ['http://news.example', 'news.example'],
    ['https://news.example/a/page?and=query', 'news.example'],
    ['https://news.example:8080/', 'news.example'],
    ['https://news.example?query', 'news.example'],
    ['https://News.EXAMPLE/', 'news.example'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['https://user:password@news.example/', 'news.example'],
    ['https://user:123@news.example/', 'news.example'],
    ['android-app://com.example.news/', 'com.example.news'],
    ['https://[2001:db8::1]/', '[2001:db8::1]'],
  ] as const) {
    t.deepEqual(defaultVisitDetails(contextOf({referer})), {referrer}, String(referer));
  }
});

test('values lose control characters and lone surrogates, and are cut to 64 characters', (t) => {
  for (const [value, counted] of [
    ['a\u0000b\r\nc\u007f\u009f', 'abc'],
    ['\uD83Da\uDE00\uFFFE\uFFFF', 'a'],
    ['😀', '😀'],
    ['x'.repeat(65), 'x'.repeat(64)],
    ['😀'.repeat(70), '😀'.repeat(64)],
    [`${'\n'.repeat(64)}${'ü'.repeat(65)}`, 'ü'.repeat(64)],
  ] as const) {
    t.deepEqual(reading(() => ({value})).details(), {value: counted}, JSON.stringify(value));
  }
});

test('an invalid name or value is reported without the value, and the others are counted', (t) => {
  for (const wrong of [
    {'': 's3cret'},
    {Country: 's3cret'},
    {'a-b': 's3cret'},
    {ä: 's3cret'},
    {['a'.repeat(33)]: 's3cret'},
    {country: 42},
    {country: null},
    {country: {toString: () => 's3cret'}},
  ]) {
    const {details, errors, messages} = reading(() => ({...wrong, fine: 'x'}));
    t.deepEqual(details(), {fine: 'x'});
    t.regex(messages().join(), /^internal_error: [^:]+ invalid detail\. The visit was counted without it\.$/);
    t.regex(String(errors[0]?.cause), /^TypeError: Expected /);
    t.notRegex(String(errors[0]?.cause), /s3cret/);
  }
});

test('a site has at most eight names of details in all', (t) => {
  let visits = 0;
  const {details, errors} = reading(() => {
    visits += 1;
    return visits === 1 ? {a: '1', b: '1', c: '1', d: '1', e: '1', f: '1'} : {f: '2', g: '2', h: '2', i: '2'};
  });
  t.is(Object.keys(details()).length, 6);
  t.deepEqual(details(), {f: '2', g: '2', h: '2'});
  t.is(errors.length, 1);
  t.regex(String(errors[0]?.cause), /at most 8 different names/);
});

test('a visit has no details if the callback gives no object that can be read, and the error is reported', async (t) => {
  for (const read of [
    () => undefined,
    () => null,
    () => 'news.example',
    () => ['news.example'],
    () => Promise.resolve('news.example'),
    () => ({
      get country(): string {
        throw new Error('the callback is broken');
      },
    }),
  ]) {
    const {details, errors, messages} = reading(read);
    t.deepEqual(await details(), {});
    t.regex(messages().join(), /^internal_error: [^:]+ failed\. The visit was counted without details\.$/);
    t.true(errors[0] !== undefined && 'cause' in errors[0]);
  }
});
