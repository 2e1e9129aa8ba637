import Router from '@koa/router';
import test from 'ava';
import type {Context, Middleware} from 'koa';
import {accepted, isTheHosts, redirects, refused} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';

/** A middleware of the host that notes the path of each request. */
const noting =
  (seen: string[]): Middleware =>
  async (ctx, next) => {
    seen.push(ctx.path);
    await next();
  };

/** Which answer wins: the host's own page or a link. */
export function defer(world: World): void {
  test('the host never sees an API call', async (t) => {
    const seen: string[] = [];
    const site = await startSite(t, {world, downstream: noting(seen)});
    accepted(t, await site.api('create', {url: destination}));
    refused(t, await site.api('nonsense'), 'unknown_operation');
    refused(t, await site.api('create', {url: destination}, {key: 'nonsense'}), 'invalid_api_key');
    t.deepEqual(seen, []);
  });

  test('a link answers in place of any 404 of the host', async (t) => {
    const hosts: Record<string, (ctx: Context) => void> = {
      'a thrown 404': (ctx) => ctx.throw(404),
      'a thrown error with the statusCode 404': () => {
        throw Object.assign(new Error('nothing here'), {statusCode: 404, status: 404, expose: true});
      },
      'an empty 404': (ctx) => {
        ctx.status = 404;
      },
      'a 404 page in HTML': (ctx) => {
        ctx.status = 404;
        ctx.body = '<h1>Nothing here</h1>';
        ctx.set('ETag', '"1"');
        ctx.lastModified = new Date(0);
      },
      'a 404 in bytes': (ctx) => {
        ctx.status = 404;
        ctx.body = Buffer.from('nothing here');
        ctx.set('Content-Encoding', 'gzip');
      },
    };
    let host: (ctx: Context) => void = () => undefined;
    const site = await startSite(t, {
      world,
      downstream(ctx) {
        host(ctx);
      },
    });
    for (const [what, answer] of Object.entries(hosts)) {
      host = answer;
      const link = await site.create();
      const reply = await site.visit(link.short_url);
      redirects(t, reply, destination);
      t.notRegex(reply.text, /nothing here/i, what);
      for (const name of ['etag', 'last-modified', 'content-encoding']) t.is(reply.headers[name], undefined, what);
      t.is(Number(reply.headers['content-length'] ?? Buffer.byteLength(reply.text)), Buffer.byteLength(reply.text));
      if (world.asks !== true) redirects(t, await site.visit(link.short_url, {method: 'HEAD'}), destination);
      t.is((await site.info(link.short_url)).total_visits, 1);
    }
  });

  if (world.mount.defer === false) linksFirst(world);
  else hostFirst(world);
}

function hostFirst(world: World): void {
  test('a page of the site wins over a link with something behind it', async (t) => {
    const site = await startSite(t, {
      world,
      async downstream(ctx, next) {
        if (ctx.path.endsWith('/spring/') || ctx.path.endsWith('/spring+')) ctx.body = 'All about spring';
        else await next();
      },
    });
    const {short_url} = await site.create({custom_url: 'spring'});
    isTheHosts(t, await site.visit(`${short_url}/`), 200, 'All about spring');
    isTheHosts(t, await site.visit(`${short_url}+`), 200, 'All about spring');
    redirects(t, await site.visit(`${short_url}.`), destination);
    redirects(t, await site.visit(short_url), destination);
  });

  test('a page of the host wins over a link of the same name, for GET and HEAD', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({custom_url: 'about'});
    isTheHosts(t, await site.visit(link.short_url), 200, 'About this site');
    isTheHosts(t, await site.visit(link.short_url, {method: 'HEAD'}), 200, '');
    t.is((await site.info(link.short_url)).total_visits, 0);
    accepted(t, await site.api('disable', {short_url: link.short_url}));
    isTheHosts(t, await site.visit(link.short_url), 200, 'About this site');
  });

  test('any answer of the host but a 404 wins over a link of the same name', async (t) => {
    const answers: ReadonlyArray<[status: number, text: string, answer: (ctx: Context) => void]> = [
      [200, 'page', (ctx) => (ctx.body = 'page')],
      [204, '', (ctx) => (ctx.body = null)],
      [403, 'members only', (ctx) => ctx.throw(403, 'members only')],
      [410, 'gone', (ctx) => Object.assign(ctx, {status: 410, body: 'gone'})],
      [
        500,
        'Internal Server Error',
        () => {
          throw new Error('the host is broken');
        },
      ],
      [
        200,
        'raw',
        (ctx) => {
          ctx.respond = false;
          ctx.res.statusCode = 200;
          setImmediate(() => ctx.res.end('raw'));
        },
      ],
    ];
    let host: (ctx: Context) => void = (ctx) => {
      ctx.redirect('https://example.com/season');
    };
    const site = await startSite(t, {
      world,
      async downstream(ctx, next) {
        if (ctx.path.endsWith('/spring')) host(ctx);
        else await next();
      },
    });
    const {short_url} = await site.create({custom_url: 'spring'});
    t.is((await site.visit(short_url)).headers.location, 'https://example.com/season');
    for (const [status, text, answer] of answers) {
      host = answer;
      isTheHosts(t, await site.visit(short_url), status, text);
    }
    t.is((await site.info(short_url)).total_visits, 0);
  });
}

function linksFirst(world: World): void {
  test('a link with something behind it wins over an app that answers every path, but not over a reserved name', async (t) => {
    const router = new Router();
    router.get('/user-:id/', (ctx) => void (ctx.body = 'A user'));
    const app: Middleware = (ctx) => void (ctx.body = 'The app');
    const site = await startSite(t, {world, shortUrl: {reserved: ['about', router]}, downstream: app});
    const {short_url} = await site.create({custom_url: 'spring'});
    for (const end of ['/', '.', '%E2%80%9D']) redirects(t, await site.visit(short_url + end), destination);
    t.regex((await site.visit(`${short_url}+`)).text, /destination\.example/);
    t.is((await site.info(short_url)).total_visits, 3);
    for (const path of [
      '/about/',
      '/about+',
      '/user-5/',
      '/none/',
      '/spring/x',
      '/spring/..',
      '/spring//',
      '/spring-',
    ]) {
      t.is((await site.visit(site.baseUrl + path)).text, 'The app', path);
    }
  });

  test('a link wins over a page of the host of the same name', async (t) => {
    // A page that somebody has seen is not given away.
    const site = await startSite(t, {world});
    const link = await site.create({custom_url: 'about'});
    redirects(t, await site.visit(link.short_url), destination);
    redirects(t, await site.visit(link.short_url, {method: 'HEAD'}), destination);
    t.is((await site.info(link.short_url)).total_visits, 1);
  });

  test('the host does not see the visit of a link', async (t) => {
    const seen: string[] = [];
    const site = await startSite(t, {world, downstream: noting(seen)});
    const link = await site.create();
    redirects(t, await site.visit(link.short_url), destination);
    t.deepEqual(seen, []);
    isTheHosts(t, await site.visit(`${site.baseUrl}/none`), 404, world.mount.notFound);
    t.deepEqual(seen, [`${site.base}/none`]);
  });
}
