import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';

/** What a short part may be, by the option `shortParts`. */
export function shortParts(world: World): void {
  const shared = sharedSite({world});

  for (const part of ['robots.txt', 'ads.txt', 'FAVICON.ICO', 'sw.js', 'apple-app-site-association', 'a.b.html']) {
    test(`${part} is a file of the site and no short part`, async (t) => {
      const site = await shared();
      t.regex(refused(t, await site.api('create', {custom_url: part, url}), 'invalid_custom_url'), /reserved/);
      t.is((await site.visit(`${site.baseUrl}/${part}`)).status, 404);
    });
  }

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
    for (const part of [
      'p\u0430ypal',
      'sale大',
      'a\u200Bb',
      'a\u202Eb',
      '\u3164',
      'a\u200Db',
      'x'.repeat(65),
      'ä'.repeat(31),
      '#',
      'a b',
    ]) {
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
