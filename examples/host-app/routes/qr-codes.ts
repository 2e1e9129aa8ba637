import type Router from '@koa/router';
import type {ShortUrl} from 'koa-short-url';
import qrcode from 'qrcode';
import {askedFor} from '../link-address.ts';
import {ownLink} from '../link-page.ts';
import {requireUser} from '../require-user.ts';
import type {Users} from '../users/users.ts';

export interface QrCodeDependencies {
  readonly users: Users;
  readonly shortener: ShortUrl;
}

/** The PNG, in pixels of each side: enough for a poster's corner. */
const width = 1024;

/** A user's short URL as a picture to print. The four modules of white around it belong to the code. */
export function addQrCodeRoutes(router: Router, {users, shortener}: QrCodeDependencies): void {
  router.get('/account/qr.svg', requireUser(users), async (ctx) => {
    const {shortUrl} = await ownLink(ctx, shortener, askedFor(ctx));
    ctx.body = await qrcode.toString(shortUrl, {type: 'svg', margin: 4});
    ctx.type = 'image/svg+xml';
    ctx.set({'Cache-Control': 'private, max-age=300', 'X-Content-Type-Options': 'nosniff'});
  });

  router.get('/account/qr.png', requireUser(users), async (ctx) => {
    const {shortUrl} = await ownLink(ctx, shortener, askedFor(ctx));
    ctx.body = await qrcode.toBuffer(shortUrl, {type: 'png', margin: 4, width});
    ctx.type = 'image/png';
    ctx.set({'Cache-Control': 'private, max-age=300', 'X-Content-Type-Options': 'nosniff'});
  });
}
