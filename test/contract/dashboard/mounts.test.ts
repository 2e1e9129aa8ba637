import '../../support/quick-scrypt.ts';
import {readFile} from 'node:fs/promises';
import {bodyParser} from '@koa/bodyparser';
import Router from '@koa/router';
import test from 'ava';
import connect from 'connect';
import Koa from 'koa';
import Koa2 from 'koa2';
import mount from 'koa-mount';
import {errorOf, open, rowOf, type StageOptions} from '../../support/dashboard.ts';
import {between} from '../../support/dashboard-pages.ts';
import {asWebSite} from '../../support/web.ts';

type Assemble = NonNullable<StageOptions['assemble']>;

function inRouter(prefix: string): Assemble {
  return (app, {shortener, pages}) => {
    const router = new Router({prefix});
    router.all('/links{/*rest}', pages);
    app.use(shortener).use(router.routes()).use(router.allowedMethods());
    return undefined;
  };
}

const inConnect: Assemble = (app, {shortener, pages}) => {
  const inside = app.use(pages).callback();
  const outside = new Koa().use(shortener).callback();
  return connect()
    .use('/site', (request, response) => void inside(request, response))
    .use((request, response) => void outside(request, response));
};

const inWebSite: Assemble = (_app, {shortener, pages}) =>
  asWebSite(async (ctx, next) => shortener(ctx, async () => (await pages(ctx, next)) as unknown), {
    missing: 'Not Found',
  });

const inMount: Assemble = (app, {shortener, pages}) => void app.use(shortener).use(mount('/site', pages));

const mounts: Record<string, StageOptions> = {
  'at a path': {},
  'at the root of the site': {dashboard: {path: '/'}, path: ''},
  'at a deep path with a slash at its end': {dashboard: {path: '/my/short-links/'}, path: '/my/short-links'},
  'on Koa 2': {Koa: Koa2},
  'in front of the shortener': {assemble: (app, {shortener, pages}) => void app.use(pages).use(shortener)},
  'with links that answer first': {shortUrl: {defer: false, reserved: ['links']}},
  'under koa-mount': {path: '/site/links', assemble: inMount},
  'as all of a mount': {dashboard: {path: '/'}, path: '/site', assemble: inMount},
  'inside a @koa/router': {assemble: inRouter('')},
  'inside a @koa/router with a prefix': {
    dashboard: {path: '/site/links'},
    path: '/site/links',
    assemble: inRouter('/site'),
  },
  'in an app inside Connect': {path: '/site/links', assemble: inConnect},
  'in a site of requests and responses': {assemble: inWebSite},
  'as all of an app inside Connect': {dashboard: {path: '/'}, path: '/site', assemble: inConnect},
  'behind a body parser': between(bodyParser()),
  'behind a body parser that reads only JSON': between(bodyParser({enableTypes: ['json']})),
};

for (const [name, options] of Object.entries(mounts)) {
  test(`${name} every page, file and form of the dashboard can be reached`, async (t) => {
    const stage = await open(t, options);
    const ann = stage.visitor('ann');
    if (options.path !== '') {
      const bare = await ann.get(stage.home.replace(/\/$/, '?search=x'));
      t.is(bare.status, 303);
      t.is(bare.location, `${stage.home}?search=x`);
    }
    const created = await ann.submit('create', {url: 'https://example.org/', custom_url: 'spring'});
    t.true(created.url.startsWith(`${stage.home}?done=created`));
    t.truthy(rowOf(created.text, `${stage.origin}/spring`));
    t.is((await fetch(`${stage.origin}/spring`, {redirect: 'manual'})).status, 302);

    const seen = new Set<string>();
    const open_ = [stage.home];
    for (let url = open_.pop(); url !== undefined; url = open_.pop()) {
      if (seen.has(url)) continue;
      seen.add(url);
      const {status, text, headers} = await ann.get(url);
      t.is(status, 200, url);
      if (!headers.get('content-type')?.startsWith('text/html')) continue;
      for (const [, address = ''] of text.matchAll(/(?:href|src)="([^"#]+)[^"]*"/g)) {
        const found = new URL(address.replaceAll('&amp;', '&'), url).href;
        if (found.startsWith(stage.home) && found !== `${stage.origin}/spring`) open_.push(found);
      }
      // A GET of a form's target redirects to the list, so the test need not send the form.
      for (const [, action = ''] of text.matchAll(/method="post" action="([^"]+)"/g)) {
        const {location} = await ann.get(new URL(action, url).href);
        t.is(location, stage.home, action);
      }
    }
    t.true(seen.size > 12, String(seen.size));
  });
}

test('a dashboard at the root reserves the names of its pages and actions', async (t) => {
  const {visitor} = await open(t, {dashboard: {path: '/'}, path: ''});
  const operator = visitor('operator');
  const routes = await readFile(new URL('../../../src/dashboard/routes.ts', import.meta.url), 'utf8');
  const names = Array.from(routes.matchAll(/^ {2}\['(\w+)[/']/gm), ([, name = '']) => name);
  t.true(names.length > 10);
  for (const name of names) {
    const {status, text} = await operator.post('create', {url: 'https://example.org/', custom_url: name});
    t.is(status, 400, name);
    t.truthy(errorOf(text, 'custom_url'), name);
  }
});

test("unknown pages below the dashboard's path are left to the host", async (t) => {
  const host: Koa.Middleware = (ctx) => {
    ctx.body = 'the host';
  };
  const {visitor, home} = await open(t, between(undefined, host));
  for (const path of ['nonsense', 'link/more', 'style.css', 'operator', 'accounts', '../linksandmore', '../']) {
    t.is((await visitor('ann').get(path)).text, 'the host', path);
  }
  t.is((await visitor('operator').get('operator')).status, 200);
  const wrong = await fetch(home, {method: 'DELETE'});
  t.is(wrong.status, 405);
  t.is(wrong.headers.get('allow'), 'GET, HEAD');
  t.is((await fetch(`${home}create`, {method: 'PUT'})).headers.get('allow'), 'POST');
  const head = await fetch(`${home}api`, {method: 'HEAD', headers: {'X-User': 'ann'}});
  t.is(head.status, 200);
  t.is(await head.text(), '');
});
