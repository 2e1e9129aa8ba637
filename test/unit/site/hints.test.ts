import '../../support/quick-scrypt.ts';
import Koa, {type Middleware} from 'koa';
import test, {type ExecutionContext} from 'ava';
import {dashboard} from '../../../src/dashboard.ts';
import {shortUrl} from '../../../src/index.ts';
import {Bases} from '../../../src/link/bases.ts';
import {Hints} from '../../../src/site/hints.ts';
import {SitePages} from '../../../src/site/site-pages.ts';
import {redirects} from '../../support/answers.ts';
import {listen} from '../../support/listen.ts';
import {exchange} from '../../support/request.ts';
import {type Options, type Site, startSite} from '../../support/site.ts';
import {warningsOf} from '../../support/warnings.ts';
import {memory, mounts, type World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';
const linksFirst: World = {mount: mounts['with defer: false'], backend: memory};

/** Answers every path, as the server of a single-page app does. */
const singlePage: Middleware = (ctx) => {
  ctx.body = 'The app';
};

const failing =
  (status: number): Middleware =>
  (ctx) => {
    ctx.status = status;
  };

async function codesOf(work: () => unknown): Promise<Array<string | undefined>> {
  return (await warningsOf(work)).map(({code}) => code);
}

/** Checks that the work prints one warning, with this code and message. */
async function warnsOnce(t: ExecutionContext, code: string, message: RegExp, work: () => unknown): Promise<void> {
  const [warning, ...rest] = await warningsOf(work);
  t.deepEqual(rest, []);
  t.is(warning?.code, code);
  t.regex(String(warning?.message), message);
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
      const message = /"links\.example".*example\.com, sho\.rt, go\.example\.org.*baseDomains/;
      await warnsOnce(t, 'unknown_host', message, async () => {
        for (const host of ['links.example', 'links.example', 'example.com']) {
          t404(await site.request({path: '/spring', host}));
        }
      });
    },
  );

  test.serial(`${when}, the host's own pages and paths that cannot be short URLs print no warning`, async (t) => {
    const site = await startSite(t, {...(world && {world})});
    const codes = await codesOf(async () => {
      for (const path of ['/about', '/no/such/page', '/favicon.ico']) {
        await site.request({path, host: 'links.example'});
      }
    });
    t.deepEqual(codes, []);
  });
}

test.serial('a warning repeats no control character of a host', async (t) => {
  const site = await startSite(t);
  const [warning] = await warningsOf(() => site.request({path: '/spring', host: 'links.example\u009B31m'}));
  t.regex(String(warning?.message), /"links\.example\\u009b31m"/);
});

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
      const prefix = path.startsWith('/other') ? '/other' : '';
      for (const defer of [true, false]) {
        const options = {baseUrl: 'https://example.com/s', defer};
        const {ask} = await mounted(t, (app, shortener) => void app.use(shortener), options);
        const message = new RegExp(`^(?!.*key).*prefix "${prefix}", .*https://example.com/s/`);
        await warnsOnce(t, 'unknown_path', message, async () => {
          for (let times = 0; times < 2; times += 1) t404(await ask(path));
        });
      }
    },
  );
}

test.serial('a site that answers every path gets one warning that its links cannot be reached', async (t) => {
  const site = await startSite(t, {downstream: singlePage});
  const link = await site.create({custom_url: 'spring'});
  await warnsOnce(t, 'hidden_link', /https:\/\/example\.com\/spring.*200.*defer: false/, async () => {
    for (let times = 0; times < 3; times += 1) t.is((await site.visit(link.short_url)).text, 'The app');
  });
});

for (const status of [401, 403, 405]) {
  test.serial(`a site that refuses every path with ${status} gets the same warning, also by an error`, async (t) => {
    for (const downstream of [failing(status), ((ctx) => ctx.throw(status)) satisfies Middleware]) {
      const site = await startSite(t, {downstream});
      const link = await site.create();
      await warnsOnce(t, 'hidden_link', new RegExp(`with the status ${status},`), async () => {
        for (let times = 0; times < 2; times += 1) t.is((await site.visit(link.short_url)).status, status);
      });
    }
  });
}

