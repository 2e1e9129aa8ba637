import test from 'ava';
import {accepted, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

/** Valid URLs that are refused as destinations. */
export function destinations(world: World): void {
  // For tests that create links and do not look at others.
  const making = sharedSite({world});

  const spellings: Record<string, (shortUrl: string) => string> = {
    'as it is': (shortUrl) => shortUrl,
    'with http': (shortUrl) => shortUrl.replace('https:', 'http:'),
    'with its domain in another case': (shortUrl) => shortUrl.replace('example.com', 'EXAMPLE.com'),
    'with a port': (shortUrl) => shortUrl.replace('example.com', 'example.com:8443'),
    'with a query and a fragment': (shortUrl) => `${shortUrl}?utm=1#top`,
    'with credentials': (shortUrl) => shortUrl.replace('https://', 'https://somebody:secret@'),
    'with dot segments': (shortUrl) => shortUrl.replace(/\/([^/]*)$/, '/elsewhere/.././$1'),
    'with backslashes': (shortUrl) => shortUrl.replaceAll('/', '\\'),
  };
  for (const [how, spell] of Object.entries(spellings)) {
    test(`a short URL of the site, ${how}, is refused as a destination`, async (t) => {
      const site = await making();
      const link = await site.create();
      refused(t, await site.api('create', {url: spell(link.short_url)}), 'forbidden_url');
    });
  }

  test('a short URL on another domain of the site is refused as a destination', async (t) => {
    const site = await making();
    const bare = await site.create({base_domain: 'sho.rt'});
    const withPath = await site.create({base_domain: 'go.example.org'});
    refused(t, await site.api('create', {url: bare.short_url}), 'forbidden_url');
    refused(t, await site.api('create', {url: withPath.short_url}), 'forbidden_url');
    refused(t, await site.api('create', {url: bare.short_url, base_domain: 'go.example.org'}), 'forbidden_url');
  });

  test('a link cannot lead to itself', async (t) => {
    const site = await startSite(t, {world});
    const reply = await site.api('create', {custom_url: 'ouroboros', url: `${site.baseUrl}/ouroboros`});
    refused(t, reply, 'forbidden_url');
    t.deepEqual(await site.list(), []);
  });

  test('an API path of the site is refused as a destination', async (t) => {
    const site = await startSite(t, {world});
    for (const url of [
      `${site.baseUrl}/api/v1/${site.key}/shorturl/list_active_urls.json`,
      `http://EXAMPLE.com${site.base}/api/v1/somebodys-key/shorturl/create/url/x`,
    ]) {
      refused(t, await site.api('create', {url}), 'forbidden_url');
    }
  });

  test('a URL on a foreign domain may have the same path as a short URL', async (t) => {
    const site = await making();
    const link = await site.create();
    accepted(t, await site.api('create', {url: `https://foreign.example${site.base}/${link.short_url_part}`}));
  });

  test('allowUrl can refuse a destination, and gets the URL and the account', async (t) => {
    const asked: Array<[string, string]> = [];
    const site = await startSite(t, {
      world,
      shortUrl: {
        allowUrl(url, account) {
          asked.push([url, account]);
          return !url.includes('evil');
        },
      },
    });
    refused(t, await site.api('create', {url: 'https://evil.example/'}), 'forbidden_url');
    accepted(t, await site.api('create', {url: 'https://good.example/'}));
    t.deepEqual(asked, [
      ['https://evil.example/', 'user-42'],
      ['https://good.example/', 'user-42'],
    ]);
    t.is((await site.list()).length, 1);
  });

  test('a fault in allowUrl answers 500, creates no link and is reported with its cause', async (t) => {
    const fault = new Error('the rule is broken');
    const site = await startSite(t, {
      world,
      shortUrl: {
        allowUrl() {
          throw fault;
        },
      },
    });
    const errors: Array<{code: string; cause?: unknown}> = [];
    site.shortener.events.on('error', (error) => errors.push(error));

    const message = refused(t, await site.api('create', {url: 'https://good.example/'}), 'internal_error');

    t.notRegex(message, /the rule is broken/);
    t.deepEqual(await site.list(), []);
    t.deepEqual(
      errors.map(({code, cause}) => [code, cause]),
      [['internal_error', fault]],
    );
  });
}
