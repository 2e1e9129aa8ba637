import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';
const allowed = {schemes: ['mailto', 'tel', 'myapp']};

/** The URLs that links may lead to. Other spellings of short URLs are in loops.test.ts. */
export function destinations(world: World): void {
  test('neither a short URL of the site nor a path of its API is a destination', async (t) => {
    const site = await startSite(t, {world});
    const links = [];
    for (const base_domain of ['example.com', 'sho.rt', 'go.example.org']) links.push(await site.create({base_domain}));
    const forbidden: Array<Record<string, string>> = [
      ...links.map(({short_url}) => ({url: short_url})),
      ...links.map(({short_url}) => ({url: short_url, base_domain: 'go.example.org'})),
      {url: `${site.baseUrl}/ouroboros`, custom_url: 'ouroboros'},
      {url: `${site.baseUrl}/api/v1/${site.key}/shorturl/list_active_urls.json`},
      {url: `http://EXAMPLE.com${site.base}/api/v1/somebodys-key/shorturl/create/url/x`},
    ];
    for (const parameters of forbidden) refused(t, await site.api('create', parameters), 'forbidden_url');
    t.is((await site.list()).length, 3);
    accepted(t, await site.api('create', {url: `https://foreign.example${site.base}/${links[0]?.short_url_part}`}));
  });

  test('allowUrl can refuse a destination, and gets the URL, the account and where the URL leads', async (t) => {
    const asked: Array<[string, string, string]> = [];
    const site = await startSite(t, {
      world,
      shortUrl: {
        allowUrl(asking, account, target) {
          asked.push([asking, account, target]);
          return new URL(target).hostname !== 'evil.example';
        },
      },
    });
    const disguised = [
      'https://EVIL.example',
      'https://%65vil.example',
      'https:\\\\evil%2Eexample',
      'https://evil。example',
    ];
    for (const each of disguised) refused(t, await site.api('create', {url: each}), 'forbidden_url');
    accepted(t, await site.api('create', {url: 'https://good.example'}));
    t.deepEqual(asked, [
      ...disguised.map((each) => [each, 'user-42', 'https://evil.example/']),
      ['https://good.example', 'user-42', 'https://good.example/'],
    ]);
    t.is((await site.list()).length, 1);
  });

  const shared = sharedSite({world, shortUrl: allowed});

  test('a site that allows its scheme has a link to a URL of that scheme', async (t) => {
    const site = await shared();
    for (const [long, target] of [
      ['MAILTO:shop@example.org?subject=spring offer', 'mailto:shop@example.org?subject=spring%20offer'],
      ['tel:+49301234567', 'tel:+49301234567'],
      ['myapp://open/item?id=7', 'myapp://open/item?id=7'],
    ] as const) {
      const {short_url} = accepted(t, await site.post('create', {url: long}));
      redirects(t, await site.visit(short_url), target);
      t.is((await site.info(short_url)).original_url, long);
    }
  });

  test('every URL of a link may have the scheme', async (t) => {
    const site = await shared();
    const rules = [{device: 'ios', url: 'myapp://ios'}];
    const {short_url} = accepted(
      t,
      await site.post('create', {url, rules, expired_url: 'tel:+49', expiry_date: '2031-05-06'}),
    );
    redirects(t, await site.visit(short_url, {headers: {'User-Agent': 'Mozilla/5.0 (iPhone) Safari'}}), 'myapp://ios');
    accepted(t, await site.post('update', {short_url, url: 'mailto:shop@example.org'}));
    site.clock.set('2031-05-07T00:00:00Z');
    t.is((await site.visit(short_url)).headers.location, 'tel:+49');
  });

  test('the page of a password lets the browser go on to every scheme', async (t) => {
    const site = await startSite(t, {world, shortUrl: allowed});
    const {short_url} = accepted(t, await site.post('create', {url: 'myapp://open', password: 'secret'}));
    const {headers} = await site.visit(short_url);
    t.regex(String(headers['content-security-policy']), /form-action 'self' http: https: mailto: tel: myapp:;/);
  });

  test('no other scheme is allowed, and without the option only http and https', async (t) => {
    const site = await shared();
    for (const long of ['javascript:alert(1)', 'data:text/html,x', 'ftp://a.example/', 'otherapp:x', 'JavaScript:1']) {
      t.regex(refused(t, await site.post('create', {url: long}), 'invalid_url'), /mailto/);
    }
    const plain = await startSite(t, {world});
    refused(t, await plain.post('create', {url: 'mailto:shop@example.org'}), 'invalid_url');
  });
}
