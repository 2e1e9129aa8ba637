import {randomUUID} from 'node:crypto';
import type Router from '@koa/router';
import type {Context} from 'koa';
import type {ShortUrl} from 'koa-short-url';
import {formField, readForm} from '../form.ts';
import {render} from '../render.ts';
import {checkCsrf, visitor} from '../session.ts';

export interface TicketDependencies {
  readonly shortener: ShortUrl;
  readonly onError: (error: unknown) => void;
}

/** In pence. */
const price = 4900;

/** The sale of tickets, which counts each ticket for the short link that brought the visitor: a poster, for example. */
export function addTicketRoutes(router: Router, {shortener, onError}: TicketDependencies): void {
  const {conversions} = shortener;

  router.get('/tickets', (ctx) => {
    render(ctx, 'tickets', {order: randomUUID()});
  });

  router.post('/tickets', readForm(), checkCsrf, async (ctx) => {
    const id = orderOf(ctx);
    // A shop would take the money and store the order here.
    render(ctx, 'bought', {order: id});
    // A form that is sent twice counts once. A user counts for the link that brought the registration, also without a
    // cookie. The sale does not depend on it.
    const ticket = {name: 'ticket', id, value: price, customer: visitor(ctx)?.id};
    await conversions.record(ctx, ticket).catch(onError);
  });

  router.post('/tickets/return', readForm(), checkCsrf, async (ctx) => {
    const id = orderOf(ctx);
    // A shop would look for the order, and pay the money back here.
    render(ctx, 'message', {title: 'Another time, then', text: 'Your money is on its way back to you.'});
    // An order is returned as a whole, so its id names the refund too.
    await conversions.refund({name: 'ticket', id, refund: id}).catch(onError);
  });
}

function orderOf(ctx: Context): string {
  const id = formField(ctx, 'order');
  if (!/^[\da-f-]{36}$/.test(id)) ctx.throw(400);
  return id;
}
