import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

/** Create with a long URL alone. */
export function creating(world: World): void {
  const making = sharedSite({world});
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
    'https://destination.example/a b': 'https://destination.example/a%20b',
    'https://destination.example/%7Euser?a=%20&b=%2F': 'https://destination.example/%7Euser?a=%20&b=%2F',
    'https://日本語.example/?キー=😀': 'https://xn--wgv71a119e.example/?%E3%82%AD%E3%83%BC=%F0%9F%98%80',
    'http://[2001:db8::1]:8080/x': 'http://[2001:db8::1]:8080/x',
  };
  test('a long URL comes back unchanged, and redirects to its serialised form', async (t) => {
    const site = await making();
    const longest = `https://destination.example/${'a'.repeat(8192 - 28)}`;
    for (const [url, location] of [...Object.entries(serialised), [longest, longest] as const]) {
      const link = accepted(t, await site.api('create', {url}));
      t.is(link.original_url, url);
      t.is((await site.info(link.short_url)).original_url, url);
      redirects(t, await site.visit(link.short_url), location);
    }
  });

  test('anything but an absolute http or https URL of 8,192 characters is an invalid_url and creates no link', async (t) => {
    const site = await refusing();
    for (const url of [
      'JavaScript://destination.example/%0Aalert(1)',
      'data:text/html,<script>alert(1)</script>',
      'file:///etc/passwd',
      'blob:https://destination.example/x',
      'destination.example/page',
      '//destination.example/page',
      'https://',
      'https://destination.example:99999/',
      ' ',
      // What a file in another encoding becomes.
      'https://destination.example/gr\u{FFFD}n',
      '\u{FEFF}https://destination.example/',
      `https://destination.example/${'a'.repeat(8193 - 28)}`,
    ]) {
      refused(t, await site.api('create', {url}), 'invalid_url');
    }
    t.deepEqual(await site.list(), []);
  });
}
