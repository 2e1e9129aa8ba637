import test from 'ava';
import {build} from 'esbuild';
import type {Middleware} from 'koa';
import {inBrowser, sharedChromium} from '../../support/chromium.ts';
import {open} from '../../support/dashboard.ts';

const openPage = sharedChromium();
let program = '';

test.before(async () => {
  const {outputFiles} = await build({entryPoints: ['src/client.ts'], bundle: true, write: false, format: 'esm'});
  program = outputFiles[0]?.text ?? '';
});

const site: Middleware = async (ctx, next) => {
  if (ctx.path === '/client.js') {
    ctx.type = 'text/javascript';
    ctx.body = program;
  } else if (ctx.path === '/page') {
    ctx.type = 'html';
    ctx.body = '<!doctype html><title>A page of the site</title>';
  } else {
    await next();
  }
};

/** What a script of a page gets. */
function calling(url: string, call: string): string {
  return `import('/client.js').then(({createClient}) => createClient({url: ${JSON.stringify(url)}}).${call})
    .catch(({name, code, status}) => ({name, code, status}))`;
}

inBrowser('a page of the site calls the API by the session, and a page of another origin does not', async (t) => {
  const {origin, shortener} = await open(t, {
    assemble: (app, {shortener: links, pages}) => {
      app.use(site).use(links).use(pages);
      return undefined;
    },
  });
  const page = await openPage(t, {extraHTTPHeaders: {'X-User': 'ann'}});
  await page.goto(`${origin}/page`);
  const url = 'https://example.org/';
  const made = await page.evaluate<{short_url: string}>(calling('/links/api', `create({url: '${url}'})`));
  t.is((await shortener.links.info('ann', made.short_url)).originalUrl, url);
  const size = `qr({short_url: '${made.short_url}'}).then(({type}) => type)`;
  t.is(await page.evaluate<string>(calling('/links/api', size)), 'image/svg+xml');
  t.deepEqual(await page.evaluate(calling('/links/api', "create({url: 'nonsense'})")), {
    name: 'ApiError',
    code: 'invalid_url',
    status: 400,
  });

  const {port} = new URL(origin);
  const other = origin.includes('localhost') ? `http://127.0.0.1:${port}` : `http://localhost:${port}`;
  await page.goto(`${other}/page`);
  const refused = await page.evaluate<{code: string}>(calling(`${origin}/links/api`, `create({url: '${url}'})`));
  t.is(refused.code, 'no_answer');
  t.is((await shortener.links.page('ann')).links.length, 1);
});
