import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

/** Create with a long URL alone. */
export function creating(world: World): void {
  // For tests that create links and do not look at others.
  const making = sharedSite({world});
  // For tests that create nothing.
  const refusing = sharedSite({world});

  test('create answers the id, the short URL, the short part, the long URL and the time, in that order', async (t) => {
    const site = await making();
    const url = 'https://destination.example/a/long/one?with=query#and-fragment';

    const data = accepted(t, await site.api('create', {url}));

    t.deepEqual(Object.keys(data), ['url_id', 'short_url', 'short_url_part', 'original_url', 'date_time']);
    t.true(Number.isSafeInteger(data.url_id));
    t.is(data.short_url, `${site.baseUrl}/${data.short_url_part}`);
    t.is(data.original_url, url);
    t.is(data.date_time, '2031-05-06 12:00:00');
  });

  test('date_time is the time of the call, in UTC', async (t) => {
    const site = await startSite(t, {world});
    site.clock.set('2032-02-29T23:59:59.999Z');
    t.is((await site.create()).date_time, '2032-02-29 23:59:59');
    site.clock.set('2032-03-01T01:02:03+05:00');
    t.is((await site.create()).date_time, '2032-02-29 20:02:03');
  });

  test('a generated short part has 7 characters without look-alikes', async (t) => {
    const site = await making();
    const links = await Promise.all(Array.from({length: 40}, () => site.create()));
    const parts = links.map((link) => link.short_url_part);
    t.is(new Set(parts).size, 40);
    for (const part of parts) t.regex(part, /^[A-Za-z0-9]{7}$/);
    t.notRegex(parts.join(''), /[0O1lI]/);
  });

  test('slugLength sets the length of generated short parts', async (t) => {
    const site = await startSite(t, {world, shortUrl: {slugLength: 12}});
    const link = await site.create();
    t.is(link.short_url_part.length, 12);
    redirects(t, await site.visit(link.short_url), 'https://destination.example/page');
  });

  test('every create makes a new link, also for a long URL that has one', async (t) => {
    const site = await startSite(t, {world});
    const first = await site.create();
    const second = await site.create();
    t.not(first.short_url, second.short_url);
    t.true(second.url_id > first.url_id);
    t.deepEqual(await site.list(), [first.short_url, second.short_url]);
  });

  test('a new link is active and redirects at once', async (t) => {
    const site = await making();
    const link = await site.create({url: 'https://destination.example/at-once'});
    t.is((await site.info(link.short_url)).status, 'active');
    redirects(t, await site.visit(link.short_url), 'https://destination.example/at-once');
  });

  const serialised = {
    'https://bücher.example/käse?q=ß#ü': 'https://xn--bcher-kva.example/k%C3%A4se?q=%C3%9F#%C3%BC',
    'HTTPS://Destination.Example:443/a/../b': 'https://destination.example/b',
    'http://destination.example': 'http://destination.example/',
    'https://destination.example/a b': 'https://destination.example/a%20b',
    'https://destination.example/%7Euser?a=%20&b=%2F': 'https://destination.example/%7Euser?a=%20&b=%2F',
    'https://日本語.example/パス?キー=😀':
      'https://xn--wgv71a119e.example/%E3%83%91%E3%82%B9?%E3%82%AD%E3%83%BC=%F0%9F%98%80',
    'http://192.0.2.7:8080/x': 'http://192.0.2.7:8080/x',
    'http://[2001:db8::1]/x': 'http://[2001:db8::1]/x',
  };
  for (const [url, location] of Object.entries(serialised)) {
    test(`${url} comes back unchanged, and redirects to its serialised form`, async (t) => {
      const site = await making();
      const link = accepted(t, await site.api('create', {url}));
      t.is(link.original_url, url);
      t.is((await site.info(link.short_url)).original_url, url);
      redirects(t, await site.visit(link.short_url), location);
    });
  }

  const notUrls = {
    'a javascript: URL': 'javascript:alert(1)',
    'a javascript: URL in another case': 'JavaScript://destination.example/%0Aalert(1)',
    'a data: URL': 'data:text/html,<script>alert(1)</script>',
    'a file: URL': 'file:///etc/passwd',
    'an ftp: URL': 'ftp://destination.example/file',
    'a mailto: URL': 'mailto:somebody@destination.example',
    'a blob: URL': 'blob:https://destination.example/x',
    'a URL without a scheme': 'destination.example/page',
    'a path': '/page',
    'a scheme-relative URL': '//destination.example/page',
    'a scheme alone': 'https://',
    'a port that is none': 'https://destination.example:99999/',
    'a word': 'page',
    'a space': ' ',
    'a space before the URL': ' https://destination.example/',
    'a space behind the URL': 'https://destination.example/ ',
    'a byte order mark before the URL': '\u{FEFF}https://destination.example/',
  };
  for (const [what, url] of Object.entries(notUrls)) {
    test(`${what} is an invalid_url and creates no link`, async (t) => {
      const site = await refusing();
      refused(t, await site.api('create', {url}), 'invalid_url');
      t.deepEqual(await site.list(), []);
    });
  }

  test('a URL of 8,192 characters is accepted, comes back and redirects', async (t) => {
    const site = await making();
    const url = `https://destination.example/${'a'.repeat(8192 - 28)}`;
    t.is(url.length, 8192);
    const link = accepted(t, await site.api('create', {url}));
    t.is(link.original_url, url);
    redirects(t, await site.visit(link.short_url), url);
  });

  test('a URL of 8,193 characters is an invalid_url', async (t) => {
    const site = await refusing();
    refused(t, await site.api('create', {url: `https://destination.example/${'a'.repeat(8193 - 28)}`}), 'invalid_url');
  });
}
