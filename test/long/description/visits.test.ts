import test from 'ava';
import '../../support/quick-scrypt.ts';
import {follow, openApi, type Response} from '../../support/description.ts';
import type {Ask, Reply} from '../../support/request.ts';
import type {SiteOptions} from '../../support/site.ts';
import {openScene, type Scene} from './scene.ts';

const item = openApi.paths['/{short_url_part}'] ?? {};
const password = 's3cret';

interface Way {
  readonly options?: SiteOptions['shortUrl'];
  open(scene: Scene, ask: Omit<Ask, 'path'>): Promise<Reply>;
}

async function locked({site}: Scene): Promise<string> {
  return (await site.create({password})).short_url;
}

const redirected = (redirectStatus: 301 | 302 | 307 | 308): Way => ({
  options: {redirectStatus},
  open: ({site, link}, ask) => site.visit(link, ask),
});

/** How to provoke each status. A POST sends the form. */
const ways: Readonly<Record<string, Way>> = {
  200: {
    async open(scene, ask) {
      if (ask.method !== 'POST') return scene.site.visit(await locked(scene), ask);
      // A bot that sends the right password of a limited link gets a page, and takes no visit.
      const link = (await scene.site.create({password, max_visits: '5'})).short_url;
      return scene.site.submit(link, password, {...ask, headers: {...ask.headers, 'User-Agent': 'Slackbot 1.0'}});
    },
  },
  301: redirected(301),
  302: redirected(302),
  303: {open: async (scene, ask) => scene.site.submit(await locked(scene), password, ask)},
  307: redirected(307),
  308: redirected(308),
  400: {open: async (scene, ask) => scene.site.visit(await locked(scene), ask)},
  401: {open: async (scene, ask) => scene.site.submit(await locked(scene), 'wrong', ask)},
  404: {open: ({site}, ask) => site.visit('https://example.com/none', ask)},
  410: {
    async open({site, link}, ask) {
      await site.api('disable', {short_url: link});
      return site.visit(link, ask);
    },
  },
  429: {
    options: {passwordAttempts: 1},
    async open(scene, ask) {
      const link = await locked(scene);
      await scene.site.submit(link, 'wrong');
      return scene.site.submit(link, 'wrong', ask);
    },
  },
  503: {
    open({site, store, link}, ask) {
      store.isDown = true;
      return site.visit(link, ask);
    },
  },
};

for (const [name, operation] of Object.entries(item)) {
  const method = name.toUpperCase();
  for (const [status, reference] of Object.entries(operation.responses)) {
    test(`${method} of a short URL answers ${status} as described, in each of its formats`, async (t) => {
      const {content = {}} = follow<Response>(reference);
      const types = method === 'HEAD' ? ['text/html', 'application/json'] : Object.keys(content);
      for (const type of types.length === 0 ? ['*/*'] : types) {
        const way = ways[status];
        const scene = await openScene(t, {shortUrl: way?.options});
        const reply = await way?.open(scene, {method, headers: {Accept: type}});
        t.is(reply?.status, Number(status));
        if (type in content) t.is(reply?.headers['content-type'], `${type}; charset=utf-8`);
      }
    });
  }
}
