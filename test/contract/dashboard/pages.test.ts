import '../../support/quick-scrypt.ts';
import test from 'ava';
import type {Middleware} from 'koa';
import type {DashboardOptions} from '../../../src/dashboard.ts';
import {textsOf} from '../../../src/dashboard/texts/texts.ts';
import type {PageLanguage} from '../../../src/index.ts';
import {elementsOf} from '../../support/documents.ts';
import {type Answer, open, textOf, type Visitor} from '../../support/dashboard.ts';
import {between, keeping, linkPath} from '../../support/dashboard-pages.ts';
import {parseCurl} from '../../support/curl.ts';
import {openAsPerson} from '../../support/visitor.ts';

const url = 'https://example.org/';
const languages: PageLanguage[] = ['en', 'zh-Hans', 'zh-Hant', 'es', 'fr', 'de'];

async function* tour(ann: Visitor, shortUrl: string, language: string): AsyncGenerator<Answer> {
  const headers = {'Accept-Language': language};
  const {location: updated} = await ann.post('update', {short_url: shortUrl, title: 'B'});
  const {location: replaced} = await ann.post('key');
  const places = ['', '?search=nothing', linkPath(shortUrl), updated, replaced];
  const pages = [...places, 'operator', `operator?short_url=${shortUrl}`, 'accounts', 'link'];
  for (const page of pages) yield ann.get(page, headers);
  yield ann.post('create', {url: ''}, headers);
  yield ann.post('create', {url}, {...headers, 'Sec-Fetch-Site': 'cross-site'});
}

for (const language of languages) {
  test(`every page in ${language} is well-formed HTML without text in another language`, async (t) => {
    const {visitor, shortener, origin} = await open(t);
    await shortener.accounts.create('operator');
    const more = {title: 'A', expiryDate: '2031-12-31', maxVisits: 9};
    const {shortUrl} = await shortener.links.create('operator', {url, ...more});
    await openAsPerson(shortUrl);
    t.true(shortUrl.startsWith(origin));
    for await (const {text, url: address, headers} of tour(visitor('operator'), shortUrl, language)) {
      t.true(text.includes(`<html class="links-page" lang="${language}">`), address);
      t.notThrows(() => elementsOf(text), address);
      const ids = Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id = '']) => id);
      t.is(new Set(ids).size, ids.length, `${address}: every id is unique`);
      // The host's own layout may have a field `search` or a section `api`.
      t.deepEqual(
        ids.filter((id) => !id.startsWith('links-')),
        [],
        address,
      );
      t.is(text.match(/<h1/g)?.length, 1, address);
      t.notRegex(textOf(text), /undefined|null|\[object|\bNaN\b|#\s/, address);
      t.true(headers.get('vary')?.includes('Accept-Language'), address);
    }
  });
}

test('every language has all texts, with the same placeholders', (t) => {
  const leavesOf = (value: object, path = ''): string[] =>
    Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
      if (typeof each === 'object' && each !== null) return leavesOf(each, `${path}${key}.`);
      const said = typeof each === 'function' ? (each as (...given: string[]) => string)('[1]', '[2]') : String(each);
      return [`${path}${key} ${(said.match(/\[\d\]|#/g) ?? []).toSorted().join('')}`];
    });
  for (const language of languages) t.deepEqual(leavesOf(textsOf(language)), leavesOf(textsOf('en')), language);
});

