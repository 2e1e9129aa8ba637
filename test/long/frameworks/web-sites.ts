import {pageOf, type Site} from './sites.ts';

const {block} = await pageOf('docs/frameworks.md');
const account = 'const account = (ctx) => ctx.state.context?.userId;';

/** The shortener of the page, whose dashboard has an operator too. */
const links = block('export const shortener')
  .replace(account, `${account}\nconst admin = (ctx) => account(ctx) === 'root';`)
  .replace("login: '/login'", "login: '/login', admin");

/** Closes the shortener when the open requests have been answered. */
const shutdown = `
process.once('SIGTERM', () => {
  server.prependListener('request', (request, response) => response.setHeader('Connection', 'close'));
  server.close(() => shortener.close());
});`;

const imports = "import {handle, shortener} from './links.mjs';";

const loggedIn = `new Response(null, {
  status: 302,
  headers: {Location: '/links/', 'Set-Cookie': 'user=' + new URL(request.url).searchParams.get('user') + '; Path=/'},
})`;

/** The sites whose handlers are functions from a request to its response, by their names. */
export const webSites: Readonly<Record<string, Site>> = {
  Hono: {
    packages: {hono: '4', '@hono/node-server': '2', koa: '3'},
    files: {
      'links.mjs': links,
      'start.mjs': `
import {serve} from '@hono/node-server';
import {getConnInfo} from '@hono/node-server/conninfo';
import {Hono} from 'hono';
import {getCookie, setCookie} from 'hono/cookie';
${imports}
const app = new Hono();
app.use(async (c, next) => {
  c.set('userId', getCookie(c, 'user'));
  await next();
});
app.get('/about', (c) => c.text('About'));
app.get('/login', (c) => {
  setCookie(c, 'user', c.req.query('user'));
  return c.redirect('/links/');
});
${block('app.notFound')}
const server = serve({fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT)});
${shutdown}`,
    },
    missing: 404,
  },
  'h3 1, as in Nuxt': {
    packages: {h3: '1', koa: '3'},
    files: {
      'links.mjs': links,
      'middleware.mjs': `
import {defineEventHandler, getRequestIP, toWebRequest} from 'h3';
${imports}
${block('defineEventHandler')}`,
      'start.mjs': `
import {createServer} from 'node:http';
import {createApp, defineEventHandler, getCookie, getQuery, sendRedirect, setCookie, toNodeListener} from 'h3';
import {shortener} from './links.mjs';
import middleware from './middleware.mjs';
const app = createApp();
app.use(defineEventHandler((event) => {
  event.context.userId = getCookie(event, 'user');
}));
app.use(middleware);
app.use('/about', defineEventHandler(() => 'About'));
app.use('/login', defineEventHandler((event) => {
  setCookie(event, 'user', getQuery(event).user);
  return sendRedirect(event, '/links/');
}));
const server = createServer(toNodeListener(app)).listen(Number(process.env.PORT), '127.0.0.1');
${shutdown}`,
    },
    missing: 404,
  },
  'h3 2': {
    packages: {h3: '2', koa: '3'},
    files: {
      'links.mjs': links,
      'middleware.mjs': `
import {defineEventHandler, getRequestIP} from 'h3';
${imports}
${block('defineEventHandler').replace('toWebRequest(event)', 'event.req')}`,
      'start.mjs': `
import {createServer} from 'node:http';
import {getCookie, H3} from 'h3';
import {toNodeHandler} from 'h3/node';
import {shortener} from './links.mjs';
import middleware from './middleware.mjs';
const app = new H3();
app.use((event) => {
  event.context.userId = getCookie(event, 'user');
});
app.use(middleware);
app.get('/about', () => 'About');
app.get('/login', ({req: request}) => ${loggedIn});
const server = createServer(toNodeHandler(app)).listen(Number(process.env.PORT), '127.0.0.1');
${shutdown}`,
    },
    missing: 404,
  },
  SvelteKit: {
    packages: {
      '@sveltejs/kit': '2',
      '@sveltejs/adapter-node': '5',
      '@sveltejs/vite-plugin-svelte': '7',
      svelte: '5',
      vite: '8.3.8',
      koa: '3',
    },
    files: {
      'svelte.config.js': `
import adapter from '@sveltejs/adapter-node';
export default {kit: {adapter: adapter()}};`,
      'vite.config.mjs': `
import {sveltekit} from '@sveltejs/kit/vite';
export default {plugins: [sveltekit()]};`,
      'src/app.html': '<!doctype html><head>%sveltekit.head%</head><body>%sveltekit.body%</body>',
      'src/lib/server/links.js': links,
      'src/hooks.server.js': `
import {sequence} from '@sveltejs/kit/hooks';
${block('sveltekit:shutdown').replace('export const handle', 'const links')}
const login = ({event, resolve}) => {
  event.locals.userId = event.cookies.get('user');
  return resolve(event);
};
export const handle = sequence(login, links);`,
      'src/routes/+page.svelte': '<h1>Home</h1>',
      'src/routes/about/+server.js': "export const GET = () => new Response('About');",
      'src/routes/login/+server.js': `export const GET = ({request}) => ${loggedIn};`,
    },
    build: ['node_modules/vite/bin/vite.js', 'build'],
    start: ['build/index.js'],
    missing: 404,
  },
  Next: {
    packages: {next: '16', react: '19', 'react-dom': '19', koa: '3'},
    files: {
      'next.config.mjs': block('skipTrailingSlashRedirect'),
      'lib/links.js': links.replace('proxy: false', 'proxy: true'),
      'lib/session.js': `
import {cookies} from 'next/headers';
export const session = async () => ({userId: (await cookies()).get('user')?.value});`,
      'app/[...path]/route.js': block('answer as GET'),
      'app/about/route.js': "export const GET = () => new Response('About');",
      'app/login/route.js': `export const GET = (request) => ${loggedIn};`,
    },
    build: ['node_modules/next/dist/bin/next', 'build'],
    start: ['node_modules/next/dist/bin/next', 'start'],
    missing: 404,
    // Next ends itself by the signal.
    exit: 143,
  },
};
