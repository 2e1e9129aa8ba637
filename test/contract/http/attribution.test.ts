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
  const own = {Origin: 'https://example.com'};
  const given = `/agree?from=${token}`;
  for (const [path, headers, isSet] of [
    [given, own, true],
    ['/agree', {...own, Referer: landing}, true],
    ['/agree', {Referer: landing}, true],
    [`/agree?kept=${token}`, own, true],
    // By a page that sends no referrer.
    [given, {'Sec-Fetch-Site': 'same-origin', Origin: 'null'}, true],
    [given, {'Sec-Fetch-Site': 'cross-site', Origin: 'https://sho.rt'}, true],
    ['/agree', own, false],
    ['/agree?from=forged', own, false],
    [`/agree?via=${token}`, own, false],
    ['/agree', {...own, Referer: `https://elsewhere.example/?from=${token}`}, false],
    ['/agree', {...own, Referer: 'nonsense'}, false],
    [given, {}, false],
    [given, {Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site'}, false],
    [given, {Origin: 'https://user.example.com', 'Sec-Fetch-Site': 'same-site'}, false],
    [given, {Origin: 'null', 'Sec-Fetch-Site': 'cross-site', Referer: landing}, false],
    [given, {'Sec-Fetch-Site': 'none'}, false],
    [given, {Referer: 'https://elsewhere.example/'}, false],
  ] as const) {
    const reply = await site.request({path, method: 'POST', headers});
    const what = `${path} ${JSON.stringify(headers)}`;
    t.is(viaOf(cookiesOf(reply)), isSet ? token : undefined, what);
    t.is(answers.pop(), isSet, what);
  }
  // A link of a user leads to that page.
  const byLink = {Referer: landing, 'Sec-Fetch-Site': 'same-origin'};
  for (const method of ['GET', 'HEAD']) {
    t.deepEqual(cookiesOf(await site.request({path: given, method, headers: byLink})), []);
    t.false(answers.pop());
  }
  t.truthy(await site.shortener.conversions.find({via: token}));
});

const accepting = (t: ExecutionContext, attribution: AttributionOptions): Promise<Site> => {
  const site = startSite(t, {
    shortUrl: {attribution, baseDomains: ['sho.rt']},
    downstream: async (ctx, next) => {
      await next();
      if (ctx.path !== '/landing') return;
      await (await site).shortener.conversions.accept(ctx);
      ctx.body = 'ok';
    },
  });
  return site;
};

test('`accept` marks an arrival by a link if the site asks for no consent, or the visitor has agreed', async (t) => {
  const refuse = (): never => {
    throw new Error('The banner is broken');
  };
  let agreed: AttributionOptions['consent'] = () => true;
  const site = await accepting(t, {consent: async (ctx) => agreed?.(ctx)});
  const via = viaOf(cookiesOf(await site.visit((await site.create()).short_url)));
  const arrival = {path: `/landing?via=${via}`, headers: {'Sec-Fetch-Site': 'cross-site'}};
  for (const [consent, isSet] of [
    [() => true, true],
    [async () => true, true],
    [() => undefined, false],
    [() => false, false],
    [refuse, false],
  ] as const) {
    agreed = consent;
    t.is(viaOf(cookiesOf(await site.request(arrival))), isSet ? via : undefined);
  }
  const other = await accepting(t, {});
  const token = viaOf(cookiesOf(await other.visit((await other.create()).short_url)));
  t.is(viaOf(cookiesOf(await other.request({...arrival, path: `/landing?via=${token}`}))), token);
});

test('with credit for the first link `accept` does not replace a valid cookie either', async (t) => {
  const site = await accepting(t, {credit: 'first'});
  const tokens: string[] = [];
  for (const link of [await site.create(), await site.create()]) {
    tokens.push(viaOf(cookiesOf(await site.visit(link.short_url))) ?? '');
  }
  const [first, second] = tokens;
  const arrive = async (cookie: string) =>
    cookiesOf(await site.request({path: `/landing?via=${second}`, headers: {Cookie: cookie}}));
  t.deepEqual(await arrive(`short_url_via=${first}`), []);
  t.is(viaOf(await arrive('short_url_via=forged')), second);
});

