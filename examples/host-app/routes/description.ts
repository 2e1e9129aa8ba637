import {readFile} from 'node:fs/promises';
import type Router from '@koa/router';
import type {Context} from 'koa';
import {apiReference} from '../api-reference.ts';
import type {OpenApi} from '../openapi.ts';
import {render} from '../render.ts';

export interface DescriptionDependencies {
  /** Where visitors reach the site. */
  readonly baseUrl: string;
}

/** The description of the API, for programs as `koa-short-url` has it, and for people as a page made from that. */
export function addDescriptionRoutes(router: Router, {baseUrl}: DescriptionDependencies): void {
  const site = baseUrl.replace(/\/$/, '');

  router.get('/api-reference', async (ctx) => {
    const document = JSON.parse(await fileOf('openapi.json')) as OpenApi;
    render(ctx, 'api-reference', {reference: apiReference(document, site)});
  });

  router.get('/openapi.json', async (ctx) => {
    const document = JSON.parse(await fileOf('openapi.json')) as object;
    // It calls this site, and no example.
    send(ctx, 'application/json; charset=utf-8', JSON.stringify({...document, servers: [{url: site}]}));
  });

  router.get('/short-url.xsd', async (ctx) => {
    send(ctx, 'application/xml; charset=utf-8', await fileOf('short-url.xsd'));
  });

  router.get('/reference.css', async (ctx) => {
    send(ctx, 'text/css; charset=utf-8', await readFile(new URL('../public/reference.css', import.meta.url), 'utf8'));
  });
}

function fileOf(name: string): Promise<string> {
  return readFile(new URL(import.meta.resolve(`koa-short-url/${name}`)), 'utf8');
}

function send(ctx: Context, type: string, text: string): void {
  ctx.body = text;
  ctx.set({'Cache-Control': 'public, max-age=300', 'Content-Type': type, 'X-Content-Type-Options': 'nosniff'});
}