test('a page is private, runs no foreign script, and cannot be framed', async (t) => {
  const {visitor, shortener} = await open(t);
  const {shortUrl} = await shortener.links.create('ann', {url});
  for (const page of ['', `link?short_url=${shortUrl}`, 'api', 'link']) {
    const {headers, text} = await visitor('ann').get(page);
    t.is(
      headers.get('content-security-policy'),
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    t.is(headers.get('cache-control'), 'no-store');
    t.is(headers.get('referrer-policy'), 'same-origin');
    t.is(headers.get('x-content-type-options'), 'nosniff');
    t.is(headers.get('x-frame-options'), 'DENY');
    t.notRegex(text, /<style| style=| on[a-z]+=|<script(?! type="module" src="\.)/);
  }
});

test('the style sheet and the script are cached forever, under names that change with their content', async (t) => {
  const names = await Promise.all(
    ['#0b5d66', '#ffcc00'].map(async (accent) => {
      const {visitor} = await open(t, {dashboard: {accent}});
      const {text} = await visitor('ann').get();
      const files = Array.from(text.matchAll(/(?:href|src)="\.\/((?:style|script)-[^"]+)"/g), ([, name = '']) => name);
      for (const name of files) {
        const {headers, status} = await visitor().get(name);
        t.is(status, 200);
        t.is(headers.get('cache-control'), 'public, max-age=31536000, immutable');
        const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
        t.is(headers.get('content-type'), type);
        // The page of another version gets the current file, uncached.
        const other = await visitor().get(name.replace(/-.*\./, '-0123456789abcdef.'));
        t.is(other.status, 200);
        t.is(other.headers.get('cache-control'), 'no-cache');
      }
      return files;
    }),
  );
  t.is(names[0]?.length, 2);
  t.not(names[0]?.[0], names[1]?.[0]);
  t.is(names[0]?.[1], names[1]?.[1]);
});

test('a host can put the pages into its own layout, with its own policy', async (t) => {
  const layout: DashboardOptions['layout'] = ({title, language, head, content}, ctx) =>
    `<!DOCTYPE html><html lang="${language}"><head><title>${title} – ${ctx.path}</title>${head}</head><body><main>${content}</main></body></html>`;
  const site: Middleware = async (ctx, next) => {
    ctx.set('Content-Security-Policy', "default-src 'self'");
    await next();
  };
  const {visitor} = await open(t, {dashboard: {layout}, ...between(site)});
  for (const page of ['', 'api', 'link']) {
    const {text, headers} = await visitor('ann').get(page, {'Accept-Language': 'de'});
    t.regex(text, /^<!DOCTYPE html><html lang="de"><head><title>[^<]+ – \/links\//);
    t.true(text.includes('<div class="links-dashboard" lang="de">'));
    t.notThrows(() => elementsOf(text));
    t.is(headers.get('content-security-policy'), "default-src 'self'");
    t.is(headers.get('cache-control'), 'no-store');
    t.is(text.match(/<main/g)?.length, 1);
  }
});

test('an internal error is reported to the host and not shown on the page', async (t) => {
  const faults: unknown[] = [];
  const account = (): never => {
    throw new Error('the session is broken');
  };
  const {visitor} = await open(t, {dashboard: {account}, ...keeping(faults)});
  const {status, text} = await visitor('ann').get();
  t.is(status, 500);
  t.false(text.includes('session'));
  t.is(faults.length, 1);
});

test('the example calls work, for the newest link and for the link of which the page says so', async (t) => {
  const {visitor, shortener} = await open(t);
  const {shortUrl} = await shortener.links.create('ann', {url, customUrl: 'spring'});
  await shortener.links.create('ann', {url, customUrl: 'newer'});
  const ann = visitor('ann');
  const link = (await ann.get(linkPath(shortUrl))).text;
  const [, address = ''] = /<a href="([^"]+)"[^>]*>API calls for this link</.exec(link) ?? [];
  for (const [page, part] of [
    ['api', 'newer'],
    [address, 'spring'],
  ] as const) {
    const {text} = await ann.get(page);
    const lines = Array.from(
      text.matchAll(/<code id="links-([\w-]+)">(curl .*?)<\/code>/gs),
      ([, id = '', line = '']) => {
        const plain = line
          .replaceAll(/<span class="links-mask">[^<]*<\/span>/g, '')
          .replaceAll(/<[^>]*>/g, '')
          .replaceAll('&#39;', "'")
          .replaceAll('&quot;', '"');
        return [id, plain] as const;
      },
    );
    t.is(lines.length, 18);
    // The call that removes the link runs last.
    for (const [id, line] of lines) {
      // Only the page of a link that was chosen has a call that removes it.
      const named = page === 'api' && id.startsWith('remove') ? 'example' : part;
      if (/^(?:info|stats|update|disable|enable|remove)/.test(id)) t.true(line.includes(`/${named}"`), line);
      const {address: target, ...init} = parseCurl(line);
      const answer = await fetch(target, init);
      // Only the first of the two formats succeeds: it takes the short part, or removes the link.
      const isOnce = id.startsWith('create_with_options') || id.startsWith('remove');
      const expected = named === 'example' ? [404] : isOnce && !id.endsWith('-json') ? [409, 404] : [200];
      t.true(expected.includes(answer.status), `${id}: ${answer.status}`);
      t.true(answer.headers.get('content-type')?.startsWith(`application/${id.slice(id.lastIndexOf('-') + 1)}`));
    }
  }
  t.is((await visitor('bob').get(address)).status, 404);
});

test('no answer of the dashboard keeps headers with which the host lets caches store its own pages', async (t) => {
  const names = ['cdn-cache-control', 'surrogate-control', 'edge-control', 'x-accel-expires', 'expires'];
  const cached: Middleware = async (ctx, next) => {
    for (const name of names) ctx.set(name, 'max-age=600');
    await next();
  };
  const stage = await open(t, between(cached));
  const ann = stage.visitor('ann');
  const {shortUrl} = await stage.shortener.links.create('ann', {url});
  const link = linkPath(shortUrl);
  const paths = ['', 'api', link, link.replace('link', 'qr.svg'), 'openapi.json', 'create', 'link?short_url=x'];
  for (const {headers, url: address} of [
    ...(await Promise.all(paths.map((path) => ann.get(path)))),
    await stage.visitor().get(''),
  ]) {
    t.deepEqual(
      names.filter((name) => headers.has(name)),
      [],
      address,
    );
  }
});
