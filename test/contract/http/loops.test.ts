import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import type {CreateLink} from '../../../src/link/link.ts';
import {accepted, isTheHosts, redirects, refused} from '../../support/answers.ts';
import {type Site, startSite} from '../../support/site.ts';
import {memory, mounts, type World} from '../../support/worlds.ts';

/** A site with several domains, and with the link `there` on each of them. */
async function startWithLinks(t: ExecutionContext): Promise<Site> {
  const hosts = ['http://127.0.0.1:3000', 'http://[2001:db8::1]'];
  const baseDomains = ['sho.rt', 'bücher.example', 'https://go.example.org/x', ...hosts];
  const site = await startSite(t, {shortUrl: {baseDomains}});
  const domains = ['example.com', 'sho.rt', 'bücher.example', 'go.example.org', '127.0.0.1', '[2001:db8::1]'];
  for (const base_domain of domains) await site.create({custom_url: 'there', base_domain});
  return site;
}

const loops = [
  'https://example.com:8443/there',
  'https://user:password@example.com/there',
  'https://sho.rt%2F@example.com/there',
  'https://ex%61mple%2Ecom/there',
  'https://ｅｘａｍｐｌｅ.com/there',
  'https://exa\u00ADmple.com/there',
  'https:example.com/there',
  'https:\\\\example.com\\there',
  'https://example.com/%74%68%65%72%65',
  'https://example.com//there',
  'https://example.com/elsewhere/%2e%2E/there',
  'https://example.com/there?again=1#there',
  'http://sho.rt/there',
  'https://BÜCHER.example/there',
  'https://bu\u0308cher.example/there',
  'https://XN--BCHER-KVA.EXAMPLE./there',
  'https://go.example.org/%78/there',
  'http://127.1/there',
  'http://2130706433/there',
  'http://１２７.0.0.1:3000/there',
  'http://[::FFFF:7F00:0001]:3000/there',
  'http://[2001:0DB8:0:0:0:0:0:0001]:8080/there',
  'https://example.com/there/',
  'https://example.com/there).',
];
test('a loop back to the service is refused', async (t) => {
  const site = await startWithLinks(t);
  for (const url of loops) refused(t, await site.api('create', {url}), 'forbidden_url');
});

const others = [
  'https://example.com/%2574here',
  'https://example.com/there;x=1',
  'https://go.example.org/X/there',
  'https://example.com.evil.example/there',
  'https://evil.example/somewhere?https://example.com/there',
  'http://[::ffff:127.0.0.2]/there',
  'http://[2001:db8::2]/there',
];
test('a URL that only resembles a loop is accepted, and leads to none', async (t) => {
  const site = await startWithLinks(t);
  for (const url of others) {
    accepted(t, await site.api('create', {url}));
    const {host, pathname} = new URL(url);
    isTheHosts(t, await site.request({host, path: pathname}), 404, 'No such page on this site.');
  }
});

const linksFirst: World = {mount: mounts['with defer: false'], backend: memory};

const later = 'https://example.com/later';
const elsewhere = 'https://destination.example/page';

/** Links with a URL of the site that is no short URL yet. */
const early: Record<string, CreateLink> = {
  'long URL': {url: later},
  'long URL on another domain': {url: 'http://sho.rt/later?a=b'},
  'long URL in a rule': {url: elsewhere, rules: [{device: 'ios', url: later}]},
  'URL after expiry': {url: elsewhere, expiryDate: '2031-05-06', expiredUrl: later},
  'image of the preview': {url: elsewhere, previewImage: later},
};

/** A stranger takes the name on both domains. */
async function takeLater({shortener: {accounts, links}}: Site): Promise<void> {
  await accounts.create('stranger');
  for (const baseDomain of ['example.com', 'sho.rt']) {
    await links.create('stranger', {url: 'https://evil.example/', customUrl: 'later', baseDomain});
  }
}

