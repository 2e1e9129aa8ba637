import '../../support/quick-scrypt.ts';
import Koa, {type Middleware} from 'koa';
import test, {type ExecutionContext} from 'ava';
import {dashboard} from '../../../src/dashboard.ts';
import {shortUrl} from '../../../src/index.ts';
import {redirects} from '../../support/answers.ts';
import {listen} from '../../support/listen.ts';
import {exchange} from '../../support/request.ts';
import {type Options, type Site, startSite} from '../../support/site.ts';
import {type Warning, warningsOf} from '../../support/warnings.ts';
import {memory, mounts, type World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';
const linksFirst: World = {mount: mounts['with defer: false'], backend: memory};

/** Answers every path, as the server of a single-page app does. */
const singlePage: Middleware = (ctx) => {
  ctx.body = 'The app';
};

async function codesOf(work: () => unknown): Promise<Array<string | undefined>> {
  return (await warningsOf(work)).map(({code}) => code);
}

async function repeat(site: Site, path: string, host: string): Promise<Warning[]> {
  return warningsOf(async () => {
    for (let times = 0; times < 3; times += 1) t404(await site.request({path, host}));
  });
}

function t404({status}: {status: number}): void {
  if (status !== 404) throw new Error(`Expected 404, got ${status}`);
}

for (const world of [undefined, linksFirst]) {
  const when = world === undefined ? 'where pages answer first' : 'where links answer first';

  test.serial(
    `${when}, a request for a short URL on a foreign host prints one warning with the site's domains`,
    async (t) => {
      const site = await startSite(t, {...(world && {world})});
      const [warning, ...rest] = await repeat(site, '/spring', 'links.example');
      t.deepEqual(rest, []);
      t.is(warning?.code, 'unknown_host');
      t.regex(String(warning?.message), /"links\.example".*example\.com, sho\.rt, go\.example\.org.*baseDomains/);
    },
  );

  test.serial(`${when}, the host's own pages and paths that cannot be short URLs print no warning`, async (t) => {
    const site = await startSite(t, {...(world && {world})});
    const codes = await codesOf(async () => {
      for (const path of ['/about', '/no/such/page', '/favicon.ico']) {
        await site.request({path, host: 'links.example'});
      }
      await site.request({path: '/spring'});
    });
    t.deepEqual(codes, []);
  });
}

test.serial(
  'the warning names app.proxy when a proxy sends X-Forwarded-Host and the app does not trust it',
  async (t) => {
    const site = await startSite(t);
    const [warning] = await warningsOf(() =>
      site.request({path: '/spring', host: 'localhost:3000', headers: {'X-Forwarded-Host': 'example.com'}}),
    );
    t.regex(String(warning?.message), /app\.proxy = true/);
  },
);

for (const path of ['/spring', '/other/spring', '/api/v1/shorturl/info', '/other/api/v1/key/shorturl/info.xml']) {
  test.serial(
    `where a proxy or a mount changes the prefix, ${path} prints one warning with both prefixes`,
    async (t) => {
      for (const defer of [true, false]) {
        const shortener = shortUrl({baseUrl: 'https://example.com/s', store: 'memory:', defer});
        await shortener.accounts.create('user-42');
        await shortener.links.create('user-42', {url: destination, customUrl: 'spring'});
        const app = new Koa().use(shortener);
        const {port, agent} = await listen(t, app);
        const [warning, ...rest] = await warningsOf(async () => {
          for (let times = 0; times < 2; times += 1) {
            t404(await exchange(port, agent, {path}));
          }
        });
        t.deepEqual(rest, []);
        t.is(warning?.code, 'unknown_path');
        const prefix = path.startsWith('/other') ? '/other' : '';
        t.regex(String(warning?.message), new RegExp(`prefix "${prefix}", .*https://example.com/s/`));
        t.notRegex(String(warning?.message), /key/);
      }
    },
  );
}

test.serial('an API call that another shortener of the app has answered prints no warning', async (t) => {
  const first = shortUrl({baseUrl: 'https://example.com/a', store: 'memory:'});
  const second = shortUrl({baseUrl: 'https://example.com/b', store: 'memory:'});
  const {apiKey} = await second.accounts.create('user-42');
  const {port, agent} = await listen(t, new Koa().use(first).use(second));
  const path = `/b/api/v1/${apiKey}/shorturl/no_such_operation`;
  const codes = await codesOf(async () => {
    t404(await exchange(port, agent, {path}));
  });
  t.deepEqual(codes, []);
});

test.serial('a long or unusual host name is quoted and truncated in the warning', async (t) => {
  const site = await startSite(t);
  const [warning] = await warningsOf(() => site.request({path: '/spring', host: `a"b${'x'.repeat(500)}`}));
  t.is(warning?.code, 'unknown_host');
  t.true(String(warning?.message).length < 700);
  t.regex(String(warning?.message), /"a\\"bx+",/);
});

test.serial('a site that answers every path gets one warning that its links cannot be reached', async (t) => {
  const site = await startSite(t, {downstream: singlePage});
  const link = await site.create({custom_url: 'spring'});
  const [warning, ...rest] = await warningsOf(async () => {
    for (let times = 0; times < 3; times += 1) t.is((await site.visit(link.short_url)).text, 'The app');
  });
  t.deepEqual(rest, []);
  t.is(warning?.code, 'hidden_link');
  t.regex(String(warning?.message), /https:\/\/example\.com\/spring.*200.*defer: false/);
});

test.serial('a site gets the same warning if it answered the path before the link was created', async (t) => {
  const site = await startSite(t, {downstream: singlePage});
  // With so many pages alike, none of them keeps a link from being created.
  for (let page = 0; page < 25; page += 1) await site.request({path: `/page-${page}`});
  for (let times = 0; times < 2; times += 1) await site.request({path: '/spring'});
  const link = await site.create({custom_url: 'spring'});
  t.deepEqual(await codesOf(() => site.visit(link.short_url)), ['hidden_link']);
});

test.serial('a site that answers through the response of Node.js gets the same warning', async (t) => {
  const site = await startSite(t, {
    downstream(ctx) {
      ctx.respond = false;
      ctx.res.statusCode = 404;
      ctx.res.end('Not found, says the framework');
    },
  });
  const link = await site.create();
  t.deepEqual(await codesOf(() => site.visit(link.short_url)), ['hidden_link']);
});

for (const status of [401, 403, 405]) {
  test.serial(`a site that refuses every path with ${status} gets the same warning, also by an error`, async (t) => {
    for (const downstream of [
      ((ctx) => {
        ctx.status = status;
      }) satisfies Middleware,
      ((ctx) => ctx.throw(status)) satisfies Middleware,
    ]) {
      const site = await startSite(t, {downstream});
      const link = await site.create();
      const [warning, ...rest] = await warningsOf(async () => {
        for (let times = 0; times < 2; times += 1) t.is((await site.visit(link.short_url)).status, status);
      });
      t.deepEqual(rest, []);
      t.is(warning?.code, 'hidden_link');
      t.regex(String(warning?.message), new RegExp(`with the status ${status},`));
    }
  });
}

test.serial('pages, and paths without a link, print no warning', async (t) => {
  const site = await startSite(t);
  await site.create();
  t.deepEqual(
    await codesOf(async () => {
      const paths = ['/', '/about', '/no/such/page', '/unknown', '/a/unknown', '/a/api/v1/users', '/api/v1/shorturl'];
      for (const path of paths) await site.request({path});
    }),
    [],
  );
});

test.serial('a page at the path of a link prints one warning, also after another link was redirected', async (t) => {
  const site = await startSite(t);
  const link = await site.create();
  const about = await site.create({custom_url: 'about'});
  t.deepEqual(
    await codesOf(async () => {
      redirects(t, await site.visit(link.short_url), destination);
      t.is((await site.visit(about.short_url)).text, 'About this site');
    }),
    ['hidden_link'],
  );
});

test.serial('of two links with one short part on two domains, the later is watched', async (t) => {
  const site = await startSite(t, {downstream: singlePage});
  for (const base_domain of ['example.com', 'sho.rt']) await site.create({custom_url: 'spring', base_domain});
  const codesOn = (host: string): Promise<unknown> => codesOf(() => site.request({path: '/spring', host}));
  t.deepEqual(await codesOn('example.com'), []);
  t.deepEqual(await codesOn('sho.rt'), ['hidden_link']);
});

test.serial('a failure of the host at the path of a link prints no warning', async (t) => {
  const site = await startSite(t, {
    downstream(ctx) {
      ctx.status = 503;
    },
  });
  const link = await site.create();
  t.deepEqual(await codesOf(() => site.visit(link.short_url)), []);
});

test.serial('a redirect to the same short URL prints no warning, and the site is watched further', async (t) => {
  const answers: Middleware[] = [
    (ctx) => {
      ctx.redirect(`https://example.com${ctx.path}?from=http`);
    },
    (ctx) => {
      ctx.redirect(ctx.path);
    },
    (ctx) => {
      ctx.redirect(`/login?to=${ctx.path}`);
    },
  ];
  const site = await startSite(t, {downstream: (ctx, next) => answers.shift()?.(ctx, next) as unknown});
  const link = await site.create();
  const visit = async (): Promise<void> => {
    t.is((await site.visit(link.short_url)).status, 302);
  };
  t.deepEqual(await codesOf(visit), []);
  t.deepEqual(await codesOf(visit), []);
  t.deepEqual(await codesOf(visit), ['hidden_link']);
});

for (const target of ['https://example.com/Spring', 'https://sho.rt/spring', 'https://[/spring']) {
  test.serial(`a redirect from a short URL to ${target} prints a warning`, async (t) => {
    const site = await startSite(t, {
      downstream(ctx) {
        ctx.status = 301;
        ctx.set('Location', target);
      },
    });
    const link = await site.create({custom_url: 'spring'});
    t.deepEqual(await codesOf(() => site.visit(link.short_url)), ['hidden_link']);
  });
}

/** An app with a link at /spring, mounted by `assemble`, and a function that requests paths from it. */
async function mounted(
  t: ExecutionContext,
  assemble: (app: Koa, shortener: ReturnType<typeof shortUrl>) => void,
  options: Partial<Options> = {},
) {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:', ...options});
  t.teardown(() => shortener.close());
  await shortener.accounts.create('user-42');
  await shortener.links.create('user-42', {url: destination, customUrl: 'spring'});
  const app = new Koa();
  assemble(app, shortener);
  const {port, agent} = await listen(t, app);
  const ask = async (path = '/spring', host = 'example.com') => exchange(port, agent, {path, host});
  return {shortener, ask};
}

const failing =
  (status: number): Middleware =>
  (ctx) => {
    ctx.status = status;
  };

for (const defer of [true, false]) {
  test.serial(
    `a shortener behind a catch-all prints one warning at the first short URL, with defer: ${defer}`,
    async (t) => {
      const {ask} = await mounted(t, (app, shortener) => void app.use(singlePage).use(shortener), {defer});
      const [warning, ...rest] = await warningsOf(async () => {
        for (const path of ['/other', '/spring', '/spring']) t.is((await ask(path)).text, 'The app');
      });
      t.deepEqual(rest, []);
      t.is(warning?.code, 'unreached_shortener');
      t.regex(String(warning?.message), /https:\/\/example\.com\/spring .*status 200.*app\.use\(shortener\)/);
    },
  );
}

test.serial('a dashboard whose shortener is not mounted prints one warning at the first short URL', async (t) => {
  const {ask} = await mounted(t, (app, shortener) => {
    app.use(dashboard(shortener, {path: '/links', account: () => 'user-42'}));
  });
  const codes = await codesOf(async () => {
    t.is((await ask('/links/')).status, 200);
    for (let times = 0; times < 2; times += 1) t404(await ask());
  });
  t.deepEqual(codes, ['unreached_shortener']);
});

test.serial('a shortener behind a proxy that changes the host is found by X-Forwarded-Host', async (t) => {
  const {shortener} = await mounted(t, (app) => app.use(singlePage));
  const {port, agent} = await listen(t, new Koa().use(singlePage).use(shortener));
  const headers = {'X-Forwarded-Host': 'example.com'};
  t.deepEqual(await codesOf(() => exchange(port, agent, {path: '/spring', host: 'internal', headers})), [
    'unreached_shortener',
  ]);
});

const harmless: Record<string, Middleware> = {
  'a failure of the site': failing(503),
  'a limit of the site': failing(429),
  'a redirect to the same short URL'(ctx) {
    ctx.redirect('https://example.com/spring');
  },
};
for (const [what, before] of Object.entries(harmless)) {
  test.serial(`${what} in front of the shortener prints no warning`, async (t) => {
    const {ask} = await mounted(t, (app, shortener) => void app.use(before).use(shortener));
    t.deepEqual(await codesOf(() => ask()), []);
  });
}

test.serial('once a link has answered, a page in front of the shortener prints no warning', async (t) => {
  let isPage = false;
  const {shortener, ask} = await mounted(t, (app, own) => {
    app.use(async (ctx, next) => {
      if (isPage) ctx.body = 'A page';
      else await next();
    });
    app.use(own);
  });
  await shortener.links.create('user-42', {url: destination, customUrl: 'summer'});
  redirects(t, await ask('/summer'), destination);
  isPage = true;
  t.deepEqual(await codesOf(() => ask()), []);
});

test.serial(
  'a request that another shortener of the process has got, and a closed one, print no warning',
  async (t) => {
    const first = await mounted(t, (app, shortener) => app.use(shortener));
    const second = await mounted(t, (app, shortener) => app.use(shortener));
    const third = await mounted(t, (app) => app.use(singlePage));
    await third.shortener.close();
    const codes = await codesOf(async () => {
      redirects(t, await first.ask(), destination);
      redirects(t, await second.ask(), destination);
      await third.ask();
    });
    t.deepEqual(codes, []);
  },
);

test.serial('two shorteners of one app with one base URL print one warning at the first request', async (t) => {
  const options: Options = {baseUrl: 'https://sho.rt', store: 'memory:'};
  const [same, other] = [shortUrl({...options, baseDomains: ['https://example.com']}), shortUrl(options)];
  for (const shortener of [same, other]) t.teardown(() => shortener.close());
  for (const [second, count] of [
    [same, 1],
    [other, 0],
  ] as const) {
    const {ask} = await mounted(t, (app, shortener) => app.use(shortener).use(second));
    const warnings = await warningsOf(async () => {
      for (let times = 0; times < 2; times += 1) t404(await ask('/none'));
    });
    const found = warnings.filter(({code}) => code === 'same_base_url');
    t.is(found.length, count);
    for (const {message} of found) t.regex(message, /base URL https:\/\/example\.com\./);
  }
});
