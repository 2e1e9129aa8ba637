import {readdir, readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {basename} from 'node:path';
import test from 'ava';
import type Koa from 'koa';
import type {ShortUrl, ShortUrlOptions} from 'koa-short-url';
import {buildApp as logEvents} from '../../../examples/events-log.ts';
import {buildApp as mountInTypeScript} from '../../../examples/mount.ts';
import {buildApp as shareTwoDomains} from '../../../examples/two-domains.ts';
import {buildApp as mountUnderPrefix} from '../../../examples/under-a-prefix.ts';
import {urlSafe} from '../../support/base64.ts';
import {siteOf} from '../../support/examples/visitor.ts';
import {withPassword} from '../../support/request.ts';

const url = 'https://destination.example/page';
const examples = new URL('../../../examples/', import.meta.url);

type BuildApp = (options: ShortUrlOptions) => {app: Koa; shortener: ShortUrl};

const mounts: Record<string, () => Promise<{buildApp: BuildApp}>> = {
  'mount.mjs': () => import(new URL('mount.mjs', examples).href) as Promise<{buildApp: BuildApp}>,
  'mount.cjs': async () => createRequire(examples)('./mount.cjs') as {buildApp: BuildApp},
  'mount.ts': async () => ({buildApp: mountInTypeScript}),
};

test('every example has its link in the list', async (t) => {
  const index = await readFile(new URL('README.md', examples), 'utf8');
  const links = Array.from(index.matchAll(/^\|.*?\]\(([^)]+)\)/gm), ([, file = '']) => basename(file));
  const entries = (await readdir(examples)).filter((name) => name !== 'README.md' && !name.startsWith('.'));
  t.deepEqual(links.toSorted(), entries.toSorted());
});

for (const [file, load] of Object.entries(mounts)) {
  test(`${file} has a site with links in 15 lines`, async (t) => {
    const lines = (await readFile(new URL(file, examples), 'utf8')).trimEnd().split('\n');
    t.true(lines.length <= 15, `${lines.length} lines`);

    const {buildApp} = await load();
    const secret = 'a secret for this test, and for nothing else';
    const site = buildApp({baseUrl: 'https://example.com', store: 'memory:', secret});
    const {visit, call} = await siteOf(t, site);
    const created = (await call(`create/url/${urlSafe(url)}`)).json();
    t.is(created.code, 200);
    t.is((await visit(created.data.short_url)).headers.location, url);
    t.is((await visit('https://example.com/')).text, 'Your pages answer as before.');
    t.is((await visit('https://example.com/nowhere')).status, 404);
  });
}

test('under a prefix the links and the API answer only there', async (t) => {
  const {shortener, visit, call} = await siteOf(t, mountUnderPrefix());
  const {shortUrl} = await shortener.links.create('ann', {url, customUrl: 'spring'});
  t.is(shortUrl, 'https://example.com/s/spring');
  t.is((await visit(shortUrl)).headers.location, url);
  t.is((await visit('https://example.com/spring')).status, 404);
  t.is((await call('list_active_urls', '/s')).status, 200);
  t.is((await call('list_active_urls')).status, 404);
  t.is((await visit('https://example.com/')).text, 'Home');
});

test('with two short domains the same short part is another link on each', async (t) => {
  const {shortener, visit} = await siteOf(t, shareTwoDomains());
  const shortUrls: Record<string, string> = {
    'www.example.com': 'https://www.example.com/spring',
    'sho.rt': 'https://sho.rt/spring',
    'go.example.org': 'https://go.example.org/to/spring',
  };
  for (const [baseDomain, expected] of Object.entries(shortUrls)) {
    const link = await shortener.links.create('ann', {url: `${url}?${baseDomain}`, customUrl: 'spring', baseDomain});
    t.is(link.shortUrl, expected);
  }
  for (const [domain, shortUrl] of Object.entries(shortUrls)) {
    t.is((await visit(shortUrl)).headers.location, `${url}?${domain}`);
  }
  t.is((await visit('https://www.example.com/')).text, 'Home');
  t.is((await visit('https://sho.rt/')).headers.location, 'https://www.example.com/');
  t.is((await visit('https://elsewhere.example/spring')).status, 404);
});

test('the log has a line for each event and each request, without keys, passwords and long URLs', async (t) => {
  const lines: string[] = [];
  const {shortener, visit, call, apiKey} = await siteOf(
    t,
    logEvents((line) => lines.push(line)),
  );
  const created = await call(`create/custom_url/spring/password/hush-hush/url/${urlSafe(url)}`);
  const {short_url: shortUrl} = created.json().data;
  await visit(shortUrl, withPassword('wrong'));
  await visit(shortUrl, withPassword('hush-hush'));
  await call(`disable/short_url/${urlSafe(shortUrl)}`);
  await call(`enable/short_url/${urlSafe(shortUrl)}`);
  await shortener.close();
  await visit(shortUrl);

  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  t.deepEqual(
    entries.filter(({event}) => event !== 'request').map(({event}) => event),
    // A visit after the end of the site is answered with 503, and is no event.
    ['create', 'denied', 'visit', 'disable', 'enable'],
  );
  for (const entry of entries) t.regex(String(entry['at']), /^\d{4}-\d\d-\d\dT/);
  t.like(entries[0], {event: 'create', account: 'ann', shortUrl: 'https://example.com/spring'});
  const requests = entries.filter(({event}) => event === 'request');
  t.deepEqual(
    requests.map(({status}) => status),
    [200, 401, 303, 200, 200, 503],
  );
  t.regex(String(requests[0]?.['url']), /^\/api\/v1\/.+\/shorturl\/create\/custom_url\/spring\/password\/.+\/url\//);
  for (const line of lines) {
    for (const secret of [apiKey, 'hush-hush', url]) t.false(line.includes(secret), line);
  }
});