const readsUnder: Record<string, [Middleware, RegExp]> = {
  'a redirect of what the site does not have': [
    (ctx) => {
      ctx.redirect('/404.html');
    },
    /redirected to "\/404\.html".*mount the shortener behind the middleware that redirects.*defer: false/,
  ],
  'a proxy that answers past Koa': [
    (ctx) => {
      ctx.respond = false;
      ctx.res.end('The app');
    },
    /answered past Koa.*let links answer first.*defer: false/,
  ],
  'a login': [failing(401), /shortener\.answers\(ctx\)/],
};
for (const [what, [downstream, message]] of Object.entries(readsUnder)) {
  test.serial(`the warning about a hidden link names ${what}, and not first another short part`, async (t) => {
    const site = await startSite(t, {downstream});
    const link = await site.create();
    await warnsOnce(t, 'hidden_link', message, async () => {
      t.notRegex((await site.visit(link.short_url)).text, /destination/);
    });
  });
}

test.serial(
  'a login that lets the shortener answer first prints no warning, however many paths it refuses',
  async (t) => {
    const codes = await codesOf(async () => {
      const {ask} = await mounted(t, (app, shortener) => {
        app.use(shortener);
        app.use(async (ctx) => {
          if (!(await shortener.answers(ctx))) ctx.redirect('/login');
        });
      });
      for (let each = 0; each < 120; each += 1) await ask(`/word${each}`);
      redirects(t, await ask(), destination);
    });
    t.deepEqual(codes, []);
  },
);

test.serial('a page at the path of a link prints one warning, also after another link was redirected', async (t) => {
  const site = await startSite(t);
  const link = await site.create();
  const about = await site.create({custom_url: 'about'});
  await warnsOnce(t, 'hidden_link', /\/about/, async () => {
    redirects(t, await site.visit(link.short_url), destination);
    t.is((await site.visit(about.short_url)).text, 'About this site');
  });
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

for (const defer of [true, false]) {
  test.serial(
    `a shortener behind a catch-all prints one warning at the first short URL, with defer: ${defer}`,
    async (t) => {
      const {ask} = await mounted(t, (app, shortener) => void app.use(singlePage).use(shortener), {defer});
      const message = /https:\/\/example\.com\/spring .*status 200.*app\.use\(shortener\)/;
      await warnsOnce(t, 'unreached_shortener', message, async () => {
        for (const path of ['/other', '/spring', '/spring']) t.is((await ask(path)).text, 'The app');
      });
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

test.serial(
  'a request through a proxy that Koa does not trust prints one warning, and a trusted one none',
  async (t) => {
    const visit = (site: Site): Promise<unknown> =>
      site.request({path: '/api/v1/x/shorturl/info', headers: {'X-Forwarded-For': '203.0.113.7'}});
    const site = await startSite(t);
    await warnsOnce(t, 'untrusted_proxy', /app\.proxy = true/, async () => {
      for (let count = 0; count < 2; count += 1) await visit(site);
    });
    const trusting = await startSite(t, {proxy: true});
    const direct = await startSite(t);
    const codes = await codesOf(async () => {
      await visit(trusting);
      await direct.request({path: '/api/v1/x/shorturl/info'});
    });
    t.deepEqual(codes, []);
  },
);

test.serial(
  'whether Egg trusts a proxy is read from its configuration, because `app.proxy` prints a warning there',
  async (t) => {
    const bases = new Bases('https://example.com', []);
    const req = {headers: {'x-forwarded-for': '203.0.113.7'}, socket: {remoteAddress: '10.0.0.1'}} as never;
    for (const [proxy, codes] of [
      [true, []],
      [false, ['untrusted_proxy']],
    ] as const) {
      const hints = new Hints({bases, sitePages: new SitePages(true), isCall: () => false});
      t.teardown(() => {
        hints.close();
      });
      const app = {
        config: {proxy},
        get proxy(): never {
          throw new Error('`app.proxy` was read');
        },
      };
      t.deepEqual(
        await codesOf(() => {
          hints.askedFrom({app, req});
        }),
        [...codes],
      );
    }
  },
);

test.serial('an age in seconds that is surely a number of days prints a warning', async (t) => {
  const make = (attribution: object) => () => shortUrl({baseUrl: 'https://example.com', store: 'memory:', attribution});
  await warnsOnce(t, 'days_as_seconds', /`attribution\.maxAge` is 30 seconds\..* 30 \* 24/, make({maxAge: 30}));
  await warnsOnce(t, 'days_as_seconds', /customerAge/, make({customerAge: 730}));
  t.deepEqual(await codesOf(make({maxAge: 3600, customerAge: 86_400})), []);
});
