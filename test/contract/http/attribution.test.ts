import test, {type ExecutionContext} from 'ava';
import type {AttributionOptions} from '../../../src/index.ts';
import {redirects} from '../../support/answers.ts';
import type {Reply} from '../../support/request.ts';
import {noon, type Site, startSite} from '../../support/site.ts';
import {viaOf} from '../../support/visitor.ts';

const destination = 'https://destination.example/page';

const start = (t: ExecutionContext, attribution: AttributionOptions = {}): Promise<Site> =>
  startSite(t, {shortUrl: {attribution}});

/** The cookies of an answer. */
const cookiesOf = (reply: Reply): readonly string[] => [reply.headers['set-cookie'] ?? []].flat();

test('a counted visit sets one cookie, which only the site can read, for thirty days or as long as it says', async (t) => {
  for (const [options, end] of [
    [{attribution: {}}, 'Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax; Secure'],
    [{baseUrl: 'http://example.com', attribution: {maxAge: 60}}, 'Max-Age=60; Path=/; HttpOnly; SameSite=Lax'],
  ] as const) {
    const site = await startSite(t, {shortUrl: options});
    const reply = await site.visit((await site.create()).short_url);
    redirects(t, reply, destination);
    const [cookie = '', ...others] = cookiesOf(reply);
    t.deepEqual(others, []);
    t.regex(cookie, /^short_url_via=[\w-]+;/);
    t.is(cookie.replace(/^[^;]*; /, ''), end);
  }
});

test('the cookie is the same for all visitors in a second, in every process, and another one in the next second', async (t) => {
  const site = await startSite(t, {shortUrl: {attribution: {}, store: new Map(), secret: 'a'.repeat(32)}});
  const other = await startSite(t, {shortUrl: {...site.options, now: () => site.clock.now}});
  const {short_url} = await site.create();
  const first = cookiesOf(await site.visit(short_url));
  const headers = {'User-Agent': 'Mozilla/5.0 (iPhone) Safari/604.1', 'Accept-Language': 'de', Cookie: 'a=b'};
  t.deepEqual(cookiesOf(await site.visit(short_url, {headers})), first);
  t.deepEqual(cookiesOf(await other.visit(short_url)), first);
  site.clock.now = noon + 1000;
  t.notDeepEqual(cookiesOf(await site.visit(short_url)), first);
});

test('nobody but a counted visitor gets a cookie', async (t) => {
  const site = await start(t);
  const {short_url} = await site.create();
  const over = await site.create({expired_url: 'https://destination.example/over', expiry_date: '2031-05-06'});
  const replies = [
    await site.visit(short_url, {method: 'HEAD'}),
    await site.visit(short_url, {headers: {'User-Agent': 'Googlebot/2.1'}}),
    await site.visit(short_url, {headers: {'Sec-Purpose': 'prefetch'}}),
    await site.visit(`${short_url}+`),
  ];
  site.clock.set('2031-05-07T12:00:00Z');
  const gone = await site.visit(over.short_url);
  redirects(t, gone, 'https://destination.example/over');
  t.deepEqual([...replies, gone].flatMap(cookiesOf), []);
});

test('a visitor who gives the password is marked, and one who sees the form is not', async (t) => {
  const site = await start(t);
  const link = await site.create({password: 'sesame'});
  t.deepEqual(cookiesOf(await site.visit(link.short_url)), []);
  t.deepEqual(cookiesOf(await site.submit(link.short_url, 'wrong')), []);
  t.is(cookiesOf(await site.submit(link.short_url, 'sesame')).length, 1);
});

test('where consent says no, or fails, the visitor is redirected and not marked', async (t) => {
  const refuse = (): never => {
    throw new Error('The banner is broken');
  };
  for (const [consent, errors] of [
    [async () => false, []],
    [() => 'yes' as unknown as boolean, ['internal_error']],
    [refuse, ['internal_error']],
  ] as const) {
    const site = await start(t, {consent, parameter: 'via'});
    const reported: string[] = [];
    site.shortener.events.on('error', ({code}) => reported.push(code));
    const reply = await site.visit((await site.create()).short_url);
    redirects(t, reply, destination);
    t.deepEqual(cookiesOf(reply), []);
    t.deepEqual<string[], string[]>(reported, [...errors]);
  }
  const site = await start(t, {consent: (ctx) => ctx.get('Cookie') === 'consent=yes'});
  const link = await site.create();
  t.deepEqual(cookiesOf(await site.visit(link.short_url)), []);
  t.is(cookiesOf(await site.visit(link.short_url, {headers: {Cookie: 'consent=yes'}})).length, 1);
});

