import {pageOf, type Site} from './sites.ts';

const {block} = await pageOf('docs/koa-frameworks.md');
const operator = "admin: (ctx) => ctx.session.userId === 'root', path: '/links'";
const shortener = block("require('koa-short-url/dashboard')").replace("path: '/links'", operator);

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
${block('provider.use').slice(block('provider.use').indexOf('process.once'))}
`;

const egg = (version: string): Site => ({
  packages: {egg: version},
  files: {
    'lib/shortener.js': shortener,
    'app/middleware/shortUrl.js': block('/shortener'),
    'app/middleware/links.js': block("('../../lib/shortener').pages"),
    'app.js': block('coreMiddleware'),
    'config/config.default.js': `exports.keys = 'a key';\nexports.notfound = {pageUrl: '/404.html'};\n${block('exports.middleware')}`,
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

/** The sites that run on Koa, by their names. */
export const koaSites: Readonly<Record<string, Site>> = {
  'Egg 3 with two workers': egg('3'),
  'Egg 4 with two workers': egg('4'),
  'ThinkJS with two workers': {
    packages: {thinkjs: '3', 'think-session': '1', 'think-session-cookie': '1'},
    files: {
      'src/shortener.js': ofThink(shortener),
      'src/config/middleware.js': block("handle: 'payload'"),
      'src/config/config.js': 'module.exports = {workers: 2, port: Number(process.env.PORT)};',
      'src/config/extend.js': "module.exports = [require('think-session')];",
      'src/config/adapter.js': `
exports.session = {
  type: 'cookie',
  common: {cookie: {name: 'thinkjs'}},
  cookie: {handle: require('think-session-cookie'), cookie: {encrypt: false, keys: ['a key']}},
};`,
      'src/bootstrap/worker.js': block('think.app'),
      'src/bootstrap/master.js': block('cluster.workers'),
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
