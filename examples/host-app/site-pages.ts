import Koa, {type Middleware} from 'koa';
import {ShortUrlError} from 'koa-short-url';
import {render} from './render.ts';
import {UsersUnavailable} from './users/users.ts';

/** Answers errors, and requests that no route answered, with a page in the layout of the site. */
export const sitePages: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (isOutage(error)) {
      ctx.status = 503;
      ctx.set('Retry-After', String(error instanceof ShortUrlError ? (error.retryAfter ?? 5) : 5));
    } else {
      ctx.status = error instanceof Koa.HttpError && error.expose ? error.status : 500;
    }
    if (ctx.status >= 500) ctx.app.emit('error', error, ctx);
    render(ctx, 'message', messageFor(ctx.status));
    return;
  }
  // A body of `null` means that a route has answered without content.
  if (ctx.status === 404 && ctx.body === undefined) {
    render(ctx, 'message', messageFor(404));
    ctx.status = 404;
  }
};

function isOutage(error: unknown): boolean {
  return error instanceof UsersUnavailable || (error instanceof ShortUrlError && error.code === 'store_unavailable');
}

interface Message {
  readonly title: string;
  readonly text: string;
}

function messageFor(status: number): Message {
  switch (status) {
    case 403:
      return {
        title: 'That form was out of date',
        text: 'The form was too old or came from another site, so nothing was changed. Go back, reload the page and try again.',
      };
    case 404:
      return {
        title: 'Nothing washed up here',
        text: 'There is no page at this address. It may have gone out with the tide, or the address may be misspelt.',
      };
    case 413:
      return {
        title: 'That was too much',
        text: 'The form was larger than allowed. Please shorten it and try again.',
      };
    case 503:
      return {
        title: 'The tide is out',
        text: 'We cannot reach our records at the moment. Nothing is lost: please try again in a minute.',
      };
    default:
      return status < 500
        ? {title: 'We could not read that', text: 'The request was invalid. Go back and try again.'}
        : {title: 'We ran aground', text: 'Something went wrong on our side, and we have made a note of it.'};
  }
}
