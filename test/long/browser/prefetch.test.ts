import {EventEmitter, once} from 'node:events';
import type {Context, Middleware} from 'koa';
import {inBrowser, sharedChromium} from '../../support/chromium.ts';
import {startSite} from '../../support/site.ts';

const openPage = sharedChromium();

/** The pages of a site that lets the browser load short URLs before its user clicks, as Speed Brain and WordPress do. */
function speculating(action: 'prefetch' | 'prerender', onEarly: (path: string) => void): Middleware {
  const rules = JSON.stringify({[action]: [{where: {href_matches: '/*'}, eagerness: 'immediate'}]});
  return async (ctx: Context, next) => {
    if (ctx.get('Sec-Purpose') !== '') onEarly(ctx.path);
    if (ctx.path === '/start') {
      ctx.type = 'html';
      ctx.body = `<!doctype html><script type="speculationrules">${rules}</script><a href="/spring">Spring</a>`;
    } else if (ctx.path === '/destination') {
      ctx.type = 'html';
      ctx.body = '<!doctype html><h1>Arrived</h1>';
    } else {
      await next();
    }
  };
}

for (const action of ['prefetch', 'prerender'] as const) {
  for (const limit of [{}, {max_visits: '1'}]) {
    const kind = limit.max_visits === undefined ? 'link' : 'link with a limit';
    inBrowser(`a click after a ${action} of a ${kind} arrives, counts and is marked with the link`, async (t) => {
      const asked = new EventEmitter<{early: [path: string]}>();
      const early = once(asked, 'early');
      const site = await startSite(t, {
        shortUrl: {baseUrl: 'http://127.0.0.1', baseDomains: [], attribution: {}},
        downstream: speculating(action, (path) => asked.emit('early', path)),
      });
      const origin = `http://127.0.0.1:${site.port}`;
      const {short_url} = await site.create(
        {url: `${origin}/destination`, custom_url: 'spring', ...limit},
        {host: '127.0.0.1'},
      );
      const page = await openPage(t);
      await page.goto(`${origin}/start`);
      t.deepEqual(await early, ['/spring']);
      await page.click('a');
      await page.waitForURL(`${origin}/destination`);
      t.is(await page.textContent('h1'), 'Arrived');
      t.is((await site.info(short_url, {host: '127.0.0.1'})).total_visits, 1);
      t.deepEqual(
        (await page.context().cookies()).map(({name}) => name),
        ['short_url_via'],
      );
    });
  }
}
