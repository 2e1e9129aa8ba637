import {type ChildProcess, spawn} from 'node:child_process';
import {randomInt} from 'node:crypto';
import {once} from 'node:events';
import {mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {shortUrl} from '../../src/index.ts';
import {install} from '../contract/package/installation.ts';
import {nodeOf} from '../contract/package/node-versions.ts';
import {packed} from '../contract/package/tarball.ts';
import {Client} from '../support/client.ts';
import {fieldsIn} from '../support/dashboard.ts';
import {range} from '../support/engines/crowd.ts';
import {isNight} from '../support/night.ts';
import {blocksOf} from '../support/pages.ts';
import {eventually} from '../support/store/eventually.ts';
import {freePort} from '../support/store/redis-server.ts';
import {thisFile} from '../support/this-file.ts';

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
${blockWith('provider.use').slice(blockWith('provider.use').indexOf('process.once'))}
`;

const egg = (version: string): Site => ({
  packages: {egg: version},
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
import * as egg from 'egg';
egg.startCluster({baseDir: import.meta.dirname, workers: 2, port: Number(process.env.PORT)});`,
  },
  missing: 302,
});

const ofThink = (text: string): string =>
  text
    .replace("ctx.session.userId === 'root'", "(await ctx.session('userId')) === 'root'")
    .replace('admin: (ctx)', 'admin: async (ctx)')
    .replace('ctx.session.userId', "ctx.session('userId')");

const sites: Readonly<Record<string, Site>> = {
  'Egg 3 with two workers': egg('3'),
  'Egg 4 with two workers': egg('4'),
  'ThinkJS with two workers': {
    packages: {thinkjs: '3', 'think-session': '1', 'think-session-cookie': '1'},
    files: {
      'src/shortener.js': ofThink(shortener),
      'src/config/middleware.js': blockWith("handle: 'payload'"),
      'src/config/config.js': 'module.exports = {workers: 2, port: Number(process.env.PORT)};',
      'src/config/extend.js': "module.exports = [require('think-session')];",
      'src/config/adapter.js': `
exports.session = {
  type: 'cookie',
  common: {cookie: {name: 'thinkjs'}},
  cookie: {handle: require('think-session-cookie'), cookie: {encrypt: false, keys: ['a key']}},
};`,
      'src/bootstrap/worker.js': blockWith('think.app'),
      'src/bootstrap/master.js': blockWith('cluster.workers'),
      'src/controller/about.js': `
module.exports = class extends think.Controller {
  indexAction() { this.body = 'About'; }
};`,
      'src/controller/login.js': `
module.exports = class extends think.Controller {
  async indexAction() {
    await this.session('userId', this.get('user'));
    return this.redirect('/links/');
  }
};`,
      'start.mjs': `
import Application from 'thinkjs';
new Application({ROOT_PATH: import.meta.dirname, env: 'production'}).run();`,
    },
    missing: 404,
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
process.once('SIGTERM', () => vite.close());
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

const owner = thisFile();
const folders = new Map<string, Promise<string>>();

/** The folder of a site, which is installed once. */
function folderOf(name: string, {packages, files}: Site): Promise<string> {
  const folder = folders.get(name) ?? installed();
  folders.set(name, folder);
  return folder;

  async function installed(): Promise<string> {
    const path = await install(owner, await packed(owner), {libsql: '^0.5.0', ...packages}, {});
    // Egg needs its name.
    const manifest = join(path, 'package.json');
    await writeFile(manifest, JSON.stringify({...JSON.parse(await readFile(manifest, 'utf8')), name: 'site'}));
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(path, file)), {recursive: true});
      await writeFile(join(path, file), text);
    }
    return path;
  }
}

const secret = 'a secret of this test, and for nothing else';

async function start(
  t: ExecutionContext,
  folder: string,
  node: string,
): Promise<{origin: string; store: string; site: ChildProcess}> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const file = resolve(folder, 'links.db');
  await Promise.all(['', '-wal', '-shm', '-info'].map((end) => rm(file + end, {force: true})));
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(port),
    PUBLIC_URL: origin,
    STORE: `sqlite:${file}`,
    SHORT_URL_SECRET: secret,
  };
  const site = spawn(node, ['start.mjs'], {cwd: folder, env, stdio: 'ignore'});
  t.teardown(() => site.kill('SIGKILL'));
  await eventually(async () => fetch(`${origin}/about`), 120_000);
  return {origin, store: env.STORE, site};
}

/** Visits a link without a pause until the site ends, and ends it meanwhile. Returns how many redirects came. */
async function visitUntilEnd(t: ExecutionContext, site: ChildProcess, visit: () => Promise<number>): Promise<number> {
  let answered = 0;
  const clients = range(8).map(async () => {
    for (;;) {
      const status = await visit().catch(() => 0);
      if (status === 0) return;
      t.is(status, 302);
      answered += 1;
      if (answered === 200) site.kill('SIGTERM');
      await delay(randomInt(3));
    }
  });
  const [status] = (await once(site, 'exit')) as [number | null];
  t.is(status, 0);
  await Promise.all(clients);
  return answered;
}

const check = isNight ? test.serial : test.serial.skip;

for (const [name, site] of Object.entries(sites)) {
  for (const version of ['20', '22', '24']) {
    check(`${name} on Node.js ${version}, mounted as the page says, has links, forms and exact counts`, async (t) => {
      t.timeout(600_000);
      const {origin, store, site: running} = await start(t, await folderOf(name, site), await nodeOf(version));
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

      const locked = await call('create', {url: destination, password: 's3cret'});
      const [, action = ''] = /action="([^"]+)"/.exec((await browser.get(locked.short_url)).text) ?? [];
      const enter = async (password: string) =>
        browser.send(action, {method: 'POST', body: new URLSearchParams({password})});
      t.is((await enter('wrong')).status, 401);
      t.is((await enter('s3cret')).location, destination);

      await browser.get('/login?user=root');
      t.is((await browser.get('/links/operator')).status, 200);

      const visits = await visitUntilEnd(t, running, async () => {
        const {status} = await browser.get(link.short_url);
        return status;
      });
      const reopened = shortUrl({baseUrl: origin, store, secret});
      t.teardown(() => reopened.close());
      const {totalVisits} = await reopened.links.info('ann', link.short_url);
      t.log(`${visits} redirects`);
      t.is(totalVisits, 4 + visits);
      // One visit by the form.
      t.is((await reopened.accounts.stats('ann')).totalVisits, totalVisits + 1);
    });
  }
}
