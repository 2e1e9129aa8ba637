import {readFile} from 'node:fs/promises';
import type Router from '@koa/router';
import {render} from '../render.ts';

export interface PageDependencies {
  /** Resolves when the stores answer. */
  readonly ready: () => Promise<unknown>;
}

const files = new Map([
  ['style.css', 'text/css; charset=utf-8'],
  ['forms.css', 'text/css; charset=utf-8'],
  ['links.js', 'text/javascript; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
]);

/** The public pages. */
export function addPageRoutes(router: Router, {ready}: PageDependencies): void {
  router.get('/', (ctx) => {
    render(ctx, 'home');
  });

  router.get('/about', (ctx) => {
    render(ctx, 'about');
  });

  for (const [name, type] of files) {
    router.get(`/${name}`, async (ctx) => {
      ctx.body = await readFile(new URL(`../public/${name}`, import.meta.url));
      ctx.set({'Cache-Control': 'public, max-age=300', 'Content-Type': type, 'X-Content-Type-Options': 'nosniff'});
    });
  }

  // For a load balancer or a process manager.
  router.get('/healthz', async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    try {
      await ready();
      ctx.body = 'ok\n';
    } catch {
      ctx.status = 503;
      ctx.body = 'the store does not answer\n';
    }
  });
}