test('where consent is not asked yet, only pages of the site get the token, and `accept` sets the cookie', async (t) => {
  const answers: boolean[] = [];
  const site = await startSite(t, {
    shortUrl: {attribution: {consent: async () => undefined, parameter: 'from'}, baseDomains: ['sho.rt']},
    downstream: async (ctx, next) => {
      await next();
      if (ctx.path !== '/agree') return;
      const {kept} = ctx.query;
      answers.push(await site.shortener.conversions.accept(ctx, {via: kept}));
      ctx.body = 'ok';
    },
  });
  const locationOf = async (url: string): Promise<string> => {
    const reply = await site.visit((await site.create({url})).short_url);
    t.deepEqual(cookiesOf(reply), []);
    return reply.headers.location ?? '';
  };
  t.is(await locationOf(destination), destination);
  t.regex(await locationOf('https://sho.rt/concerts/1'), /\?from=[\w-]+$/);
  const landing = await locationOf('https://example.com/concerts/1?page=2');
  const [, token = ''] = /^https:\/\/example\.com\/concerts\/1\?page=2&from=([\w-]+)$/.exec(landing) ?? [];
  for (const [path, headers, isSet] of [
    [`/agree?from=${token}`, {}, true],
    ['/agree', {Referer: landing}, true],
    [`/agree?kept=${token}`, {}, true],
    ['/agree', {}, false],
    ['/agree?from=forged', {}, false],
    [`/agree?via=${token}`, {}, false],
    ['/agree', {Referer: `https://elsewhere.example/?from=${token}`}, false],
    ['/agree', {Referer: 'nonsense'}, false],
  ] as const) {
    const reply = await site.request({path, headers});
    t.is(viaOf(cookiesOf(reply)), isSet ? token : undefined, path);
    t.is(answers.pop(), isSet, path);
  }
  t.truthy(await site.shortener.conversions.find({via: token}));
});

test('without the option `attribution` nobody can be accepted', async (t) => {
  const site = await startSite(t, {});
  await t.throwsAsync(site.shortener.conversions.accept({} as never), {instanceOf: TypeError});
});

test('with credit for the first link a valid cookie is not replaced, and destinations elsewhere get its token', async (t) => {
  const site = await start(t, {credit: 'first', maxAge: 3600, parameter: 'via'});
  const [first, second] = [await site.create(), await site.create()];
  const via = viaOf(cookiesOf(await site.visit(first.short_url))) ?? '';
  site.clock.now = noon + 60_000;
  const headers = {Cookie: `short_url_via=${via}`};
  const reply = await site.visit(second.short_url, {headers});
  t.deepEqual(cookiesOf(reply), []);
  redirects(t, reply, `${destination}?via=${via}`);
  t.is(cookiesOf(await site.visit(second.short_url, {headers: {Cookie: 'short_url_via=forged'}})).length, 1);
  site.clock.now = noon + 3_601_000;
  const late = viaOf(cookiesOf(await site.visit(second.short_url, {headers})));
  t.is((await site.shortener.conversions.find({via: late}))?.link.shortUrl, second.short_url);
});

test('a presigned URL gets no parameter, and neither does a destination that parameterFor excludes', async (t) => {
  const site = await startSite(t, {
    shortUrl: {
      attribution: {parameter: 'via', parameterFor: ({hostname}) => hostname !== 'files.example'},
      forwardQuery: true,
    },
  });
  const locationOf = async (url: string): Promise<string | undefined> => {
    const reply = await site.visit(`${(await site.create({url})).short_url}?utm_source=mail`);
    t.is(cookiesOf(reply).length, 1);
    return reply.headers.location;
  };
  for (const query of [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=abc',
    'Expires=1&Signature=a%2Fb&Key-Pair-Id=K',
    'X-Goog-Signature=00',
    'sv=2022-11-02&sig=a%3D',
    'q-signature=1',
    'expires=1&signature=2',
  ]) {
    const url = `https://bucket.example/a.pdf?${query}`;
    t.is(await locationOf(url), url);
  }
  t.is(await locationOf('https://files.example/a'), 'https://files.example/a?utm_source=mail');
  t.regex(String(await locationOf('https://shop.example/?design=1')), /\?design=1&utm_source=mail&via=/);
});

test('where parameterFor fails, the visitor is redirected and not marked', async (t) => {
  const site = await start(t, {parameter: 'via', parameterFor: () => 'yes' as unknown as boolean});
  const reported: string[] = [];
  site.shortener.events.on('error', ({code}) => reported.push(code));
  const reply = await site.visit((await site.create()).short_url);
  redirects(t, reply, destination);
  t.deepEqual(cookiesOf(reply), []);
  t.deepEqual(reported, ['internal_error']);
});

test('destinations on other hosts get the value of the cookie in the parameter, and others stay as they are', async (t) => {
  const site = await startSite(t, {
    shortUrl: {attribution: {parameter: 'via'}, schemes: ['mailto'], forwardQuery: true},
  });
  const locationOf = async (url: string, query = ''): Promise<string> => {
    const link = await site.create({url});
    const reply = await site.visit(link.short_url + query);
    const token = viaOf(cookiesOf(reply)[0]);
    return String(reply.headers.location).replace(String(token), 'TOKEN');
  };
  t.is(await locationOf('https://shop.example/a?b=%20c#d'), 'https://shop.example/a?b=%20c&via=TOKEN#d');
  t.is(await locationOf('https://shop.example'), 'https://shop.example/?via=TOKEN');
  t.is(await locationOf('https://shop.example/?via=old&a=1', '?via=forwarded'), 'https://shop.example/?a=1&via=TOKEN');
  t.is(await locationOf('https://example.com/shop?a=1'), 'https://example.com/shop?a=1');
  t.is(await locationOf('mailto:box@example.org'), 'mailto:box@example.org');
  const link = await site.create({url: 'https://shop.example/a', password: 'sesame'});
  t.regex(
    String((await site.submit(link.short_url, 'sesame')).headers.location),
    /^https:\/\/shop\.example\/a\?via=[\w-]+$/,
  );
});
