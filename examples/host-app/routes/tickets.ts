import {randomUUID} from 'node:crypto';
import type Router from '@koa/router';
import type {ShortUrl} from 'koa-short-url';
import {formField, readForm} from '../form.ts';
import {render} from '../render.ts';
import {checkCsrf} from '../session.ts';

export interface TicketDependencies {
  readonly shortener: ShortUrl;
  readonly onError: (error: unknown) => void;
}

/** In pence. */
const price = 4900;

/** The sale of tickets, which counts each ticket for the short link that brought the visitor: a poster, for example. */
export function addTicketRoutes(router: Router, {shortener, onError}: TicketDependencies): void {
  router.get('/tickets', (ctx) => {
    render(ctx, 'tickets', {order: randomUUID()});
  });

  router.post('/tickets', readForm(), checkCsrf, async (ctx) => {
    const id = formField(ctx, 'order');
    if (!/^[\da-f-]{36}$/.test(id)) ctx.throw(400);
    // A shop would take the money and store the order here.
    render(ctx, 'message', {title: 'See you at the quay', text: 'Your ticket is on its way to you.'});
    // A form that is sent twice counts once. The sale does not depend on it.
    await shortener.conversions.record(ctx, {name: 'ticket', id, value: price}).catch(onError);
  });
}
