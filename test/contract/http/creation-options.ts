import test from 'ava';
import {accepted, type Failure, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import {arriving, type World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';

/** custom_url, what a short part may be, expiry_date and base_domain. Passwords are in password.ts. */
export function creationOptions(world: World): void {
  const making = sharedSite({world});
  const refusing = sharedSite({world});

  test('custom_url becomes the short part', async (t) => {
    const site = await making();
    for (const part of [
      'a',
      '7',
      '-',
      '_',
      'SPRING-sale_2031',
      'apis',
      'x'.repeat(64),
      '__proto__',
      'v1.2',
      'a~b..c',
    ]) {
      const link = accepted(t, await site.api('create', {custom_url: part, url}));
      t.like(link, {short_url_part: part, short_url: `${site.baseUrl}/${part}`});
      redirects(t, await site.visit(link.short_url), url);
    }
  });

  const wrong: Record<string, readonly string[]> = {
    custom_url: ['x'.repeat(65), 'a b', 'a.', '.b', '~b', 'a/b', 'ä', 'a+b', 'a%b', '..', '.', 'a\n', 'api', '😀'],
    expiry_date: ['2031-05-05', '2031-02-29', '2031-13-01', '2031-6-07', '2031-06-07T24:00:00Z', '2031-06-07\n', 'x'],
    base_domain: ['https://sho.rt', 'sho.rt/', 'go.example.org/x', '//sho.rt'],
  };
  for (const [name, values] of Object.entries(wrong)) {
    test(`a wrong ${name} is refused with a code of its own, and nothing is created`, async (t) => {
      const site = await refusing();
      for (const value of name === 'custom_url' ? arriving(world, values) : values)
        refused(t, await site.api('create', {[name]: value, url}), `invalid_${name}` as Failure);
      t.deepEqual(await site.list(), []);
    });
  }

  test('reserved short parts cannot be chosen', async (t) => {
    const site = await startSite(t, {world, shortUrl: {reserved: ['about', 'login']}});
    for (const custom_url of ['about', 'login', 'api']) {
      refused(t, await site.api('create', {custom_url, url}), 'invalid_custom_url');
    }
    for (const custom_url of ['log', 'about-us']) accepted(t, await site.api('create', {custom_url, url}));
  });

  test('a taken custom_url answers 409 and keeps the first link', async (t) => {
    const site = await startSite(t, {world});
    const first = await site.create({custom_url: 'spring'});
    refused(t, await site.api('create', {custom_url: 'spring', url: `${url}/2`}), 'custom_url_taken');
    redirects(t, await site.visit(first.short_url), url);
    t.deepEqual(await site.list(), [first.short_url]);
  });

  test('of 20 concurrent creates of one custom_url exactly one succeeds', async (t) => {
    const site = await startSite(t, {world});
    const replies = await Promise.all(
      Array.from({length: 20}, (_, index) => site.api('create', {custom_url: 'wanted', url: `${url}/${index}`})),
    );
    const [winner, ...others] = replies.filter((reply) => reply.status === 200);
    t.deepEqual(others, []);
    for (const reply of replies) if (reply !== winner) refused(t, reply, 'custom_url_taken');
    redirects(t, await site.visit(`${site.baseUrl}/wanted`), winner?.json().data.original_url ?? '');
    t.deepEqual(await site.list(), [`${site.baseUrl}/wanted`]);
  });

  test('base_domain selects another domain, with its scheme and path, in any case, and finds its links', async (t) => {
    const site = await startSite(t, {world});
    for (const [base_domain, baseUrl] of [
      ['example.com', site.baseUrl],
      ['SHO.rt', `https://sho.rt${site.base}`],
      ['go.example.org', site.otherBaseUrl],
    ] as const) {
      const {short_url} = await site.create({base_domain, custom_url: 'spring'});
      t.is(short_url, `${baseUrl}/spring`);
      redirects(t, await site.visit(short_url), url);
      t.deepEqual(
        accepted(t, await site.api('list_urls', {base_domain})).urls.map((each) => each.short_url),
        [short_url],
      );
    }
  });

  test('a domain that is not of the site is an unknown_base_domain', async (t) => {
    const site = await refusing();
    for (const base_domain of ['unknown.example', 'rt', 'www.sho.rt', 'constructor']) {
      refused(t, await site.api('create', {base_domain, url}), 'unknown_base_domain');
    }
    t.deepEqual(await site.list(), []);
  });

  test('a part that names a file of the site is no short part', async (t) => {
    const site = await refusing();
    for (const part of ['robots.txt', 'FAVICON.ICO', 'sw.js', 'apple-app-site-association', 'a.b.html']) {
      t.regex(refused(t, await site.api('create', {custom_url: part, url}), 'invalid_custom_url'), /reserved/);
      t.is((await site.visit(`${site.baseUrl}/${part}`)).status, 404);
    }
  });

  test('letters of any script and emoji are a short part by option, and both forms of the short URL name the link', async (t) => {
    const site = await startSite(t, {world, shortUrl: {shortParts: {unicode: true}}});
    for (const part of ['frühling', 'весна', '春の大売出し', 'مرحبا', 'हिन्दी', '🌷🌷', '👨\u200D👩\u200D👧']) {
      const {data} = (await site.post('create', {url, custom_url: part})).json();
      t.is(data.short_url_part, part);
      t.is(data.short_url, `${site.baseUrl}/${encodeURIComponent(part)}`);
      redirects(t, await site.visit(data.short_url), url);
      t.is((await site.info(data.short_url)).total_visits, 1);
      t.is((await site.info(`${site.baseUrl}/${part}`)).url_id, data.url_id);
      refused(t, await site.post('create', {url, custom_url: part}), 'custom_url_taken');
    }
  });

  test('a letter and its mark are the letter, and the selector of an emoji makes no difference', async (t) => {
    const site = await startSite(t, {world, shortUrl: {shortParts: {unicode: true}}});
    const {short_url} = accepted(t, await site.post('create', {url, custom_url: 'fru\u0308hling'}));
    t.is(short_url, `${site.baseUrl}/fr%C3%BChling`);
    redirects(t, await site.visit(`${site.baseUrl}/fru%CC%88hling`), url);
    accepted(t, await site.post('create', {url, custom_url: '\u2764\uFE0F'}));
    redirects(t, await site.visit(`${site.baseUrl}/%E2%9D%A4`), url);
  });

  test('letters of two scripts, and characters that show nothing, are never in one short part', async (t) => {
    const site = await startSite(t, {world, shortUrl: {shortParts: {unicode: true}}});
    const mixed = ['p\u0430ypal', 'sale大', 'a\u200Bb', 'a\u202Eb', '\u3164', 'a\u200Db', '#', 'a b'];
    for (const part of [...mixed, 'x'.repeat(65), 'ä'.repeat(31)]) {
      refused(t, await site.post('create', {url, custom_url: part}), 'invalid_custom_url');
    }
    accepted(t, await site.post('create', {url, custom_url: 'ä'.repeat(30)}));
  });

  test('segments with a slash between them are a short part by option', async (t) => {
    const site = await startSite(t, {world, shortUrl: {shortParts: {segments: 3}, reserved: ['about']}});
    const {short_url} = accepted(t, await site.post('create', {url, custom_url: 'shop/spring/red'}));
    t.is(short_url, `${site.baseUrl}/shop/spring/red`);
    redirects(t, await site.visit(short_url), url);
    t.is((await site.info(short_url)).short_url_part, 'shop/spring/red');
    accepted(t, await site.api('create', {custom_url: 'shop/spring', url}));
    for (const part of ['a/b/c/d', 'a//b', '/a', 'a/', 'a/../b', 'about/us', 'api/v1', 'files/a.pdf']) {
      refused(t, await site.post('create', {url, custom_url: part}), 'invalid_custom_url');
    }
    t.is((await site.visit(`${site.baseUrl}/shop%2Fspring`)).status, 404);
  });

  test('a site that ignores case has one link for all of its spellings, in lower case', async (t) => {
    const site = await startSite(t, {world, shortUrl: {shortParts: {ignoreCase: true}}});
    const {short_url} = await site.create({custom_url: 'Spring'});
    t.is(short_url, `${site.baseUrl}/spring`);
    for (const part of ['spring', 'Spring', 'SPRING']) {
      redirects(t, await site.visit(`${site.baseUrl}/${part}`), url);
      refused(t, await site.api('create', {custom_url: part, url}), 'custom_url_taken');
    }
    t.is((await site.info(`${site.baseUrl}/SPRING`)).total_visits, 3);
    const {short_url_part} = await site.create();
    t.is(short_url_part, short_url_part.toLowerCase());
  });

  test('a long URL that is another spelling of a short URL is refused', async (t) => {
    const site = await startSite(t, {world, shortUrl: {shortParts: {ignoreCase: true, unicode: true}}});
    accepted(t, await site.post('create', {url, custom_url: 'frühling'}));
    for (const part of ['FRÜHLING', 'FR%C3%9CHLING', 'fru\u0308hling']) {
      refused(t, await site.post('create', {url: `${site.baseUrl}/${part}`}), 'forbidden_url');
    }
  });
}
