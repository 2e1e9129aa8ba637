import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {install} from '../contract/package/installation.ts';
import {packed} from '../contract/package/tarball.ts';
import {Client} from '../support/client.ts';
import {fieldsIn} from '../support/dashboard.ts';
import {isNight} from '../support/night.ts';
import {blocksOf} from '../support/pages.ts';
import {eventually} from '../support/store/eventually.ts';
import {freePort} from '../support/store/redis-server.ts';

/** The code of docs/koa-frameworks.md, block by block. */
const code = blocksOf(await readFile('docs/koa-frameworks.md', 'utf8'))
  .filter(({language}) => language === 'js')
  .map(({code: block}) => block);

function blockWith(text: string): string {
  const block = code.find((each) => each.includes(text));
  if (block === undefined) throw new Error(`docs/koa-frameworks.md has no code with ${text}`);
  return block;
}

const operator = "admin: (ctx) => ctx.session.userId === 'root', path: '/links'";
const shortener = blockWith("require('koa-short-url/dashboard')").replace("path: '/links'", operator);

interface Site {
  readonly packages: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  /** A page of the site, and what it answers where it has none. */
  readonly missing: number;
}

const koaSite = (mount: string): string => `
import {createRequire} from 'node:module';
import Koa from 'koa';
const {shortUrl} = createRequire(import.meta.url)('koa-short-url');
const {dashboard} = createRequire(import.meta.url)('koa-short-url/dashboard');
const baseUrl = process.env.PUBLIC_URL;
const options = {baseUrl, store: process.env.STORE, secret: process.env.SHORT_URL_SECRET};
const named = (ctx) => ctx.cookies.get('user', {signed: false});
const routes = async (ctx, next) => {
  if (ctx.path === '/about') ctx.body = 'About';
  else if (ctx.path === '/login') {
    ctx.cookies.set('user', ctx.query.user, {signed: false});
    ctx.redirect('/links/');
  } else await next();
};
${mount}
process.once('SIGTERM', () => {
  server.closeAllConnections();
  server.close(() => shortener.close().then(() => process.exit()));
});
`;

const sites: Record<string, Site> = {
  'Egg with two workers': {
    packages: {egg: '3'},
    files: {
      'lib/shortener.js': shortener,
      'app/middleware/shortUrl.js': blockWith('/shortener'),
      'app/middleware/links.js': blockWith("('../../lib/shortener').pages"),
      'app.js': blockWith('coreMiddleware'),
      'config/config.default.js': `exports.keys = 'a key';\nexports.notfound = {pageUrl: '/404.html'};\n${blockWith('exports.middleware')}`,
      'app/router.js': `
module.exports = ({router}) => {
  router.get('/about', async (ctx) => { ctx.body = 'About'; });
  router.get('/login', async (ctx) => { ctx.session.userId = ctx.query.user; ctx.redirect('/links/'); });
};`,
      'start.mjs': `
import egg from 'egg';
egg.startCluster({baseDir: import.meta.dirname, workers: 2, port: Number(process.env.PORT)});`,
    },
    missing: 302,
  },
  'oidc-provider': {
    packages: {'oidc-provider': '9', koa: '3'},
    files: {
      'start.mjs': koaSite(`
import Provider from 'oidc-provider';
const provider = new Provider(baseUrl, {});
const shortener = shortUrl({...options, reserved: ['auth', 'token', 'jwks', 'me', 'session', 'login', 'about']});
provider.use(shortener).use(routes);
provider.use(
  dashboard(shortener, {
    path: '/links',
    account: named,
    admin: (ctx) => named(ctx) === 'root',
    login: (ctx, next) => '/login?return_to=' + encodeURIComponent(next),
  }),
);
const server = provider.listen(Number(process.env.PORT));`),
    },
    missing: 404,
  },
  'a Vite app behind Koa': {
    packages: {vite: '6', koa: '3'},
    files: {
      'index.html': '<!doctype html><title>The app</title>',
      'start.mjs': koaSite(`
import {createServer} from 'vite';
const vite = await createServer({server: {middlewareMode: true, ws: false}, appType: 'spa', logLevel: 'error'});
const shortener = shortUrl({...options, defer: false, reserved: ['about', 'login', 'src']});
const app = new Koa();
app.use(shortener).use(routes);
app.use(dashboard(shortener, {path: '/links', account: named, login: '/login', admin: (ctx) => named(ctx) === 'root'}));
app.use((ctx) => {
  ctx.respond = false;
  ctx.res.statusCode = 200;
  vite.middlewares(ctx.req, ctx.res);
});
const server = app.listen(Number(process.env.PORT));`),
    },
    missing: 200,
  },
};