for (const [what, link] of Object.entries(early)) {
  test(`where links answer first, a link whose ${what} becomes a short URL later leads nobody there, and counts nothing`, async (t) => {
    const site = await startSite(t, {world: linksFirst});
    const {links} = site.shortener;
    const {shortUrl: open} = await links.create('user-42', link);
    const {shortUrl: secured} = await links.create('user-42', {...link, password: 'open sesame'});
    if (link.expiryDate !== undefined) site.clock.set('2031-05-07T00:00:01Z');
    t.is((await site.visit(open)).status, 302);
    t.is((await site.submit(secured, 'open sesame')).status, 303);
    const visits = async (): Promise<number[]> =>
      Promise.all([open, secured].map(async (each) => (await links.info('user-42', each)).totalVisits));
    const before = await visits();

    await takeLater(site);
    for (const shortUrl of [open, secured]) {
      for (const method of ['GET', 'HEAD']) {
        const {status, headers} = await site.visit(shortUrl, {method});
        t.deepEqual([status, headers.location], [410, undefined], method);
      }
      const {status, text} = await site.visit(`${shortUrl}+`);
      t.is(status, 200);
      t.notRegex(text, /evil|later|destination\.example/);
    }
    t.is((await site.submit(secured, 'open sesame')).status, 410);
    const gone = await site.visit(open, {headers: {Accept: 'application/json'}});
    t.like(JSON.parse(gone.text), {code: 410, data: {status: 'disabled'}});
    t.deepEqual(await visits(), before);

    const changes = {url: elsewhere, rules: null, expiryDate: null, expiredUrl: null, previewImage: null};
    await links.update('user-42', open, changes);
    redirects(t, await site.visit(open), elsewhere);
  });

  test(`where pages answer first, a link whose ${what} is a page works if a stranger takes its name before it was served`, async (t) => {
    const site = await startSite(t, {
      downstream: async (ctx, next) => {
        if (ctx.path === '/later') ctx.body = 'The sale of the year';
        else await next();
      },
    });
    const {links} = site.shortener;
    const {shortUrl: open} = await links.create('user-42', link);
    const {shortUrl: secured} = await links.create('user-42', {...link, password: 'open sesame'});
    if (link.expiryDate !== undefined) site.clock.set('2031-05-07T00:00:01Z');
    const before = (await site.visit(open)).headers.location;
    await takeLater(site);
    for (let times = 0; times < 2; times += 1) {
      redirects(t, await site.visit(open), String(before));
      t.is((await site.submit(secured, 'open sesame')).status, 303);
      t.is((await site.request({path: '/later'})).text, 'The sale of the year');
    }
  });
}

test('of two links that lead to each other, and are created at once, none leads to the other', async (t) => {
  const site = await startSite(t);
  const {links} = site.shortener;
  const calls = ['one', 'other'].map((customUrl, index) =>
    links.create('user-42', {url: `https://example.com/${['other', 'one'][index]}`, customUrl}),
  );
  await Promise.all(calls);
  for (const customUrl of ['one', 'other']) t.is((await site.visit(`https://example.com/${customUrl}`)).status, 410);
});

test('a link to a page of the site leads there, also if a link behind that page has its name', async (t) => {
  const site = await startSite(t);
  const {links} = site.shortener;
  const about = 'https://example.com/about';
  const {shortUrl} = await links.create('user-42', {url: about});
  await links.create('user-42', {url: elsewhere, customUrl: 'about'});
  isTheHosts(t, await site.request({path: '/about'}), 200, 'About this site');
  redirects(t, await site.visit(shortUrl), about);
});

test('where links answer first, a link to a short URL that begins later leads to the site until then', async (t) => {
  const site = await startSite(t, {world: linksFirst});
  const {links} = site.shortener;
  const {shortUrl} = await links.create('user-42', {url: later});
  await links.create('user-42', {url: elsewhere, customUrl: 'later', startDate: '2031-05-08'});
  redirects(t, await site.visit(shortUrl), later);
  site.clock.set('2031-05-08T00:00:00Z');
  t.is((await site.visit(shortUrl)).status, 410);
});