test('a destination on another domain of the site always gets the token, because the cookie is not there', async (t) => {
  const site = await startSite(t, {shortUrl: {attribution: {}, baseDomains: ['sho.rt']}});
  const visit = async (url: string, base_domain?: string) => {
    const reply = await site.visit((await site.create({url, ...(base_domain && {base_domain})})).short_url);
    const [cookie] = cookiesOf(reply);
    t.truthy(cookie);
    return reply.headers.location?.replace(viaOf(cookie) ?? '', 'TOKEN');
  };
  t.is(await visit('https://example.com/concerts?page=2', 'sho.rt'), 'https://example.com/concerts?page=2&via=TOKEN');
  t.is(await visit('https://sho.rt/concerts'), 'https://sho.rt/concerts?via=TOKEN');
  t.is(await visit('https://sho.rt/concerts', 'sho.rt'), 'https://sho.rt/concerts');
  t.is(await visit('https://example.com/concerts'), 'https://example.com/concerts');
  t.is(await visit(destination, 'sho.rt'), destination);
});

/** Queries with a token, in all spellings of the name of its parameter. */
function spellingsOf(name: string, token: string): string[] {
  const hex = (character: string): string => `%${(character.codePointAt(0) ?? 0).toString(16)}`;
  const names = [
    name,
    ...Array.from(name, (character, index) => name.slice(0, index) + hex(character) + name.slice(index + 1)),
    Array.from(name, hex).join(''),
    Array.from(name, hex).join('').toUpperCase(),
  ];
  const others = [
    name.toUpperCase(),
    `${name}[]`,
    `+${name}`,
    `${name}+`,
    `?${name}`,
    `%3F${name}`,
    `%25${name}`,
    `%00${name}`,
  ];
  const around = [
    'sig=1&',
    'signature=1&',
    'X-Amz-Signature=1&',
    'hmac=1&',
    'a=1&',
    '&',
    '&&',
    `${name}&`,
    `${name}=&`,
    'a;',
    '%=1&',
  ];
  return [
    ...[...names, ...others].map((each) => `${each}=${token}`),
    ...names.slice(0, 2).flatMap((each) => around.map((before) => `${before}${each}=${token}&`)),
    ...[`${name}=${token}#`, `${name}%3D${token}`, `a=1%26${name}=${token}`],
  ];
}

test('no spelling of the parameter in the query of a visit takes the credit of a link', async (t) => {
  const shop = 'https://shop.example/';
  for (const [attribution, url, isMarked] of [
    [{parameter: 'via'}, shop, true],
    [{parameter: 'from'}, shop, true],
    [{}, shop, false],
    [{parameter: 'via', consent: () => false}, shop, false],
    [{consent: () => undefined}, 'https://example.com/concerts', true],
    [{parameter: 'from', consent: () => undefined}, shop, false],
    [{parameter: 'via'}, `${shop}?v%69a=old&a=1`, true],
    [{parameter: 'via'}, `${shop}?sig=1`, false],
  ] as const) {
    const site = await startSite(t, {shortUrl: {attribution, forwardQuery: true}});
    const {conversions} = site.shortener;
    const {short_url: shortUrl} = await site.create({url});
    const rival = await site.visit((await site.create({url: 'https://example.com/concerts'})).short_url);
    const token = viaOf(cookiesOf(rival)) ?? new URL(rival.headers.location ?? '').searchParams.get('via') ?? 'refused';
    const name = 'parameter' in attribution ? attribution.parameter : 'via';
    for (const query of spellingsOf(name, token)) {
      for (const agent of ['Mozilla/5.0 (Windows NT 10.0) Firefox/130.0', 'Googlebot/2.1']) {
        const reply = await site.visit(`${shortUrl}?${query}`, {headers: {'User-Agent': agent}});
        const received = new URL(reply.headers.location ?? '').searchParams.getAll(name);
        const isCounted = isMarked && agent.startsWith('Mozilla');
        const links = await Promise.all(received.map(async (via) => (await conversions.find({via}))?.link.shortUrl));
        const own = new URL(url).searchParams.getAll(name);
        if (isCounted) t.deepEqual(links, [shortUrl], query);
        else t.deepEqual(received, own, query);
      }
    }
  }
});

test('without the option `attribution` nobody can be accepted', async (t) => {
  const site = await startSite(t, {});
  await t.throwsAsync(site.shortener.conversions.accept({} as never), {
    instanceOf: TypeError,
    message: /`attribution`/,
  });
  const marking = await start(t);
  for (const given of [undefined, null, {}, {req: undefined}, 'token']) {
    const accept = marking.shortener.conversions.accept(given as never);
    await t.throwsAsync(accept, {instanceOf: TypeError, message: /^Expected the first argument/});
  }
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
  t.regex(String(await locationOf('https://shop.example/?design=1')), /\?design=1&via=[\w-]+&utm_source=mail$/);
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