async function start(t: ExecutionContext, {packages, files}: Site): Promise<{origin: string; site: ChildProcess}> {
  const folder = await install(t, await packed(t), {libsql: '^0.5.0', ...packages}, {});
  // Egg needs its name.
  const manifest = join(folder, 'package.json');
  await writeFile(manifest, JSON.stringify({...JSON.parse(await readFile(manifest, 'utf8')), name: 'site'}));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), {recursive: true});
    await writeFile(join(folder, name), text);
  }
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(port),
    PUBLIC_URL: origin,
    STORE: `sqlite:${resolve(folder, 'links.db')}`,
    SHORT_URL_SECRET: 'a secret of this test, and for nothing else',
  };
  const site = spawn(process.execPath, ['start.mjs'], {cwd: folder, env, stdio: 'ignore'});
  t.teardown(() => site.kill('SIGKILL'));
  await eventually(async () => fetch(`${origin}/about`), 120_000);
  return {origin, site};
}

const check = isNight ? test.serial : test.serial.skip;

for (const [name, site] of Object.entries(sites)) {
  check(`${name}, mounted as the page says, has links, the API, forms, a dashboard and an orderly end`, async (t) => {
    t.timeout(600_000);
    const {origin, site: process} = await start(t, site);
    const browser = new Client(origin, {'User-Agent': 'Mozilla/5.0 Firefox/140.0', 'Sec-Fetch-Site': 'same-origin'});
    t.is((await browser.get('/about')).text, 'About');
    t.is((await browser.get('/none')).status, site.missing);
    t.regex((await browser.get('/links/')).location, /\/login\?/);
    t.is((await browser.get('/login?user=ann')).location, `${origin}/links/`);

    const page = (await browser.get('/links/')).text;
    const fields = {...fieldsIn(page, './create'), url: 'https://destination.example/form'};
    const made = await browser.send('/links/create', {method: 'POST', body: new URLSearchParams(fields)});
    t.regex(made.location, /done=created/);

    const [, apiKey = ''] = />([\w-]{34,})</.exec((await browser.get('/links/api')).text) ?? [];
    const call = async (operation: string, parameters: object) => {
      const answer = await fetch(`${origin}/api/v1/shorturl/${operation}`, {
        method: 'POST',
        headers: {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'},
        body: JSON.stringify(parameters),
      });
      return ((await answer.json()) as {data: {short_url: string; total_visits: number}}).data;
    };
    const destination = 'https://destination.example/a';
    const link = await call('create', {url: destination, custom_url: 'spring'});
    for (const end of ['', '.', '/', '']) t.is((await browser.get(link.short_url + end)).location, destination, end);
    t.is((await browser.get(`${link.short_url}+`)).status, 200);
    t.is((await call('info', {short_url: link.short_url})).total_visits, 4);

    const secret = await call('create', {url: destination, password: 's3cret'});
    const [, action = ''] = /action="([^"]+)"/.exec((await browser.get(secret.short_url)).text) ?? [];
    const enter = async (password: string) =>
      browser.send(action, {method: 'POST', body: new URLSearchParams({password})});
    t.is((await enter('wrong')).status, 401);
    t.is((await enter('s3cret')).location, destination);

    await browser.get('/login?user=root');
    t.is((await browser.get('/links/operator')).status, 200);
    process.kill('SIGTERM');
    const [status] = (await once(process, 'exit')) as [number | null];
    t.is(status, 0);
  });
}
