import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';
const allowed = {schemes: ['mailto', 'tel', 'myapp']};

/** The schemes that links may have besides http and https. */
export function schemes(world: World): void {
  const shared = sharedSite({world, shortUrl: allowed});

  for (const [long = '', target = long] of [
    ['mailto:shop@example.org?subject=Spring'],
    ['MAILTO:shop@example.org', 'mailto:shop@example.org'],
    ['mailto:shop@example.org?subject=spring offer', 'mailto:shop@example.org?subject=spring%20offer'],
    ['tel:+49301234567'],
    ['myapp://open/item?id=7'],
  ]) {
    test(`a site that allows its scheme has a link to ${long}`, async (t) => {
      const site = await shared();
      const {short_url} = accepted(t, await site.post('create', {url: long}));
      redirects(t, await site.visit(short_url), target);
      t.is((await site.info(short_url)).original_url, long);
    });
  }

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
